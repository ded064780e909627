import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct StandardFaultRoutesTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func body(_ target: String, _ fields: [String] = []) throws -> (data: Data, error: Int32?) {
        let client = try RawClient(server)
        try client.request("GET", target, fields)
        _ = try client.head()
        return client.receiveAll()
    }

    @Test("/reset and /truncate end the body after the given number of bytes") func cuts() throws {
        let reset = try body("/reset?after=1000&bytes=5000")
        #expect(reset.data == LoopbackServer.pattern(count: 1000))
        #expect(reset.error == ECONNRESET)
        let truncated = try body("/truncate?after=1000&bytes=5000")
        #expect(truncated.data == LoopbackServer.pattern(count: 1000))
        #expect(truncated.error == nil)
        #expect(
            try body("/truncate?after=5&bytes=9&chunked=1").data == Data("9\r\n".utf8)
                + LoopbackServer.pattern(count: 5)
        )
    }

    @Test("The rest of a resumable fault can be fetched") func resumable() throws {
        let target = "/truncate?after=1000&bytes=5000&resumable=1"
        let first = try body(target).data
        let client = try RawClient(server)
        let rest = try client.exchange("GET", target, ["Range: bytes=\(first.count)-", "If-Range: \"pattern-5000\""])
        #expect(rest.status == 206)
        #expect(first + rest.body == LoopbackServer.pattern(count: 5000))
    }

    @Test("/stall sends the given number of bytes and no more") func stall() async throws {
        let client = try RawClient(server)
        try client.request("GET", "/stall?after=100&bytes=5000")
        _ = try client.head()
        #expect(try client.receive(exactly: 100).count == 100)
        client.close()
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("/pause continues") func pause() throws {
        #expect(try RawClient(server).exchange("GET", "/pause?after=10&bytes=50&ms=20").body.count == 50)
    }

    @Test("A missing response, garbage and an unannounced close have routes") func others() throws {
        for (target, count, error) in [("/empty", 0, nil), ("/garbage", 22, nil), ("/reset-before", 0, ECONNRESET)] {
            let client = try RawClient(server)
            try client.request("GET", target)
            let result = client.receiveAll()
            #expect(result.data.count == count)
            #expect(result.error == error)
        }
        let client = try RawClient(server)
        #expect(try client.exchange("GET", "/close-after").headers["Connection"] == nil)
        #expect(try client.receive().isEmpty)
    }

    @Test("Odd heads are listed, and sent unchanged") func oddHeads() throws {
        let list = try RawClient(server).exchange("GET", "/headers/odd/unknown")
        #expect(list.status == 404)
        let kinds = list.text.split(separator: "\n")
        #expect(kinds.count > 20)
        for kind in kinds {
            let client = try RawClient(server)
            try client.request("GET", "/headers/odd/\(kind)")
            let data = client.receiveAll().data
            #expect(data.starts(with: Data("HTTP/1.".utf8)))
            #expect(data.suffix(2) == Data("ok".utf8))
            #expect(data.range(of: Data("odd".utf8)) != nil || data.range(of: Data("Odd".utf8)) != nil)
        }
    }

    @Test("/headers/huge has header fields of the given size") func huge() throws {
        let response = try RawClient(server).exchange("GET", "/headers/huge?size=3000&count=7")
        #expect(
            response.headers.filter { $0.name.hasPrefix("X-Huge") }.map(\.value.count)
                == Array(repeating: 3000, count: 7)
        )
    }
}
