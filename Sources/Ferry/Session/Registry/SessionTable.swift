import Foundation

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
    }

    private var slots: [Int: Slot] = [:]
    private var current: Int?
    private var nextGeneration = 0

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
        guard current == nil else { return false }
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

    /// Ends the current session, and returns it if the caller must invalidate it now.
    ///
    /// Returns nil for a session that is invalidated already, or that the end of its last lease will invalidate.
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

    /// Records that a session has become invalid, for whatever reason.
    mutating func didInvalidate(generation: Int) {
        if current == generation {
            slots[generation]?.isInvalid = true
        } else {
            slots[generation] = nil
        }
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
