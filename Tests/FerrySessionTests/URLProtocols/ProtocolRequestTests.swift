import FerrySession
import FerryTesting
import Testing

/// The header fields of the requests that protocol classes receive.
@Suite("Requests of protocol classes", .timeLimit(.minutes(5)))
struct ProtocolRequestTests {
    private func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        _ type: AnyClass = ScriptedProtocol.self
    )
        -> CurlSession
    {
        makeSession(delegate) {
            $0.protocolClasses = [type]
            $0.httpAdditionalHeaders = ["X-A": "session", "X-B": "session", "Authorization": "secret"]
        }
    }

    @Test("Requests have the session's additional headers, unless they have their own") func additionalHeaders()
        async throws
    {
        final class Asking: ScriptedProtocol {
            override class func canInit(with request: URLRequest) -> Bool {
                super.canInit(with: request) && request.value(forHTTPHeaderField: "X-A") == "session"
            }
        }
        let requests = Watched<[URLRequest]>([])
        let delegate = RecordingDelegate()
        let session = session(delegate, Asking.self)
        var request = URLRequest(url: ScriptedProtocol.keeping(requests))
        request.setValue("own", forHTTPHeaderField: "X-B")
        let expected = ["X-A": "session", "X-B": "own", "Authorization": "secret"]
        let tasks: [URLSessionTask] = [
            session.dataTask(with: request), session.uploadTask(with: request, from: Data("body".utf8)),
            session.downloadTask(with: request),
        ]
        for task in tasks {
            task.resume()
            #expect(try await delegate.completion(of: task).error == nil)
            #expect(task.originalRequest?.allHTTPHeaderFields == ["X-B": "own"])
            let current = task.currentRequest?.allHTTPHeaderFields
            #expect(current == expected.merging(["X-Canonical": "yes"]) { $1 })
        }
        _ = try await session.data(for: request)
        for try await _ in try await session.bytes(for: request).0 {}
        #expect(requests.current.count == 5)
        for kept in requests.current {
            #expect(kept.allHTTPHeaderFields == expected.merging(["X-Canonical": "yes"]) { $1 })
        }
    }

    @Test("A redirect by the class keeps the additional headers, but no secret ones at another origin")
    func redirected() async throws {
        let server = try LoopbackServer()
        let requests = Watched<[URLRequest]>([])
        let first = Watched<URL?>(nil)
        let second = ScriptedProtocol.script { loader in
            requests.append(loader.request)
            first.current.map { Self.redirect(loader, to: $0.appending(path: "back")) }
        }
        let url = ScriptedProtocol.script { [target = server.url("/bytes/1")] loader in
            requests.append(loader.request)
            guard let url = loader.request.url else { return }
            switch url.lastPathComponent {
            case "path": Self.redirect(loader, to: url.appending(path: "same"))
            case "same": Self.redirect(loader, to: second)
            default: Self.redirect(loader, to: target)
            }
        }
        first.change { $0 = url }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let secret = ["X-A": "session", "X-B": "session", "X-Canonical": "yes", "Authorization": "secret"]
        let other = ["X-A": "session", "X-B": "session", "X-Canonical": "yes"]
        for task in [session.dataTask(with: url), session.downloadTask(with: url)] {
            requests.change { $0 = [] }
            task.resume()
            #expect(try await delegate.completion(of: task).error == nil)
            #expect(requests.current.map(\.allHTTPHeaderFields) == [secret, secret, other, other])
            let arrived = try #require(server.requests.last)
            #expect(arrived.header("X-A") == "session" && arrived.header("Authorization") == nil)
        }
        first.change { $0 = nil }
    }

    @Test("A redirect by a server keeps the additional headers, but no secret ones at another origin")
    func redirectedByServer() async throws {
        let requests = Watched<[URLRequest]>([])
        let url = ScriptedProtocol.keeping(requests)
        let server = try LoopbackServer { _ in .redirect(to: url.absoluteString) }
        _ = try await session().data(from: server.url)
        #expect(server.requests.first?.header("Authorization") == "secret")
        #expect(requests.current.first?.value(forHTTPHeaderField: "X-A") == "session")
        #expect(requests.current.first?.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test("Secrets do not return with a redirect back to the first origin") func redirectedBack() async throws {
        final class Claiming: ScriptedProtocol {
            static let requests = Watched<[URLRequest]>([])

            override class func canInit(with request: URLRequest) -> Bool { request.url?.path == "/claimed" }

            override func startLoading() {
                Self.requests.append(request)
                respond()
                finish()
            }
        }
        let back = Watched("")
        let other = try LoopbackServer { _ in .redirect(to: back.current) }
        let server = try LoopbackServer { [url = other.url] _ in .redirect(to: url.absoluteString) }
        back.change { $0 = server.url("/claimed").absoluteString }
        _ = try await session(nil, Claiming.self).data(from: server.url("/start"))
        #expect(server.requests.first?.header("Authorization") == "secret")
        #expect(Claiming.requests.current.map { $0.value(forHTTPHeaderField: "X-A") } == ["session"])
        #expect(Claiming.requests.current.map { $0.value(forHTTPHeaderField: "Authorization") } == [nil])
    }

    /// Redirects to a request that shares nothing with the first one.
    private static func redirect(_ loader: ScriptedProtocol, to url: URL) {
        guard let from = loader.request.url,
            let response = HTTPURLResponse(url: from, statusCode: 302, httpVersion: nil, headerFields: nil)
        else { return }
        loader.client?.urlProtocol(loader, wasRedirectedTo: URLRequest(url: url), redirectResponse: response)
    }
}
