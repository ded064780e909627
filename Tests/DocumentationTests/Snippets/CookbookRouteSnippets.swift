import Ferry
import FerryTesting
import Testing

// The recipes of the cookbook about routes, servers and sessions, which CookbookRouteTests runs.

extension Cookbook {
    static func pin(
        api: URL,
        options: CurlSession.Options,
        currentKey: PublicKeyPin,
        nextKey: PublicKeyPin
    ) async throws -> User {
        var options = options
        options.tls.publicKeyPins = ["api.example.com": [currentKey, nextKey]]
        let manager = HTTPSessionManager(baseURL: api, transport: .curl(options: options))
        let user = try await manager.get("users/1", as: User.self)
        return user
    }

    static func selfSigned(api: URL, certificate: URL) async throws -> User {
        var policy = SecurityPolicy(pinningMode: .certificate)
        policy.pinnedCertificates = try SecurityPolicy.certificates(inFile: certificate)
        policy.allowsInvalidCertificates = true
        let manager = try HTTPSessionManager(baseURL: api, securityPolicy: policy)
        let user = try await manager.get("users/1", as: User.self)
        return user
    }

    static func certified(api: URL, options: CurlSession.Options, certificate: URL, key: URL) -> HTTPSessionManager {
        var options = options
        options.tls.clientCertificate = .pemFiles(certificate: certificate, key: key)
        let manager = HTTPSessionManager(baseURL: api, transport: .curl(options: options))
        return manager
    }

    static func rotate(manager: HTTPSessionManager, currentKey: PublicKeyPin, nextKey: PublicKeyPin) throws {
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedPublicKeys: [currentKey, nextKey])
        try manager.setSecurityPolicy(policy)
        manager.invalidate(cancellingTasks: false, resettingSession: true)
    }

    static func proxy(api: URL, port: Int, password: String) async throws -> User {
        var options = CurlSession.Options()
        options.proxy = .http(
            "127.0.0.1",
            port: port,
            user: "ada",
            password: password,
            except: ["*.internal"]
        )
        let manager = HTTPSessionManager(baseURL: api, transport: .curl(options: options))
        let user = try await manager.get("users/1", as: User.self)
        return user
    }

    static func shutDown(_ manager: HTTPSessionManager, within limit: Duration) async {
        manager.invalidate(cancellingTasks: false)
        let timer = Task {
            try await Task.sleep(for: limit)
            manager.cancelAllTasks()
        }
        await withCheckedContinuation { end in
            manager.completionGroup.notify(queue: .global()) { end.resume() }
        }
        timer.cancel()
    }

    static func shared(url: URL) async throws -> (User, HTTPURLResponse?) {
        let session: CurlSession = .shared
        let (data, response) = try await session.data(from: url)
        let user = try JSONDecoder().decode(User.self, from: data)
        return (user, response as? HTTPURLResponse)
    }

    static func sharedTask(url: URL, handle: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) {
        CurlSession.shared.dataTask(with: url, completionHandler: handle).resume()
    }
}

struct Users: Sendable {
    let manager: HTTPSessionManager

    func user(_ id: Int) async throws(NetworkError) -> User {
        try await manager.send(
            .get("users/\(id)", as: User.self).retry(.standard).deadline(10)
        )
    }
}

/// The recipe about tests, which is itself a test.
@Suite("The cookbook's test", .timeLimit(.minutes(1)))
struct CookbookTestSnippet {
    @Test func asksAgainWhenTheServerIsBusy() async throws {
        let script: FaultScript = [.respond(statusCode: 503, retryAfter: 0)]
        let server = try LoopbackServer(script: script) { _ in
            .json(#"{"id":1,"name":"Ada"}"#)
        }
        let manager = HTTPSessionManager(baseURL: server.url)
        manager.retryPolicy = .standard
        let user = try await manager.get("users/1", as: User.self)
        #expect(user.name == "Ada")
    }
}
