import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("HTTP session manager", .timeLimit(.minutes(5)))
struct HTTPSessionManagerTests {
    private struct User: Codable, Sendable, Equatable {
        var name: String
    }

    private struct Refusal: Error, Equatable {}

    @Test("Each verb sends its method, with a completion handler and with await", arguments: TestTransport.all)
    func verbs(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let manager = transport.manager(baseURL: server.url)
        let methods = Watched<[String]>([])
        let note: @Sendable (TaskResponse<any Sendable>) -> Void = { response in
            let method = (response.value as? JSONValue)?.method?.string
            methods.change { $0.append(method ?? "\(String(describing: response.error))") }
        }
        manager.get("echo", completionHandler: note)
        manager.post("echo", completionHandler: note)
        manager.put("echo", completionHandler: note)
        manager.patch("echo", completionHandler: note)
        manager.delete("echo", completionHandler: note)
        manager.send(Request("OPTIONS", "echo"), completionHandler: note)
        try await methods.wait { $0.count == 6 }
        #expect(Set(methods.current) == ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
        #expect(try await manager.get("echo", as: LoopbackEcho.self).method == "GET")
        #expect(try await manager.post("echo", as: LoopbackEcho.self).method == "POST")
        #expect(try await manager.put("echo", as: LoopbackEcho.self).method == "PUT")
        #expect(try await manager.patch("echo", as: LoopbackEcho.self).method == "PATCH")
        #expect(try await manager.delete("echo", as: LoopbackEcho.self).method == "DELETE")
        #expect(try await manager.send(Request<LoopbackEcho>("OPTIONS", "echo")).method == "OPTIONS")
        #expect(try await manager.head("echo").statusCode == 200)
        #expect(server.requests.last?.method == "HEAD")
    }

    @Test("HEAD with a completion handler succeeds without a value", arguments: TestTransport.all)
    func head(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let done = Watched<TaskResponse<any Sendable>?>(nil)
        transport.manager(baseURL: server.url).head("x") { response in done.change { $0 = response } }
        try await done.wait { $0 != nil }
        #expect(done.current?.statusCode == 200)
        #expect(done.current?.error == nil)
        #expect(done.current?.value == nil)
    }

