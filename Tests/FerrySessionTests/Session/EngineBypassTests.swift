import FerrySession
import FerryTesting
import Testing

/// FoundationNetworking's own `async` functions cannot be overridden; Ferry refuses calls to them.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EngineBypassTests {
    @Test("The async functions of a URLSession variable fail with a typed error, and send nothing")
    func refused() async throws {
        let server = try LoopbackServer()
        let session: URLSession = makeSession()
        let request = URLRequest(url: server.url("/bytes/10"))
        let file = try TemporaryFile(Data("x".utf8))
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await session.data(for: request) },
            { _ = try await session.data(from: server.url) },
            { _ = try await session.data(for: request, delegate: RecordingDelegate()) },
            { _ = try await session.upload(for: request, from: Data("x".utf8)) },
            { _ = try await session.upload(for: request, fromFile: file.url) },
            { _ = try await session.download(for: request) },
            { _ = try await session.download(from: server.url) },
        ]
        for (index, call) in calls.enumerated() {
            let error = await #expect(throws: (any Error).self, "call \(index)") { try await call() }
            #expect((error as? URLError)?.code == .unsupportedURL, "call \(index)")
        }
        #expect(server.connectionCount == 0)
    }

    @Test("Another session can be made with the configuration, even after refused calls")
    func configuration() async throws {
        let server = try LoopbackServer()
        let session: URLSession = makeSession()
        let other = URLSession(configuration: session.configuration)
        for _ in 0..<3 {
            let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("/bytes/10")) }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .bypassesEngine)
            #expect(try await other.data(from: server.url("/bytes/10")).0.count == 10)
        }
        #expect(session.configuration.protocolClasses?.isEmpty == false)
        other.invalidateAndCancel()
    }

    @Test("Tasks made through a URLSession variable are Ferry's") func tasks() async throws {
        let server = try LoopbackServer()
        let session: URLSession = makeSession()
        let outcome = Watched<[Outcome<Data>]>([])
        session.dataTask(with: server.url("/bytes/10")) { outcome.append(Outcome($0, $1, $2)) }.resume()
        #expect(try await outcome.first().value?.count == 10)
        #expect(session.dataTask(with: server.url) is CurlDataTask)
        #expect(session.downloadTask(with: server.url) is CurlDownloadTask)
        #expect(session.uploadTask(with: URLRequest(url: server.url), from: Data()) is CurlUploadTask)
    }

    @Test("WebSocket tasks fail cleanly", arguments: ["resumed", "cancelled", "closed"])
    func webSocket(_ how: String) async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        var components = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
        components.scheme = "ws"
        let url = try #require(components.url)
        let tasks = [
            session.webSocketTask(with: url), session.webSocketTask(with: url, protocols: ["chat"]),
            session.webSocketTask(with: URLRequest(url: url)),
        ]
        for task in tasks {
            task.resume()
            if how == "cancelled" { task.cancel() }
            if how == "closed" { task.cancel(with: .goingAway, reason: nil) }
            await #expect(throws: URLError.self) { try await task.send(.string("hello")) }
            await #expect(throws: URLError.self) { try await task.receive() }
            await #expect(throws: URLError.self) { try await task.sendPing() }
            try await eventually("completion") { task.state == .completed }
        }
        #expect(server.connectionCount == 0)
        #expect(delegate.order == [])
        #expect(await session.allTasks == [])
    }
}
