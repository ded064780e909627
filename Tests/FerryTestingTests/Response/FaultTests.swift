import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct FaultTests {
    private func outcome(_ response: LoopbackResponse) throws -> (data: Data, error: Int32?) {
        let server = try LoopbackServer { _ in response }
        let client = try RawClient(server)
        try client.request("GET", "/")
        return client.receiveAll()
    }

    private func body(_ response: LoopbackResponse) throws -> (data: Data, error: Int32?) {
        let server = try LoopbackServer { _ in response }
        let client = try RawClient(server)
        try client.request("GET", "/")
        _ = try client.head()
        return client.receiveAll()
    }

    @Test("Without a response the connection closes or is reset") func noAnswer() throws {
        let closed = try outcome(.empty)
        #expect(closed.data.isEmpty)
        #expect(closed.error == nil)
        let reset = try outcome(LoopbackResponse().faulted(.resetBeforeHead))
        #expect(reset.data.isEmpty)
        #expect(reset.error == ECONNRESET)
    }

    @Test("Garbage is sent unchanged") func garbage() throws {
        #expect(try outcome(LoopbackResponse().faulted(.garbage(Data("zzz".utf8)))).data == Data("zzz".utf8))
    }

    @Test("A reset follows exactly the given number of bytes", arguments: [0, 1, 70000, 100_000, 500_000])
    func reset(after count: Int) throws {
        let result = try body(.pattern(count: 100_000).faulted(.reset(afterBodyBytes: count)))
        #expect(result.data == LoopbackServer.pattern(count: min(count, 100_000)))
        #expect(result.error == ECONNRESET)
    }

    @Test("A body is truncated after exactly the given number of bytes", arguments: [0, 1, 70000, 2_500_000])
    func truncate(after count: Int) throws {
        let result = try body(.pattern(count: 3_000_000).faulted(.truncate(afterBodyBytes: count)))
        #expect(result.data == LoopbackServer.pattern(count: count))
        #expect(result.error == nil)
    }

    @Test("A chunked body truncated at its end lacks the last chunk") func chunkedTruncation() throws {
        let whole = LoopbackResponse(body: .chunked([Data("abc".utf8)], trailers: ["X": "y"]))
        #expect(try body(whole.faulted(.truncate(afterBodyBytes: .max))).data == Data("3\r\nabc\r\n".utf8))
        #expect(try body(whole.faulted(.truncate(afterBodyBytes: 2))).data == Data("3\r\nab".utf8))
    }

    @Test("A stalled response sends no more until the client leaves") func stall() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 1000).faulted(.stall(afterBodyBytes: 10)) }
        let client = try RawClient(server)
        try client.request("GET", "/")
        _ = try client.head()
        #expect(try client.receive(exactly: 10) == LoopbackServer.pattern(count: 10))
        // No other event follows: the server has a moment to close the connection.
        try await Task.sleep(for: .milliseconds(50))
        #expect(server.openConnectionCount == 1)
        client.close()
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("Nothing is sent before a stalled head") func stallBeforeHead() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let client = try RawClient(server)
        try client.request("GET", "/")
        try await server.waitForRequests(1, timeout: 40 * patience)
        #expect(server.sentByteCount == 0)
        client.close(reset: true)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A paused body continues, and the connection stays open") func pause() throws {
        let server = try LoopbackServer { _ in
            .pattern(count: 1000).faulted(.pause(afterBodyBytes: 400, seconds: 0.2))
        }
        let client = try RawClient(server)
        let start = ContinuousClock.now
        try client.request("GET", "/")
        _ = try client.head()
        #expect(try client.receive(exactly: 400).count == 400)
        #expect(try client.receive(exactly: 600) == LoopbackServer.pattern(count: 600, offset: 400))
        #expect(ContinuousClock.now - start > .milliseconds(190))
        #expect(try client.exchange("HEAD", "/").status == 200)
    }

    @Test("A connection can close without announcing it") func closeAfter() throws {
        let server = try LoopbackServer { _ in .text("ok").faulted(.closeAfterResponse) }
        let client = try RawClient(server)
        let response = try client.exchange("GET", "/")
        #expect(response.text == "ok")
        #expect(response.headers["Connection"] == nil)
        #expect(try client.receive().isEmpty)
    }

    @Test("A body fault takes effect after the head if there is no body") func headFault() throws {
        let server = try LoopbackServer { _ in .pattern(count: 10).faulted(.reset(afterBodyBytes: 5)) }
        let client = try RawClient(server)
        try client.request("HEAD", "/")
        #expect(try client.head().headers["Content-Length"] == "10")
        #expect(client.receiveAll().error == ECONNRESET)
    }

    @Test("A raw head is sent unchanged") func rawHead() throws {
        var response = LoopbackResponse.text("ok")
        response.rawHead = Data("HTTP/1.1 200\nA:b\n\n".utf8)
        #expect(try outcome(response).data == Data("HTTP/1.1 200\nA:b\n\nok".utf8))
    }
}
