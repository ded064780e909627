import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Data tasks", .timeLimit(.minutes(5)))
struct DataTaskTests {
    private struct User: Codable, Sendable, Equatable {
        var name: String
    }

    @Test("A task is suspended until resumed, and completes with value and metrics", arguments: TestTransport.all)
    func completes(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json(#"{"name":"Ada"}"#) }
        let manager = transport.manager()
        let done = Watched<TaskResponse<User>?>(nil)
        let request = URLRequest(url: server.url("/user"))
        let task = manager.dataTask(with: request, serializer: .decodable(User.self)) { response in
            done.change { $0 = response }
        }
        #expect(task.state == .suspended)
        #expect(manager.dataTasks == [task])
        #expect(server.requestCount == 0)
        task.resume()
        try await done.wait { $0 != nil }
        let response = try #require(done.current)
        #expect(response.value == User(name: "Ada"))
        #expect(response.error == nil)
        #expect(response.statusCode == 200)
        #expect(response.data == Data(#"{"name":"Ada"}"#.utf8))
        #expect(response.request?.url == request.url)
        #expect(response.metrics?.receivedBodyByteCount == 14)
        #expect(manager.tasks.isEmpty)
    }

    @Test("The response's object is made when it is first read, and is that of the task")
    func responseObject() async throws {
        let server = try LoopbackServer { _ in .json(#"{"name":"Ada"}"#) }
        let manager = SessionManager()
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .decodable(User.self))
        #expect(response.received?.isMade == false)
        #expect(response.statusCode == 200 && response.header("content-type") == "application/json")
        #expect(response.received?.isMade == false)
        #expect(response.httpResponse?.statusCode == 200)
        #expect(response.received?.isMade == true)
        let monitor = Monitor()
        let seen = manager.dataTask(with: URLRequest(url: server.url), serializer: .data) { _ in }
        manager.eventMonitors = [monitor]
        seen.resume()
        try await monitor.responses.wait { $0.count == 1 }
        #expect(monitor.responses.current.first === seen.response)
    }

    private final class Monitor: EventMonitor {
        let responses = Watched<[URLResponse]>([])

        func task(_ task: URLSessionTask, didReceive response: URLResponse) {
            responses.change { $0.append(response) }
        }
    }

    @Test("A 404 with a JSON body yields the object and the error", arguments: TestTransport.all)
    func valueAndError(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json(#"{"reason":"gone"}"#, statusCode: 404) }
        let response = await transport.manager().response(for: URLRequest(url: server.url), serializer: .json)
        #expect(response.value?.reason?.string == "gone")
        #expect(response.error?.code == .unacceptableStatusCode)
        #expect(response.error?.data == Data(#"{"reason":"gone"}"#.utf8))
    }

    @Test(
        "An unacceptable status is the outer error, with an unacceptable content type underneath",
        arguments: TestTransport.all
    )
    func chainedErrors(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .data(Data("<p>".utf8), contentType: "text/html", statusCode: 500) }
        let response = await transport.manager().response(for: URLRequest(url: server.url), serializer: .json)
        let error = try #require(response.error)
        #expect(error.code == .unacceptableStatusCode)
        #expect((error.underlyingError as? NetworkError)?.code == .unacceptableContentType)
    }

    @Test("A wrong content type without a body is a success without a value", arguments: TestTransport.all)
    func wrongTypeWithoutBody(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .data(Data(), contentType: "text/html") }
        let response = await transport.manager().response(for: URLRequest(url: server.url), serializer: .json)
        #expect(response.value == nil)
        #expect(response.error == nil)
        #expect(response.data == Data())
    }

    @Test("The manager's serializer is captured when the task is created", arguments: TestTransport.all)
    func capturesSerializer(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let manager = transport.manager()
        manager.responseSerializer = HTTPDataResponseSerializer()
        let done = Watched<TaskResponse<any Sendable>?>(nil)
        let task = manager.dataTask(with: URLRequest(url: server.url)) { response in done.change { $0 = response } }
        manager.responseSerializer = JSONResponseSerializer()
        task.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value as? Data == Data("[1]".utf8))
    }

