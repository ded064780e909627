import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct ConnectionTests {
    @Test("Pipelined requests are served in order, however they are split") func pipelining() throws {
        let server = try LoopbackServer { .text($0.target + ($0.bodyText ?? "")) }
        let client = try RawClient(server)
        var all = Data()
        for index in 0..<20 {
            all.append(Data("POST /\(index) HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc".utf8))
        }
        for start in stride(from: 0, to: all.count, by: 37) { try client.send(all.dropFirst(start).prefix(37)) }
        for index in 0..<20 { #expect(try client.response().text == "/\(index)abc") }
        #expect(server.connectionCount == 1)
    }

    @Test("A pipelined request after the last one does not affect its response") func pipelinedAfterClose() throws {
        let server = try LoopbackServer { _ in .pattern(count: 300_000) }
        let client = try RawClient(server)
        try client.request("GET", "/", ["Connection: close"])
        try client.request("GET", "/")
        let response = try client.response()
        #expect(response.body == LoopbackServer.pattern(count: 300_000))
        let end = client.receiveAll()
        #expect(end.data.isEmpty)
        #expect(end.error == nil)
    }

    @Test("Empty lines before a request are ignored") func emptyLines() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("\r\n\r\n")
        #expect(try client.exchange("GET", "/echo").status == 200)
        #expect(server.protocolViolations.isEmpty)
    }

    @Test("A flood of empty lines is harmless") func emptyLineFlood() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send(String(repeating: "\r\n", count: 500_000))
        #expect(try client.exchange("GET", "/echo").status == 200)
    }

    @Test("A malformed request is refused and recorded") func malformed() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\nHost : x\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 400)
        #expect(response.headers["Connection"] == "close")
        #expect(server.protocolViolations == ["malformed field name"])
        #expect(server.requests.isEmpty)
        let chunked = try RawClient(server)
        try chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n")
        #expect(try chunked.response().status == 400)
        server.reset()
        #expect(server.protocolViolations.isEmpty)
    }

    @Test(
        "Bytes that cannot begin a request are refused before a line feed arrives",
        arguments: [
            ("\u{16}\u{3}\u{1}", "TLS handshake received, but the server speaks plain HTTP only"),
            ("\r\n{", "malformed method"), (" ", "malformed method"), ("\0", "malformed method"),
        ]
    )
    func otherProtocols(start: String, reason: String) throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send(start)
        #expect(try client.response().status == 400)
        #expect(server.protocolViolations == [reason])
        let slow = try RawClient(server)
        for byte in ["\r", "\n", "G", "ET /echo HTTP/1.1\r\nHost: t\r\n\r\n"] { try slow.send(byte) }
        #expect(try slow.response().status == 200)
    }

    @Test("A head beyond the limit is refused") func headLimit() throws {
        var configuration = LoopbackServer.Configuration()
        configuration.headLimit = 10000
        let server = try LoopbackServer(configuration: configuration)
        let small = try RawClient(server)
        #expect(try small.exchange("GET", "/echo", ["X: " + String(repeating: "x", count: 9000)]).status == 200)
        let large = try RawClient(server)
        try large.request("GET", "/echo", ["X: " + String(repeating: "x", count: 40000)])
        #expect(try large.response().status == 431)
    }

    @Test("A head beyond the limit is refused even if it arrives at once", arguments: [(1000, 200), (1001, 431)])
    func headLimitAtOnce(length: Int, status: Int) throws {
        var configuration = LoopbackServer.Configuration()
        configuration.headLimit = 1000
        let server = try LoopbackServer(configuration: configuration)
        let client = try RawClient(server)
        let start = "GET /echo HTTP/1.1\r\nHost: t\r\nX: "
        let end = "\r\n\r\n"
        let value = String(repeating: "x", count: length - start.utf8.count - end.utf8.count)
        try client.send(start + value + end)
        #expect(try client.response().status == status)
    }

    @Test("A line of a chunked body beyond the limit is refused even if it arrives at once") func lineLimit() throws {
        let server = try LoopbackServer()
        let long = "3;" + String(repeating: "x", count: 5000) + "\r\nabc\r\n0\r\n\r\n"
        for body in [long, "3\r\nabcd\r\n0\r\n\r\n"] {
            let client = try RawClient(server)
            try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
            #expect(try client.response().status == 400)
        }
        #expect(server.protocolViolations == ["line too long", "chunk longer than its size"])
    }

    @Test("closeIdleConnections closes idle connections, and not busy ones") func closeIdle() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try LoopbackServer { request in
            guard request.path == "/busy" else { return .text("ok") }
            gate.wait()
            return .text("before")
        }
        let idle = try RawClient(server)
        #expect(try idle.exchange("GET", "/").status == 200)
        let busy = try RawClient(server)
        try busy.request("GET", "/busy")
        try await server.waitForRequests(2, timeout: 40 * patience)
        // The server marks a connection as idle shortly after its response has been sent.
        try await eventually("the end of the idle connection") {
            server.closeIdleConnections()
            return server.openConnectionCount == 1
        }
        #expect(try idle.receive().isEmpty)
        gate.open()
        #expect(try busy.response().text == "before")
        #expect(try busy.exchange("GET", "/").status == 200)
    }

    @Test("A handler can tell reused connections from new ones, to fail the reuse") func staleReuse() throws {
        let server = try LoopbackServer { $0.connectionRequestIndex > 0 ? .empty : .text("ok") }
        let client = try RawClient(server)
        #expect(try client.exchange("GET", "/").text == "ok")
        try client.request("GET", "/")
        #expect(client.receiveAll().data.isEmpty)
    }

    @Test("Clients that leave in the middle of a body are harmless") func aborts() async throws {
        let server = try LoopbackServer()
        for index in 0..<50 {
            let client = try RawClient(server)
            try client.request("GET", index % 2 == 0 ? "/bytes/50000000" : "/chunked?chunks=1000&size=10000")
            _ = try client.receive(exactly: 1000)
            client.close(reset: index % 4 < 2)
        }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
        #expect(try RawClient(server).exchange("GET", "/echo").status == 200)
    }

    @Test("A delayed response ends when its client leaves") func abandonedDelay() async throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.request("GET", "/delay/50000")
        try await server.waitForRequests(1, timeout: 40 * patience)
        client.close()
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("With a small send buffer the bytes sent show how far the client has read") func backPressure() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.sendBufferSize = 16384
        let server = try LoopbackServer(configuration: configuration)
        let client = try RawClient(server)
        try client.request("GET", "/bytes/100000000")
        _ = try client.head()
        var sent = -1
        while sent != server.sentByteCount {
            sent = server.sentByteCount
            try await Task.sleep(for: .milliseconds(50))
        }
        // Bytes in the client's own receive buffer count as read.
        #expect(sent < 20_000_000)
    }
}
