import Ferry
import FerryTesting
import Foundation
import ProxySupport
import TestSupport
import Testing

/// Runs the recipes of the cookbook about routes, servers and sessions; `CookbookTestSnippet` is a test itself.
@Suite("The cookbook's recipes about routes and sessions", .timeLimit(.minutes(2)))
struct CookbookRouteTests {
    @Test("Pin a key", .enabled(if: TLSServer.isAvailable, "openssl is not installed"), .ownThreads)
    func pin() async throws {
        let server = try TLSServer(path: "users/1", json: #"{"id":1,"name":"Ada"}"#)
        let url = try #require(URL(string: "https://api.example.com:\(server.port)/"))
        var options = CurlSession.Options()
        options.tls.certificateAuthorities = .only([.pemFile(server.certificate)])
        options.network.addresses = ["api.example.com": ["127.0.0.1"]]
        let key = try PublicKeyPin(certificate: Data(contentsOf: server.certificate))
        let others = [1, 2].map { PublicKeyPin(Data(repeating: $0, count: 32).base64EncodedString()) }

        let error = await #expect(throws: NetworkError.self) {
            try await Cookbook.pin(api: url, options: options, currentKey: others[0], nextKey: others[1])
        }
        #expect(error?.code == .certificateUntrusted)
        #expect(error?.sessionError?.code == .pinMismatch)
        for keys in [[key, others[0]], [others[0], key]] {
            let user = try await Cookbook.pin(api: url, options: options, currentKey: keys[0], nextKey: keys[1])
            #expect(user.name == "Ada")
        }
    }

    @Test("Trust a self-signed server", .enabled(if: TLSServer.isAvailable, "openssl is not installed"), .ownThreads)
    func selfSigned() async throws {
        let json = #"{"id":1,"name":"Ada"}"#
        let (server, other) = (try TLSServer(path: "users/1", json: json), try TLSServer(path: "users/1", json: json))
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let user = try await Cookbook.selfSigned(api: url, certificate: server.certificate)
        #expect(user.name == "Ada")
        let error = await #expect(throws: NetworkError.self) {
            try await Cookbook.selfSigned(api: url, certificate: other.certificate)
        }
        #expect(error?.code == .certificateUntrusted)
    }

    @Test("Rotate certificates and pins", .enabled(if: TLSServer.isAvailable, "openssl is not installed"), .ownThreads)
    func rotate() async throws {
        let json = #"{"id":1,"name":"Ada"}"#
        let server = try TLSServer(path: "users/1", json: json, verifiesClients: true)
        let other = try TLSServer(path: "users/1", json: json)
        let folder = try TemporaryFolder()
        let (certificate, key) = (folder.file("certificate.pem"), folder.file("key.pem"))
        func use(_ identity: TLSServer) throws {
            try Data(contentsOf: identity.certificate).write(to: certificate)
            try Data(contentsOf: identity.key).write(to: key)
        }
        try use(other)
        var options = CurlSession.Options()
        options.tls.certificateAuthorities = .only([.pemFile(server.certificate)])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let manager = Cookbook.certified(api: url, options: options, certificate: certificate, key: key)
        let pin = try PublicKeyPin(certificate: Data(contentsOf: server.certificate))
        let wrong = try PublicKeyPin(certificate: Data(contentsOf: other.certificate))
        func error() async -> NetworkError? { await manager.response(for: .get("users/1", as: User.self)).error }

        #expect(await error()?.code == .clientCertificateRejected)
        try use(server)
        #expect(await error()?.code == .clientCertificateRejected)
        try Cookbook.rotate(manager: manager, currentKey: wrong, nextKey: wrong)
        #expect(await error()?.sessionError?.code == .pinMismatch)
        try Cookbook.rotate(manager: manager, currentKey: wrong, nextKey: pin)
        #expect(try await manager.get("users/1", as: User.self).name == "Ada")
    }

    @Test("Go through a proxy")
    func proxy() async throws {
        let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/users/:id") { _ in .ada }])
        let proxy = try TestProxy(.basic(user: "ada", password: "secret"))
        let api = try #require(URL(string: "http://api.example.com:\(server.port)/"))
        let user = try await Cookbook.proxy(api: api, port: proxy.port, password: "secret")
        #expect(user.name == "Ada")
        #expect(proxy.exchanges.last?.wasServed == true)
        #expect(proxy.exchanges.last?.target == "http://api.example.com:\(server.port)/users/1")
        #expect(server.requests.map { $0.header("Proxy-Authorization") } == [nil])
        let error = await #expect(throws: NetworkError.self) {
            try await Cookbook.proxy(api: api, port: proxy.port, password: "wrong")
        }
        #expect(error?.statusCode == 407)
        #expect(server.requestCount == 1)
    }

    @Test("Call another service from a server")
    func service() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("GET", "/users/1") { _ in .ada },
            LoopbackRoute("GET", "/users/2") { _ in LoopbackResponse.ada.faulted(.stallBeforeHead) },
        ])
        let users = Users(manager: HTTPSessionManager(baseURL: server.url))
        let slow = Task { try await users.user(2) }
        #expect(try await users.user(1).name == "Ada")
        let error = await #expect(throws: NetworkError.self) { try await slow.value }
        #expect(error?.isTimeout == true)
        #expect(error?.sessionError?.code == .deadlineExceeded)
        #expect(try await users.user(1).name == "Ada")
    }

    @Test("Shut down a server")
    func shutDown() async throws {
        let gate = Gate()
        let server = try LoopbackServer(routes: [
            LoopbackRoute("GET", "/users/1") { _ in
                gate.wait()
                return .ada
            },
            LoopbackRoute("GET", "/users/2") { _ in LoopbackResponse.ada.faulted(.stallBeforeHead) },
        ])
        for (id, limit) in [(1, Duration.seconds(60)), (2, .zero)] {
            let manager = HTTPSessionManager(baseURL: server.url)
            let user = Task { await manager.response(for: .get("users/\(id)", as: User.self)) }
            try await eventually("the request") { server.requests.contains { $0.path == "/users/\(id)" } }
            let end = Task { await Cookbook.shutDown(manager, within: limit) }
            while await manager.response(for: .get("users/3")).error != .sessionInvalidated {}
            if id == 1 { gate.open() }
            await end.value
            let response = await user.value
            #expect(id == 1 ? response.value?.name == "Ada" : response.error?.isCancelled == true)
        }
    }

    @Test("Replace URLSession.shared")
    func shared() async throws {
        let server = try LoopbackServer { _ in .ada }
        let (user, response) = try await Cookbook.shared(url: server.url("/users/1"))
        #expect(user.name == "Ada")
        #expect(response?.statusCode == 200)
        let data = await withCheckedContinuation { continuation in
            Cookbook.sharedTask(url: server.url("/users/2")) { data, _, _ in continuation.resume(returning: data) }
        }
        #expect(data == Data(#"{"id":1,"name":"Ada"}"#.utf8))
        #expect(server.requests.map(\.target) == ["/users/1", "/users/2"])
    }
}
