/// The deadlines of one transfer, as a pure value.
///
/// The clock runs while the transfer waits for the network, an interceptor, or a decision about trust. It stops while
/// the transfer is suspended, queued, or waiting for the delegate to respond. While it waits for the application to
/// read or write, only the deadline of inactivity pauses.
package struct TransferClock: Sendable {
    package enum Deadline: Sendable, Hashable {
        case inactivity, resource, connect
        /// The deadline of the whole call.
        case call
        /// The deadline of a switch of protocols, until the server has agreed.
        case upgrade
        /// The end of the delay before the next attempt.
        case retry
    }

    package struct Limits: Sendable, Hashable {
        package var inactivity = TimeSpan.infinite
        package var resource = TimeSpan.infinite
        package var connect = TimeSpan.infinite
        package var call = TimeSpan.infinite
        package var upgrade = TimeSpan.infinite

        package init(
            inactivity: TimeSpan = .infinite,
            resource: TimeSpan = .infinite,
            connect: TimeSpan = .infinite,
            call: TimeSpan = .infinite,
            upgrade: TimeSpan = .infinite
        ) {
            (self.inactivity, self.resource, self.connect, self.call) = (inactivity, resource, connect, call)
            self.upgrade = upgrade
        }

        /// Whether there is a limit of the whole call, or of what comes before the switch to another protocol.
        package var hasCall: Bool { min(call, upgrade) != .infinite }
    }

    package var limits: Limits
    private var startedAt: MonotonicTime?
    private var elapsed = TimeSpan.zero
    private var lastActivity = MonotonicTime(nanoseconds: 0)
    private var connecting: TimeSpan?
    private var isInactivityPaused = false
    /// The time when the next attempt begins, if the transfer waits for that.
    package var retryTime: MonotonicTime?
    private var callStartedAt: MonotonicTime?
    private var callElapsed = TimeSpan.zero

    package init(limits: Limits) { self.limits = limits }

    package mutating func start(at now: MonotonicTime) {
        guard startedAt == nil else { return }
        startedAt = now
    }

    /// Stops the clock; the time spent so far still counts after it is resumed, except towards inactivity.
    package mutating func stop(at now: MonotonicTime) {
        guard let started = startedAt else { return }
        let passed = now.since(started)
        elapsed += passed
        if let spent = connecting { connecting = spent + passed }
        startedAt = nil
    }

    /// Starts the clock of the whole call, which also runs while the transfer is queued or waits for the application.
    package mutating func startCall(at now: MonotonicTime) {
        if limits.hasCall, callStartedAt == nil { callStartedAt = now }
    }

    /// Stops the clock of the whole call, because the transfer is suspended.
    package mutating func stopCall(at now: MonotonicTime) {
        guard let started = callStartedAt else { return }
        callElapsed += now.since(started)
        callStartedAt = nil
    }

    /// Notes that the protocol was switched: the connection stays open for any time within the limit of the call.
    package mutating func noteUpgrade() { (limits.upgrade, limits.resource) = (.infinite, .infinite) }

    /// Whether no time is left for the whole call.
    package func isCallOver(at now: MonotonicTime) -> Bool { spentOnCall(at: now) >= limits.call }

    private func spentOnCall(at now: MonotonicTime) -> TimeSpan {
        callElapsed + (callStartedAt.map { now.since($0) } ?? .zero)
    }

    /// Returns the seconds until the transfer ends at the latest, or `nil` if it has no such limit.
    package func timeLeft(at now: MonotonicTime) -> Double? {
        let spent = elapsed + (startedAt.map { now.since($0) } ?? .zero)
        let left = min(min(limits.call, limits.upgrade) - spentOnCall(at: now), limits.resource - spent)
        return left == .infinite ? nil : left.seconds
    }

    /// Returns libcurl's limit for connecting, half of which the first of several addresses gets.
    ///
    /// It ends later than the deadlines, by enough for a turn of the engine that comes late.
    package func connectLimit(at now: MonotonicTime) -> TimeSpan {
        let left = timeLeft(at: now).map { TimeSpan(seconds: $0) } ?? .infinite
        let limit = min(limits.connect, limits.inactivity, left)
        return limit + TimeSpan(nanoseconds: limit.nanoseconds / 8) + .milliseconds(1_000)
    }

    package mutating func noteActivity(at now: MonotonicTime) { lastActivity = now }

    /// Pauses the inactivity deadline while waiting for the application, and resumes it afterwards.
    package mutating func pauseInactivity(_ isPaused: Bool, at now: MonotonicTime) {
        if isInactivityPaused, !isPaused { lastActivity = now }
        isInactivityPaused = isPaused
    }

    package mutating func beginConnecting(at now: MonotonicTime) {
        guard connecting == nil else { return }
        connecting = .zero
        if let started = startedAt { elapsed += now.since(started) }
        startedAt = now
    }

    /// Ends the deadline for the connection of an attempt that has ended.
    package mutating func forgetConnecting() { connecting = nil }

    package mutating func endConnecting(at now: MonotonicTime) {
        connecting = nil
        lastActivity = now
    }

    /// Returns the next deadline and its time, or `nil` if there is none.
    package func next() -> (time: MonotonicTime, deadline: Deadline)? {
        var earliest: (time: MonotonicTime, deadline: Deadline)?
        func consider(_ time: MonotonicTime, _ deadline: Deadline) {
            if let found = earliest, found.time <= time { return }
            earliest = (time, deadline)
        }
        if let started = callStartedAt {
            if limits.call != .infinite { consider(started.advanced(by: limits.call - callElapsed), .call) }
            if limits.upgrade != .infinite { consider(started.advanced(by: limits.upgrade - callElapsed), .upgrade) }
        }
        guard let started = startedAt else { return earliest }
        if let retryTime {
            consider(retryTime, .retry)
        } else if limits.inactivity != .infinite, !isInactivityPaused {
            consider(max(lastActivity, started).advanced(by: limits.inactivity), .inactivity)
        }
        if limits.resource != .infinite {
            consider(started.advanced(by: limits.resource - elapsed), .resource)
        }
        if limits.connect != .infinite, let spent = connecting {
            consider(started.advanced(by: limits.connect - spent), .connect)
        }
        return earliest
    }
}
