import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct ResponseTests {
    private func answer(_ response: LoopbackResponse, method: String = "GET") throws -> RawResponse {
        let server = try LoopbackServer { _ in response }
        return try RawClient(server).exchange(method, "/")
    }

    @Test("Status, reason and header fields are sent as given, duplicates in order") func head() throws {
        let response = try answer(
            LoopbackResponse(statusCode: 299, reason: "Quite Fine", headers: ["X-B": "1", "x-a": "2", "X-b": "3"])
        )
        #expect(response.statusLine == "HTTP/1.1 299 Quite Fine")
        #expect(response.headers.filter { $0.name.lowercased().hasPrefix("x-") }.map(\.name) == ["X-B", "x-a", "X-b"])
        #expect(try answer(.status(404)).statusLine == "HTTP/1.1 404 Not Found")
        #expect(try answer(LoopbackResponse(statusCode: 200, reason: "")).statusLine == "HTTP/1.1 200 ")
        #expect(try answer(LoopbackResponse().withoutDate()).headers["Date"] == nil)
    }

    @Test("No body follows HEAD, 204 and 304, and the connection stays open") func bodiless() throws {
        let server = try LoopbackServer { request in .text("abc", statusCode: Int(request.path.dropFirst()) ?? 200) }
        let client = try RawClient(server)
        #expect(try client.exchange("HEAD", "/").headers["Content-Length"] == "3")
        let empty = try client.exchange("GET", "/204")
        #expect(empty.headers["Content-Length"] == nil)
        #expect(try client.exchange("GET", "/304").headers["Content-Length"] == nil)
        #expect(try client.exchange("GET", "/200").text == "abc")
        #expect(server.connectionCount == 1)
    }

    @Test("Chunks, extensions and trailers are sent") func chunks() throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(
                body: .chunked(
                    [Data("abc".utf8), Data(), Data("0123456789".utf8)],
                    trailers: ["X-T": "v", "X-U": "w"],
                    chunkExtension: "a=b"
                )
            )
        }
        let client = try RawClient(server)
        try client.request("GET", "/", ["Connection: close"])
        let text = String(decoding: client.receiveAll().data, as: UTF8.self)
        #expect(text.contains("\r\nTransfer-Encoding: chunked\r\nTrailer: X-T, X-U\r\n"))
        #expect(text.hasSuffix("\r\n\r\n3;a=b\r\nabc\r\na;a=b\r\n0123456789\r\n0\r\nX-T: v\r\nX-U: w\r\n\r\n"))
    }

    @Test("Interim responses precede the final one, with their header fields") func interim() throws {
        let response = try answer(
            .text("ok")
                .preceded(by: .init(statusCode: 100))
                .preceded(by: .init(statusCode: 103, headers: ["Link": "</a>"], delay: 0.01))
        )
        #expect(response.interim.map(\.status) == [100, 103])
        #expect(response.interim.last?.headers["Link"] == "</a>")
        #expect(response.text == "ok")
    }

    @Test("Delays apply before the head and between head and body") func delays() throws {
        let server = try LoopbackServer { _ in .text("late").delayed(0.15, body: 0.15) }
        let client = try RawClient(server)
        let start = ContinuousClock.now
        try client.request("GET", "/")
        #expect(try client.head().status == 200)
        let atHead = ContinuousClock.now
        #expect(try client.receive(exactly: 4) == Data("late".utf8))
        #expect(atHead - start > .milliseconds(140))
        #expect(ContinuousClock.now - start > .milliseconds(290))
    }

    @Test("A dripped body arrives piece by piece") func drip() throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(body: .dripped([Data("a".utf8), Data("b".utf8), Data("c".utf8)], interval: 0.1))
        }
        let client = try RawClient(server)
        let start = ContinuousClock.now
        try client.request("GET", "/")
        #expect(try client.head().headers["Content-Length"] == "3")
        #expect(try client.receive(exactly: 1) == Data("a".utf8))
        #expect(try client.receive(exactly: 2) == Data("bc".utf8))
        #expect(ContinuousClock.now - start > .milliseconds(190))
    }

    @Test("A throttled body is slowed down") func throttle() throws {
        let start = ContinuousClock.now
        #expect(try answer(.pattern(count: 20000).throttled(bytesPerSecond: 100_000)).body.count == 20000)
        #expect(ContinuousClock.now - start > .milliseconds(150))
    }

    @Test("A body without a length ends with the connection") func untilClose() throws {
        let response = try answer(.text("abc").framed(.untilClose))
        #expect(response.headers["Content-Length"] == nil)
        #expect(response.headers["Connection"] == "close")
        #expect(response.text == "abc")
    }

    @Test("A closure writes a body while the client is connected") func stream() async throws {
        let server = try LoopbackServer { _ in
            .stream(contentType: "text/event-stream") { stream in
                var index = 0
                while stream.write("data: \(index)\n\n"), stream.wait(0.001) { index += 1 }
            }
        }
        let client = try RawClient(server)
        try client.request("GET", "/")
        #expect(try client.head().headers["Content-Type"] == "text/event-stream")
        #expect(try client.receiveLine() == "9")
        #expect(try client.receiveLine() == "data: 0")
        client.close()
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A response's own length replaces the server's; a wrong one closes the connection") func ownLength() throws {
        let server = try LoopbackServer { _ in .text("abc").adding("Content-Length", "10") }
        let client = try RawClient(server)
        try client.request("GET", "/")
        #expect(try client.head().headers.values(for: "Content-Length") == ["10"])
        #expect(client.receiveAll().data == Data("abc".utf8))
    }

    @Test("Invalid numbers are harmless") func senselessNumbers() throws {
        #expect(try answer(.text("x").delayed(.nan, body: -1).throttled(bytesPerSecond: -5)).text == "x")
        #expect(try answer(.pattern(count: -5)).body.isEmpty)
        let server = try LoopbackServer { _ in LoopbackResponse(body: .pattern(count: .max, offset: .max - 1)) }
        let client = try RawClient(server)
        try client.request("GET", "/")
        #expect(try client.head().headers["Content-Length"] == "\(Int.max)")
        #expect(try client.receive(exactly: 100).count == 100)
    }

    @Test("A missing file is a 404") func missingFile() throws {
        #expect(try answer(.file(URL(fileURLWithPath: "/nonexistent/file"))).status == 404)
        #expect(try answer(.file(URL(fileURLWithPath: "/tmp"))).status == 404)
    }

    @Test("HTTP/1.0 clients get no chunks, no interim responses and, unless requested, no second response")
    func version10() throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(body: .chunked([Data("abc".utf8)])).preceded(by: .init(statusCode: 103))
        }
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.0\r\n\r\n")
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response.headers["Transfer-Encoding"] == nil)
        #expect(response.text == "abc")
        let plain = try LoopbackServer { _ in .text("x") }
        let keeping = try RawClient(plain)
        for _ in 0..<2 {
            try keeping.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try keeping.response().headers["Connection"] == "keep-alive")
        }
    }

    @Test("Encodable values are sent as JSON") func json() throws {
        let response = try answer(.json(encoding: ["b": 1, "a": 2], statusCode: 201))
        #expect(response.status == 201)
        #expect(response.text == #"{"a":2,"b":1}"#)
        #expect(response.headers["Content-Type"] == "application/json")
        #expect(try answer(.json(encoding: Double.nan)).status == 500)
    }
}
