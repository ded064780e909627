import FerryStreams
import TestSupport
import Testing

@Suite("Streams whose reader waits")
struct BackPressureTests {
    /// The most that the server can send while the reader waits: the sockets' buffers, and the session's.
    private static let bound = 32 << 20

    /// Reads two elements of a body that repeats a text for ever, and returns how much the server could send.
    private func sent<Elements: AsyncSequence>(
        _ head: String,
        repeating part: String,
        type: String = "text/plain",
        _ elements: (CurlSession.Bytes, URLResponse) throws -> Elements
    ) async throws -> Int {
        let count = Watched(0)
        let isStalled = Watched(false)
        let body = Data(String(filling: 1 << 16, with: part).utf8)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nConnection: close\r\n\r\n" + head)
            while count.current < Self.bound, connection.write(body) { count.change { $0 += body.count } }
            isStalled.change { $0 = true }
        }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let (bytes, response) = try await CurlSession(configuration: .ephemeral).bytes(from: url)
        var iterator = try elements(bytes, response).makeAsyncIterator()
        for _ in 0..<2 { #expect(try await iterator.next() != nil) }
        // The server has been stopped once it sends nothing for a while.
        var last = -1
        while last != count.current {
            last = count.current
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(!isStalled.current)
        return last
    }

    @Test("A server is stopped while the next element is not asked for")
    func stopped() async throws {
        let sizes = [
            try await sent("", repeating: "1\n") { bytes, _ in bytes.jsonLines(as: Int.self) },
            try await sent("[", repeating: "1,") { bytes, _ in bytes.jsonElements(as: Int.self) },
            try await sent("", repeating: "--b\r\n\r\n1\r\n", type: "multipart/mixed;boundary=b") { bytes, response in
                try bytes.parts(of: response)
            },
            try await sent("", repeating: "data: 1\n\n") { bytes, _ in bytes.events },
        ]
        #expect(sizes.allSatisfy { $0 < Self.bound }, "\(sizes)")
    }
}
