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
        options.certificateAuthorityFile = server.certificate
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
