import Ferry
import Testing

extension PythonTests {
    @Suite("NTLM", .enabled(if: (try? CurlRuntime.current().supportsNTLM) == true, "This libcurl has no NTLM"))
    struct NTLMTests {
        private let server: NTLMServer

        init() throws { server = try NTLMServer(user: "ada", password: "secret") }

        private func session(_ delegate: CredentialDelegate) -> CurlSession {
            CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        }

        private func text(_ session: CurlSession, _ request: URLRequest) async throws -> String {
            String(decoding: try await session.fetch(request).0, as: UTF8.self)
        }

        @Test("A credential is proven on one connection, which then carries further requests without it")
        func connection() async throws {
            let delegate = CredentialDelegate("ada", "secret")
            let session = session(delegate)
            for _ in 0..<3 { #expect(try await text(session, URLRequest(url: server.url)) == "ada 0") }
            // The credential is only for its task, so the delegate is asked for each task.
            #expect(delegate.methods == Array(repeating: NSURLAuthenticationMethodNTLM, count: 3))
            let proofs = try server.requests.filter { $0.hasSuffix(" 3") }
            #expect(proofs.count == 1)
        }

        @Test(
            "Bodies and other methods arrive whole",
            arguments: ["POST", "PUT", "HEAD", "upload", "stream", "download"]
        )
        func methods(kind: String) async throws {
            let session = session(CredentialDelegate("ada", "secret"))
            let body = Data(repeating: 7, count: 100_000)
            var request = URLRequest(url: server.url)
            switch kind {
            case "HEAD":
                request.httpMethod = kind
                #expect(try await session.fetch(request).1.statusCode == 200)
            case "upload":
                request.httpMethod = "POST"
                let (data, _) = try await session.upload(for: request, from: body)
                #expect(String(decoding: data, as: UTF8.self) == "ada 100000")
            case "stream":
                request.httpMethod = "POST"
                request.httpBody = body
                let (bytes, _) = try await session.bytes(for: request)
                let received = try await bytes.reduce(into: [UInt8]()) { $0.append($1) }
                #expect(String(decoding: received, as: UTF8.self) == "ada 100000")
            case "download":
                let (file, _) = try await session.download(for: request)
                #expect(try String(contentsOf: file, encoding: .utf8) == "ada 0")
            default:
                request.httpMethod = kind
                request.httpBody = body
                #expect(try await text(session, request) == "ada 100000")
            }
        }

        @Test("A wrong password is asked for again, and the 401 is delivered in the end")
        func wrongPassword() async throws {
            let delegate = CredentialDelegate("ada", "wrong")
            let (data, response) = try await session(delegate).fetch(server.url)
            #expect(response.statusCode == 401)
            #expect(String(decoding: data, as: UTF8.self) == "denied")
            #expect(delegate.methods == [NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNTLM])
        }

        @Test("A connection that one task has authenticated does not authenticate another task's request")
        func otherTask() async throws {
            let delegate = CredentialDelegate("ada", "secret")
            let session = session(delegate)
            #expect(try await text(session, URLRequest(url: server.url)) == "ada 0")
            delegate.refuse()
            #expect(try await session.fetch(server.url).1.statusCode == 401)
        }
    }
}

/// A delegate that answers the first challenge of each task with a credential, and then with none.
final class CredentialDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private struct State {
        var methods: [String] = []
        var isRefusing = false
    }

    private let credential: URLCredential
    private let state = Mutex(State())

    init(_ user: String, _ password: String) {
        credential = URLCredential(user: user, password: password, persistence: .none)
    }

    /// The authentication methods of the challenges, in order.
    var methods: [String] { state.withLock { $0.methods } }

    /// Continues without a credential after all further challenges.
    func refuse() { state.withLock { $0.isRefusing = true } }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isRefusing = state.withLock { state in
            state.methods.append(challenge.protectionSpace.authenticationMethod)
            return state.isRefusing
        }
        completionHandler(.useCredential, isRefusing || challenge.previousFailureCount > 0 ? nil : credential)
    }
}
