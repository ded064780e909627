import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Requests that cannot be made or sent", .timeLimit(.minutes(5)))
struct RequestFailureTests {
    /// A call whose request is impossible, and the expected error.
    private struct Row: Sendable {
        let code: NetworkError.Code
        let beneath: RequestSerializationError.Code
        let request: Request<Data>
    }

    private static func rows(missing: URL) -> [Row] {
        func row(
            _ code: NetworkError.Code,
            _ beneath: RequestSerializationError.Code,
            method: HTTPMethod = .post,
            path: String = "x",
            _ parameters: Parameters? = nil,
            headers: HTTPHeaders = [:],
            _ change: (inout Request<Data>) -> Void = { _ in }
        ) -> Row {
            var request = Request(method, path, serializer: .data).parameters(parameters).headers(headers)
            change(&request)
            return Row(code: code, beneath: beneath, request: request)
        }
        return [
            row(.badURL, .invalidURL, path: "http://[::1"),
            row(.requestSerializationFailed, .invalidMethod, method: "G T"),
            row(.requestSerializationFailed, .invalidHeader, headers: ["A B": "c"]),
            row(.invalidParameters, .invalidParameters, ["a": .double(.infinity)]) {
                $0.requestSerializer = JSONRequestSerializer()
            },
            row(.encodingFailed, .unencodableText, ["a": "€"]) {
                var serializer = HTTPRequestSerializer()
                serializer.options.stringEncoding = .isoLatin1
                $0.requestSerializer = serializer
            },
            row(.requestSerializationFailed, .invalidMultipart) {
                $0.multipartForm = { form in try form.throttle(packetSize: 0, delay: 0) }
            },
            row(.fileError, .fileUnreachable) {
                $0.multipartForm = { form in try form.append(fileURL: missing, name: "f") }
            },
        ]
    }

    @Test("Every way of making a call reports the same error, with its cause underneath", arguments: TestTransport.all)
    func everyFace(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("") }
        let manager = transport.manager(baseURL: server.url)
        let scratch = try TemporaryFolder()
        for row in Self.rows(missing: scratch.file("missing")) {
            let handled = Watched<NetworkError?>(nil)
            let task = manager.send(row.request) { response in handled.change { $0 = response.error } }
            #expect(task == nil)
            try await handled.wait { $0 != nil }
            check(handled.current, row)
            check(await manager.response(for: row.request).error, row)
            check(await #expect(throws: NetworkError.self) { try await manager.send(row.request) }, row)
            let streamed = await #expect(throws: NetworkError.self) {
                for try await _ in manager.stream(row.request) {}
            }
            check(streamed, row)
        }
        #expect(server.requestCount == 0)
    }

    private func check(_ error: NetworkError?, _ row: Row) {
        #expect(error?.code == row.code)
        let beneath = error?.underlyingError as? RequestSerializationError
        #expect(beneath?.code == row.beneath)
        #expect(error?.message == beneath?.reason)
        // The domain and code that AFNetworking's users check.
        #expect(error?.nsError.domain == "com.alamofire.error.serialization.request")
        #expect(error?.nsError.code == (beneath as NSError?)?.code)
        #expect((error as NSError?)?.code == (beneath as NSError?)?.code)
    }

    @Test("A download, and a request that adapt(_:) refuses, fail in the same way", arguments: TestTransport.all)
    func otherWays(_ transport: TestTransport) async throws {
        let url = URL(string: "http://127.0.0.1:9/")
        let manager = transport.manager(baseURL: url)
        let error = await #expect(throws: NetworkError.self) { try await manager.download(.get("http://[::1")) }
        #expect(error?.code == .badURL)
        #expect((error?.underlyingError as? RequestSerializationError)?.code == .invalidURL)
        let refusing = AdaptingManager(baseURL: url, transport: transport.transport) { _ in
            throw RequestSerializationError(.invalidHeader, reason: "No token")
        }
        let adapted = await refusing.response(for: .get("x", serializer: .data))
        #expect(adapted.error?.code == .requestSerializationFailed)
        #expect((adapted.error?.underlyingError as? RequestSerializationError)?.code == .invalidHeader)
        #expect(adapted.error?.failingURL?.path == "/x")
    }

    @Test("An error of a closure is the cause; a NetworkError is the error itself", arguments: TestTransport.all)
    func ownErrors(_ transport: TestTransport) async throws {
        struct Refusal: Error {}
        let own = NetworkError(NetworkError.Code(rawValue: "quotaExceeded"), message: "Too much")
        let server = try LoopbackServer { _ in
            .text("denied", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"x\"")
        }
        let manager = transport.manager(baseURL: server.url)
        for thrown in [Refusal(), own] as [any Error] {
            manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in .cancel(thrown) }
            manager.requestSerializer.querySerializer = { _, _ in throw thrown }
            let cancelled = await manager.response(for: .get("x")).error
            let unmade = await manager.response(for: .get("x").parameters(["a": 1])).error
            for error in [cancelled, unmade] {
                if thrown is Refusal {
                    #expect(error?.underlyingError is Refusal)
                } else {
                    #expect(error?.code == own.code && error?.underlyingError == nil)
                }
            }
        }
        #expect(server.requestCount == 2)
    }

    @Test(
        "A file that changes while it is sent fails the task",
        arguments: TestTransport.able(to: .exactErrors)
    )
    func changedFile(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text("\($0.bodyLength)") }
        let scratch = try TemporaryFolder()
        let file = try scratch.file("f", "contents")
        let manager = transport.manager(baseURL: server.url)
        let done = Watched<TaskResponse<String>?>(nil)
        var request = Request.post("x", serializer: .string)
        request.multipartForm = { form in try form.append(fileURL: file, name: "f") }
        let task = manager.task(for: request) { response in done.change { $0 = response } }
        try Data("other contents".utf8).write(to: file)
        task?.resume()
        try await done.wait { $0 != nil }
        let error = done.current?.error
        #expect(error?.code == .fileError)
        #expect((error?.underlyingError as? RequestSerializationError)?.code == .fileChanged)
        #expect(error?.failingURL?.path == "/x")
        #expect(error?.nsError.domain == "com.alamofire.error.serialization.request")
        #expect(error?.nsError.code == -1000)
    }

    @Test("An awaited call whose request cannot be made does not wait for the completion queue")
    func awaited() async throws {
        let manager = HTTPSessionManager()
        let queue = DispatchQueue(label: "stopped")
        queue.suspend()
        defer { queue.resume() }
        manager.completionQueue = queue
        let error = await #expect(throws: NetworkError.self) { try await manager.get("http://[bad") }
        #expect(error?.code == .badURL)
    }

    @Test("A request without a URL is refused, also where a key would be added")
    func withoutURL() async throws {
        let manager = HTTPSessionManager()
        manager.retryPolicy = .standard
        manager.retryPolicy?.addsIdempotencyKey = true
        var request = URLRequest(url: try #require(URL(string: "http://localhost/")))
        request.httpMethod = "POST"
        request.url = nil
        let response = await manager.response(for: request, serializer: .data)
        #expect(response.error?.code == .unsupportedURL)
    }
}
