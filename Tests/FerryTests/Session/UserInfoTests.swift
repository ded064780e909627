import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Ferry

/// The user and password of a URL appear in no error, notification, log or command line of the managers.
@Suite("User information in URLs", .timeLimit(.minutes(5)))
struct UserInfoTests {
    private func url(_ text: String) throws -> URL {
        try #require(URL(string: text.replacing("USER@", with: SecretScan.userInfo)))
    }

    private func url(_ server: LoopbackServer, _ path: String = "/") throws -> URL {
        try url("http://USER@127.0.0.1:\(server.port)\(path)")
    }

    private func url(_ closed: ClosedPort) throws -> URL { try url("http://USER@127.0.0.1:\(closed.port)/") }

    private func check(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(SecretScan.findings(in: value) == [], sourceLocation: sourceLocation)
    }

    private func checkError(_ error: NetworkError?, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let error = try #require(error, sourceLocation: sourceLocation)
        check(error as Any, sourceLocation: sourceLocation)
        check(error.nsError, sourceLocation: sourceLocation)
        check(error as NSError, sourceLocation: sourceLocation)
    }

    @Test("Errors of every kind omit user and password from the URL")
    func errors() async throws {
        let closed = try ClosedPort()
        let silent = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let broken = try LoopbackServer { _ in .pattern(count: 100).faulted(.truncate(afterBodyBytes: 5)) }
        let wrong = try LoopbackServer { _ in .text("not JSON", statusCode: 404) }
        let text = try LoopbackServer { _ in LoopbackResponse.text("{") }
        let manager = HTTPSessionManager(configuration: .ephemeral)
        manager.notificationQueue = nil
        let urls = [
            try url(closed), try url(wrong), try url(text), try url(broken), try url("http://USER@name.invalid/"),
            try url("ftp://USER@host/"), try url("http:/USER@host/"), try url("http://USER@a%2Fb/"),
        ]
        for url in urls {
            let response = await manager.response(for: URLRequest(url: url), serializer: .json)
            try checkError(response.error)
            try checkError(NetworkError(transport: CancellationError(), request: URLRequest(url: url)))
        }
        var late = URLRequest(url: try url(silent))
        late.timeoutInterval = 0.2
        let timeout = await manager.response(for: late, serializer: .data)
        #expect(timeout.error?.isTimeout == true)
        try checkError(timeout.error)
        try checkError(TaskResponse<Data>(request: late).result.failure)
        let upload = try url("http://USER@host/file")
        let failed = try await manager.response(for: late, uploading: upload)
        try checkError(failed)
        withExtendedLifetime((closed, silent)) {}
    }

    @Test("Errors omit user and password with either transport", arguments: TestTransport.all)
    func transports(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("no", statusCode: 404) }
        let closed = try ClosedPort()
        for url in [try url(server), try url(closed)] {
            try checkError((await transport.manager().response(for: URLRequest(url: url), serializer: .data)).error)
        }
        withExtendedLifetime(closed) {}
    }

    @Test("A failing URL that is set later omits them too")
    func failingURL() throws {
        var error = NetworkError(.unknown, message: "", failingURL: try url("http://USER@host/a"))
        #expect(error.failingURL?.absoluteString == "http://host/a")
        error.failingURL = try url("http://USER@host/b?c#d")
        #expect(error.failingURL?.absoluteString == "http://host/b?c#d")
        try checkError(error)
    }

    @Test(
        "The errors of requests that cannot be made omit them",
        arguments: ["http://USER@", "http://USER@[::1", "//USER@host/x", "http://USER@host:port/", "http:/USER@host"]
    )
    func requests(_ text: String) async throws {
        let text = text.replacing("USER@", with: SecretScan.userInfo)
        let error = #expect(throws: RequestSerializationError.self) { try BaseURL.resolve(text, against: nil) }
        check(error as Any)
        let manager = HTTPSessionManager(configuration: .ephemeral)
        try checkError((await manager.response(for: .get(text, serializer: .data))).error)
    }

    @Test("The errors of serializers omit them")
    func serializers() throws {
        let target = try url("http://USER@host/x")
        let make: [() throws -> URLRequest] = [
            { try HTTPRequestSerializer().makeRequest(method: HTTPMethod("G T"), url: target) },
            { try HTTPRequestSerializer().makeMultipartRequest(method: .get, url: target) { _ in } },
            { try HTTPRequestSerializer().makeRequest(method: .get, url: target, headers: ["A B": "c"]) },
            { try JSONRequestSerializer().makeRequest(method: .post, url: target, parameters: ["a": Double.nan]) },
        ]
        for make in make {
            let error = #expect(throws: RequestSerializationError.self) { try make() }
            check(error as Any)
            try checkError(error.map { NetworkError(transport: $0, request: URLRequest(url: target)) })
        }
    }

    @Test("Notifications, logs and metrics omit them")
    func notifications() async throws {
        let server = try LoopbackServer { _ in .text("no", statusCode: 404) }
        let manager = SessionManager(configuration: .ephemeral)
        let center = NotificationCenter()
        manager.notificationCenter = center
        manager.notificationQueue = DispatchQueue(label: "notifications")
        let seen = Watched<[String]?>(nil)
        let token = center.addObserver(forName: .networkingTaskDidComplete, object: nil, queue: nil) { notification in
            let found = SecretScan.findings(in: notification.userInfo as Any)
            seen.change { $0 = found }
        }
        defer { center.removeObserver(token) }
        let lines = Watched<[String]>([])
        manager.eventMonitors = [RequestLogger(output: { line in lines.change { $0.append(line) } })]
        let request = URLRequest(url: try url(server, "/?access_token=hunter2"))
        let response = await manager.response(for: request, serializer: .data)
        try checkError(response.error)
        check(response.metrics as Any)
        check(response.response as Any)
        try await seen.wait { $0 != nil }
        #expect(seen.current == [])
        try await lines.wait { $0.count == 2 }
        check(lines.current)
        #expect(!lines.current.joined().contains("hunter2"))
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension HTTPSessionManager {
    /// Returns the error of an upload.
    fileprivate func response(for request: URLRequest, uploading file: URL) async throws -> NetworkError? {
        let error = Watched<NetworkError??>(nil)
        uploadTask(with: request, fromFile: file) { response in error.change { $0 = .some(response.error) } }.resume()
        try await error.wait { $0 != nil }
        return error.current ?? nil
    }
}
