/// The faults of a ``LoopbackServer``, in the order of its requests.
///
/// Each request takes the next step. When all are used, the server's handler responds.
///
/// ```swift
/// let script: FaultScript = [
///     .reset, .reset, .respond(statusCode: 503, retryAfter: 1),
///     .truncate(after: 1_000),
/// ]
/// let server = try LoopbackServer(script: script) { _ in .pattern(count: 10_000) }
/// // … five requests later:
/// script.counts  // ["reset": 2, "503": 1, "truncate": 1, "pass": 1]
/// ```
///
/// A script keeps its position. Use it for one server at a time.
public final class FaultScript: Sendable {
    /// The requests that share a position in a script.
    public enum Counting: Sendable {
        /// All requests.
        case together
        /// The requests with the same method and target: each resource has all the faults.
        case perTarget
    }

    private struct State {
        /// The progress of each rule, for each target if these are counted separately.
        var progress: [Key: Progress] = [:]
        var counts: [String: Int] = [:]
    }

    private struct Key: Hashable {
        let rule: Int
        let target: String
    }

    private struct Progress {
        /// The number of requests.
        var position = 0
        /// The number of faults since the last request without one.
        var run = 0
    }

    private struct Rule: Sendable {
        let route: LoopbackRoute?
        let plan: FaultPlan
        var longestRun = Int.max
    }

    private let rules: [Rule]
    private let counting: Counting
    private let state = Mutex(State())

    private init(_ rules: [Rule], counting: Counting) {
        self.rules = rules
        self.counting = counting
    }

    /// Creates a script for all paths.
    ///
    /// - Parameters:
    ///   - steps: The steps, in the order of the requests.
    ///   - counting: The requests that share a position; all of them by default.
    ///   - repeats: Whether the first step follows the last one; false by default.
    public convenience init(_ steps: [FaultStep], counting: Counting = .together, repeats: Bool = false) {
        self.init([Rule(route: nil, plan: .steps(steps, repeats: repeats))], counting: counting)
    }

    /// Creates a script with different steps for different paths; other paths have no faults.
    ///
    /// - Parameters:
    ///   - paths: The steps by path, as in ``LoopbackRoute/path``. The first path that matches a request counts, and
    ///     each of them has its own position.
    ///   - counting: The requests with the same path that share a position; all of them by default.
    ///   - repeats: Whether the first step follows the last one; false by default.
    public convenience init(
        paths: KeyValuePairs<String, [FaultStep]>,
        counting: Counting = .together,
        repeats: Bool = false
    ) {
        let rules = paths.map { path, steps in
            let route = LoopbackRoute(nil, path) { _ in LoopbackResponse() }
            return Rule(route: route, plan: .steps(steps, repeats: repeats))
        }
        self.init(rules, counting: counting)
    }

    /// Creates a script of random faults.
    ///
    /// The step depends on the seed, the request's method and target, and how many requests for the same target came
    /// before. The same requests have the same faults, in whichever order the targets are requested.
    ///
    /// - Parameters:
    ///   - seed: The seed. Print it when a test fails.
    ///   - share: The share of the requests that have a fault, from 0 to 1.
    ///   - faults: The faults, which are equally likely, or nil for drops, truncations, pauses, and the statuses 429,
    ///     500 and 503, at random positions within 64 KiB, most of them small.
    ///   - longestRun: The greatest number of faults for a target without a request that passes between them. A client
    ///     that repeats a request that many times succeeds. By default there is no limit.
    public convenience init(seed: UInt64, share: Double, of faults: [FaultStep]? = nil, longestRun: Int = .max) {
        let random = RandomFaults(seed: seed, share: share, faults: faults)
        self.init([Rule(route: nil, plan: .random(random), longestRun: longestRun)], counting: .perTarget)
    }

    /// The number of requests that have taken each step, by its name; `pass` for those without a fault.
    public var counts: [String: Int] { state.withLock { $0.counts } }

    /// The number of requests, with and without faults.
    public var requestCount: Int { state.withLock { $0.counts.values.reduce(0, +) } }

    /// Returns to the beginning of the script, and sets the counts to zero.
    public func reset() { state.withLock { $0 = State() } }

    /// Returns a handler that applies the script to the responses of another one.
    ///
    /// - Parameter handler: Returns the responses without faults.
    /// - Returns: The handler for a server.
    public func handler(_ handler: @escaping LoopbackServer.Handler) -> LoopbackServer.Handler {
        { request in self.next(for: request).respond(request, handler) }
    }

    /// Returns the step for a request, and advances the script.
    private func next(for request: LoopbackRequest) -> FaultStep {
        let target = "\(request.method) \(request.target)"
        let index = rules.firstIndex { $0.route?.match(request) != nil || $0.route == nil }
        return state.withLock { state in
            var step = FaultStep.pass
            if let index {
                let key = Key(rule: index, target: counting == .perTarget ? target : "")
                var progress = state.progress[key] ?? Progress()
                if progress.run < rules[index].longestRun {
                    step = rules[index].plan.step(at: progress.position, for: target)
                }
                progress.position += 1
                progress.run = step.isFault ? progress.run + 1 : 0
                state.progress[key] = progress
            }
            state.counts[step.name, default: 0] += 1
            return step
        }
    }
}

extension FaultScript: ExpressibleByArrayLiteral {
    /// Creates a script for all paths.
    public convenience init(arrayLiteral elements: FaultStep...) { self.init(elements) }
}

extension LoopbackServer {
    /// Creates a server with faults and starts it.
    ///
    /// - Parameters:
    ///   - script: The faults.
    ///   - host: The numeric loopback address, `127.0.0.1` or `::1`.
    ///   - configuration: The settings for recording and reading requests.
    ///   - handler: Returns the responses without faults; nil for the built-in routes.
    /// - Throws: ``LoopbackServerError`` if the host is not an address, or the system fails to create a socket or a
    ///   thread.
    public convenience init(
        script: FaultScript,
        host: String = "127.0.0.1",
        configuration: Configuration = Configuration(),
        handler: Handler? = nil
    ) throws {
        var configuration = configuration
        if handler == nil, configuration.bodyReading == nil { configuration.bodyReading = Self.standardBodyReading }
        let scripted = script.handler(handler ?? Self.standardRoutes)
        try self.init(host: host, configuration: configuration, handler: scripted)
    }
}
