import Ferry
import FerryHTTPTypes
import FerryTesting
import HTTPTypes
import Testing

@Suite("Requests of HTTPTypes", .timeLimit(.minutes(5)))
struct SessionTests {
    private func request(_ method: HTTPRequest.Method = .get, to server: LoopbackServer, _ path: String) -> HTTPRequest
    {
        HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path)
    }

    @Test("A session sends method, path, fields and body, and returns all fields one by one")
    func data() async throws {
        let server = try LoopbackServer { _ in
            .text("made", statusCode: 201).adding("Set-Cookie", "a=1; Expires=Sun, 06 Nov 2094 08:49:37 GMT")
                .adding("X-A", "1").adding("Set-Cookie", "b=2").adding("x-a", "2, 3")
        }
        let session = CurlSession(configuration: .ephemeral)
        var request = request(.put, to: server, "/things?id=1")
        request.headerFields[.contentType] = "text/plain"
        request.headerFields.append(HTTPField(name: .accept, value: "text/plain"))
        request.headerFields.append(HTTPField(name: .accept, value: "*/*;q=0.1"))
        let reply = try await session.reply(to: request, body: Data("hello".utf8))
        #expect(reply.response.status == .created)
        #expect(reply.body == Data("made".utf8))
        #expect(
            reply.response.headerFields[values: .setCookie] == ["a=1; Expires=Sun, 06 Nov 2094 08:49:37 GMT", "b=2"]
        )
        let name = try #require(HTTPField.Name("X-A"))
        #expect(reply.response.headerFields[values: name] == ["1", "2, 3"])
        #expect(reply.urlResponse.url == server.url("/things?id=1"))
        let sent = try #require(server.requests.first)
        #expect(sent.method == "PUT")
        #expect(sent.target == "/things?id=1")
        #expect(sent.header("Accept") == "text/plain, */*;q=0.1")
        #expect(sent.header("Content-Type") == "text/plain")
        #expect(sent.bodyText == "hello")
        #expect(server.protocolViolations.isEmpty)
    }

    @Test("A session reports a status that is a failure as a response, and a broken connection as an error")
    func outcomes() async throws {
        let script: FaultScript = [.respond(statusCode: 503), .reset]
        let server = try LoopbackServer(script: script) { _ in .text("x") }
        let session = CurlSession(configuration: .ephemeral)
        let reply = try await session.reply(to: request(to: server, "/"))
        #expect(reply.response.status == .serviceUnavailable)
        await #expect(throws: URLError.self) { try await session.reply(to: request(.post, to: server, "/")) }
    }

    @Test("A body arrives piece by piece, and the trailers after it")
    func streaming() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(
                body: .chunked(
                    [Data("ab".utf8), Data("cd".utf8)],
                    trailers: ["X-Sum": "1", "Server-Timing": "db;dur=2"]
                )
            )
        }
        let session = CurlSession(configuration: .ephemeral)
        var request = request(to: server, "/")
        request.headerFields[.te] = "trailers"
        let reply = try await session.streamedReply(to: request)
        #expect(reply.response.status == .ok)
        var body = Data()
        for try await chunk in reply.body.chunks { body += chunk }
        #expect(body == Data("abcd".utf8))
        #expect(try reply.trailerFields.map(\.description) == ["X-Sum: 1", "Server-Timing: db;dur=2"])
        #expect(reply.response.headerFields.contains(try #require(HTTPField.Name("X-Sum"))) == false)
        #expect(server.requests.first?.header("TE") == "trailers")
    }

    @Test("A file is uploaded by a session and by a manager")
    func upload() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("http-types-\(UUID())")
        try LoopbackServer.pattern(count: 300_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try LoopbackServer { .text($0.bodySHA256) }
        let session = CurlSession(configuration: .ephemeral)
        let reply = try await session.reply(to: request(.post, to: server, "/a"), fromFile: file)
        #expect(String(decoding: reply.body, as: UTF8.self) == LoopbackServer.patternSHA256(count: 300_000))
        let manager = SessionManager(configuration: .ephemeral)
        let text = try await manager.reply(to: request(.put, to: server, "/b"), fromFile: file, serializer: .string)
        #expect(text.body == LoopbackServer.patternSHA256(count: 300_000))
        #expect(server.requests.map(\.method) == ["POST", "PUT"])
    }

    @Test("A manager decodes the body, and its errors have the response")
    func manager() async throws {
        struct User: Codable, Equatable {
            var name: String
        }
        let server = try LoopbackServer { request in
            request.path == "/user"
                ? LoopbackResponse.json(#"{"name":"Ada"}"#).adding("Set-Cookie", "a=1").adding("Set-Cookie", "b=2")
                : .text("none", statusCode: 404)
        }
        let manager = HTTPSessionManager(configuration: .ephemeral)
        let reply = try await manager.reply(to: request(to: server, "/user"), serializer: .decodable(User.self))
        #expect(reply.body == User(name: "Ada"))
        #expect(reply.response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        let error = await #expect(throws: NetworkError.self) { try await manager.reply(to: request(to: server, "/")) }
        let response = try #require(error?.response)
        #expect(try HTTPResponse(response).status == .notFound)
        #expect(error?.data == Data("none".utf8))
    }

    @Test("A manager streams a body")
    func managerStream() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        let manager = SessionManager(configuration: .ephemeral)
        let (statuses, continuation) = AsyncStream<Result<HTTPResponse, HTTPTypesError>>.makeStream()
        var count = 0
        for try await piece in try manager.stream(request(to: server, "/"), onResponse: { continuation.yield($0) }) {
            count += piece.count
        }
        continuation.finish()
        #expect(count == 100_000)
        var received: [HTTPResponse.Status] = []
        for await result in statuses { received.append(try result.get().status) }
        #expect(received == [.ok])
    }

    @Test("A request that cannot be converted is not sent")
    func refused() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let request = request(to: server, "no-slash")
        let expected = HTTPTypesError.invalidPseudoField(":path", value: "no-slash")
        let session = CurlSession(configuration: .ephemeral)
        await #expect(throws: expected) { try await session.reply(to: request) }
        await #expect(throws: expected) { try await session.streamedReply(to: request) }
        let manager = SessionManager(configuration: .ephemeral)
        await #expect(throws: expected) { try await manager.reply(to: request) }
        #expect(throws: expected) { try manager.stream(request) }
        #expect(server.requestCount == 0)
    }

    @Test("A response with a field that HTTPTypes would change is an error that names the field")
    func invalidField() async throws {
        let head = Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Bad: a\u{1}b\r\n\r\n".utf8)
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse.text("")
            response.rawHead = head
            return response
        }
        let session = CurlSession(configuration: .ephemeral)
        await #expect(throws: HTTPTypesError.invalidFieldValue(name: "X-Bad")) {
            try await session.reply(to: request(to: server, "/"))
        }
    }
}
