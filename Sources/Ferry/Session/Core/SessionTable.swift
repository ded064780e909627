import FerrySession

/// The sessions of one manager: the current one, and earlier ones that are still finishing.
///
/// A session is invalidated only while nobody is making a task in it, since a `URLSession` that is asked for a task
/// afterwards ends the process: an invalidation that comes between waits for the last maker.
struct SessionTable: Sendable {
    /// How a session is invalidated.
    enum Invalidation: Sendable {
        /// Running tasks are cancelled.
        case cancelling

        /// Running tasks finish.
        case finishing
    }

    /// A session lent for making one task.
    struct Lease: Sendable {
        let session: URLSession
        let generation: Int
    }

    private struct Slot: Sendable {
        let session: URLSession
        var makers = 0
        var invalidation: Invalidation?
        var isInvalid = false
    }

    private var slots: [Int: Slot] = [:]
    private var current: Int?
    private var nextGeneration = 0

    /// Whether the manager takes no more tasks.
    private(set) var isClosed = false

    /// The numbers of all sessions there have been, the latest first.
    var generations: ReversedCollection<Range<Int>> { (1..<nextGeneration + 1).reversed() }

    /// The current session, even one that is no longer valid.
    var session: URLSession? { current.flatMap { slots[$0]?.session } }

    /// All sessions there are: the current one, and those that are finishing.
    var all: [URLSession] { slots.values.map(\.session) }

    /// Whether a session must be made before there is a current one.
    var needsSession: Bool { current == nil }

    /// Reserves the number for a session that is about to be made.
    mutating func reserveGeneration() -> Int {
        nextGeneration += 1
        return nextGeneration
    }

    /// Makes a session the current one, unless there is one already.
    mutating func adopt(_ session: URLSession, generation: Int) -> Bool {
        guard current == nil else { return false }
        slots[generation] = Slot(session: session)
        current = generation
        return true
    }

    /// Lends the current session; nil if no task can be made.
    mutating func lease() -> Lease? {
        guard !isClosed, let current, var slot = slots[current], !slot.isInvalid else { return nil }
        slot.makers += 1
        slots[current] = slot
        return Lease(session: slot.session, generation: current)
    }

    /// Takes a lease back, and says what to do to the session now.
    mutating func end(_ lease: Lease) -> Invalidation? {
        guard var slot = slots[lease.generation] else { return nil }
        slot.makers -= 1
        defer { slots[lease.generation] = slot }
        guard slot.makers == 0, let invalidation = slot.invalidation else { return nil }
        slot.invalidation = nil
        return invalidation
    }

    /// Ends the current session, and gives it if it is to be invalidated now.
    ///
    /// A session is invalidated once: a second invalidation of the same one gives nothing.
    mutating func invalidate(_ invalidation: Invalidation, resetting: Bool) -> URLSession? {
        if !resetting { isClosed = true }
        guard let generation = current, var slot = slots[generation] else { return nil }
        if resetting { current = nil }
        guard !slot.isInvalid else { return nil }
        slot.isInvalid = true
        defer { slots[generation] = slot }
        guard slot.makers == 0 else {
            slot.invalidation = invalidation
            return nil
        }
        return slot.session
    }

    /// Notes that a session has become invalid, by whoever's doing.
    mutating func didInvalidate(generation: Int) {
        if current == generation {
            slots[generation]?.isInvalid = true
        } else {
            slots[generation] = nil
        }
    }

    /// Gives up all sessions, when the manager goes; gives the one that is still valid.
    mutating func abandon() -> URLSession? {
        isClosed = true
        let session = current.flatMap { slots[$0] }.flatMap { $0.isInvalid ? nil : $0.session }
        slots = [:]
        current = nil
        return session
    }
}
