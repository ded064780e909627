import FerrySession
import FerryTesting
import Testing

@Suite("Transactions", .timeLimit(.minutes(5)))
struct TransactionTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test("Each request of a redirected exchange is a transaction with its phases in order")
    func redirectedExchange() async throws {
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        _ = try await session.data(from: server.url("/redirect/2"))
        let metrics = try #require(delegate.metrics.current.first)
        #expect(metrics.redirectCount == 2)
        #expect(metrics.transactions.map(\.statusCode) == [302, 302, 200])
        #expect(metrics.transactions.map(\.isReusedConnection) == [false, true, true])
        let (first, last) = (try #require(metrics.transactions.first), try #require(metrics.transactions.last))
        #expect(first.startDate >= metrics.startDate)
        #expect(metrics.duration >= first.duration + last.duration)
        for transaction in metrics.transactions {
            #expect(transaction.method == "GET")
            #expect(transaction.networkProtocolName == "http/1.1")
            #expect(transaction.remoteAddress == "127.0.0.1")
            #expect(transaction.remotePort == server.port)
            #expect(transaction.connect <= transaction.requestStart)
            #expect(transaction.requestStart <= transaction.responseStart)
            #expect(transaction.responseStart <= transaction.duration)
            #expect(transaction.receivedHeaderByteCount > 0)
        }
    }

    @Test("Bytes are counted in both directions, and the task has the metrics too")
    func countsBytes() async throws {
        let session = CurlSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "PUT"
        let done = Watched<URLSessionTask?>(nil)
        let task = session.uploadTask(with: request, from: Data(count: 300_000)) { _, _, _ in }
        task.resume()
        done.change { $0 = task }
        try await eventually { task.state == .completed }
        let transaction = try #require(task.metrics?.transactions.first)
        #expect(transaction.sentBodyByteCount == 300_000)
        #expect(transaction.receivedBodyByteCount == task.countOfBytesReceived)
    }

    @Test("A request that is not sent leaves no transaction")
    func notSent() async throws {
        let delegate = Collector()
        var options = CurlSession.Options()
        // This version needs TLS.
        options.httpVersions = .http2
        let session = CurlSession(configuration: .ephemeral, options: options, delegate: delegate)
        await #expect(throws: URLError.self) { try await session.data(from: server.url) }
        #expect(delegate.metrics.current.first?.transactions.isEmpty == true)
        #expect(server.requestCount == 0)
    }

    @Test("A refused connection leaves a transaction without a status, and no password in it")
    func refused() async throws {
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let url = try #require(URL(string: "http://user:secret@127.0.0.1:1/"))
        await #expect(throws: URLError.self) { try await session.data(from: url) }
        let transaction = try #require(delegate.metrics.current.first?.transactions.first)
        #expect(transaction.statusCode == nil)
        #expect(transaction.networkProtocolName == nil)
        #expect(transaction.url?.absoluteString.contains("secret") == false)
    }

    @Test("A request that is cancelled in progress is a transaction with the phases it reached", arguments: [0, 1000])
    func cancelled(_ received: Int) async throws {
        let fault: LoopbackResponse.Fault = received == 0 ? .stallBeforeHead : .stall(afterBodyBytes: received)
        let server = try LoopbackServer { request in
            guard request.path == "/" else { return .redirect(to: "/") }
            return LoopbackResponse(statusCode: 200, body: .pattern(count: 2 * received)).faulted(fault)
        }
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: server.url("/from"))
        task.resume()
        try await server.waitForRequests(2, timeout: 40 * patience)
        try await eventually("the bytes") { task.countOfBytesReceived == received }
        // No event announces that libcurl waits for the server: it gets a moment to reach that phase.
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        try await eventually("the metrics") { delegate.metrics.change { !$0.isEmpty } }
        let transactions = try #require(delegate.metrics.current.first).transactions
        #expect(transactions == task.metrics?.transactions)
        #expect(transactions.map(\.statusCode) == [302, received == 0 ? nil : 200])
        let last = try #require(transactions.last)
        #expect(last.url == server.url && last.remotePort == server.port)
        #expect(last.requestStart > 0 && (last.responseStart > 0) == (received > 0))
        #expect(last.receivedBodyByteCount == received)
        // The time without activity counts too.
        #expect(last.duration >= last.responseStart + 0.04)
    }

    @Test("Without a response, no time is that of its first byte", arguments: ["GET", "PUT"])
    func noResponse(_ method: String) async throws {
        let server = try RawServer { $0.readHead() }
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let body = method == "PUT" ? Data("body".utf8) : nil
        let error = await Wire.error { try await session.data(for: Wire.request(server.url(), method, body: body)) }
        #expect(error?.code == .networkConnectionLost)
        let last = try #require(delegate.metrics.current.first?.transactions.last)
        #expect(last.statusCode == nil && last.requestStart > 0 && last.responseStart == 0)
    }

    @Test("The phases of a request that is sent again on a new connection are in order", arguments: ["GET", "PUT"])
    func sentTwice(_ method: String) async throws {
        let kept = Watched(0)
        let server = try RawServer { connection in
            while !connection.readHead().isEmpty {
                kept.change { $0 += 1 }
                if kept.current == 2 { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        for _ in 0..<3 { _ = try await session.data(for: Wire.request(server.url(), method)) }
        #expect(kept.current == 4)
        let transactions = delegate.metrics.current.flatMap(\.transactions)
        #expect(transactions.map(\.isReusedConnection) == [false, false, true])
        for last in transactions {
            let phases = [last.nameLookup, last.connect, last.requestStart, last.responseStart, last.duration]
            #expect(phases == phases.sorted() && (last.nameLookup == 0) == last.isReusedConnection)
        }
    }

    @Test("The pending request of a cancelled async function is a transaction too")
    func cancelledAsync() async throws {
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let work = Task { [server] in try await session.data(from: server.url("/stall-before")) }
        try await server.waitForRequests(1, timeout: 40 * patience)
        work.cancel()
        let error = await #expect(throws: URLError.self) { try await work.value }
        #expect(error?.code == .cancelled)
        let last = try #require(delegate.metrics.current.first?.transactions.last)
        #expect(last.url == server.url("/stall-before") && last.statusCode == nil && last.connect > 0)
    }

    @Test("A request that was cancelled before it began is not a transaction")
    func cancelledEarly() async throws {
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: server.url)
        task.cancel()
        try await eventually("the metrics") { delegate.metrics.change { !$0.isEmpty } }
        #expect(delegate.metrics.current.map(\.transactions) == [[]])
    }

    @Test("A connection whose TLS handshake fails has the time when it was established")
    func failedHandshake() async throws {
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let plain = try RawServer { connection in
            connection.readMore()
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let url = try #require(URL(string: "https://127.0.0.1:\(plain.port)/"))
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .secureConnectionFailed)
        let transaction = try #require(delegate.metrics.current.first?.transactions.first)
        #expect(transaction.connect > 0 && transaction.connect >= transaction.nameLookup)
        #expect(transaction.connect <= transaction.duration)
        #expect(transaction.secureConnect == 0 && transaction.requestStart == 0)
    }

    @Test("A task of another session has no Ferry metrics")
    func foreignTask() {
        let task = URLSession(configuration: .ephemeral).dataTask(with: server.url)
        #expect(task.metrics == nil)
    }
}

private final class Collector: NSObject, CurlSessionDelegate {
    let metrics = Watched<[TaskMetrics]>([])

    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TaskMetrics) {
        self.metrics.change { $0.append(metrics) }
    }
}
