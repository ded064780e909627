/// The transfers without a handle whose deadlines are checked, and when the next deadline of any transfer is due.
struct TransferDeadlines {
    /// Transfers that wait for user code, by their addresses.
    var waiting: [ObjectIdentifier: Transfer] = [:]
    /// The transfers that have a deadline for the whole call, in whichever phase they are.
    var calls: [ObjectIdentifier: Transfer] = [:]
    private(set) var next: MonotonicTime?
    /// The time when the deadlines may be checked again.
    private var nextCheck = MonotonicTime(nanoseconds: 0)
    /// The next deadline when the engine's thread last went to sleep, which ends the sleep.
    private(set) var sleepEnd: MonotonicTime?

    /// A Boolean value that indicates whether there is no transfer.
    var isEmpty: Bool { waiting.isEmpty && calls.isEmpty }

    /// Makes sure that the deadlines are checked at a time, or soon after it.
    mutating func watch(_ time: MonotonicTime) {
        let time = max(time, nextCheck)
        next = min(time, next ?? time)
    }

    /// Notes that all deadlines were checked, and delays the next check so that checks take at most a fifth of the
    /// time.
    mutating func noteCheck(from start: MonotonicTime, to end: MonotonicTime) {
        nextCheck = end.advanced(by: TimeSpan(nanoseconds: 4 * min(end.since(start).nanoseconds, 12_500_000)))
        next = next.map { max($0, nextCheck) }
    }

    mutating func beginSleep() { sleepEnd = next }

    /// Returns whether the next deadline is due, and forgets it then.
    mutating func takeDue(at now: MonotonicTime) -> Bool {
        guard let next, next <= now else { return false }
        self.next = nil
        return true
    }
}
