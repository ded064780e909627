/// The deadlines of one exchange, as a pure value.
///
/// The clock runs while the exchange waits for the network. It stops while the exchange is suspended, queued, or
/// waiting for the application to read, write or respond.
struct ExchangeClock: Sendable {
    enum Deadline: Sendable, Hashable { case inactivity, resource, connect }

    /// The limits, in nanoseconds; `nil` for no limit.
    struct Limits: Sendable, Hashable {
        var inactivity: UInt64?
        var resource: UInt64?
        var connect: UInt64?
    }

    let limits: Limits
    private var startedAt: MonotonicTime?
    private var elapsed: UInt64 = 0
    private var lastActivity = MonotonicTime(nanoseconds: 0)
    private var connecting: UInt64?
    private var isInactivityPaused = false

    init(limits: Limits) { self.limits = limits }

    var isRunning: Bool { startedAt != nil }

    mutating func start(at now: MonotonicTime) {
        guard startedAt == nil else { return }
        startedAt = now
        lastActivity = now
    }

    /// Stops the clock; the time spent so far still counts after it is resumed, except towards inactivity.
    mutating func stop(at now: MonotonicTime) {
        guard let started = startedAt else { return }
        let passed = now.since(started)
        elapsed += passed
        if let spent = connecting { connecting = spent + passed }
        startedAt = nil
    }

    mutating func noteActivity(at now: MonotonicTime) { lastActivity = now }

    /// Pauses the inactivity deadline while waiting for the application, and resumes it afterwards.
    mutating func pauseInactivity(_ isPaused: Bool, at now: MonotonicTime) {
        if isInactivityPaused, !isPaused { lastActivity = now }
        isInactivityPaused = isPaused
    }

    mutating func beginConnecting(at now: MonotonicTime) {
        guard connecting == nil else { return }
        connecting = 0
        if let started = startedAt { elapsed += now.since(started) }
        startedAt = now
    }

    mutating func endConnecting(at now: MonotonicTime) {
        connecting = nil
        lastActivity = now
    }

    /// Returns the next deadline and its time, or `nil` if there is none.
    func next() -> (time: MonotonicTime, deadline: Deadline)? {
        guard let started = startedAt else { return nil }
        var earliest: (time: MonotonicTime, deadline: Deadline)?
        func consider(_ time: MonotonicTime, _ deadline: Deadline) {
            if let found = earliest, found.time <= time { return }
            earliest = (time, deadline)
        }
        if let limit = limits.inactivity, !isInactivityPaused {
            consider(max(lastActivity, started).advanced(by: limit), .inactivity)
        }
        if let limit = limits.resource {
            consider(started.advanced(by: limit > elapsed ? limit - elapsed : 0), .resource)
        }
        if let limit = limits.connect, let spent = connecting {
            consider(started.advanced(by: limit > spent ? limit - spent : 0), .connect)
        }
        return earliest
    }
}
