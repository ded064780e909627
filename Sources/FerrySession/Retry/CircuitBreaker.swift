/// Stops requests to servers that keep failing, so that callers fail at once and the servers can recover.
///
/// For each origin, the requests of a window of time are counted. When too large a share has failed, the circuit opens:
/// requests fail without being sent, with the reason ``CurlSessionError/Code/circuitOpen``, or are answered with a
/// stale stored response where that is allowed (RFC 5861). After a time one request is sent as a trial: a success
/// closes the circuit, and a failure opens it again for twice as long.
///
/// ```swift
/// manager.circuitBreaker = CircuitBreaker()
/// ```
///
/// An attempt has failed if there was no response, or one with a status of ``Rule/failureStatusCodes``. Each attempt of
/// a task counts. One breaker can be shared by any number of tasks, sessions and managers; all methods can be called
/// from any thread.
public final class CircuitBreaker: Sendable {
    /// The conditions under which a circuit opens, and the time for which it stays open.
    public struct Rule: Hashable, Sendable {
        /// The share of failed requests at which the circuit opens, from 0 to 1; 0.5 by default.
        public var failureShare = 0.5
        /// The number of requests in the window below which the circuit stays closed; 10 by default.
        public var minimumRequests = 10
        /// The length of the window, in seconds; 10 by default.
        public var window: TimeInterval = 10
        /// The time, in seconds, for which the circuit is open before a request is sent as a trial; 5 by default.
        public var openTime: TimeInterval = 5
        /// The longest time, in seconds, to which ``openTime`` is doubled after failed trials; 60 by default.
        public var maximumOpenTime: TimeInterval = 60
        /// The status codes that are failures; 500, 502, 503 and 504 by default.
        public var failureStatusCodes: Set<Int> = [500, 502, 503, 504]

        /// Creates the default rule, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    /// The state of the circuit to one origin.
    public enum State: Hashable, Sendable {
        /// Requests are sent.
        case closed
        /// Requests fail without being sent.
        case open
        /// One request is sent, or may be, as a trial.
        case halfOpen
    }

    /// A change of the state of an origin's circuit.
    public struct Change: Hashable, Sendable {
        /// The scheme, host and port of the origin, as in a URL.
        public var origin: String
        /// The new state.
        public var state: State
    }

    /// The number of origins at which those that are not in use are forgotten.
    private static let maximumCount = 1_024

    /// The rule.
    public let rule: Rule
    private let stateDidChange: (@Sendable (Change) -> Void)?
    private let queue = DispatchQueue(label: "ferry.circuit-breaker")
    private let circuits = Mutex<[Origin: CircuitState]>([:])

    /// Creates a breaker whose circuits are closed.
    ///
    /// `stateDidChange` is called after each change of a circuit's state, in order, on a queue of the breaker.
    public init(_ rule: Rule = Rule(), stateDidChange: (@Sendable (Change) -> Void)? = nil) {
        self.rule = rule
        self.stateDidChange = stateDidChange
    }

    /// Returns the state of the circuit to the origin of a URL.
    public func state(of url: URL) -> State { circuits.withLock { $0[Origin(url)]?.state(at: .now()) ?? .closed } }

    /// Closes all circuits, and forgets what was counted.
    public func reset() {
        circuits.withLock { circuits in
            for (origin, circuit) in circuits where circuit.state(at: .now()) != .closed { tell(origin, .closed) }
            circuits = [:]
        }
    }

    /// Returns the era of the circuit to an origin if a request may be sent.
    func admit(_ origin: Origin, at now: MonotonicTime) -> Int? {
        update(origin, at: now) { circuit in
            let isAdmitted = circuit.admit(at: now)
            if isAdmitted, circuit.state(at: now) == .halfOpen { tell(origin, .halfOpen) }
            return isAdmitted ? circuit.era : nil
        }
    }

    /// Whether the circuit to an origin has not changed since a request was admitted.
    func isUnchanged(_ origin: Origin, since era: Int) -> Bool { circuits.withLock { $0[origin]?.era ?? era } == era }

    /// Notes the end of a request that was admitted in an era, unless that era is over.
    func note(_ outcome: CircuitState.Outcome, of origin: Origin, since era: Int, at now: MonotonicTime) {
        update(origin, at: now) { circuit in
            guard circuit.era == era else { return }
            let before = circuit.state(at: now)
            circuit.note(outcome, at: now)
            let after = circuit.state(at: now)
            if before != after { tell(origin, after) }
        }
    }

    private func update<Result>(
        _ origin: Origin,
        at now: MonotonicTime,
        _ update: (inout CircuitState) -> Result
    ) -> Result {
        circuits.withLock { circuits in
            if circuits.count >= Self.maximumCount, circuits[origin] == nil { Self.forgetUnused(&circuits, at: now) }
            return update(&circuits[origin, default: CircuitState(rule, at: now)])
        }
    }

    /// Forgets origins that are not in use; a server can invent any number of them by redirects.
    private static func forgetUnused(_ circuits: inout [Origin: CircuitState], at now: MonotonicTime) {
        circuits = circuits.filter { !$0.value.isUnused(at: now) }
        if circuits.count >= maximumCount, let other = circuits.keys.first { circuits[other] = nil }
    }

    /// Reports a change on the queue; called under the lock, so that the changes are in their order.
    private func tell(_ origin: Origin, _ state: State) {
        guard let stateDidChange else { return }
        let change = Change(origin: "\(origin.scheme)://\(origin.hostText):\(origin.port)", state: state)
        queue.async { stateDidChange(change) }
    }
}

/// The use of a circuit breaker by a call.
struct CircuitUse {
    let breaker: CircuitBreaker?
    /// The origin of a request that was admitted and has not ended, and the era of its circuit then.
    private var pending: (origin: Origin, era: Int)?

    init(_ breaker: CircuitBreaker?) { self.breaker = breaker }

    /// Returns the error of a request that must not be sent; `nil` if it may be sent.
    mutating func refusal(of origin: Origin, url: URL?, at now: MonotonicTime) -> URLError? {
        guard let breaker else { return nil }
        guard let era = breaker.admit(origin, at: now) else {
            let text = "The circuit to \(origin.hostText) is open, since too many requests to it have failed"
            return .ferry(.cannotConnectToHost, url: url, reason: .circuitOpen, text)
        }
        pending = (origin, era)
        return nil
    }

    /// Returns the error of a request whose circuit has opened while it waited or was suspended.
    mutating func refusalAfterWait(of origin: Origin, url: URL?, at now: MonotonicTime) -> URLError? {
        if let pending, breaker?.isUnchanged(origin, since: pending.era) == true { return nil }
        pending = nil
        return refusal(of: origin, url: url, at: now)
    }

    mutating func noteStatus(_ status: Int, at now: MonotonicTime) {
        note(breaker?.rule.failureStatusCodes.contains(status) == true ? .failure : .success, at: now)
    }

    /// Notes the end of the request, unless one was noted before.
    mutating func note(_ outcome: CircuitState.Outcome, at now: MonotonicTime) {
        guard let breaker, let request = pending else { return }
        pending = nil
        breaker.note(outcome, of: request.origin, since: request.era, at: now)
    }
}
