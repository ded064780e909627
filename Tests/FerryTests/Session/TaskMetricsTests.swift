import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Task metrics", .timeLimit(.minutes(5)))
struct TaskMetricsTests {
    @Test("A response carries the metrics of its task", arguments: TestTransport.all)
    func everyTask(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("12345").delayed(0.05) }
        let before = Date()
        let response = await transport.manager().response(for: URLRequest(url: server.url), serializer: .string)
        let metrics = try #require(response.metrics)
        #expect(metrics.startDate >= before && metrics.startDate.addingTimeInterval(metrics.duration) <= Date())
        #expect(metrics.duration >= 0.05)
        let transaction = try #require(metrics.transactions.first)
        #expect(metrics.transactions.count == 1 && transaction.url == server.url && transaction.statusCode == 200)
        #expect(transaction.duration >= 0.05 && transaction.duration <= metrics.duration)
        #expect(metrics.receivedBodyByteCount == 5)
        #expect(metrics.redirectCount == 0)
    }

    @Test(
        "Each request sent is a transaction, and the byte counts include all of them",
        arguments: TestTransport.able(to: .measuring)
    )
    func transactions(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/from": .redirect(to: "/locked", statusCode: 307)
            case "/locked" where request.header("Authorization") == nil:
                LoopbackResponse.text("no", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"x\"")
            default: .text("yes")
            }
        }
        let manager = transport.manager()
        manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in
            .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        var request = URLRequest(url: server.url("/from"))
        request.httpMethod = "POST"
        let response = await manager.response(for: request, from: Data(count: 1000), serializer: .string)
        #expect(response.value == "yes")
        let metrics = try #require(response.metrics)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.transactions.map(\.statusCode) == [307, 401, 200])
        #expect(metrics.transactions.map(\.isReusedConnection) == [false, true, true])
        #expect(metrics.sentBodyByteCount == metrics.transactions.reduce(0) { $0 + $1.sentBodyByteCount })
        #expect(metrics.receivedBodyByteCount >= 5)
        #expect(metrics.receivedBodyByteCount == metrics.transactions.reduce(0) { $0 + $1.receivedBodyByteCount })
    }

    @Test("Bytes are counted as received, before decoding", arguments: TestTransport.able(to: .measuring))
    func codedBytes(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let response = await transport.manager().response(for: URLRequest(url: server.url("/gzip")), serializer: .data)
        let length = response.httpResponse?.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        #expect(response.metrics?.receivedBodyByteCount == length)
        #expect(response.value.map { Int64($0.count) } != length)
    }

    @Test("Downloads and failures have metrics too", arguments: TestTransport.all)
    func otherEnds(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        let manager = transport.manager()
        let scratch = try TemporaryFolder()
        let download = await manager.response(for: URLRequest(url: server.url), to: .file(scratch.file("x")))
        #expect(download.metrics?.receivedBodyByteCount == 100_000)
        let nowhere = try #require(URL(string: "http://127.0.0.1:1/"))
        let failure = await manager.response(for: URLRequest(url: nowhere), serializer: .data)
        #expect(failure.error != nil)
        #expect(failure.metrics?.receivedBodyByteCount == 0)
    }

    @Test("The hook gets the metrics once, before the completion, as does the response", arguments: TestTransport.all)
    func hook(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("12345") }
        let manager = transport.manager()
        let events = Watched<[String]>([])
        let told = Watched<TaskMetrics?>(nil)
        manager.hooks.taskDidFinishCollectingMetrics = { _, _, metrics in
            events.change { $0.append("metrics") }
            told.change { $0 = metrics }
        }
        manager.hooks.taskDidComplete = { _, _, _ in events.change { $0.append("complete") } }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(events.current == ["metrics", "complete"])
        #expect(told.current != nil)
        #expect(response.metrics == told.current)
    }
}
