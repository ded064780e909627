import TestSupport

@testable import FerrySession

/// One session with random options and tasks over a ``RandomNetwork``; the seed determines everything.
///
/// Each task ends exactly once and within hours; a body that is delivered without an error is the server's, byte by
/// byte; the delegate's callbacks are in order (``RecordingDelegate``).
final class RandomRun: Sendable {
    private static let taskCount = 20

    private let seed: UInt64
    private let network: RandomNetwork
    private let session: CurlSession
    private let delegate: RecordingDelegate
    private let ends: AsyncStream<Void>
    private let tasks = Watched<[URLSessionTask]>([])

    init(seed: UInt64) {
        var generator = SeededGenerator(seed)
        self.seed = seed
        network = RandomNetwork(SeededGenerator(generator.next()))
        let ends = AsyncStream<Void>.makeStream()
        self.ends = ends.stream
        var hooks = DelegateHooks()
        hooks.onCompleted = { [network] task, error in
            network.note("task \(task.taskIdentifier) ended: \((error as? URLError)?.code.rawValue ?? 0)")
            ends.continuation.yield()
        }
        delegate = RecordingDelegate(hooks)
        session = Simulated.session(delegate, options: Self.options(&generator)) { configuration in
            configuration.httpMaximumConnectionsPerHost = Int.random(in: 1...6, using: &generator)
            configuration.timeoutIntervalForRequest = 60
            configuration.timeoutIntervalForResource = 3_000
        }
        for number in 1...Self.taskCount { plan(number, &generator) }
    }

    private static func options(_ generator: inout SeededGenerator) -> CurlSession.Options {
        var options = CurlSession.Options()
        if RandomNetwork.chance(70, &generator) {
            var policy = RetryPolicy()
            policy.backoff = RetryPolicy.Backoff(hasJitter: false)
            if Bool.random(using: &generator) { policy.failures = Set(RetryPolicy.Failure.allCases) }
            if Bool.random(using: &generator) { policy.budget = nil }
            options.retryPolicy = policy
        }
        if RandomNetwork.chance(20, &generator) { options.deadline = 400 }
        if RandomNetwork.chance(20, &generator) { options.coalescesIdenticalRequests = true }
        if RandomNetwork.chance(30, &generator) { options.interceptors = [Slow()] }
        if RandomNetwork.chance(20, &generator) { options.circuitBreaker = CircuitBreaker() }
        if RandomNetwork.chance(30, &generator) { options.connectTimeout = 10 }
        return options
    }

    /// An interceptor that waits before it returns.
    private struct Slow: RequestInterceptor {
        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            await Simulation.shared.sleep(0.5)
            return request
        }

        func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
            await Simulation.shared.sleep(0.5)
            return .proceed
        }
    }

    // MARK: - Tasks

    private func plan(_ number: Int, _ generator: inout SeededGenerator) {
        let task = makeTask(number, &generator)
        tasks.append(task)
        let start = Double.random(in: 0..<60, using: &generator)
        Simulation.shared.after(start) { task.resume() }
        func later(_ seconds: Double, _ action: @escaping @Sendable () -> Void) {
            Simulation.shared.after(start + .random(in: 0..<seconds, using: &generator), action)
        }
        if RandomNetwork.chance(15, &generator) {
            let producesData = Bool.random(using: &generator)
            later(60) { [self] in cancel(task, producesData: producesData) }
        }
        if RandomNetwork.chance(20, &generator) {
            let time = start + .random(in: 0..<40, using: &generator)
            Simulation.shared.after(time) { task.suspend() }
            Simulation.shared.after(time + .random(in: 0..<300, using: &generator)) { task.resume() }
        }
    }

    private func makeTask(_ number: Int, _ generator: inout SeededGenerator) -> URLSessionTask {
        let origin = RandomNetwork.origins.randomElement(using: &generator) ?? ""
        let path = Bool.random(using: &generator) ? "/shared" : "/\(number)"
        var request = URLRequest(url: URL(string: "\(origin)\(path)") ?? URL(fileURLWithPath: "/"))
        request.setValue("Bearer \(request.url?.host ?? "")", forHTTPHeaderField: "Authorization")
        request.setValue("\(number)", forHTTPHeaderField: "X-Task")
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: return session.dataTask(with: request)
        case 4..<7: return session.downloadTask(with: request)
        case 7: request.httpMethod = "HEAD"
        case 8: request.httpMethod = "PUT"
        default: request.httpMethod = "POST"
        }
        if request.httpMethod == "HEAD" { return session.dataTask(with: request) }
        let length = [0, 100, 100_000].randomElement(using: &generator) ?? 0
        request.setValue("\(length)", forHTTPHeaderField: "X-Length")
        return session.uploadTask(with: request, from: Data(Simulated.pattern(length, seed: number)))
    }

    private func cancel(_ task: URLSessionTask, producesData: Bool) {
        network.note("task \(task.taskIdentifier) is cancelled")
        guard producesData, let task = task as? URLSessionDownloadTask else { return task.cancel() }
        task.cancel { [self] data in
            guard let data else { return }
            let next = session.downloadTask(withResumeData: data)
            network.note("task \(next.taskIdentifier) continues task \(task.taskIdentifier)")
            tasks.append(next)
            next.resume()
        }
    }

    // MARK: - Running

    /// Runs all tasks to their ends, and returns the violations.
    func violations() async -> [String] {
        var ended = 0
        let limit = Simulation.shared.seconds + 36_000
        let isTimely = Watched(true)
        Simulation.shared.after(36_000) { [self] in
            guard tasks.current.contains(where: { $0.state != .completed }) else { return }
            isTimely.change { $0 = false }
            session.invalidateAndCancel()
        }
        for await _ in ends {
            ended += 1
            if ended >= tasks.current.count { break }
        }
        // Events that must not happen any more have time to happen.
        await Simulation.shared.sleep(400)
        if Simulation.shared.seconds > limit || !isTimely.current { network.fail("a task did not end in ten hours") }
        for task in tasks.current { check(task) }
        session.invalidateAndCancel()
        await Simulation.shared.sleep(1)
        if delegate.invalidations != 1 { network.fail("the session was invalidated \(delegate.invalidations) times") }
        return network.violations + delegate.violations
    }

    private func check(_ task: URLSessionTask) {
        let record = delegate[task]
        let name = "task \(task.taskIdentifier)"
        if record.completions != 1 { network.fail("\(name) ended \(record.completions) times") }
        guard record.error == nil, let response = record.response, task.originalRequest?.httpMethod != "HEAD" else {
            if record.error == nil, record.response == nil { network.fail("\(name) has no response and no error") }
            return
        }
        guard let body = network.body(of: response) else { return }
        let found = task is URLSessionDownloadTask ? record.file : record.data
        guard found != Data(body) else { return }
        network.fail("\(name) delivered \(found?.count ?? -1) bytes, which are not the \(body.count) of its entity")
    }

    /// The events so far.
    var log: String {
        let callbacks = delegate.records.sorted { $0.key < $1.key }.map { "task \($0.key): \($0.value.events)" }
        return (network.log + callbacks).joined(separator: "\n")
    }
}
