/// The deadlines of one exchange, as a pure value.
///
/// The clock runs while the exchange waits for the network, an interceptor, or a decision about trust. It stops while
/// the exchange is suspended, queued, or waiting for the delegate to respond. While it waits for the application to
/// read or write, only the deadline of inactivity pauses.
struct ExchangeClock: Sendable {
    enum Deadline: Sendable, Hashable {
        case inactivity, resource, connect
        /// That of the whole call.
        case call
        /// The end of the delay before the next attempt.
        case retry
    }

    /// The limits, in nanoseconds; `nil` for no limit.
    struct Limits: Sendable, Hashable {
        var inactivity: UInt64?
        var resource: UInt64?
        var connect: UInt64?
        var call: UInt64?
    }

    let limits: Limits
    private var startedAt: MonotonicTime?
    private var elapsed: UInt64 = 0
    private var lastActivity = MonotonicTime(nanoseconds: 0)
    private var connecting: UInt64?
    private var isInactivityPaused = false
    /// When the next attempt begins, if the exchange waits for that.
    var retryTime: MonotonicTime?
    private var callStartedAt: MonotonicTime?
    private var callElapsed: UInt64 = 0

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

    /// Starts the clock of the whole call, which also runs while the exchange is queued or waits for the application.
    mutating func startCall(at now: MonotonicTime) {
        if limits.call != nil, callStartedAt == nil { callStartedAt = now }
    }

    /// Stops the clock of the whole call, because the exchange is suspended.
    mutating func stopCall(at now: MonotonicTime) {
        guard let started = callStartedAt else { return }
        callElapsed += now.since(started)
        callStartedAt = nil
    }

    /// Whether no time is left for the whole call.
    func isCallOver(at now: MonotonicTime) -> Bool { limits.call.map { spentOnCall(at: now) >= $0 } ?? false }

    private func spentOnCall(at now: MonotonicTime) -> UInt64 {
        callElapsed + (callStartedAt.map { now.since($0) } ?? 0)
    }

    /// Returns the seconds until the exchange ends at the latest, or `nil` if it has no such limit.
    func timeLeft(at now: MonotonicTime) -> Double? {
        let call = limits.call.map { limit in
            let spent = spentOnCall(at: now)
            return limit > spent ? limit - spent : 0
        }
        let resource = limits.resource.map { limit in
            let spent = elapsed + (startedAt.map { now.since($0) } ?? 0)
            return limit > spent ? limit - spent : 0
        }
        return [call, resource].compactMap { $0 }.min().map { Double($0) / 1_000_000_000 }
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

    /// Ends the deadline for the connection of an attempt that has ended.
    mutating func forgetConnecting() { connecting = nil }

    mutating func endConnecting(at now: MonotonicTime) {
        connecting = nil
        lastActivity = now
    }

    /// Returns the next deadline and its time, or `nil` if there is none.
    func next() -> (time: MonotonicTime, deadline: Deadline)? {
        var earliest: (time: MonotonicTime, deadline: Deadline)?
        func consider(_ time: MonotonicTime, _ deadline: Deadline) {
            if let found = earliest, found.time <= time { return }
            earliest = (time, deadline)
        }
        if let limit = limits.call, let started = callStartedAt {
            consider(started.advanced(by: limit > callElapsed ? limit - callElapsed : 0), .call)
        }
        guard let started = startedAt else { return earliest }
        if let retryTime {
            consider(retryTime, .retry)
        } else if let limit = limits.inactivity, !isInactivityPaused {
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
