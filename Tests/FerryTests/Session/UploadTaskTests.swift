import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Upload tasks", .timeLimit(.minutes(5)))
struct UploadTaskTests {
    private func request(_ server: LoopbackServer, _ path: String = "/") -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = "POST"
        request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        return request
    }

    @Test("Data arrives unchanged", arguments: TestTransport.all)
    func uploadsData(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text($0.bodySHA256) }
        let body = LoopbackServer.pattern(count: 300_000)
        let response = await transport.manager().response(for: request(server), from: body, serializer: .string)
        #expect(response.value == LoopbackServer.patternSHA256(count: 300_000))
        #expect(response.metrics?.sentBodyByteCount == 300_000)
    }

    @Test("Nil data is sent as an empty body", arguments: TestTransport.all)
    func uploadsNothing(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text("\($0.bodyLength)") }
        let done = Watched<TaskResponse<String>?>(nil)
        transport.manager().uploadTask(with: request(server), from: nil, serializer: .string) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value == "0")
    }

    @Test("A file arrives unchanged", arguments: TestTransport.all)
    func uploadsFile(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text($0.bodySHA256) }
        let scratch = try TemporaryFolder()
        let file = scratch.file("body")
        try LoopbackServer.pattern(count: 300_000).write(to: file)
        let response = await transport.manager().response(for: request(server), fromFile: file, serializer: .string)
        #expect(response.value == LoopbackServer.patternSHA256(count: 300_000))
    }

    @Test("A file that cannot be read is an error, and nothing is sent", arguments: TestTransport.all)
    func unreadableFiles(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("") }
        let scratch = try TemporaryFolder()
        let manager = transport.manager()
        let remote = try #require(URL(string: "http://example.com/file"))
        for file in [scratch.file("missing"), scratch.url, remote] {
            let response = await manager.response(for: request(server), fromFile: file, serializer: .data)
            #expect(response.error?.code == .fileError)
        }
        #expect(server.requestCount == 0)
    }

    @Test("A request sends a body that is made meanwhile, in place of its parameters") func madeBody() async throws {
        let server = try LoopbackServer { .text("\($0.bodyText ?? "") \($0.header("Content-Type") ?? "")") }
        let pieces = AsyncStream<Data> { continuation in
            for text in ["one", "two"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        let request = Request(.post, "", serializer: .string).parameters(["a": 1]).body(RequestBody(pieces))
            .headers(["Content-Type": "text/plain"])
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        #expect(try await manager.send(request) == "onetwo text/plain")
        // A stream can be sent only once.
        let error = await #expect(throws: NetworkError.self) { try await manager.send(request) }
        #expect((error?.underlyingError as? URLError)?.code == .requestBodyStreamExhausted)
    }

    @Test(
        "A body has the type that the request or the serializer names, and not that of parameters that it replaces",
        arguments: [HTTPMethod.put, .patch, "PROPPATCH"]
    )
    func bodyType(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer { .text("\($0.header("Content-Type") ?? "none") \($0.bodyText ?? "")") }
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        let body = RequestBody {
            AsyncStream<Data> { continuation in
                continuation.yield(Data("x".utf8))
                continuation.finish()
            }
        }
        let request = Request(method, "", serializer: .string).body(body)
        #expect(try await manager.send(request) == "none x")
        #expect(try await manager.send(request.headers(["content-type": "text/plain"])) == "text/plain x")
        for serializer in [HTTPRequestSerializer(), JSONRequestSerializer()] as [any ConfigurableRequestSerializer] {
            manager.requestSerializer = serializer
            #expect(try await manager.send(request.parameters(["a": 1])) == "none x")
            manager.requestSerializer.headers["Content-Type"] = "image/png"
            #expect(try await manager.send(request) == "image/png x")
        }
    }

    @Test("The error of a body's sequence is the cause of the request's") func failingBody() async throws {
        struct Broken: Error {}
        let server = try LoopbackServer { _ in .text("") }
        let pieces = AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Broken()) }
        let request = Request(.post, "", serializer: .string).body(RequestBody(pieces))
        let response = await HTTPSessionManager(baseURL: server.url, configuration: .ephemeral).response(for: request)
        #expect(response.error?.underlyingError is Broken)
    }

    @Test("A streamed body arrives unchanged", arguments: TestTransport.all)
    func uploadsStream(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text($0.bodySHA256) }
        var request = request(server)
        request.httpBodyStream = InputStream(data: LoopbackServer.pattern(count: 300_000))
        let done = Watched<TaskResponse<String>?>(nil)
        transport.manager().uploadTask(withStreamedRequest: request, serializer: .string) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value == LoopbackServer.patternSHA256(count: 300_000))
    }

    @Test("A body that is sent again is created again", arguments: TestTransport.all)
    func replaysStream(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            guard request.header("Authorization") != nil else {
                return LoopbackResponse.text("no", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"x\"")
            }
            return .text(request.bodyText ?? "")
        }
        let manager = transport.manager()
        manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in
            .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        let made = Watched(0)
        let done = Watched<TaskResponse<String>?>(nil)
        manager.uploadTask(
            withStreamedRequest: request(server),
            bodyStream: {
                made.change { $0 += 1 }
                return InputStream(data: Data("again".utf8))
            },
            serializer: .string
        ) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value == "again")
        #expect(made.current == 2)
    }

    @Test(
        "A single-use stream that must be sent again is the error bodyStreamExhausted",
        arguments: TestTransport.able(to: .cancellationAnywhere)
    )
    func exhaustedStream(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("no", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"x\"")
        }
        let manager = transport.manager()
        manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in
            .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        var request = request(server)
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let done = Watched<TaskResponse<String>?>(nil)
        manager.uploadTask(withStreamedRequest: request, serializer: .string) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.error?.code == .bodyStreamExhausted)
    }

    @Test("A multipart form is replayed by copying its stream", arguments: TestTransport.all)
    func replaysForm(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            guard request.header("Authorization") != nil else {
                return LoopbackResponse.text("no", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"x\"")
            }
            return .text(request.bodyText ?? "")
        }
        let manager = transport.manager(baseURL: server.url)
        manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in
            .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
        }
        let body = try await manager.send(
            .post("form", serializer: .string).parameters(["a": 1]).multipart { $0.append("text", name: "b") }
        )
        #expect(body.contains("name=\"a\""))
        #expect(body.contains("name=\"b\""))
    }

    @Test(
        "A redirect that keeps the body sends it again, from a stream or a form",
        arguments: TestTransport.able(to: .bodyOnRedirection),
        [307, 308]
    )
    func replaysOnRedirection(_ transport: TestTransport, status: Int) async throws {
        let server = try LoopbackServer { request in
            request.path == "/from"
                ? .redirect(to: "/to", statusCode: status) : .text("\(request.method) \(request.bodyText ?? "")")
        }
        let manager = transport.manager(baseURL: server.url)
        let made = Watched(0)
        let done = Watched<TaskResponse<String>?>(nil)
        manager.uploadTask(
            withStreamedRequest: request(server, "/from"),
            bodyStream: {
                made.change { $0 += 1 }
                return InputStream(data: Data("again".utf8))
            },
            serializer: .string
        ) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value == "POST again")
        #expect(made.current == 2)
        let form = try await manager.send(
            .post("from", serializer: .string).multipart { $0.append("text", name: "b") }
        )
        #expect(form.hasPrefix("POST --"))
        #expect(form.contains("name=\"b\"\r\n\r\ntext\r\n"))
    }

    @Test(
        "A single-use stream that is redirected is the error bodyStreamExhausted",
        arguments: TestTransport.able(to: .bodyOnRedirection)
    )
    func exhaustedOnRedirection(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/to", statusCode: 307) }
        var request = request(server)
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let done = Watched<TaskResponse<String>?>(nil)
        transport.manager().uploadTask(withStreamedRequest: request, serializer: .string) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.error?.code == .bodyStreamExhausted)
        #expect(
            server.requests.map { "\($0.method) \($0.path) \($0.bodyText ?? "") \($0.isComplete)" } == [
                "POST / once true"
            ]
        )
    }
}
