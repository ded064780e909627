import FerrySession
import FerryTesting
import Testing

/// RFC 9112, sections 6.1 to 6.3: a message has exactly one way to determine its end.
@Suite(.timeLimit(.minutes(5)))
struct FramingTests {
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    /// Sends a request to a server that keeps its bytes, and returns them.
    private func rawBytes(
        of request: URLRequest,
        stream: InputStream? = nil,
        isUpload: Bool = false
    ) async throws -> String {
        let server = try RawServer { connection in
            let head = connection.readHead().lowercased()
            if head.contains("transfer-encoding") {
                while !connection.received.suffix(5).elementsEqual(Data("0\r\n\r\n".utf8)), connection.readMore() {}
            } else if let range = head.range(of: "content-length: ") {
                connection.readBody(Int(head[range.upperBound...].prefix { $0.isNumber }) ?? 0)
            }
            connection.write(Self.answer)
            connection.readAll()
        }
        var request = request
        request.url = server.url("/target")
        if let stream { request.httpBodyStream = stream }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let task = isUpload ? session.uploadTask(withStreamedRequest: request) : session.dataTask(with: request)
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil)
        #expect(outcome.status == 200)
        try await eventually { server.received.count == 1 }
        return try #require(server.texts.first)
    }

    private func request(_ method: String, _ headers: [String: String] = [:], body: String? = nil) throws -> URLRequest
    {
        let url = try #require(URL(string: "http://a.test/"))
        return Wire.request(url, method, headers: headers, body: body.map { Data($0.utf8) })
    }

    private func count(_ name: String, in message: String) -> Int {
        message.lowercased().components(separatedBy: "\r\n\(name.lowercased()):").count - 1
    }

    @Test("A body of known length is sent only with its length")
    func known() async throws {
        let message = try await rawBytes(of: request("POST", body: "hello"))
        #expect(message.hasPrefix("POST /target HTTP/1.1\r\n"))
        #expect(message.hasSuffix("\r\n\r\nhello"))
        #expect(count("Content-Length", in: message) == 1)
        #expect(message.contains("\r\nContent-Length: 5\r\n"))
        #expect(count("Transfer-Encoding", in: message) == 0)
    }

    @Test(
        "A length or coding set by the caller is not sent in addition to the actual one",
        arguments: [
            ["Content-Length": "3"], ["content-length": "300"], ["Content-Length": "0"], ["Content-Length": "abc"],
            ["Transfer-Encoding": "chunked"], ["transfer-encoding": "gzip, chunked"], ["Transfer-Encoding": "identity"],
            ["Content-Length": "5", "Transfer-Encoding": "chunked"], ["Content-Length": "-5"],
            ["Content-Length": "5, 5"],
            ["Content-Length": ""], ["Transfer-Encoding": ""], ["Content-Length": "+5"],
        ]
    )
    func smuggling(_ headers: [String: String]) async throws {
        for body in ["hello", nil] {
            let message = try await rawBytes(of: request("POST", headers, body: body))
            #expect(count("Content-Length", in: message) == 1)
            #expect(message.contains("\r\nContent-Length: \(body == nil ? 0 : 5)\r\n"))
            #expect(count("Transfer-Encoding", in: message) == 0)
            #expect(message.hasSuffix("\r\n\r\n" + (body ?? "")))
        }
        let get = try await rawBytes(of: request("GET", headers))
        #expect(count("Content-Length", in: get) == 0 && count("Transfer-Encoding", in: get) == 0)
        #expect(get.hasSuffix("\r\n\r\n"))
    }

    @Test("A stream of unknown length is sent only in chunks", arguments: [false, true])
    func chunked(_ isUpload: Bool) async throws {
        let message = try await rawBytes(
            of: request("PUT"),
            stream: ScriptedStream(Data("hello".utf8)),
            isUpload: isUpload
        )
        #expect(count("Content-Length", in: message) == 0)
        #expect(count("Transfer-Encoding", in: message) == 1)
        #expect(message.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(message.hasSuffix("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
    }

    @Test(
        "A stream with an announced length is sent only with that length",
        arguments: [[:], ["Transfer-Encoding": "chunked"]]
    )
    func announced(_ more: [String: String]) async throws {
        let headers = more.merging(["Content-Length": " 5 "]) { $1 }
        let message = try await rawBytes(
            of: request("PUT", headers),
            stream: ScriptedStream(Data("hello".utf8), largestRead: 1)
        )
        #expect(count("Transfer-Encoding", in: message) == 0)
        #expect(count("Content-Length", in: message) == 1)
        #expect(message.hasSuffix("\r\n\r\nhello"))
    }

    @Test(
        "A stream announced with an invalid length is refused",
        arguments: ["abc", "-5", "+5", "5, 5", "5 5", "0x5", "99999999999999999999", "٥"]
    )
    func impossibleLength(_ length: String) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        var request = Wire.request(server.url, "PUT", headers: ["Content-Length": length])
        request.httpBodyStream = ScriptedStream(Data("hello".utf8))
        let streamed = request
        let error = await Wire.error { try await Wire.session().data(for: streamed) }
        #expect(error?.curlSessionError?.code == .invalidHeader)
        #expect(server.requestCount == 0)
    }

    @Test("A request has exactly the expected lines") func wholeHead() async throws {
        let message = try await rawBytes(of: request("POST", ["X-A": "1"], body: "hello"))
        let lines = message.components(separatedBy: "\r\n")
        let names = lines.dropFirst().prefix { !$0.isEmpty }.map { $0.prefix { $0 != ":" }.lowercased() }
        let expected = ["accept", "accept-encoding", "content-length", "content-type", "host", "user-agent", "x-a"]
        #expect(names.sorted() == expected)
    }
}
