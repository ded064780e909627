import FerryTesting
import Testing

@testable import FerrySession

@Suite("Authentication", .timeLimit(.minutes(5)))
struct AuthenticationTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    private func session(_ answerer: Answerer?) -> CurlSession {
        CurlSession(configuration: .ephemeral, delegate: answerer, delegateQueue: nil)
    }

    private func status(_ response: URLResponse) -> Int? {
        (response as? HTTPURLResponse)?.statusCode
    }

    @Test("A 401 without a credential is delivered with its body", arguments: [true, false])
    func unanswered(_ hasDelegate: Bool) async throws {
        let answerer = hasDelegate ? Answerer([.performDefaultHandling: nil]) : nil
        let (data, response) = try await session(answerer).data(from: server.url("/basic-auth/ada/secret"))
        #expect(status(response) == 401)
        #expect(!data.isEmpty)
        #expect(server.requestCount == 1)
    }

    @Test(
        "The right credential is sent, and the body of the 401 is not delivered",
        arguments: ["basic", "digest"]
    )
    func rightCredential(_ scheme: String) async throws {
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        let session = session(answerer)
        let url = server.url("/\(scheme)-auth/ada/secret")
        let (data, response) = try await session.data(from: url)
        #expect(status(response) == 200)
        #expect(!String(decoding: data, as: UTF8.self).contains("401"))
        let space = try #require(answerer.challenges.first?.space)
        #expect(
            space.authenticationMethod
                == (scheme == "basic" ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest)
        )
        #expect(space.host == "127.0.0.1")
        #expect(space.port == server.port)
        #expect(space.realm?.isEmpty == false)

        // An accepted credential is sent preemptively from then on.
        for _ in 0..<4 {
            let (_, next) = try await session.data(from: url)
            #expect(status(next) == 200)
        }
        #expect(answerer.challenges.count == 1)
        if scheme == "basic" { #expect(server.requestCount == 6) }
    }

    @Test("A connection that is lost after a challenge was answered is a lost connection", arguments: ["GET", "POST"])
    func lostAfterAnswer(_ method: String) async throws {
        let authorized = Watched(0)
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                // libcurl sends no body until it has a nonce to send with it.
                if head.contains("\r\nContent-Length: 4\r\n") { connection.readBody(4) }
                guard head.contains("\r\nAuthorization: Digest ") else {
                    connection.write(
                        "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n"
                            + "Content-Length: 0\r\n\r\n"
                    )
                    continue
                }
                let count = authorized.change { count -> Int in
                    count += 1
                    return count
                }
                if count == 1 { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.retryPolicy?.backoff = .init(base: 0.01)
        let answerer = Answerer(user: "ada", passwords: ["secret", "secret"])
        let session = CurlSession(configuration: .ephemeral, options: options, delegate: answerer)
        let request = Wire.request(server.url(), method, body: method == "POST" ? Data("body".utf8) : nil)
        if method == "GET" {
            #expect(try await session.data(for: request).0 == Data("ok".utf8))
        } else {
            let error = await Wire.error { try await session.data(for: request) }
            #expect(error?.code == .networkConnectionLost)
            #expect(authorized.current == 1)
        }
        #expect(answerer.challenges.count == 1)
    }

    @Test("A body is sent again completely with the credential")
    func bodyIsReplayed() async throws {
        let server = try LoopbackServer { request in
            guard request.headers["Authorization"] != nil else {
                return LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            }
            return .text(request.bodySHA256)
        }
        let body = LoopbackServer.pattern(count: 700_000)
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        let (data, _) = try await session(Answerer(user: "ada", passwords: ["secret"])).upload(for: request, from: body)
        #expect(String(decoding: data, as: UTF8.self) == SHA256Hash.hash(body).hexadecimal)
    }

    @Test("A wrong credential leads to another challenge with a higher failure count, until the delegate gives up")
    func wrongCredential() async throws {
        let answerer = Answerer(user: "ada", passwords: ["wrong", "worse", "secret"])
        let (_, response) = try await session(answerer).data(from: server.url("/basic-auth/ada/secret"))
        #expect(status(response) == 200)
        #expect(answerer.challenges.map(\.failures) == [0, 1, 2])

        let guessing = Answerer(user: "ada", passwords: (0..<100).map { "wrong \($0)" })
        let (data, refused) = try await session(guessing).data(from: server.url("/basic-auth/ada/secret"))
        #expect(status(refused) == 401)
        #expect(!data.isEmpty)
        #expect(guessing.challenges.count == 10)
    }

    @Test("A credential that was refused is not sent a second time", arguments: ["basic", "digest"])
    func sameCredential(_ scheme: String) async throws {
        let stubborn = Answerer(user: "ada", passwords: Array(repeating: "wrong", count: 100))
        let (data, refused) = try await session(stubborn).data(from: server.url("/\(scheme)-auth/ada/secret"))
        #expect(status(refused) == 401)
        #expect(!data.isEmpty)
        #expect(stubborn.challenges.map(\.failures) == [0, 1])
        #expect(server.requestCount == (scheme == "basic" ? 2 : 3))
        let alternating = Answerer(user: "ada", passwords: ["a", "b", "a", "b"])
        _ = try await session(alternating).data(from: server.url("/\(scheme)-auth/ada/secret"))
        #expect(alternating.challenges.map(\.failures) == [0, 1, 2])
    }

    /// The delegate is asked about the challenge that libcurl then answers.
    @Test(
        "Two Digest challenges are answered with one of them, and never in Basic",
        arguments: [
            (
                [
                    #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256, Digest realm="r", nonce="n", qop="auth""#
                        + ", algorithm=MD5, Basic realm=\"r\""
                ], "MD5"
            ),
            (
                [
                    #"Digest realm="r", nonce="n", algorithm=SHA-256"#, #"Digest realm="r", nonce="n", algorithm=MD5"#,
                    #"Basic realm="r""#,
                ], "SHA-256"
            ),
            (
                [#"Basic realm="r", Digest realm="r", nonce="n", algorithm=SHA-256, Digest realm="r", nonce="n""#],
                "SHA-256"
            ),
            ([#"Digest realm="r", nonce="n", algorithm=SHA-512-256, Basic realm="r""#], nil),
            ([#"Digest realm="r", nonce="n", algorithm=Unknown-1"#, #"Basic realm="r""#], nil),
            ([#"Digest realm="r", nonce="n", algorithm=SHA-256, Digest realm="s", nonce="m", Basic realm="r""#], nil),
        ] as [([String], String?)],
        TaskKind.allCases
    )
    func twoDigests(_ challenge: (fields: [String], algorithm: String?), _ kind: TaskKind) async throws {
        let heads = Watched<[String]>([])
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                connection.readBody(length.flatMap { Int($0.dropFirst(15).filter(\.isNumber)) } ?? 0)
                heads.append(head)
                let isAnswered = head.contains("\r\nAuthorization:")
                let fields = challenge.fields.map { "WWW-Authenticate: \($0)\r\n" }.joined()
                let start = isAnswered ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 401 No\r\n\(fields)"
                connection.write("\(start)Content-Length: 2\r\n\r\nok")
            }
        }
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        _ = try await kind.send(Wire.request(server.url()), in: session(answerer))
        let sent = heads.current.compactMap { head in
            head.split(separator: "\r\n").first { $0.hasPrefix("Authorization:") }.map(String.init)
        }
        guard let algorithm = challenge.algorithm else {
            #expect(sent == [])
            #expect(answerer.challenges.count == 0)
            return
        }
        #expect(answerer.challenges.map(\.space.authenticationMethod) == [NSURLAuthenticationMethodHTTPDigest])
        #expect(answerer.challenges.map(\.space.realm) == ["r"])
        #expect(sent.count == 1)
        #expect(sent.first?.hasPrefix("Authorization: Digest ") == true)
        #expect(sent.first?.contains("algorithm=\(algorithm)") == true)
    }

    @Test("Cancelling the challenge cancels the task, whose response is the 401")
    func cancelled() async throws {
        let answerer = Answerer([.cancelAuthenticationChallenge: nil])
        let session = session(answerer)
        let (code, response) = await withCheckedContinuation { continuation in
            session.dataTask(with: server.url("/basic-auth/ada/secret")) { _, response, error in
                continuation.resume(returning: ((error as? URLError)?.code, response))
            }.resume()
        }
        #expect(code == .cancelled)
        #expect(response.flatMap(status) == 401)
    }

    @Test("A 401 with only Digest in an unknown algorithm is delivered")
    func unknownDigest() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(
                statusCode: 401,
                headers: ["WWW-Authenticate": #"Digest realm="d", nonce="n", algorithm=SHA-512-256"#]
            )
        }
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        let (_, response) = try await session(answerer).data(from: server.url)
        #expect(status(response) == 401)
        #expect(answerer.challenges.isEmpty)
        #expect(server.requestCount == 1)
    }

    @Test("Rejecting a protection space tries the next scheme, in order of strength")
    func rejected() async throws {
        let server = try LoopbackServer { request in
            if request.headers["Authorization"]?.hasPrefix("Basic ") == true { return .text("in") }
            return LoopbackResponse(
                statusCode: 401,
                headers: ["WWW-Authenticate": "Basic realm=\"b\", Digest realm=\"d\", nonce=\"n\", Bearer"]
            )
        }
        let answerer = Answerer(user: "ada", passwords: ["secret"], only: NSURLAuthenticationMethodHTTPBasic)
        let (data, _) = try await session(answerer).data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "in")
        #expect(
            answerer.challenges.map(\.space.authenticationMethod) == [
                NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodHTTPBasic,
            ]
        )
    }

    @Test(
        "Where there is no ticket for Negotiate, the next scheme follows, whose failures are counted apart",
        .enabled(if: (try? CurlRuntime.current().supportsNegotiate) == true, "This libcurl has no Negotiate"),
        arguments: ["GET", "POST"]
    )
    func withoutTicket(_ method: String) async throws {
        let server = try LoopbackServer { request in
            if request.header("Authorization") == "Basic YWRhOnNlY3JldA==" { return .text("in") }
            return .status(401, headers: ["WWW-Authenticate": "Negotiate, Basic realm=\"r\""])
        }
        let answerer = Answerer(user: "ada", passwords: ["secret", "wrong", "secret"])
        let session = session(answerer)
        let request = Wire.request(server.url, method, body: method == "POST" ? Data("body".utf8) : nil)
        for _ in 0..<2 { #expect(try await session.data(for: request).0 == Data("in".utf8)) }
        let basic = NSURLAuthenticationMethodHTTPBasic
        #expect(answerer.challenges.map(\.failures) == [0, 0, 1])
        #expect(
            answerer.challenges.map(\.space.authenticationMethod) == [NSURLAuthenticationMethodNegotiate, basic, basic]
        )
        #expect(server.requestCount == 5)
    }

    @Test("The configuration's storage is used if the delegate does not decide")
    func storedCredential() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let storage = URLCredentialStorage()
        storage.set(credential("ada"), for: space("127.0.0.1", realm: nil))
        configuration.urlCredentialStorage = storage
        let session = CurlSession(configuration: configuration)
        let (_, response) = try await session.data(from: server.url("/basic-auth/ada/secret"))
        #expect(status(response) == 200)
    }

    @Test("A stored credential for a weaker scheme is used if there is none for the strongest")
    func weakerScheme() async throws {
        let server = try LoopbackServer { request in
            if request.header("Authorization") == "Basic YWRhOnNlY3JldA==" { return .text("ok") }
            var refusal = LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            refusal.headers.add("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
            return refusal
        }
        let configuration = URLSessionConfiguration.ephemeral
        let storage = URLCredentialStorage()
        storage.set(credential("ada"), for: space("127.0.0.1", realm: "r", port: server.port))
        configuration.urlCredentialStorage = storage
        let (data, _) = try await CurlSession(configuration: configuration).data(from: server.url)
        #expect(data == Data("ok".utf8))
        #expect(server.requestCount == 2)
    }

    @Test("A stored credential that Digest has refused is not sent unencrypted with Basic")
    func refusedForStronger() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
                .adding("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
        }
        let configuration = URLSessionConfiguration.ephemeral
        let storage = URLCredentialStorage()
        let method = NSURLAuthenticationMethodDefault
        storage.set(credential("ada"), for: space("127.0.0.1", realm: nil, port: server.port, method: method))
        configuration.urlCredentialStorage = storage
        let (_, response) = try await CurlSession(configuration: configuration).data(from: server.url)
        #expect(status(response) == 401)
        let sent = server.requests.compactMap { $0.header("Authorization") }
        #expect(sent.count == 1 && sent.allSatisfy { $0.hasPrefix("Digest ") })
    }

    private func space(
        _ host: String,
        realm: String?,
        port: Int? = nil,
        method: String = NSURLAuthenticationMethodHTTPBasic
    ) -> URLProtectionSpace {
        URLProtectionSpace(
            host: host,
            port: port ?? server.port,
            protocol: "http",
            realm: realm,
            authenticationMethod: method
        )
    }

    private func credential(_ user: String) -> URLCredential {
        URLCredential(user: user, password: "secret", persistence: .forSession)
    }

    @Test("Of several users, the storage's default is proposed, and the space of the same realm has precedence")
    func defaultCredential() throws {
        let storage = URLCredentialStorage()
        let store = CredentialStore(storage: storage)
        let any = space("a.test", realm: nil)
        storage.set(credential("ada"), for: any)
        #expect(store.credential(for: space("a.test", realm: "x"))?.user == "ada")
        storage.setDefaultCredential(credential("bob"), for: any)
        #expect(store.credential(for: space("A.test", realm: "x"))?.user == "bob")
        for index in 0..<20 {
            let exact = space("a.test", realm: "realm \(index)")
            storage.setDefaultCredential(credential("user \(index)"), for: exact)
        }
        for index in 0..<20 {
            #expect(store.credential(for: space("a.test", realm: "realm \(index)"))?.user == "user \(index)")
        }
        #expect(store.credential(for: space("a.test", realm: "x"))?.user == "bob")
        #expect(store.credential(for: space("b.test", realm: "x")) == nil)
    }

    /// A resolver may find another server for a name with a trailing dot.
    @Test("Stored credentials and cookies are not sent to the same name with a trailing dot")
    func absoluteName() async throws {
        let answerer = Answerer([.performDefaultHandling: nil])
        let configuration = URLSessionConfiguration.ephemeral
        let storage = URLCredentialStorage()
        storage.set(credential("ada"), for: space("auth.invalid", realm: nil))
        configuration.urlCredentialStorage = storage
        var options = CurlSession.Options()
        options.network.addresses = ["auth.invalid": ["127.0.0.1"]]
        let session = CurlSession(
            configuration: configuration,
            options: options,
            delegate: answerer,
            delegateQueue: nil
        )
        func load(_ host: String, _ path: String) async throws -> Int? {
            let url = try #require(URL(string: "http://\(host):\(server.port)\(path)"))
            return status(try await session.data(from: url).1)
        }
        #expect(try await load("auth.invalid", "/cookies/set?a=1") != nil)
        #expect(try await load("auth.invalid.", "/basic-auth/ada/secret") == 401)
        #expect(answerer.challenges.map(\.space.host) == ["auth.invalid."])
        #expect(try await load("auth.invalid", "/basic-auth/ada/secret") == 200)
        #expect(try await load("auth.invalid.", "/basic-auth/ada/secret") == 401)
        let sent = server.requests.filter { $0.header("Host")?.hasPrefix("auth.invalid.:") == true }
        #expect(sent.count == 2)
        #expect(sent.allSatisfy { $0.header("Cookie") == nil && $0.header("Authorization") == nil })
    }

    @Test("Resetting the session forgets accepted credentials, and later requests use new connections")
    func reset() async throws {
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        let session = session(answerer)
        let url = server.url("/basic-auth/ada/secret")
        #expect(status(try await session.data(from: url).1) == 200)
        #expect(status(try await session.data(from: url).1) == 200)
        let connections = server.connectionCount
        #expect(connections == 1)
        await withCheckedContinuation { done in session.reset { done.resume() } }
        let count = server.requests.count
        #expect(status(try await session.data(from: url).1) == 401)
        #expect(server.requests.dropFirst(count).allSatisfy { $0.header("Authorization") == nil })
        #expect(server.connectionCount == 2)
    }

    @Test(
        "A credential without persistence is for its task alone",
        arguments: [(URLCredential.Persistence.none, 2), (.forSession, 1)]
    )
    func persistence(_ persistence: URLCredential.Persistence, _ challenges: Int) async throws {
        let delegate = CredentialDelegate(password: "secret", persistence: persistence)
        let session = Wire.session(delegate)
        for _ in 0..<2 {
            #expect(status(try await session.data(from: server.url("/basic-auth/ada/secret")).1) == 200)
        }
        #expect(delegate.count.current == challenges)
    }

    /// Provides the realm as the user, and records the realms with the number of failures.
    private final class RealmAnswerer: NSObject, URLSessionTaskDelegate {
        let questions = Watched<[String]>([])

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let realm = challenge.protectionSpace.realm ?? ""
            questions.append("\(realm) \(challenge.previousFailureCount)")
            let password = challenge.previousFailureCount == 0 && realm == "b" ? "wrong" : "right"
            completionHandler(.useCredential, URLCredential(user: realm, password: password, persistence: .forSession))
        }
    }

    @Test("Failures are counted for each realm") func realms() async throws {
        let server = try LoopbackServer { request in
            let isFirst = request.path == "/first"
            let expected = "Basic " + Data((isFirst ? "a:right" : "b:right").utf8).base64EncodedString()
            guard request.header("Authorization") == expected else {
                return .status(401, headers: ["WWW-Authenticate": "Basic realm=\"\(isFirst ? "a" : "b")\""])
            }
            return isFirst ? .redirect(to: "/second") : .text("in")
        }
        let answerer = RealmAnswerer()
        #expect(status(try await Wire.session(answerer).data(from: server.url("/first")).1) == 200)
        #expect(answerer.questions.current == ["a 0", "b 0", "b 1"])
    }

    @Test("The credential of each realm is kept until it is refused there") func keptForRealms() async throws {
        let isClosed = Watched(false)
        let server = try LoopbackServer { request in
            let realm = request.path == "/a" ? "a" : "b"
            let expected = "Basic " + Data("\(realm):right".utf8).base64EncodedString()
            guard request.header("Authorization") == expected, !isClosed.current else {
                return .status(401, headers: ["WWW-Authenticate": "Basic realm=\"\(realm)\""])
            }
            return .text("in")
        }
        let answerer = RealmAnswerer()
        let session = Wire.session(answerer)
        for path in ["/a", "/b", "/a", "/b", "/b"] {
            #expect(status(try await session.data(from: server.url(path)).1) == 200)
        }
        #expect(answerer.questions.current == ["a 0", "b 0", "b 1"])
        #expect(server.requestCount == 2 + 3 + 2 + 2 + 1)
        isClosed.change { $0 = true }
        for _ in 0..<2 { #expect(status(try await session.data(from: server.url("/a")).1) == 401) }
        // The second time, no credential is kept for the realm.
        #expect(answerer.questions.current.dropFirst(3) == ["a 1", "a 0", "a 1"])
    }

    @Test(
        "A credential that could not be sent as it is fails the task",
        arguments: [("ada\r\nX-Injected: 1", "secret"), ("ada\0", "secret"), ("ada", "sec\0ret")],
        ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\""]
    )
    func unsendable(_ credential: (user: String, password: String), _ field: String) async throws {
        let server = try LoopbackServer { _ in .status(401, headers: ["WWW-Authenticate": field]) }
        let delegate = CredentialDelegate(user: credential.user, password: credential.password)
        let error = await Wire.error { try await Wire.session(delegate).data(from: server.url) }
        #expect(error?.code == .userAuthenticationRequired && error?.ferryCode == .invalidHeader)
        #expect(server.requestCount == 1)
    }

    /// Responds to the session's challenges, and has no method of a task.
    private final class SessionAnswerer: NSObject, URLSessionDelegate {
        let queues = Watched<[OperationQueue?]>([])

        func urlSession(
            _ session: URLSession,
            didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            queues.append(OperationQueue.current)
            completionHandler(.useCredential, URLCredential(user: "ada", password: "secret", persistence: .none))
        }
    }

    @Test("A delegate of the session alone is asked on the delegate queue, also for async functions")
    func sessionDelegate() async throws {
        let answerer = SessionAnswerer()
        let session = CurlSession(configuration: .ephemeral, delegate: answerer, delegateQueue: nil)
        #expect(status(try await session.data(from: server.url("/basic-auth/ada/secret")).1) == 200)
        #expect(answerer.queues.current.map { $0 === session.delegateQueue } == [true])
    }

    @Test("A credential that was provided before a reset is not accepted for later requests")
    func resetMeanwhile() async throws {
        let gate = Watched(false)
        let server = try LoopbackServer { request in
            guard request.header("Authorization") != nil else {
                return LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
            }
            for _ in 0..<2_000 where !gate.current { Thread.sleep(forTimeInterval: 0.005) }
            return .text("in")
        }
        let session = session(Answerer(user: "ada", passwords: ["secret"]))
        async let first = session.data(from: server.url)
        try await eventually("the request with the credential") {
            server.requests.contains { $0.header("Authorization") != nil }
        }
        await withCheckedContinuation { done in session.reset { done.resume() } }
        gate.change { $0 = true }
        #expect(status(try await first.1) == 200)
        #expect(status(try await session.data(from: server.url).1) == 401)
    }

    @Test("A credential in the URL is used, and does not appear in errors")
    func credentialInURL() async throws {
        let url = try #require(URL(string: "http://ada:secret@127.0.0.1:\(server.port)/basic-auth/ada/secret"))
        let (_, response) = try await session(nil).data(from: url)
        #expect(status(response) == 200)
        // The server had not asked for the credential.
        #expect(server.requests.map { $0.header("Authorization") } == ["Basic YWRhOnNlY3JldA=="])
        let refused = try #require(URL(string: "http://ada:secret@127.0.0.1:1/"))
        let error = await #expect(throws: URLError.self) { try await session(nil).data(from: refused) }
        #expect("\(error?.userInfo ?? [:])".contains("secret") == false)
    }

    @Test("A credential is not sent to another origin after a redirect")
    func originsAreApart() async throws {
        let second = try LoopbackServer { .text($0.headers["Authorization"] ?? "none") }
        let target = second.url("/", host: "localhost").absoluteString
        let first = try LoopbackServer { request in
            request.headers["Authorization"] == nil
                ? LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
                : .redirect(to: target)
        }
        let (data, _) = try await session(Answerer(user: "ada", passwords: ["secret"])).data(from: first.url)
        #expect(String(decoding: data, as: UTF8.self) == "none")
    }

    @Test("A credential is kept after a redirect to another origin, and if another one is refused")
    func keptCredential() async throws {
        let target = try LoopbackServer { _ in .text("file") }
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Basic YWRhOnNlY3JldA=="
                ? .redirect(to: target.url.absoluteString)
                : LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""])
        }
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        let session = session(answerer)
        _ = try await session.data(from: server.url("/1"))
        _ = try await session.data(from: server.url("/2"))
        #expect(server.requestCount == 3)
        var own = URLRequest(url: server.url("/own"))
        own.setValue("Basic d3Jvbmc6d3Jvbmc=", forHTTPHeaderField: "Authorization")
        #expect(status(try await session.data(for: own).1) == 401)
        _ = try await session.data(from: server.url("/3"))
        #expect(server.requestCount == 5)
        #expect(target.requests.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test(
        "A delegate that redirects to another origin sends only the secrets there that it sets",
        arguments: [false, true]
    )
    func delegateRedirects(_ setsOwn: Bool) async throws {
        let target = try LoopbackServer { _ in .text("there") }
        let server = try LoopbackServer { _ in .redirect(to: "/next") }
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, next, answer in
            var next = next
            next.url = target.url
            if setsOwn { next.setValue("Bearer own", forHTTPHeaderField: "Authorization") }
            answer(next)
        }
        let delegate = RecordingDelegate(hooks)
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        var request = URLRequest(url: server.url)
        for (name, value) in ["Authorization": "Bearer secret", "Cookie": "a=secret", "X-Plain": "plain"] {
            request.setValue(value, forHTTPHeaderField: name)
        }
        let task = session.dataTask(with: request)
        task.resume()
        #expect(try await delegate.completion(of: task).error == nil)
        let received = try #require(target.requests.first)
        #expect(received.header("Authorization") == (setsOwn ? "Bearer own" : nil))
        #expect(received.header("Cookie") == nil)
        #expect(received.header("X-Plain") == "plain")
    }

    @Test("A redirect after a challenge is followed, even if it leads to another challenge")
    func redirectedBehindChallenge() async throws {
        let server = try LoopbackServer { request in
            let realm = request.path == "/from" ? "from" : "to"
            guard request.headers["Authorization"] != nil else {
                return LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"\(realm)\""])
            }
            return request.path == "/from" ? .redirect(to: "to") : .text("there")
        }
        let session = session(Answerer(user: "ada", passwords: ["secret", "secret"]))
        let (data, response) = try await session.data(from: server.url("/from"))
        #expect(String(decoding: data, as: UTF8.self) == "there")
        #expect(response.url == server.url("/to"))
        #expect(server.requests.filter { $0.path == "/from" }.count == 2)
    }

    @Test("Cancelling during the response to a challenge ends each task once") func cancelledMeanwhile() async throws {
        let delegate = CancellingAnswerer()
        let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let tasks = (0..<100).map { _ in session.dataTask(with: server.url("/basic-auth/ada/secret")) }
        for task in tasks { task.resume() }
        try await eventually("all ends") { delegate.ends.count == tasks.count }
        session.finishTasksAndInvalidate()
        try await eventually("the session's end") { delegate.isInvalid }
        #expect(delegate.ends.values.allSatisfy { $0 == 1 })
        #expect(delegate.otherErrors == [])
    }
}

