import Ferry
import FerryTesting
import Foundation
import TestSupport
import Testing

/// Retries, interceptors and deadlines of a manager's tasks.
@Suite(.timeLimit(.minutes(5)))
struct RecoveryTests {
    private struct User: Codable, Sendable, Equatable { var name: String }

    /// An interceptor that adds a field, after a change of threads.
    private struct Field: RequestInterceptor {
        var name: String
        var value: String

        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            await Task.yield()
            var request = request
            request.setValue("\(value)\(attempt.number)", forHTTPHeaderField: name)
            return request
        }
    }

    private struct Refusal: RequestInterceptor {
        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            throw CocoaError(.userCancelled)
        }
    }

    private final class Monitor: EventMonitor {
        let retries = Watched<[TaskMetrics.Retry]>([])

        func task(_ task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {
            retries.change { $0.append(retry) }
        }
    }

    private static var policy: RetryPolicy {
        var policy = RetryPolicy.standard
        policy.backoff = .init(base: 0.01, cap: 0.05)
        return policy
    }

    private func manager(_ server: LoopbackServer, retries: Bool = true) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        if retries { manager.retryPolicy = Self.policy }
        return manager
    }

    private func flaky(_ count: Int, then response: LoopbackResponse) throws -> LoopbackServer {
        try LoopbackServer(
            handler: LoopbackServer.sequence(
                Array(repeating: .text("busy", statusCode: 503), count: count) + [response]
            )
        )
    }

    // MARK: - Retries

    @Test("One line turns retries on, and the response tells the number of attempts") func get() async throws {
        let server = try flaky(2, then: .json(#"{"name":"Ada"}"#))
        let manager = manager(server)
        let monitor = Monitor()
        manager.eventMonitors = [monitor]
        let response = await manager.response(for: .get("user", as: User.self))
        #expect(response.value == User(name: "Ada"))
        #expect(response.attempts == 3)
        #expect(response.metrics?.retries.map(\.statusCode) == [503, 503])
        #expect(monitor.retries.current == response.metrics?.retries)
        #expect(try await manager.get("user", as: User.self) == User(name: "Ada"))
    }

    @Test("Without a policy nothing is sent again") func off() async throws {
        let server = try flaky(1, then: .json("{}"))
        let response = await manager(server, retries: false).response(for: .get("x"))
        #expect(response.statusCode == 503)
        #expect(response.attempts == 1)
    }

    @Test("A collected body starts again after a truncation, and its progress too") func truncated() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([
                .pattern(count: 400_000).faulted(.truncate(afterBodyBytes: 300_000)), .pattern(count: 400_000),
            ])
        )
        let seen = Watched<[Int64]>([])
        let manager = manager(server)
        let response = await manager.response(
            for: URLRequest(url: server.url),
            serializer: .data,
            downloadProgress: { progress in seen.change { $0.append(progress.completedByteCount) } }
        )
        #expect(response.value == LoopbackServer.pattern(count: 400_000))
        #expect(response.attempts == 2)
        #expect(seen.current.last == 400_000)
    }

    @Test("The progress of a download that starts again counts its new bytes alone")
    func downloadProgress() async throws {
        let gate = Gate()
        var partial = LoopbackResponse.stream { stream in
            stream.write(LoopbackServer.pattern(count: 300_000))
            gate.wait()
        }
        partial.headers.add("Content-Length", "400000")
        let server = try LoopbackServer(handler: LoopbackServer.sequence([partial, .pattern(count: 400_000)]))
        let seen = Watched<[Int64]>([])
        let request = Request(.get, "x").downloadProgress { progress in
            seen.change { $0.append(progress.completedByteCount) }
            if progress.completedByteCount == 300_000 { gate.open() }
        }
        let file = try await manager(server).download(request)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 400_000))
        #expect(seen.current.last == 400_000 && seen.current.max() == 400_000, "\(seen.current)")
    }

    @Test("A body that starts again is whole also if the manager's queue was busy", arguments: [true, false])
    func busyQueue(_ isRequests: Bool) async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([
                .pattern(count: 200_000).faulted(.truncate(afterBodyBytes: 100_000)), .pattern(count: 200_000),
            ])
        )
        let manager = manager(server, retries: !isRequests)
        let gate = Gate()
        manager.operationQueue.addOperation { gate.wait() }
        async let response = manager.response(
            for: Request(.get, "x", serializer: .data).retry(Self.policy)
        )
        try await server.waitForRequests(2, timeout: 40 * patience)
        try await Task.sleep(for: .milliseconds(100))
        gate.open()
        #expect(await response.value == LoopbackServer.pattern(count: 200_000))
        #expect(await response.attempts == 2)
    }

    @Test("Downloads, uploads of files, and forms are repeated") func kinds() async throws {
        let server = try flaky(1, then: .text("file"))
        let manager = manager(server)
        let folder = try TemporaryFolder()
        let file = try await manager.download(.get("x"), to: .file(folder.url.appendingPathComponent("copy")))
        #expect(try String(contentsOf: file, encoding: .utf8) == "file")
        let uploads = try LoopbackServer { [seen = Watched(0)] request in
            seen.change { count in
                count += 1
                return count
            } % 2 == 1 ? .status(503) : .text(request.bodySHA256)
        }
        let body = LoopbackServer.pattern(count: 100_000)
        let source = folder.url.appendingPathComponent("source")
        try body.write(to: source)
        var put = URLRequest(url: uploads.url)
        put.httpMethod = "PUT"
        let response = await self.manager(uploads).response(for: put, fromFile: source, serializer: .string)
        #expect(response.value == LoopbackServer.patternSHA256(count: 100_000))
        let form = Request(.put, "form", serializer: .string).multipart { form in
            form.append(Data("value".utf8), name: "name")
        }
        let sent = await self.manager(uploads).response(for: form)
        #expect(sent.attempts == 2)
        #expect(uploads.requests.suffix(2).map(\.bodySHA256).allSatisfy { $0 == uploads.requests.last?.bodySHA256 })
    }

    @Test("A form with a one-shot stream is not retried, and the response is delivered") func form() async throws {
        let server = try LoopbackServer { _ in .text("busy", statusCode: 503) }
        let request = Request(.put, "form", serializer: .string).multipart {
            try $0.append(inputStream: InputStream(data: Data("once".utf8)), length: 4, name: "a", fileName: "b")
        }
        let response = await manager(server).response(for: request)
        #expect(response.statusCode == 503)
        #expect(response.error?.code == .unacceptableStatusCode)
        #expect(server.requests.count == 1)
    }

    @Test("A form whose one-shot stream has not been read is sent again") func unreadForm() async throws {
        let port = try ClosedPort()
        let manager = HTTPSessionManager(baseURL: port.url, configuration: .ephemeral)
        manager.retryPolicy = Self.policy
        let request = Request(.put, "form", serializer: .string).multipart {
            try $0.append(inputStream: InputStream(data: Data("once".utf8)), length: 4, name: "a", fileName: "b")
        }
        let response = await manager.response(for: request)
        #expect(response.error?.code == .cannotConnectToHost)
        #expect(response.error?.localizedDescription.contains("after 4 attempts in ") == true)
    }

    @Test("A one-shot stream is not retried, and the response is delivered") func stream() async throws {
        let server = try LoopbackServer { _ in .text("busy", statusCode: 503) }
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let manager = manager(server)
        let response = await withCheckedContinuation { continuation in
            let task = manager.uploadTask(withStreamedRequest: request, serializer: .string) {
                continuation.resume(returning: $0)
            }
            task.resume()
        }
        #expect(response.statusCode == 503)
        #expect(server.requests.count == 1)
    }

    @Test("The error tells the number of attempts") func message() async throws {
        let port = try ClosedPort()
        let manager = HTTPSessionManager(baseURL: port.url, configuration: .ephemeral)
        manager.retryPolicy = Self.policy
        let error = await manager.response(for: .get("x")).error
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.localizedDescription.contains("after 4 attempts in ") == true)
    }

    @Test("The logger writes a line for each attempt that is repeated, without secrets") func logger() async throws {
        let server = try flaky(1, then: .text("yes"))
        let lines = Watched<[String]>([])
        let manager = manager(server)
        manager.eventMonitors = [RequestLogger { line in lines.change { $0.append(line) } }]
        _ = await manager.response(for: .get("x?token=secret", serializer: .string))
        try await lines.wait { $0.count == 3 }
        #expect(lines.current[1].contains("503 attempt 1 failed, next in "))
        #expect(!lines.current.joined().contains("secret"))
    }

    // MARK: - Requests

    @Test("A request has a policy, interceptors and a deadline of its own") func request() async throws {
        let server = try LoopbackServer { request in
            request.path == "/slow"
                ? .text("").faulted(.stallBeforeHead) : .text(request.header("X-A") ?? "none", statusCode: 503)
        }
        let manager = manager(server)
        _ = await manager.response(for: .get("x").retry(nil))
        #expect(server.requests.count == 1)
        manager.interceptors = [Field(name: "X-A", value: "a")]
        _ = await manager.response(for: .get("x").intercepted(by: Field(name: "X-B", value: "b")))
        #expect(server.requests.dropFirst().map { $0.header("X-A") } == ["a1", "a2", "a3", "a4"])
        #expect(server.requests.dropFirst().map { $0.header("X-B") } == ["b1", "b2", "b3", "b4"])
        let error = await manager.response(for: .get("slow").deadline(0.3)).error
        #expect(error?.code == .timedOut)
        await #expect(throws: NetworkError.self) {
            for try await _ in manager.stream(.get("slow").deadline(0.3)) {}
        }
        let download = await manager.response(for: .get("x").retry(nil), to: .temporary)
        #expect(download.attempts == 1)
        #expect(download.statusCode == 503)
    }

    @Test("The error of an interceptor is the cause of the task's error, and nothing is sent") func refusal()
        async throws
    {
        let server = try LoopbackServer { _ in .text("sent") }
        let manager = manager(server)
        manager.interceptors = [Refusal()]
        let error = await manager.response(for: .get("x")).error
        #expect((error?.underlyingError as? CocoaError)?.code == .userCancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("A copy has the same policy, interceptors and deadline") func copy() throws {
        let manager = HTTPSessionManager(configuration: .ephemeral)
        manager.retryPolicy = Self.policy
        manager.interceptors = [Refusal()]
        manager.deadline = 7
        let copy = manager.copy()
        #expect(copy.retryPolicy == Self.policy)
        #expect(copy.interceptors.count == 1)
        #expect(copy.deadline == 7)
        manager.retryPolicy = nil
        manager.interceptors = []
        manager.deadline = nil
        #expect(manager.retryPolicy == nil && manager.interceptors.isEmpty && manager.deadline == nil)
        #expect(copy.retryPolicy != nil)
    }

    @Test("The options of the transport hold for what the manager does not set") func options() async throws {
        let server = try flaky(2, then: .text("yes"))
        var options = CurlSession.Options()
        options.retryPolicy = Self.policy
        let manager = HTTPSessionManager(
            baseURL: server.url,
            configuration: .ephemeral,
            transport: .curl(options: options)
        )
        manager.interceptors = [Field(name: "X-A", value: "a")]
        let response = await manager.response(for: .get("x", serializer: .string))
        #expect(response.value == "yes")
        #expect(server.requests.map { $0.header("X-A") } == ["a1", "a2", "a3"])
    }

    @Test("The system's session refuses them with a typed error instead of ignoring them") func system() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        func code(_ change: (HTTPSessionManager) -> Void, _ request: Request<String>) async -> NetworkError.Code? {
            let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral, transport: .system)
            change(manager)
            return await manager.response(for: request).error?.code
        }
        let get = Request(.get, "x", serializer: .string)
        #expect(await code({ $0.retryPolicy = .standard }, get) == .unsupportedByTransport)
        #expect(await code({ $0.interceptors = [Refusal()] }, get) == .unsupportedByTransport)
        #expect(await code({ $0.deadline = 1 }, get) == .unsupportedByTransport)
        #expect(await code({ _ in }, get.retry(.standard)) == .unsupportedByTransport)
        #expect(await code({ _ in }, get.deadline(1)) == .unsupportedByTransport)
        #expect(await code({ _ in }, get.retry(nil)) == nil)
        #expect(server.requests.count == 1)
    }
}
