import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct FaultScriptTests {
    /// The client's view of one request, each on its own connection.
    private enum Sight: Equatable {
        case response(Int, body: Int)
        case cut(body: Int)
        case reset(body: Int)
        case nothing
        case noHTTP
    }

    private func sight(_ server: LoopbackServer, _ method: String = "GET", _ target: String = "/") throws -> Sight {
        let client = try RawClient(server)
        try client.request(method, target, ["Connection: close"])
        let (data, error) = client.receiveAll()
        let text = String(decoding: data, as: UTF8.self)
        guard !data.isEmpty else { return error == ECONNRESET ? .reset(body: 0) : .nothing }
        guard text.hasPrefix("HTTP/1.1 "), let status = Int(text.dropFirst(9).prefix(3)),
            let end = data.range(of: Data("\r\n\r\n".utf8))
        else { return .noHTTP }
        let body = data.count - end.upperBound
        if error == ECONNRESET { return .reset(body: body) }
        let length = text.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) }
        return length == body ? .response(status, body: body) : .cut(body: body)
    }

    @Test("Each request takes the next step, and then the handler responds") func order() throws {
        let script: FaultScript = [
            .close, .reset, .garbage, .respond(statusCode: 503, retryAfter: 1), .truncate(after: 10), .reset(after: 20),
            .then { _ in .text("other") }, .pass,
        ]
        let server = try LoopbackServer(script: script) { _ in .pattern(count: 100) }
        let expected: [Sight] = [
            .nothing, .reset(body: 0), .noHTTP, .response(503, body: 0), .cut(body: 10), .reset(body: 20),
            .response(200, body: 5), .response(200, body: 100), .response(200, body: 100),
        ]
        #expect(try expected.map { _ in try sight(server) } == expected)
        #expect(
            script.counts == ["close": 1, "reset": 2, "garbage": 1, "503": 1, "truncate": 1, "then": 1, "pass": 2]
        )
        #expect(script.requestCount == 9)
        script.reset()
        #expect(script.requestCount == 0)
        #expect(try sight(server) == .nothing)
    }

    @Test("A status has Retry-After in seconds, if there is one") func retryAfter() throws {
        let script: FaultScript = [.respond(statusCode: 503, retryAfter: 7), .respond(statusCode: 500)]
        let server = try LoopbackServer(script: script)
        let client = try RawClient(server)
        #expect(try client.exchange("GET", "/echo").headers["Retry-After"] == "7")
        let second = try client.exchange("GET", "/echo")
        #expect(second.status == 500)
        #expect(second.headers["Retry-After"] == nil)
        #expect(try client.exchange("GET", "/echo").status == 200)
    }

    @Test("A stalled connection is closed after its time, and a delayed response arrives") func waits() throws {
        let server = try LoopbackServer(script: [.stall(0.05), .delay(0.05), .pause(after: 3, seconds: 0.05)]) { _ in
            .text("hello")
        }
        #expect(try sight(server) == .nothing)
        #expect(try sight(server) == .response(200, body: 5))
        #expect(try sight(server) == .response(200, body: 5))
    }

    @Test("A delay is added to those of the handler's response") func delays() throws {
        let server = try LoopbackServer(script: [.delay(0.1)]) { _ in .text("hello").delayed(0.1, body: 0.1) }
        let start = ContinuousClock.now
        #expect(try sight(server) == .response(200, body: 5))
        #expect(start.duration(to: .now) >= .milliseconds(280))
    }

    @Test("A stalled body lasts until the client leaves") func stallInBody() async throws {
        let server = try LoopbackServer(script: [.stall(after: 4)]) { _ in .pattern(count: 100) }
        let client = try RawClient(server)
        try client.request("GET", "/")
        _ = try client.head()
        #expect(try client.receive(exactly: 4).count == 4)
        client.close()
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A repeating script begins again, and an empty one has no faults") func repeats() throws {
        let script = FaultScript([.respond(statusCode: 500), .pass], repeats: true)
        let server = try LoopbackServer(script: script) { _ in .text("") }
        #expect(
            try (0..<5).map { _ in try sight(server) } == [500, 200, 500, 200, 500].map { .response($0, body: 0) }
        )
        let empty = try LoopbackServer(script: FaultScript([], repeats: true)) { _ in .text("") }
        #expect(try sight(empty) == .response(200, body: 0))
    }

    @Test("Paths have their own steps and positions; the first one that matches counts") func paths() throws {
        let script = FaultScript(paths: [
            "/users/:id": [.respond(statusCode: 500), .respond(statusCode: 501)],
            "/users/me": [.respond(statusCode: 599)],
            "/files/*": [.respond(statusCode: 502)],
        ])
        let server = try LoopbackServer(script: script) { _ in .text("") }
        let targets = ["/users/1", "/files/a/b", "/users/me?x=1", "/files", "/users/1", "/other", "/users/a%20b"]
        let statuses = [500, 502, 501, 200, 200, 200, 200]
        #expect(try targets.map { try sight(server, "GET", $0) } == statuses.map { .response($0, body: 0) })
        #expect(script.counts["pass"] == 4)
    }

    @Test("Counted by target, each method and target has all the faults") func perTarget() throws {
        let script = FaultScript([.respond(statusCode: 500)], counting: .perTarget)
        let server = try LoopbackServer(script: script) { _ in .text("") }
        let requests = [("GET", "/a"), ("GET", "/b"), ("GET", "/a"), ("PUT", "/a"), ("GET", "/b?")]
        let statuses = [500, 500, 200, 500, 500]
        #expect(try requests.map { try sight(server, $0, $1) } == statuses.map { .response($0, body: 0) })
    }

    @Test("A step of one's own can change the handler's response") func ownStep() throws {
        let step = FaultStep("stale") { request, handler in handler(request).adding("Age", "9") }
        let script: FaultScript = [step]
        let server = try LoopbackServer(script: script) { _ in .text("") }
        #expect(try RawClient(server).exchange("GET", "/").headers["Age"] == "9")
        #expect(script.counts == ["stale": 1])
    }

    @Test("Without a handler, uploads are read as by the built-in routes") func standardRoutes() throws {
        let server = try LoopbackServer(script: [.pass])
        let client = try RawClient(server)
        try client.send("POST /early/401 HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\n")
        #expect(try client.response().status == 401)
    }

    @Test("Positions out of range, and odd times, are harmless", arguments: [-1, 0, Int.max, Int.min])
    func oddPositions(_ position: Int) throws {
        let server = try LoopbackServer(script: [
            .truncate(after: position), .reset(after: position), .pause(after: position, seconds: -1),
            .delay(.nan), .stall(-.infinity),
        ]) { _ in .text("hello") }
        let sent = position > 0 ? 5 : 0
        #expect(try sight(server) == (sent == 5 ? .response(200, body: 5) : .cut(body: 0)))
        #expect(try sight(server) == .reset(body: sent))
        #expect(try sight(server) == .response(200, body: 5))
        #expect(try sight(server) == .response(200, body: 5))
        #expect(try sight(server) == .nothing)
    }
}
