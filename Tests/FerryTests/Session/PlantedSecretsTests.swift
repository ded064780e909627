import Ferry
import FerryOperations
import FerryTesting
import Foundation
import TestSupport
import Testing

/// Secrets in requests and responses appear in no text that leaves the library, however a task ends.
@Suite("Planted secrets", .timeLimit(.minutes(5)))
struct PlantedSecretsTests {
    /// A part of each secret.
    private static let mark = PlantedSecrets.mark

    /// What a server responds with, and how the task ends.
    enum Ending: String, CaseIterable {
        case success, status, contentType, damagedJSON, redirect, loop, unfollowedRedirect, retry, challenge, malformed
        case truncated, timeout, refusedConnection, noHost, invalidHeader, invalidMethod, unsupportedScheme
        case cancelledChallenge, interceptor, cancelled
    }

    private struct Refusal: Error {}

    private struct RefusingInterceptor: RequestInterceptor {
        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest { throw Refusal() }
    }

    private let server: LoopbackServer
    private let closed: ClosedPort

    init() throws {
        closed = try ClosedPort()
        let port = closed.port
        let mark = Self.mark
        server = try LoopbackServer { request in
            let target = "http://\(mark)user:\(mark)pass@127.0.0.1:\(port)/?access_token=\(mark)&a=b#token=\(mark)"
            var response = LoopbackResponse.json(#"{"a":1}"#)
            switch Ending(rawValue: String(request.path.dropFirst())) {
            case .status: response = .json(#"{"a":1}"#, statusCode: 404)
            case .contentType: response = .text("text")
            case .damagedJSON: response = .json(#"{"access_token":"\#(mark)""#)
            case .redirect, .unfollowedRedirect: response = LoopbackResponse(statusCode: 302).adding("Location", target)
            case .loop:
                let own = "http://\(mark)user:\(mark)pass@\(request.header("Host") ?? "")/loop?access_token=\(mark)"
                response = LoopbackResponse(statusCode: 302).adding("Location", own)
            case .retry: response = .status(503, headers: ["Retry-After": "0"])
            case .challenge, .cancelledChallenge:
                response = .status(401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            case .malformed:
                let head = "HTTP/1.1 200 OK\r\nSet-Cookie \(mark)\r\n\r\n"
                return response.faulted(.garbage(Data(head.utf8)))
            case .truncated: response = .pattern(count: 100).faulted(.truncate(afterBodyBytes: 5))
            case .timeout: return response.faulted(.stallBeforeHead)
            default: break
            }
            return response.adding("Set-Cookie", "sid=\(mark)").adding("X-Api-Key", mark)
                .adding("Link", "<\(target)>; rel=next").adding("Content-Location", target)
        }
    }

    private func request(_ ending: Ending, method: String) throws -> URLRequest {
        let mark = Self.mark
        let place =
            switch ending {
            case .refusedConnection: "http://\(mark)user:\(mark)pass@127.0.0.1:\(closed.port)"
            case .noHost: "http://\(mark)user:\(mark)pass@name.invalid"
            case .unsupportedScheme: "gopher://\(mark)user:\(mark)pass@127.0.0.1"
            default: "http://\(mark)user:\(mark)pass@127.0.0.1:\(server.port)"
            }
        let text = "\(place)/\(ending.rawValue)?access_token=\(mark)&page=2#id_token=\(mark)"
        var request = URLRequest(url: try #require(URL(string: text)))
        request.httpMethod = ending == .invalidMethod ? "G T" : method
        request.timeoutInterval = ending == .timeout ? 0.2 : 60
        request.setValue("Bearer \(mark)", forHTTPHeaderField: "Authorization")
        request.setValue("sid=\(mark)", forHTTPHeaderField: "Cookie")
        request.setValue(mark, forHTTPHeaderField: "X-Api-Key")
        request.setValue("http://h/?token=\(mark)", forHTTPHeaderField: "Referer")
        if ending == .invalidHeader { request.setValue("x", forHTTPHeaderField: "Authorization: \(mark)") }
        if method == "POST" {
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data("user=ada&password=\(mark)".utf8)
        }
        return request
    }

    // MARK: - Searching

    private func findings(_ values: [Any?]) -> [String] { PlantedSecrets.findings(values) }

    /// A manager whose notifications, log lines and archive are collected.
    private struct Observed {
        let manager: HTTPSessionManager
        let texts = Watched<[String]>([])
        let recorder = HTTPArchiveRecorder()
        let count = Watched(0)
        private let token: any NSObjectProtocol

        init(_ transport: TestTransport, _ describe: @escaping @Sendable (Any) -> [String]) {
            let manager = transport.manager()
            self.manager = manager
            let center = NotificationCenter()
            manager.notificationCenter = center
            manager.notificationQueue = DispatchQueue(label: "notifications")
            let (texts, count, recorder) = (texts, count, recorder)
            token = center.addObserver(forName: nil, object: nil, queue: nil) { notification in
                // Not dumped, since that would read the fields of a running task of Foundation's.
                let found = describe(notification.userInfo ?? [:]) + ["\(notification)", notification.debugDescription]
                texts.change { $0 += found }
                if notification.name == .networkingTaskDidComplete { count.change { $0 += 1 } }
            }
            manager.eventMonitors = [
                RequestLogger(output: { line in texts.change { $0.append(line) } }), Recording(recorder: recorder),
            ]
        }
    }

    private struct Recording: EventMonitor {
        let recorder: HTTPArchiveRecorder

        func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {
            guard let request = task.originalRequest else { return }
            recorder.record(
                request: request,
                response: completion.response.httpResponse,
                body: completion.response.data,
                metrics: task.metrics,
                error: completion.response.error
            )
        }
    }

    private func observed(_ transport: TestTransport, _ ending: Ending) -> Observed {
        let observed = Observed(transport) { PlantedSecrets.texts(of: $0) }
        let manager = observed.manager
        switch ending {
        case .unfollowedRedirect: manager.hooks.taskWillPerformRedirection = { _, _, _, _ in nil }
        case .retry:
            manager.retryPolicy = .standard
            manager.retryPolicy?.backoff = .init(base: 0.01)
        case .challenge:
            manager.hooks.taskDidReceiveChallenge = { _, _, challenge, _ in
                let mark = Self.mark
                let user = URLCredential(user: "\(mark)user", password: "\(mark)pass", persistence: .none)
                return challenge.previousFailureCount == 0 ? .useCredential(user) : .performDefaultHandling
            }
        case .cancelledChallenge:
            manager.hooks.taskDidReceiveChallenge = { _, _, _, _ in .cancel(Refusal()) }
        case .interceptor: manager.interceptors = [RefusingInterceptor()]
        default: break
        }
        return observed
    }

    // MARK: - Tests

    @Test("Secrets are in no error, description, log, notification or archive of a task", arguments: Ending.allCases)
    func tasks(_ ending: Ending) async throws {
        let observed = observed(TestTransport.all[0], ending)
        let manager = observed.manager
        for method in ["GET", "POST"] {
            let request = try request(ending, method: method)
            let response = await manager.response(for: request, serializer: .json)
            #expect((response.error == nil) == (ending == .success || ending == .cancelled), "\(response)")
            #expect(findings([response, response.error, response.response, response.metrics]) == [])
            #expect(findings([request.curlCommand, HTTPHeaders(request.allHTTPHeaderFields ?? [:])]) == [])
        }
        let request = try request(ending, method: "GET")
        let download = await withCheckedContinuation { done in
            let task = manager.downloadTask(with: request, serializer: .data, destination: nil) {
                done.resume(returning: $0)
            }
            task.resume()
        }
        #expect(findings([download, download.error]) == [])
        let upload = await withCheckedContinuation { done in
            let body = Data("password=\(Self.mark)".utf8)
            let task = manager.uploadTask(with: request, from: body, serializer: .data) { done.resume(returning: $0) }
            task.resume()
            if ending == .cancelled { task.cancel() }
        }
        #expect(findings([upload, upload.error]) == [])
        do {
            for try await _ in manager.stream(request) {}
        } catch {
            #expect(findings([error]) == [])
        }
        try await observed.count.wait { $0 >= 4 }
        #expect(findings(observed.texts.current) == [])
        let archive = String(decoding: try observed.recorder.archive.json(), as: UTF8.self)
        #expect(findings([archive]) == [])
    }

    @Test(
        "Secrets are in no error of the system's session either",
        arguments: [Ending.success, .status, .damagedJSON, .refusedConnection, .noHost]
    )
    func systemTasks(_ ending: Ending) async throws {
        let observed = observed(TestTransport.all[1], ending)
        let response = await observed.manager.response(for: try request(ending, method: "GET"), serializer: .json)
        #expect(findings([response, response.error]) == [])
        try await observed.count.wait { $0 >= 1 }
        #expect(findings(observed.texts.current) == [])
    }

    @Test("Secrets are in no error of the session alone", arguments: Ending.allCases)
    func sessions(_ ending: Ending) async throws {
        let session = CurlSession(configuration: .ephemeral)
        let request = try request(ending, method: "POST")
        let (task, response, error) = await withCheckedContinuation { done in
            let box = Watched<URLSessionTask?>(nil)
            let task = session.dataTask(with: request) { _, response, error in
                done.resume(returning: (box.current, response, error))
            }
            box.change { $0 = task }
            task.resume()
            if ending == .cancelled { task.cancel() }
        }
        #expect(findings([response, error, task, task?.metrics, task?.error]) == [])
    }

    @Test(
        "Secrets are in no error and description of an operation",
        arguments: [Ending.success, .status, .unsupportedScheme]
    )
    func operations(_ ending: Ending) async throws {
        let operation = HTTPRequestOperation(request: try request(ending, method: "GET"))
        await withCheckedContinuation { done in
            operation.completionBlock = { done.resume() }
            operation.start()
        }
        #expect(findings([operation.description, operation.debugDescription, operation.error]) == [])
    }

    @Test("Secrets are in no error of a proxy")
    func proxies() async throws {
        let mark = Self.mark
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: closed.port, user: "\(mark)user", password: "\(mark)pass")
        #expect(findings([options, options.proxy]) == [])
        let session = CurlSession(configuration: .ephemeral, options: options)
        let url = try #require(URL(string: "http://example.invalid/?access_token=\(mark)"))
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(findings([error]) == [])
    }

    @Test(
        "Secrets are in no error of a request that cannot be made",
        arguments: [
            "http://USER@", "http://USER@h:port/?token=pl4nted", "h?access_token=pl4nted", "http://h:x/?sig=pl4nted",
        ]
    )
    func requests(_ text: String) async throws {
        let text = text.replacing("USER", with: "\(Self.mark)user:\(Self.mark)pass")
        let manager = HTTPSessionManager(configuration: .ephemeral)
        let response = await manager.response(for: .get(text, serializer: .data))
        #expect(response.error != nil)
        #expect(findings([response, response.error]) == [])
    }
}