/// Responds to each challenge on one thread and cancels its task on another.
private final class CancellingAnswerer: NSObject, URLSessionTaskDelegate {
    private struct State {
        var ends: [Int: Int] = [:]
        var otherErrors: [URLError.Code?] = []
        var isInvalid = false
    }

    private let state = Watched(State())

    var ends: [Int: Int] { state.change { $0.ends } }
    var otherErrors: [URLError.Code?] { state.change { $0.otherErrors } }
    var isInvalid: Bool { state.change { $0.isInvalid } }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        DispatchQueue.global().async { task.cancel() }
        DispatchQueue.global().async {
            completionHandler(.useCredential, URLCredential(user: "ada", password: "secret", persistence: .none))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.change { state in
            state.ends[task.taskIdentifier, default: 0] += 1
            if let error, (error as? URLError)?.code != .cancelled {
                state.otherErrors.append((error as? URLError)?.code)
            }
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        state.change { $0.isInvalid = true }
    }
}

/// Responds to challenges in turn, and records them.
final class Answerer: NSObject, URLSessionTaskDelegate {
    struct Seen: Sendable {
        var space: URLProtectionSpace
        var failures: Int
    }

    private struct State {
        var seen: [Seen] = []
        var credentials: [URLCredential]
    }

    private let disposition: URLSession.AuthChallengeDisposition
    private let only: String?
    /// The gate that answers wait for, if any.
    private let gate: Gate?
    private let state: Watched<State>

    var challenges: [Seen] { state.change { $0.seen } }

    init(_ answer: [URLSession.AuthChallengeDisposition: URLCredential?]) {
        disposition = answer.keys.first ?? .performDefaultHandling
        (only, gate) = (nil, nil)
        state = Watched(State(credentials: []))
    }

    init(user: String, passwords: [String], only: String? = nil, gate: Gate? = nil) {
        disposition = .useCredential
        (self.only, self.gate) = (only, gate)
        let credentials = passwords.map { URLCredential(user: user, password: $0, persistence: .forSession) }
        state = Watched(State(credentials: credentials))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        let failures = challenge.previousFailureCount
        if let only, space.authenticationMethod != only {
            state.change { $0.seen.append(Seen(space: space, failures: failures)) }
            return completionHandler(.rejectProtectionSpace, nil)
        }
        let credential = state.change { state -> URLCredential? in
            state.seen.append(Seen(space: space, failures: failures))
            return state.credentials.isEmpty ? nil : state.credentials.removeFirst()
        }
        gate?.wait()
        completionHandler(disposition, credential)
    }
}
