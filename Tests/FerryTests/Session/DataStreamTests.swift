import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Streams", .timeLimit(.minutes(5)))
struct DataStreamTests {
    @Test("The chunks add up to the body", arguments: TestTransport.all)
    func pieces(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse(body: .pattern(count: 3_000_000)).framed(.chunked) }
        let manager = transport.manager(baseURL: server.url)
        let status = Watched<Int?>(nil)
        var body = Data()
        let stream = manager.stream(
            URLRequest(url: server.url),
            bufferLimit: 100_000,
            onResponse: { response in status.change { $0 = response.statusCode } }
        )
        for try await chunk in stream { body += chunk }
        #expect(status.current == 200)
        #expect(body == LoopbackServer.pattern(count: 3_000_000))
        #expect(manager.tasks.isEmpty)
    }

    @Test("Chunks arrive while the response is still being sent", arguments: TestTransport.all)
    func arrivesEarly(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            .stream { body in
                body.write("first")
                body.wait(60)
            }
        }
        for try await chunk in transport.manager(baseURL: server.url).stream(.get("x")) {
            #expect(chunk == Data("first".utf8))
            break
        }
        // Leaving the loop cancels the transfer, which ends the server's wait.
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("Nothing is sent before the first chunk is requested")
    func lazy() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let stream = TestTransport.all[0].manager(baseURL: server.url).stream(.get("x"))
        var iterator = stream.makeAsyncIterator()
        #expect(server.requestCount == 0)
        #expect(try await iterator.next() == Data("x".utf8))
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test("An unacceptable status throws an error with its body", arguments: TestTransport.all)
    func invalidResponse(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json(#"{"reason":"no"}"#, statusCode: 500) }
        do {
            for try await _ in transport.manager(baseURL: server.url).stream(.get("x")) {
                Issue.record("unexpected chunk")
            }
            Issue.record("no error was thrown")
        } catch {
            let error = try #require(error as? NetworkError)
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.data == Data(#"{"reason":"no"}"#.utf8))
        }
    }

    @Test("The error of a body without an end has its first 1 MiB, and the transfer ends", arguments: TestTransport.all)
    func endlessError(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse.stream { body in
                // The rest is sent slowly, since URLSession keeps all that arrives until it is cancelled.
                let piece = Data(count: 1 << 16)
                for _ in 0..<32 { body.write(piece) }
                while body.write(piece) { body.wait(0.05) }
            }
            response.statusCode = 500
            return response
        }
        let manager = transport.manager(baseURL: server.url)
        var iterator = manager.stream(.get("x")).makeAsyncIterator()
        do {
            while try await iterator.next() != nil { Issue.record("unexpected chunk") }
            Issue.record("no error was thrown")
        } catch {
            let error = try #require(error as? NetworkError)
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.data == Data(count: 1 << 20))
        }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
        try await eventually { manager.tasks.isEmpty }
    }

    @Test(
        "An error whose body arrives too slowly is thrown after the request's timeout",
        arguments: TestTransport.able(to: .shortTimeouts)
    )
    func slowError(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse.stream { body in
                while body.write("x") { body.wait(0.02) }
            }
            response.statusCode = 500
            return response
        }
        let manager = transport.manager(baseURL: server.url)
        // No single byte takes as long as this timeout.
        let request = URLRequest(url: server.url, timeoutInterval: 6 * patience)
        do {
            for try await _ in manager.stream(request) { Issue.record("unexpected chunk") }
            Issue.record("no error was thrown")
        } catch {
            let error = try #require(error as? NetworkError)
            #expect(error.code == .unacceptableStatusCode)
            #expect(error.data?.isEmpty == false)
        }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A wrong content type throws too", arguments: TestTransport.all)
    func wrongType(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let validation = Validation(contentTypes: ["application/json"])
        do {
            for try await _ in transport.manager(baseURL: server.url).stream(.get("x"), validation: validation) {}
            Issue.record("no error was thrown")
        } catch {
            #expect((error as? NetworkError)?.code == .unacceptableContentType)
        }
    }

    @Test("Cancelling the reading task cancels the transfer", arguments: TestTransport.all)
    func cancellation(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = transport.manager(baseURL: server.url)
        let reader = Task {
            for try await _ in manager.stream(.get("x")) {}
        }
        try await server.waitForRequests(1, timeout: 40 * patience)
        reader.cancel()
        let result = await reader.result
        #expect(throws: NetworkError.self) { try result.get() }
        try await eventually { manager.tasks.isEmpty }
    }

    @Test("A second reader of an iterator gets an error, the first one the next chunk", arguments: TestTransport.all)
    func secondReader(_ transport: TestTransport) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            .stream { body in
                body.write("first")
                gate.wait()
                body.write("next")
            }
        }
        let manager = transport.manager(baseURL: server.url)
        var iterator = manager.stream(.get("x")).makeAsyncIterator()
        #expect(try await iterator.next() == Data("first".utf8))
        let results = await withThrowingTaskGroup(of: Data?.self) { group in
            for _ in 0..<2 {
                // Copies have one transfer. The type is not Sendable, but the readers may share an actor.
                nonisolated(unsafe) var copy = iterator
                group.addTask { try await copy.next() }
            }
            let first = await group.nextResult()
            gate.open()
            return (first, await group.nextResult())
        }
        #expect(throws: NetworkError.self) { try results.0?.get() }
        #expect(try results.1?.get() == Data("next".utf8))
    }

    @Test("A broken connection throws an error after the chunks received", arguments: TestTransport.all)
    func brokenConnection(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.pattern(count: 100_000).faulted(.truncate(afterBodyBytes: 50_000))
        }
        var count = 0
        await #expect(throws: NetworkError.self) {
            for try await chunk in transport.manager(baseURL: server.url).stream(.get("x")) { count += chunk.count }
        }
        #expect(count == 50_000)
    }

    @Test("A slow reader pauses the transfer", arguments: TestTransport.able(to: .suspension))
    func backPressure(_ transport: TestTransport) async throws {
        let sent = Watched(0)
        let total = 64 << 20
        let server = try LoopbackServer { _ in
            .stream { body in
                let piece = Data(count: 1 << 16)
                for _ in 0..<(total >> 16) {
                    guard body.write(piece) else { return }
                    sent.change { $0 += piece.count }
                }
            }
        }
        let manager = transport.manager(baseURL: server.url)
        var received = 0
        for try await chunk in manager.stream(URLRequest(url: server.url), bufferLimit: 1 << 20) {
            if received == 0 {
                // No event announces that the server is paused: it gets a moment to send too much.
                try await Task.sleep(for: .milliseconds(500))
                #expect(sent.current < total / 2)
            }
            received += chunk.count
        }
        #expect(received == total)
    }

    @Test("Events of a continued stream have the request's Last-Event-ID until the server sends another")
    func continuedEvents() async throws {
        let server = try LoopbackServer { _ in .text("data: 1\n\nid: 8\ndata: 2\n\n") }
        for transport in TestTransport.all {
            let manager = transport.manager(baseURL: server.url)
            var ids: [String] = []
            let continued = manager.stream(.get("x").headers(["Last-Event-ID": "7"]))
            for try await event in continued.events { ids.append(event.id) }
            var request = URLRequest(url: server.url)
            request.setValue("9", forHTTPHeaderField: "Last-Event-ID")
            for try await event in manager.stream(request).events { ids.append(event.id) }
            for try await event in manager.stream(.get("x")).events { ids.append(event.id) }
            #expect(ids == ["7", "8", "9", "8", "", "8"])
        }
    }
}
