import FerrySession
import FerryTesting
import Testing

@Suite("Metrics", .timeLimit(.minutes(5)))
struct TransferMetricsTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test("Each request of a redirected exchange is a transaction with its phases in order")
    func redirectedExchange() async throws {
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        _ = try await session.data(from: server.url("/redirect/2"))
        let metrics = try #require(delegate.metrics.withLock { $0 }.first)
        #expect(metrics.redirectCount == 2)
        #expect(metrics.transactions.map(\.status) == [302, 302, 200])
        #expect(metrics.transactions.map(\.isReusedConnection) == [false, true, true])
        #expect(metrics.duration > 0)
        for transaction in metrics.transactions {
            #expect(transaction.method == "GET")
            #expect(transaction.networkProtocolName == "http/1.1")
            #expect(transaction.remoteAddress == "127.0.0.1")
            #expect(transaction.remotePort == server.port)
            #expect(transaction.connect <= transaction.requestStart)
            #expect(transaction.requestStart <= transaction.responseStart)
            #expect(transaction.responseStart <= transaction.end)
            #expect(transaction.headerBytesReceived > 0)
        }
    }

    @Test("Bytes are counted in both directions, and the task has the metrics too")
    func countsBytes() async throws {
        let session = CurlSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "PUT"
        let done = Locked<URLSessionTask?>(nil)
        let task = session.uploadTask(with: request, from: Data(count: 300_000)) { _, _, _ in }
        task.resume()
        done.withLock { $0 = task }
        while task.state != .completed { try await Task.sleep(for: .milliseconds(2)) }
        let transaction = try #require(task.transferMetrics?.transactions.first)
        #expect(transaction.bodyBytesSent == 300_000)
        #expect(transaction.bodyBytesReceived == task.countOfBytesReceived)
    }

    @Test("A refused connection leaves a transaction without a status, and no password in it")
    func refused() async throws {
        let delegate = Collector()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let url = try #require(URL(string: "http://user:secret@127.0.0.1:1/"))
        await #expect(throws: URLError.self) { try await session.data(from: url) }
        let transaction = try #require(delegate.metrics.withLock { $0 }.first?.transactions.first)
        #expect(transaction.status == nil)
        #expect(transaction.networkProtocolName == nil)
        #expect(transaction.url?.absoluteString.contains("secret") == false)
    }

    @Test("A task of another session has no metrics of Ferry's")
    func foreignTask() {
        let task = URLSession(configuration: .ephemeral).dataTask(with: server.url)
        #expect(task.transferMetrics == nil)
    }
}

private final class Collector: NSObject, CurlSessionMetricsDelegate {
    let metrics = Locked<[TransferMetrics]>([])

    func urlSession(_ session: CurlSession, task: URLSessionTask, didFinishCollecting metrics: TransferMetrics) {
        self.metrics.withLock { $0.append(metrics) }
    }
}
