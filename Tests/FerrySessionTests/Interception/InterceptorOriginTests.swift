import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Interceptors that send a request to another origin than that of the task's request.
@Suite(.timeLimit(.minutes(5)))
struct InterceptorOriginTests {
    private func session(_ delegate: CredentialDelegate?, _ interceptor: ClosureInterceptor) -> CurlSession {
        var options = CurlSession.Options()
        options.interceptors = [interceptor]
        return Wire.session(delegate, options: options)
    }

    /// Returns a server that requires a credential, and responds with the `Authorization` that it has received.
    private func guarded() throws -> LoopbackServer {
        try LoopbackServer { request in
            guard let field = request.header("Authorization") else {
                return LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            }
            return .text(field)
        }
    }

    private let credential = "Basic \(Data("ada:secret".utf8).base64EncodedString())"

    @Test("A credential that the delegate has provided for an origin is not sent to another one")
    func otherOrigin() async throws {
        let server = try guarded()
        let other = try LoopbackServer { .text($0.header("Authorization") ?? "none") }
        let calls = Watched(0)
        let delegate = CredentialDelegate(password: "secret")
        let session = session(
            delegate,
            ClosureInterceptor { request, _ in
                let number = calls.change { calls in
                    calls += 1
                    return calls
                }
                // This request would carry the credential.
                if number == 2 { request.url = other.url }
            }
        )
        let (data, _) = try await session.data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "none")
        #expect(delegate.count.current == 1)
        #expect(server.requests.map { $0.header("Authorization") } == [nil])
        #expect(other.requests.count == 1)
        // The same credential is sent to its own origin.
        let (again, _) = try await session.data(from: server.url)
        #expect(String(decoding: again, as: UTF8.self) == credential)
    }

    @Test("A refused credential of the delegate does not take the place of an interceptor's new token")
    func refused() async throws {
        let server = try LoopbackServer { request in
            if request.header("Authorization") == "Bearer 2" { return .text("ok") }
            return LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\", Bearer"])
        }
        let session = session(
            CredentialDelegate(password: "secret"),
            ClosureInterceptor { request, attempt in
                request.setValue("Bearer \(attempt.number)", forHTTPHeaderField: "Authorization")
            } decide: { attempt, _ in
                attempt.number < 3 ? .retry : .proceed
            }
        )
        let (data, _) = try await session.data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "ok")
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer 1", credential, "Bearer 2"])
    }

    @Test("The origin of a task whose host is only used over TLS is the upgraded one") func upgraded() async throws {
        struct Stop: Error {}
        let seen = Watched<[String?]>([])
        let store = HSTSStore()
        store.add("localhost")
        var options = CurlSession.Options()
        options.hsts = .store(store)
        options.interceptors = [
            ClosureInterceptor { request, attempt in
                for url in [request.url, attempt.originalURL] { seen.append(url?.absoluteString) }
                throw Stop()
            }
        ]
        let session = Wire.session(options: options)
        let url = try #require(URL(string: "http://localhost/a"))
        await #expect(throws: Stop.self) { try await session.data(from: url) }
        #expect(seen.current == ["https://localhost/a", "https://localhost/a"])
    }

    @Test("The origin that an interceptor has chosen asks for its own credential, which is sent there")
    func chosenOrigin() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let other = try guarded()
        let delegate = CredentialDelegate(password: "secret")
        let session = session(delegate, ClosureInterceptor { request, _ in request.url = other.url })
        let (data, _) = try await session.data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == credential)
        #expect(delegate.count.current == 1)
        #expect(server.requests.isEmpty)
        #expect(other.requests.map { $0.header("Authorization") } == [nil, credential])
    }

    @Test("After a redirect from another origin, fields that an interceptor has removed or added there do not follow")
    func redirect() async throws {
        let server = try LoopbackServer { _ in .text("sent") }
        let other = try LoopbackServer { request in
            request.path == "/start" ? .status(302, headers: ["Location": "/end"]) : .text("end")
        }
        let session = session(
            nil,
            ClosureInterceptor { request, attempt in
                guard attempt.redirectCount == 0 else { return }
                request.url = other.url("/start")
                request.setValue("Bearer other", forHTTPHeaderField: "Authorization")
                request.setValue(nil, forHTTPHeaderField: "X-Internal")
                request.setValue("yes", forHTTPHeaderField: "X-Added")
            }
        )
        let fields = ["Authorization": "Bearer secret", "X-Internal": "1", "X-Plain": "x"]
        let (data, _) = try await session.data(for: Wire.request(server.url, headers: fields))
        #expect(String(decoding: data, as: UTF8.self) == "end")
        #expect(server.requests.isEmpty)
        #expect(other.requests.map(\.path) == ["/start", "/end"])
        #expect(other.requests.map { $0.header("Authorization") } == ["Bearer other", nil])
        #expect(other.requests.map { $0.header("X-Internal") } == [nil, nil])
        #expect(other.requests.map { $0.header("X-Plain") } == ["x", "x"])
        #expect(other.requests.map { $0.header("X-Added") } == ["yes", nil])
    }

    @Test("A key for another origin does not reach a third one", arguments: [302, 307])
    func third(status: Int) async throws {
        let third = try LoopbackServer { _ in .text("third") }
        let other = try LoopbackServer { request in
            let target = request.path == "/start" ? "/next" : third.url.absoluteString
            return .status(status, headers: ["Location": target])
        }
        let server = try LoopbackServer { _ in .text("sent") }
        let session = session(
            nil,
            ClosureInterceptor { request, attempt in
                if attempt.redirectCount == 0 { request.url = other.url("/start") }
                if request.url?.port == other.url.port { request.setValue("secret", forHTTPHeaderField: "X-Key") }
            }
        )
        let fields = ["X-Plain": "x"]
        let (data, _) = try await session.data(for: Wire.request(server.url, headers: fields))
        #expect(String(decoding: data, as: UTF8.self) == "third")
        #expect(other.requests.map { $0.header("X-Key") } == ["secret", "secret"])
        #expect(third.requests.map { $0.header("X-Key") } == [nil])
        #expect(third.requests.map { $0.header("X-Plain") } == ["x"])
    }
}