    @Test("Untyped calls use the JSON serializer by default", arguments: TestTransport.all)
    func untypedDefault(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let manager = transport.manager()
        let done = Watched<TaskResponse<any Sendable>?>(nil)
        manager.dataTask(with: URLRequest(url: server.url)) { response in done.change { $0 = response } }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value as? JSONValue == [1])
    }

    @Test("Handlers run on the completion queue, which by default is not the main queue", arguments: TestTransport.all)
    func completionQueue(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        let manager = transport.manager()
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: key, value: "mine")
        let seen = Watched<[String]>([])
        let note: @Sendable (TaskResponse<any Sendable>) -> Void = { _ in
            let name = DispatchQueue.getSpecific(key: key) ?? (Thread.isMainThread ? "main" : "library")
            seen.change { $0.append(name) }
        }
        manager.dataTask(with: URLRequest(url: server.url), completionHandler: note).resume()
        try await seen.wait { $0.count == 1 }
        manager.completionQueue = queue
        manager.dataTask(with: URLRequest(url: server.url), completionHandler: note).resume()
        try await seen.wait { $0.count == 2 }
        #expect(seen.current == ["library", "mine"])
    }

    @Test(
        "The completion group is entered when a task is created and left after its handler",
        arguments: TestTransport.all
    )
    func completionGroup(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.json("{}").delayed(0.1) }
        let manager = transport.manager()
        let group = DispatchGroup()
        manager.completionGroup = group
        let handled = Watched(0)
        let tasks = (0..<5).map { _ in
            manager.dataTask(with: URLRequest(url: server.url)) { _ in
                Thread.sleep(forTimeInterval: 0.05)
                handled.change { $0 += 1 }
            }
        }
        manager.completionGroup = DispatchGroup()
        for task in tasks { task.resume() }
        let count = await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume(returning: handled.current) }
        }
        #expect(count == 5)
    }

    @Test("A cancelled task completes once, with a cancellation error", arguments: TestTransport.all)
    func cancels(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.json("{}").faulted(.stallBeforeHead) }
        let manager = transport.manager()
        let ends = Watched<[NetworkError?]>([])
        let running = manager.dataTask(with: URLRequest(url: server.url)) { end in ends.change { $0.append(end.error) }
        }
        running.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        running.cancel()
        let unstarted = manager.dataTask(with: URLRequest(url: server.url)) { end in
            ends.change { $0.append(end.error) }
        }
        unstarted.cancel()
        try await ends.wait { $0.count == 2 }
        // A second completion would precede the end of a later request.
        let other = try LoopbackServer { _ in .json("{}") }
        _ = await manager.response(for: URLRequest(url: other.url), serializer: .data)
        #expect(ends.current.map { $0?.isCancelled } == [true, true])
        #expect(manager.tasks.isEmpty)
    }

    @Test("The task's state is completed when its handler runs", arguments: TestTransport.able(to: .completedState))
    func stateAtCompletion(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        let manager = transport.manager()
        let holder = Watched<URLSessionTask?>(nil)
        let state = Watched<URLSessionTask.State?>(nil)
        let task = manager.dataTask(with: URLRequest(url: server.url)) { _ in
            state.change { $0 = holder.current?.state }
        }
        holder.change { $0 = task }
        task.resume()
        try await state.wait { $0 == .completed }
        holder.change { $0 = nil }
    }

    @Test("A body beyond the serializer's limit ends the transfer", arguments: TestTransport.all)
    func bodyLimit(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(body: .pattern(count: 10_000_000)).framed(.chunked)
        }
        let serializer = HTTPDataResponseSerializer(maximumBodySize: 100_000)
        let response = await transport.manager().response(for: URLRequest(url: server.url), serializer: serializer)
        #expect(response.error?.code == .responseTooLarge)
        #expect(response.value == nil)
    }

    @Test("The rest of a body beyond the limit is not waited for", arguments: [true, false])
    func stalledBody(isAnnounced: Bool) async throws {
        let server = try LoopbackServer { _ in
            isAnnounced
                ? .pattern(count: 100_001).faulted(.stall(afterBodyBytes: 0))
                : .pattern(count: 200_000).framed(.chunked).faulted(.stall(afterBodyBytes: 150_000))
        }
        let serializer = HTTPDataResponseSerializer(maximumBodySize: 100_000)
        let request = URLRequest(url: server.url, timeoutInterval: 20 * patience)
        let response = await SessionManager().response(for: request, serializer: serializer)
        #expect(response.error?.code == .responseTooLarge)
    }

    @Test("Without a limit of the serializer, that of the session's options applies")
    func sessionBodyLimit() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        var options = CurlSession.Options()
        options.maximumBodySizeInMemory = 99_999
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(options: options))
        let request = URLRequest(url: server.url)
        let response = await manager.response(for: request, serializer: HTTPDataResponseSerializer())
        #expect(response.error?.code == .responseTooLarge)
        let larger = HTTPDataResponseSerializer(maximumBodySize: 100_000)
        #expect(await manager.response(for: request, serializer: larger).value?.count == 100_000)
    }

    @Test("The length that a response to HEAD announces is not limited", arguments: TestTransport.all)
    func headLimit(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 200_000) }
        let serializer = HTTPDataResponseSerializer(maximumBodySize: 100_000)
        for method in ["HEAD", "GET"] {
            var request = URLRequest(url: server.url)
            request.httpMethod = method
            let response = await transport.manager().response(for: request, serializer: serializer)
            #expect(response.error?.code == (method == "GET" ? .responseTooLarge : nil))
            #expect(response.statusCode == 200)
        }
    }

    @Test("Large bodies arrive completely, with and without a length", arguments: TestTransport.all)
    func largeBodies(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse(body: .pattern(count: 5_000_000))
            return request.path == "/chunked" ? response.framed(.chunked) : response
        }
        let manager = transport.manager()
        for path in ["/whole", "/chunked"] {
            let response = await manager.response(for: URLRequest(url: server.url(path)), serializer: .data)
            #expect(response.value == LoopbackServer.pattern(count: 5_000_000))
        }
    }

    @Test("Tasks are listed by type, also from callbacks, and can be cancelled by a condition")
    func taskLists() async throws {
        let manager = TestTransport.all[0].manager()
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let request = URLRequest(url: url)
        let ended = Watched(0)
        let data = manager.dataTask(with: request) { _ in ended.change { $0 += 1 } }
        let upload = manager.uploadTask(with: request, from: Data()) { _ in ended.change { $0 += 1 } }
        let download = manager.downloadTask(with: request, destination: .temporary) { _ in ended.change { $0 += 1 } }
        #expect(manager.tasks == [data, upload, download])
        #expect(manager.dataTasks == [data])
        #expect(manager.uploadTasks == [upload])
        #expect(manager.downloadTasks == [download])
        let listed = Watched<Int?>(nil)
        manager.operationQueue.addOperation { listed.change { $0 = manager.tasks.count } }
        try await listed.wait { $0 == 3 }
        manager.cancelTasks { $0 is URLSessionUploadTask }
        try await ended.wait { $0 == 1 }
        #expect(manager.tasks == [data, download])
        manager.cancelAllTasks()
        try await ended.wait { $0 == 3 }
    }
}
