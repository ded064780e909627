/// Decides when a source queries the state again although no event has come.
struct LookSchedule: Sendable {
    /// The longest delay between two lookups, in seconds.
    static let maximumDelay = 30

    private var isLaterCheckDue = false
    private var hasNewEvent = false
    private var isLookupDue = false
    private var nextDelay = 1

    /// Records an event, and returns whether a later check must be scheduled.
    mutating func noteEvent() -> Bool {
        hasNewEvent = isLaterCheckDue
        defer { isLaterCheckDue = true }
        return !isLaterCheckDue
    }

    /// Ends the delay of a later check, and returns whether another one must be scheduled, since an event has come in
    /// the meantime.
    mutating func endLaterCheck() -> Bool {
        defer { hasNewEvent = false }
        isLaterCheckDue = hasNewEvent
        return hasNewEvent
    }

    /// Records the result of a lookup, and returns the delay, in seconds, of another one that must be scheduled.
    ///
    /// The delay doubles with each failure.
    mutating func noteLookup(hasSucceeded: Bool) -> Int? {
        guard !hasSucceeded else {
            nextDelay = 1
            return nil
        }
        guard !isLookupDue else { return nil }
        isLookupDue = true
        defer { nextDelay = min(nextDelay * 2, Self.maximumDelay) }
        return nextDelay
    }

    mutating func endLookupDelay() { isLookupDue = false }
}