    @Test("Async verbs without a type use the manager's serializer; an empty body is nil", arguments: TestTransport.all)
    func managersSerializer(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            request.method == "DELETE" ? .status(204) : .text("text")
        }
        let manager = transport.manager(baseURL: server.url)
        #expect(try await manager.delete("x") == nil)
        #expect(try await manager.send(.delete("x")) is Empty)
        let succeeds = Watched<Bool?>(nil)
        manager.delete("x") { response in
            let isEmpty = if case .success(is Empty) = response.result { true } else { false }
            succeeds.change { $0 = isEmpty && response.value == nil }
        }
        #expect(try await succeeds.wait { $0 != nil } == true)
        let error = await #expect(throws: NetworkError.self) { try await manager.get("x") }
        #expect(error?.code == .unacceptableContentType)
        manager.responseSerializer = .string
        #expect(try await manager.get("x") as? String == "text")
        #expect(try await manager.post("x", parameters: ["a": 1]) as? String == "text")
        #expect(try await manager.head("x").statusCode == 200)
    }

    @Test("Header fields given twice to a request replace those of the same name")
    func mergedHeaders() throws {
        let request = Request.get("x").headers(["A": "1", "B": "2"]).headers(["a": "3"])
        #expect(request.headers.map { "\($0.name): \($0.value)" } == ["B: 2", "a: 3"])
    }

    @Test("The serializer places parameters, and the call's headers replace its own", arguments: TestTransport.all)
    func parametersAndHeaders(_ transport: TestTransport) async throws {
        let server = try LoopbackServer()
        let manager = transport.manager(baseURL: server.url)
        var echo = try await manager.get("echo", parameters: ["a": 1, "b": ["x", "y"]], as: LoopbackEcho.self)
        #expect(echo.target == "/echo?a=1&b%5B%5D=x&b%5B%5D=y")
        echo = try await manager.post("echo", parameters: ["a": "b c"], as: LoopbackEcho.self)
        #expect(echo.body == "a=b%20c")
        #expect(echo.header("Content-Type") == "application/x-www-form-urlencoded")
        manager.requestSerializer = JSONRequestSerializer()
        let headers: HTTPHeaders = ["Content-Type": "application/vnd.x+json", "User-Agent": "mine"]
        let user = User(name: "Ada")
        echo = try await manager.post(
            "echo",
            parameters: .encoding(user),
            headers: headers,
            as: LoopbackEcho.self
        )
        #expect(echo.body == #"{"name":"Ada"}"#)
        #expect(echo.header("Content-Type") == "application/vnd.x+json")
        #expect(echo.header("User-Agent") == "mine")
    }

    @Test(
        "A relative path is resolved below the base URL's path",
        arguments: [
            ("v1", "x", "/v1/x"), ("v1/", "x", "/v1/x"), ("v1", "/x", "/x"), ("v1", "", "/v1/"),
            ("", "x?a=b", "/x?a=b"),
        ]
    )
    func baseURL(_ base: String, _ path: String, _ target: String) async throws {
        let server = try LoopbackServer { _ in .text("") }
        let manager = TestTransport.all[0].manager(baseURL: server.url(base))
        try await manager.get(path)
        #expect(server.requests.map(\.target) == [target])
    }

    @Test("An absolute URL needs no base URL", arguments: TestTransport.all)
    func absolute(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        #expect(
            try await transport.manager().send(.get(server.url("/a").absoluteString, serializer: .data))
                == Data("x".utf8)
        )
    }

    @Test("A request that cannot be made yields no task, and fails later on the completion queue")
    func noRequest() async throws {
        let manager = TestTransport.all[0].manager()
        let queue = DispatchQueue(label: "test")
        manager.completionQueue = queue
        let group = DispatchGroup()
        manager.completionGroup = group
        let errors = Watched<[NetworkError?]>([])
        queue.suspend()
        let task = manager.get("relative") { response in
            dispatchPrecondition(condition: .onQueue(queue))
            errors.change { $0.append(response.error) }
        }
        #expect(task == nil)
        #expect(errors.current.isEmpty)
        #expect(group.wait(timeout: .now()) == .timedOut)
        queue.resume()
        try await errors.wait { $0.count == 1 }
        #expect(errors.current.first??.code == .badURL)
        try await eventually { group.wait(timeout: .now()) == .success }
        await #expect(throws: NetworkError.self) { try await manager.get("relative") }
        await #expect(throws: NetworkError.self) {
            try await manager.get("http://127.0.0.1/", headers: ["X": "a\r\nb"])
        }
    }

    @Test("With await errors are thrown; a response carries both value and error", arguments: TestTransport.all)
    func errors(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json(#"{"name":"none"}"#, statusCode: 422) }
        let manager = transport.manager(baseURL: server.url)
        do {
            _ = try await manager.get("x", as: User.self)
            Issue.record("no error was thrown")
        } catch {
            #expect(error.code == .unacceptableStatusCode)
            #expect(try error.decodedBody(as: User.self) == User(name: "none"))
        }
        let response = await manager.response(for: .get("x", as: User.self))
        #expect(response.value == User(name: "none"))
        #expect(response.error?.statusCode == 422)
    }

    @Test("A request value can be sent with a completion handler and with await", arguments: TestTransport.all)
    func endpoints(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in .json("{\"name\":\"\(request.method) \(request.target)\"}") }
        let manager = transport.manager(baseURL: server.url)
        let endpoint = Request<User>.put("users/1").parameters(["a": 1])
        #expect(try await manager.send(endpoint).name == "PUT /users/1")
        let done = Watched<TaskResponse<User>?>(nil)
        let task = manager.send(endpoint) { response in done.change { $0 = response } }
        #expect(task != nil)
        try await done.wait { $0 != nil }
        #expect(done.current?.value?.name == "PUT /users/1")
        var other = endpoint
        other.method = .get
        #expect(try await manager.send(other).name == "GET /users/1?a=1")
    }

    @Test("A call can set its own timeout", arguments: TestTransport.all)
    func timeout(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = transport.manager(baseURL: server.url)
        do {
            _ = try await manager.send(.get("x").timeout(1))
            Issue.record("no error was thrown")
        } catch {
            #expect(error.isTimeout)
        }
    }

    @Test("The serializer's timeout is used if the call sets none")
    func serializerTimeout() throws {
        let manager = HTTPSessionManager(baseURL: URL(string: "http://example.com"))
        var serializer = HTTPRequestSerializer()
        serializer.options.timeoutInterval = 10
        manager.requestSerializer = serializer
        #expect(try manager.makeRequest(.get("x")).timeoutInterval == 10)
        #expect(try manager.makeRequest(.get("x").timeout(3)).timeoutInterval == 3)
        // In a request, 60 seconds stand for the limit of the session.
        #expect(try manager.makeRequest(.get("x").timeout(60)).timeoutInterval == 60.0.nextUp)
    }

    @Test(
        "A multipart form can be sent with any method",
        arguments: TestTransport.all,
        [HTTPMethod.post, .put, .patch]
    )
    func multipart(_ transport: TestTransport, method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        let manager = transport.manager(baseURL: server.url)
        let sent = Watched<ProgressUpdate?>(nil)
        let echo = try await manager.upload(
            "echo",
            method: method,
            parameters: ["first": 1],
            progress: { update in sent.change { $0 = update } },
            as: LoopbackEcho.self,
            multipartForm: { form in try form.append(Data("x".utf8), name: "file", fileName: "x.txt") }
        )
        #expect(echo.method == method.rawValue)
        #expect(echo.header("Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
        let body = try #require(echo.body)
        let first = try #require(body.range(of: "name=\"first\""))
        let file = try #require(body.range(of: "filename=\"x.txt\""))
        #expect(first.lowerBound < file.lowerBound)
        #expect(sent.current?.completedByteCount == Int64(echo.bodyLength))
        #expect(sent.current?.fractionCompleted == 1)
    }

    @Test("A form that cannot be made is an error", arguments: TestTransport.all)
    func brokenForm(_ transport: TestTransport) async throws {
        let manager = transport.manager(baseURL: URL(string: "http://127.0.0.1:9/"))
        let done = Watched<TaskResponse<any Sendable>?>(nil)
        let task = manager.upload(
            "x",
            multipartForm: { _ in throw Refusal() },
            completionHandler: { response in done.change { $0 = response } }
        )
        #expect(task == nil)
        try await done.wait { $0 != nil }
        #expect(done.current?.error?.code == .requestSerializationFailed)
        #expect(done.current?.error?.underlyingError is Refusal)
    }

    @Test("Cancelling the Swift task cancels the transfer, before and after its start", arguments: TestTransport.all)
    func cancellation(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = transport.manager(baseURL: server.url)
        let running = Task { await manager.response(for: .get("x", serializer: .data)) }
        try await server.waitForRequests(1, timeout: 40 * patience)
        running.cancel()
        #expect(await running.value.error?.isCancelled == true)
        let unstarted = Task {
            try? await Task.sleep(for: .seconds(30))
            return await manager.response(for: .get("x", serializer: .data))
        }
        unstarted.cancel()
        #expect(await unstarted.value.error?.isCancelled == true)
        #expect(manager.tasks.isEmpty)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A Swift task that is already cancelled sends no request", arguments: TestTransport.all)
    func cancelledBefore(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = transport.manager(baseURL: server.url)
        // The connection is open, so that a request would be sent at once.
        #expect(await manager.response(for: .get("x", serializer: .data)).error == nil)
        let file = try TemporaryFolder().url.appendingPathComponent("file")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let response = await manager.response(for: .delete("users/1", serializer: .data))
            let request = URLRequest(url: server.url)
            let download = await manager.response(for: request, to: .file(file))
            var pieces = 0
            do {
                for try await _ in manager.stream(request) { pieces += 1 }
            } catch {
                #expect((error as? NetworkError)?.isCancelled == true)
            }
            return (response.error, download.error, pieces)
        }
        let (first, second, pieces) = await task.value
        #expect(first?.isCancelled == true)
        #expect(second?.isCancelled == true)
        #expect(pieces == 0)
        #expect(manager.tasks.isEmpty)
        #expect(server.requestCount == 1)
    }

    @Test("A manager's own adapt(_:) changes every request once, and may refuse it", arguments: TestTransport.all)
    func adaptation(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text($0.header("X-Seen") ?? "") }
        let refuses = Watched(false)
        let manager = AdaptingManager(baseURL: server.url, transport: transport.transport) { request in
            if refuses.current { throw Refusal() }
            var copy = request
            copy.setValue((request.value(forHTTPHeaderField: "X-Seen") ?? "") + "ab", forHTTPHeaderField: "X-Seen")
            return copy
        }
        #expect(try await manager.send(.get("x", serializer: .string)) == "ab")
        let form = Request.post("x", serializer: .string).multipart { $0.append("v", name: "n") }
        #expect(try await manager.send(form) == "ab")
        let scratch = try TemporaryFolder()
        let file = try await manager.download(.get("x"), to: .file(scratch.file("x")))
        #expect(text(file) == "ab")
        var streamed = Data()
        for try await chunk in manager.stream(.get("x")) { streamed += chunk }
        #expect(streamed == Data("ab".utf8))
        let count = server.requestCount
        refuses.change { $0 = true }
        let task = Watched<URLSessionDataTask?>(nil)
        let done = Watched<NetworkError?>(nil)
        task.change { $0 = manager.get("x") { response in done.change { $0 = response.error } } }
        try await done.wait { $0?.underlyingError is Refusal }
        #expect(done.current?.code == .requestSerializationFailed)
        await #expect(throws: NetworkError.self) {
            for try await _ in manager.stream(.get("x")) { Issue.record("a refused stream has no data") }
        }
        #expect(server.requestCount == count)
    }

    @Test("A subclass that overrides dataTask creates the tasks of every verb", arguments: TestTransport.all)
    func subclass(_ transport: TestTransport) async throws {
        final class Counting: HTTPSessionManager, @unchecked Sendable {
            let paths = Watched<[String]>([])

            override func dataTask<Serializer: ResponseSerializer>(
                with request: URLRequest,
                serializer: Serializer,
                uploadProgress: ProgressHandler?,
                downloadProgress: ProgressHandler?,
                completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
            ) -> URLSessionDataTask {
                paths.change { $0.append(request.url?.path ?? "") }
                return super.dataTask(
                    with: request,
                    serializer: serializer,
                    uploadProgress: uploadProgress,
                    downloadProgress: downloadProgress,
                    completionHandler: completionHandler
                )
            }
        }
        let server = try LoopbackServer { _ in .json("[1]") }
        let manager = Counting(baseURL: server.url, configuration: .ephemeral, transport: transport.transport)
        let done = Watched(false)
        manager.get("a") { _ in done.change { $0 = true } }
        try await done.wait { $0 }
        try await manager.post("b")
        _ = try await manager.send(.get("c", serializer: .json))
        #expect(manager.paths.current == ["/a", "/b", "/c"])
    }

    @Test("Pins without an https base URL are refused")
    func pinningNeedsTLS() throws {
        let pins = SecurityPolicy(pinningMode: .publicKey)
        for base in [nil, "http://example.com/"] {
            let manager = HTTPSessionManager(baseURL: base.flatMap { URL(string: $0) })
            #expect(throws: NetworkError.self) { try manager.setSecurityPolicy(pins) }
            #expect(manager.securityPolicy == SecurityPolicy())
            try manager.setSecurityPolicy(SecurityPolicy(validatesDomainName: false))
        }
    }
}
