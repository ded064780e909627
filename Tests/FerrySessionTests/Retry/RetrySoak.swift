import FerrySession
import FerryTesting
import TestSupport

/// Sends requests, and counts how they end.
final class RetrySoak: Sendable {
    struct Tally: Sendable {
        var finished = 0
        var repeatable = 0
        var succeeded = 0
        var retried = 0
        /// The retries after a refused connection.
        var refused = 0
        var posts = 0
        var problems: [String] = []
        /// The number of times that each kind of failure has occurred.
        var failures: [String: Int] = [:]

        var summary: String {
            "\(succeeded) of \(repeatable) repeatable ones succeeded, with \(retried) retries; \(posts) POSTs"
        }
    }

    let seed = SeededGenerator.seed()
    let script: FaultScript
    /// The requests to the server with faults.
    let tally = Watched(Tally())
    /// Additional requests to a server that is down at times.
    let restarted = Watched(Tally())
    let restarting: RestartingServer
    private let server: LoopbackServer
    private let session: CurlSession
    private let next = Watched(0)
    /// The number of times that the server has received each POST, by its number.
    private let received: Watched<[String: Int]>

    init() throws {
        script = FaultScript(
            seed: seed,
            share: 0.2,
            of: [
                .close, .reset, .reset(after: 4_000), .truncate(after: 9_000), .respond(statusCode: 429, retryAfter: 1),
                .respond(statusCode: 500), .respond(statusCode: 503),
            ]
        )
        let received = Watched<[String: Int]>([:])
        self.received = received
        let stalled = Watched<Set<String>>([])
        let faulty = script.handler { request in
            if request.method == "POST" { return .text(request.path) }
            let size = Self.size(request.path)
            let response = LoopbackResponse.resource(.pattern(count: size), etag: "\(size)", for: request)
            let stalls = Self.stalls(request.path) && stalled.change { $0.insert(request.path).inserted }
            return stalls ? response.faulted(.stall(afterBodyBytes: Self.stallOffset)) : response
        }
        var configuration = LoopbackServer.Configuration()
        configuration.recordsRequests = false
        server = try LoopbackServer(configuration: configuration) { request in
            if request.method == "POST" { received.change { $0[request.path, default: 0] += 1 } }
            return faulty(request)
        }
        // Each request needs a new connection, which may be refused.
        restarting = try RestartingServer(seed: seed) { connection in
            let words = connection.readHead().split(separator: " ")
            guard words.count > 2 else { return }
            let path = String(words[1])
            let isPost = words[0] == "POST"
            if isPost {
                received.change { $0[path, default: 0] += 1 }
                connection.readBody(1)
            }
            let body = isPost ? Data() : LoopbackServer.pattern(count: Self.size(path))
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.write(body)
        }
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        let counter = RetryCounter(tally, restarted, restarting.port)
        // A busy machine must not end requests, so only those that stall have a short timeout.
        session = Wire.session(counter, options: options) { $0.timeoutIntervalForRequest = 15 }
    }

    /// The size of the body of a path such as `/r/17`.
    private static func size(_ path: String) -> Int { (Int(path.dropFirst(3)) ?? 0) * 37 % 40_000 }

    /// Stalls are in the middle of a body; the standard policy does not retry a server that has not responded.
    private static let stallOffset = 3_000

    /// Whether the first response for a path stalls.
    private static func stalls(_ path: String) -> Bool {
        path.hasPrefix("/r/") && (Int(path.dropFirst(3)) ?? 0) % 40 == 7 && size(path) > stallOffset
    }

    func run(_ count: Int) async throws {
        let end = next.current + count
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask { [self] in
                    while let number = take(below: end) { await send(number) }
                }
            }
        }
    }

    private static func words(_ result: Result<(Data, URLResponse), any Error>) -> String {
        switch result {
        case .success(let (_, response)): "status \((response as? HTTPURLResponse)?.statusCode ?? 0)"
        case .failure(let error): (error as? URLError)?.localizedDescription.filter { !$0.isNumber } ?? "\(error)"
        }
    }

    /// Checks the ends of the requests to the server that is down at times, of which `count` numbers were used.
    func checkRestarts(_ count: Int) throws {
        let tally = restarted.current
        print("retry soak: of a server that restarts: \(tally.summary), \(tally.refused) after refused connections")
        print("retry soak: failures: \(tally.failures)")
        try Child.expect(restarting.problem == nil, "\(restarting.problem ?? "")")
        try Child.expect(tally.problems == [], "\(tally.problems.prefix(5))")
        try Child.expect(tally.finished == (1...count).count { $0 % 7 == 3 }, "\(tally.finished) ends")
        let failed = tally.repeatable - tally.succeeded
        // On a busy machine a restart may take longer than the budget allows retries.
        try Child.expect(failed <= max(10, tally.repeatable / 100), "\(failed) requests failed")
        try Child.expect(tally.refused > 0, "no connection was refused")
    }

    private func take(below end: Int) -> Int? {
        next.change { next in
            guard next < end else { return nil }
            next += 1
            return next
        }
    }

    private func send(_ number: Int) async {
        await send("/r/\(number)", to: server.url("/r/\(number)"), isPost: number % 10 == 0, tally)
        guard number % 7 == 3 else { return }
        // Another path, since the POSTs that servers receive are counted by it.
        await send("/d/\(number)", to: restarting.url("/d/\(number)"), isPost: number % 10 == 0, restarted)
    }

    private func send(_ path: String, to url: URL, isPost: Bool, _ tally: Watched<Tally>) async {
        let body = isPost ? Data("x".utf8) : nil
        let timeout: TimeInterval? = Self.stalls(path) ? 3 : nil
        let request = Wire.request(url, isPost ? "POST" : "GET", body: body, timeout: timeout)
        let result: Result<(Data, URLResponse), any Error>
        do { result = .success(try await session.data(for: request)) } catch { result = .failure(error) }
        let times = isPost ? received.change { $0.removeValue(forKey: path) } ?? 0 : 0
        tally.change { tally in
            tally.finished += 1
            if isPost {
                tally.posts += 1
                if times > 1 { tally.problems.append("\(path) was received \(times) times") }
                return
            }
            tally.repeatable += 1
            guard case .success(let (data, response)) = result,
                let status = (response as? HTTPURLResponse)?.statusCode, status == 200 || status == 206
            else {
                tally.failures[Self.words(result), default: 0] += 1
                return
            }
            if data == LoopbackServer.pattern(count: Self.size(path)) {
                tally.succeeded += 1
            } else {
                tally.problems.append("\(path): \(data.count) bytes are wrong")
            }
        }
    }
}

/// Counts the attempts that are repeated.
private final class RetryCounter: NSObject, CurlSessionDelegate {
    private let tally: Watched<RetrySoak.Tally>
    private let restarted: Watched<RetrySoak.Tally>
    private let restartingPort: Int

    init(_ tally: Watched<RetrySoak.Tally>, _ restarted: Watched<RetrySoak.Tally>, _ restartingPort: Int) {
        (self.tally, self.restarted, self.restartingPort) = (tally, restarted, restartingPort)
    }

    func urlSession(_ session: CurlSession, task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {
        let tally = task.originalRequest?.url?.port == restartingPort ? restarted : tally
        tally.change { tally in
            tally.retried += 1
            if retry.errorCode == .cannotConnectToHost { tally.refused += 1 }
        }
    }
}
