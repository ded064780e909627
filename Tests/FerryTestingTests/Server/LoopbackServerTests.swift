import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct LoopbackServerTests {
    @Test("A request gets its handler's response, and is recorded") func answers() throws {
        let server = try LoopbackServer { request in .text("hello \(request.query["name"] ?? "")") }
        let client = try RawClient(server)
        let response = try client.exchange("GET", "/greet?name=Ada%20L", ["X-A: 1", "X-a:2"])
        #expect(response.statusLine == "HTTP/1.1 200 OK")
        #expect(response.text == "hello Ada L")
        #expect(response.headers["content-length"] == "11")
        #expect(response.headers["date"]?.hasSuffix(" GMT") == true)
        let request = try #require(server.requests.first)
        #expect(server.requestCount == 1)
        #expect(request.method == "GET")
        #expect(request.target == "/greet?name=Ada%20L")
        #expect(request.path == "/greet")
        #expect(request.headers.values(for: "x-a") == ["1", "2"])
        #expect(request.connectionID == 1)
        #expect(request.remotePort == client.localPort)
        #expect(request.isComplete)
    }

    @Test("Without a handler the built-in routes respond") func standardRoutes() throws {
        let server = try LoopbackServer()
        let echo = try RawClient(server).exchange("POST", "/echo?x=1", body: Data("body".utf8))
        #expect(try echo.decoded(LoopbackEcho.self).body == "body")
        #expect(try RawClient(server).exchange("GET", "/nothing").status == 404)
    }

    @Test("Requests share a connection until one side closes it") func keepAlive() async throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        for _ in 0..<3 { #expect(try client.exchange("GET", "/echo").status == 200) }
        #expect(server.connectionCount == 1)
        #expect(server.openConnectionCount == 1)
        #expect(server.requests.map(\.connectionRequestIndex) == [0, 1, 2])
        let last = try client.exchange("GET", "/echo", ["Connection: close"])
        #expect(last.headers["Connection"] == "close")
        #expect(try client.receive().isEmpty)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("Stopping ends waiting connections immediately and frees threads and descriptors") func stop() async throws {
        let server = try LoopbackServer { request in
            request.path == "/stall" ? .text("x").faulted(.stall(afterBodyBytes: 0)) : .text("x").delayed(60)
        }
        let idle = try RawClient(server)
        let stalled = try RawClient(server)
        try stalled.request("GET", "/stall")
        #expect(try stalled.head().status == 200)
        let delayed = try RawClient(server)
        try delayed.request("GET", "/")
        try await eventually { server.requestCount == 2 }
        let start = ContinuousClock.now
        server.stop()
        server.stop()
        #expect(ContinuousClock.now - start < .seconds(10 * patience))
        #expect(try idle.receive().isEmpty)
        #expect(try stalled.receive().isEmpty)
        #expect(try delayed.receive().isEmpty)
        #expect(server.openConnectionCount == 0)
        // The port could not be bound if the server still listened.
        let closed = try ClosedPort(server.port)
        #expect(throws: RawClient.Failure(call: "connect", code: ECONNREFUSED)) { try RawClient(server) }
        withExtendedLifetime(closed) {}
    }
}
