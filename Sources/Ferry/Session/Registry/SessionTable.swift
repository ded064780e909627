/// The sessions of one manager: the current one, and earlier ones that are still finishing.
///
/// A session is invalidated only while no task is being made in it, since asking an invalid `URLSession` for a task
/// ends the process. An invalidation requested in the meantime happens when the last lease ends.
struct SessionTable: Sendable {
    /// How a session is invalidated.
    enum Invalidation: Sendable {
        /// Running tasks are cancelled.
        case cancelling
        /// Running tasks finish.
        case finishing
    }

    /// The step that the caller of an invalidation must perform.
    enum Step: Sendable {
        /// Nothing: there is no session, or the end of its last lease will invalidate it.
        case nothing
        /// Invalidate the session.
        case invalidate(URLSession)
        /// Cancel the tasks of a generation, whose session is invalid already.
        case cancelTasks(generation: Int, session: URLSession)
    }

    /// The current session, reserved for making one task; it is not invalidated before the lease ends.
    struct Lease: Sendable {
        let session: URLSession
        let generation: Int
    }

    private struct Slot: Sendable {
        let session: URLSession
        var makers = 0
        var invalidation: Invalidation?
        var isInvalid = false
        /// Whether the session has reported that it is invalid.
        var hasEnded = false
    }

    private var slots: [Int: Slot] = [:]
    private var current: Int?
    private var nextGeneration = 0
    /// The generations of sessions that were not adopted and have not reported their end yet.
    private var surplus: Set<Int> = []

    /// Whether no more tasks can be made.
    private(set) var isClosed = false

    /// The generations of all sessions made so far, the latest first.
    var generations: ReversedCollection<Range<Int>> { (1..<nextGeneration + 1).reversed() }

    /// The current session, even if it is no longer valid.
    var session: URLSession? { current.flatMap { slots[$0]?.session } }

    /// All sessions: the current one, and those that are finishing.
    var all: [URLSession] { slots.values.map(\.session) }

    /// Whether a session must be made before a task can be.
    var needsSession: Bool { current == nil }

    /// Returns the generation of a session that is about to be made.
    mutating func reserveGeneration() -> Int {
        nextGeneration += 1
        return nextGeneration
    }

    /// Makes a session the current one; returns false if there is one already.
    mutating func adopt(_ session: URLSession, generation: Int) -> Bool {
        guard current == nil else {
            surplus.insert(generation)
            return false
        }
        slots[generation] = Slot(session: session)
        current = generation
        return true
    }

    /// Reserves the current session; returns nil if no task can be made.
    mutating func lease() -> Lease? {
        guard !isClosed, let current, var slot = slots[current], !slot.isInvalid else { return nil }
        slot.makers += 1
        slots[current] = slot
        return Lease(session: slot.session, generation: current)
    }

    /// Ends a lease, and returns how the session must be invalidated now, if at all.
    mutating func end(_ lease: Lease) -> Invalidation? {
        guard var slot = slots[lease.generation] else { return nil }
        slot.makers -= 1
        defer { slots[lease.generation] = slot }
        guard slot.makers == 0, let invalidation = slot.invalidation else { return nil }
        slot.invalidation = nil
        return invalidation
    }

    /// Ends the current session, and returns the step that the caller must perform.
    ///
    /// A session may be invalidated again, to cancel the tasks that were to finish, or to get a new session after all.
    mutating func invalidate(_ invalidation: Invalidation, resetting: Bool) -> Step {
        isClosed = !resetting
        guard let generation = current, var slot = slots[generation] else { return .nothing }
        if resetting { current = nil }
        guard slot.isInvalid else {
            slot.isInvalid = true
            defer { slots[generation] = slot }
            guard slot.makers == 0 else {
                slot.invalidation = invalidation
                return .nothing
            }
            return .invalidate(slot.session)
        }
        if slot.invalidation != nil, invalidation == .cancelling { slot.invalidation = .cancelling }
        slots[generation] = resetting && slot.hasEnded ? nil : slot
        return .cancelTasks(generation: generation, session: slot.session)
    }

    /// Records that a session has become invalid, for whatever reason; returns false if it was never a current one.
    mutating func didInvalidate(generation: Int) -> Bool {
        if surplus.remove(generation) != nil { return false }
        if current == generation {
            slots[generation]?.isInvalid = true
            slots[generation]?.hasEnded = true
        } else {
            slots[generation] = nil
        }
        return true
    }

    /// Removes all sessions, when the manager is released; returns the current one if it is still valid.
    mutating func abandon() -> URLSession? {
        isClosed = true
        let session = current.flatMap { slots[$0] }.flatMap { $0.isInvalid ? nil : $0.session }
        slots = [:]
        current = nil
        return session
    }
}
