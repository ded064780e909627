import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct BodyReadingTests {
    @Test("A chunked body is assembled, with its trailers") func chunked() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
        try client.send("3;ext=1\r\nabc\r\n")
        try client.send("A\r\n0123456789\r\n0\r\nX-T: v\r\n\r\n")
        let echo = try client.response().decoded(LoopbackEcho.self)
        #expect(echo.body == "abc0123456789")
        #expect(echo.isChunked)
        #expect(echo.trailers == [["X-T", "v"]])
        #expect(echo.bodySHA256 == SHA256Hash.hash(Data("abc0123456789".utf8)).hexadecimal)
        #expect(try client.exchange("GET", "/echo").status == 200)
    }

    @Test("A long body is counted and hashed, and only its first megabyte kept", arguments: [false, true])
    func long(isChunked: Bool) throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        let size = 3_000_000
        let body = LoopbackServer.pattern(count: size)
        if isChunked {
            try client.send("POST /upload HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
            for start in stride(from: 0, to: size, by: 700_000) {
                let chunk = body.dropFirst(start).prefix(700_000)
                try client.send(Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8))
            }
            try client.send("0\r\n\r\n")
        } else {
            try client.request("POST", "/upload", body: body)
        }
        let echo = try client.response().decoded(LoopbackEcho.self)
        #expect(echo.bodyLength == size)
        #expect(echo.bodySHA256 == LoopbackServer.patternSHA256(count: size))
        #expect(echo.body == nil)
        let request = try #require(server.requests.first)
        #expect(request.body == body.prefix(1 << 20))
        #expect(request.isComplete)
    }

    @Test("An expectation is answered before the body is sent") func continues() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.head().status == 100)
        try client.send("ok")
        #expect(try client.response().decoded(LoopbackEcho.self).body == "ok")
    }

    @Test("An expectation can be ignored") func ignored() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("POST /expect/ignore HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        // The server has a moment to send an interim response.
        usleep(50000)
        try client.send("ok")
        let response = try client.response()
        #expect(response.interim.isEmpty)
        #expect(try response.decoded(LoopbackEcho.self).body == "ok")
    }

    @Test("An expectation can be refused, without the body") func refused() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("POST /expect/417 HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 417)
        #expect(response.interim.isEmpty)
        #expect(response.headers["Connection"] == "close")
        #expect(server.requests.first?.isComplete == false)
    }

    @Test("An early response is sent although the body continues") func early() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("POST /early/413?after=1000 HTTP/1.1\r\nHost: t\r\nContent-Length: 500000\r\n\r\n")
        try client.send(LoopbackServer.pattern(count: 300_000))
        let response = try client.response()
        #expect(response.status == 413)
        #expect(server.requests.first?.bodyLength == 1000)
        #expect(try client.receive().isEmpty)
    }

    @Test(
        "An early response does not wait for what the client does not send",
        arguments: [
            ("/expect/417", "", 417, 0),
            ("/early/413", "", 413, 0),
            ("/early/413?after=10", "a\r\n0123456789\r\n", 413, 10),
            ("/early/413?after=10", "a\r\n0123456789", 413, 10),
            ("/early/413?after=10", "4\r\n0123\r\n8\r\n456789", 413, 10),
        ]
    ) func earlyInChunks(target: String, chunks: String, status: Int, length: Int) throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        let fields = "Host: t\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
        try client.send("POST \(target) HTTP/1.1\r\n" + fields + chunks)
        let response = try client.response()
        #expect(response.status == status)
        #expect(response.headers["Connection"] == "close")
        let request = try #require(server.requests.first)
        #expect(request.bodyLength == length)
        #expect(!request.isComplete)
    }

    @Test("An upload can be reset, stalled, or ended by closing") func cutUploads() async throws {
        let server = try LoopbackServer()
        let head = " HTTP/1.1\r\nHost: t\r\nContent-Length: 5000\r\n\r\n"
        let reset = try RawClient(server)
        try reset.send("POST /upload-reset?after=1000" + head)
        try reset.send(LoopbackServer.pattern(count: 1500))
        #expect(throws: RawClient.Failure(call: "recv", code: ECONNRESET)) { try reset.receive() }
        let close = try RawClient(server)
        try close.send("POST /upload-close?after=1000" + head)
        try close.send(LoopbackServer.pattern(count: 1500))
        #expect(try close.receive().isEmpty)
        let stall = try RawClient(server)
        try stall.send("POST /upload-stall?after=1000" + head)
        try stall.send(LoopbackServer.pattern(count: 1500))
        try await eventually { server.requestCount == 3 }
        #expect(server.openConnectionCount >= 1)
        #expect(server.requests.last?.bodyLength == 1000)
    }

    @Test("A body is read at the requested rate") func paced() throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        let start = ContinuousClock.now
        let response = try client.exchange("POST", "/upload?rate=100000", body: LoopbackServer.pattern(count: 30000))
        #expect(try response.decoded(LoopbackEcho.self).bodyLength == 30000)
        #expect(ContinuousClock.now - start > .milliseconds(200))
    }

    @Test("A request whose client leaves during the body is recorded as incomplete") func abandoned() async throws {
        let server = try LoopbackServer()
        let client = try RawClient(server)
        try client.send("POST /upload HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n0123456789")
        client.close()
        try await server.waitForRequests(1, timeout: 40 * patience)
        let request = try #require(server.requests.first)
        #expect(!request.isComplete)
        #expect(request.body == Data("0123456789".utf8))
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("Hashing and keeping can be turned off") func lean() throws {
        var configuration = LoopbackServer.Configuration()
        configuration.hashesBodies = false
        configuration.keptBodySize = 0
        configuration.recordsRequests = false
        let server = try LoopbackServer(configuration: configuration)
        let echo = try RawClient(server).exchange("POST", "/upload", body: Data("abc".utf8)).decoded(LoopbackEcho.self)
        #expect(echo.bodyLength == 3)
        #expect(echo.bodySHA256.isEmpty)
        #expect(server.requests.isEmpty)
        #expect(server.requestCount == 1)
    }
}
