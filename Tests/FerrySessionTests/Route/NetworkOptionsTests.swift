import FerrySession
import FerryTesting
import ProxySupport
import TestSupport
import Testing

@Suite("Network options", .timeLimit(.minutes(5)))
struct NetworkOptionsTests {
    private func session(_ change: (inout NetworkOptions) -> Void) -> CurlSession {
        var options = CurlSession.Options()
        options.proxy = .none
        change(&options.network)
        return Wire.session(options: options)
    }

    private func text(_ session: CurlSession, _ url: String) async throws -> String {
        let url = try #require(URL(string: url))
        return String(decoding: try await session.data(from: url).0, as: UTF8.self)
    }

    // MARK: - Unix-domain sockets

    @Test("A Unix-domain socket replaces every host", arguments: [false, true])
    func unixSocket(_ isAbstract: Bool) async throws {
        let server = try LoopbackServer { .text("\($0.headers["Host"] ?? "") \($0.target)") }
        let folder = try TemporaryFolder()
        let name = isAbstract ? "ferry-\(UUID().uuidString)" : folder.url.appendingPathComponent("socket").path
        let relay = try UnixRelay(path: (isAbstract ? "\0" : "") + name, to: server.port)
        defer { withExtendedLifetime(relay) {} }
        let session = session { $0.unixSocket = isAbstract ? .abstract(name) : .path(name) }
        #expect(try await text(session, "http://docker/containers?all=1") == "docker /containers?all=1")
        #expect(try await text(session, "http://docker/again") == "docker /again")
        #expect(try await text(session, "http://other.invalid/") == "other.invalid /")
        // libcurl 7.88 does not reuse the connection of an abstract socket.
        if !isAbstract { #expect(server.requests.map(\.connectionRequestIndex) == [0, 1, 0]) }
    }

    @Test("A socket for one host does not affect the others, and bypasses the proxy")
    func unixSocketOfHost() async throws {
        let inside = try LoopbackServer { _ in .text("inside") }
        let outside = try LoopbackServer { _ in .text("outside") }
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("socket").path
        let relay = try UnixRelay(path: path, to: inside.port)
        defer { withExtendedLifetime(relay) {} }
        let proxy = try TestProxy()
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: proxy.port)
        options.network.unixSockets = ["Docker": .path(path)]
        let session = Wire.session(options: options)
        #expect(try await text(session, "http://docker/") == "inside")
        #expect(try await text(session, outside.url.absoluteString) == "outside")
        #expect(proxy.exchanges.map(\.target) == [outside.url.absoluteString])
    }

    @Test(
        "A socket for one host applies to all its spellings",
        arguments: [
            ("Docker.", "docker"), ("docker", "DOCKER."), ("d%6Fcker", "dock%65r"), ("127.0.0.1", "127.1"),
            ("0x7f.1", "2130706433"), ("[::1]", "[0:0:0:0:0:0:0:1]"),
        ]
    )
    func unixSocketSpellings(_ key: String, _ host: String) async throws {
        let server = try LoopbackServer { _ in .text("inside") }
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("socket").path
        let relay = try UnixRelay(path: path, to: server.port)
        defer { withExtendedLifetime(relay) {} }
        // If the key does not match, the request goes to a port without a listener.
        let session = session { $0.unixSockets = [key: .path(path)] }
        #expect(try await text(session, "http://\(host):1/") == "inside")
    }

    @Test("A missing socket is named in the error") func missingSocket() async throws {
        let session = session { $0.unixSocket = .path("/nowhere/socket") }
        let url = try #require(URL(string: "http://docker/"))
        let error = await Wire.error { try await session.data(from: url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.localizedDescription.contains("/nowhere/socket") == true)
    }

    // MARK: - Addresses

    @Test("A host in the map is not looked up") func addresses() async throws {
        let server = try LoopbackServer { .text($0.headers["Host"] ?? "") }
        let session = session {
            $0.addresses = ["API.invalid:\(server.port)": ["127.0.0.1"], "any.invalid": ["127.0.0.1"]]
        }
        #expect(try await text(session, "http://api.invalid:\(server.port)/") == "api.invalid:\(server.port)")
        #expect(try await text(session, "http://any.invalid:\(server.port)/") == "any.invalid:\(server.port)")
        let other = try #require(URL(string: "http://api.invalid:1/"))
        #expect(await Wire.error { try await session.data(from: other) }?.code == .cannotFindHost)
    }

    @Test(
        "Addresses for one host apply to all its spellings",
        arguments: [
            ("API.invalid.", "api.invalid"), ("api.invalid", "API.invalid."), ("%61pi.invalid", "ap%69.invalid"),
            ("10.1", "10.0.0.1"), ("10.0.0.1", "0xa.1"), ("10.0.0.1", "167772161"), ("10.0.0.1", "%31%30.0.0.1"),
        ]
    )
    func addressSpellings(_ key: String, _ host: String) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        for key in [key, "\(key):\(server.port)"] {
            let session = session { $0.addresses = [key: ["127.0.0.1"]] }
            #expect(try await text(session, "http://\(host):\(server.port)/") == "ok")
        }
    }

    @Test("Two spellings of one host, and invalid hosts, fail every task")
    func duplicates() async throws {
        let changes: [(inout NetworkOptions) -> Void] = [
            { $0.unixSockets = ["Docker": .path("/a"), "docker.": .path("/b")] },
            { $0.unixSockets = ["127.1": .path("/a"), "127.0.0.1": .path("/b")] },
            { $0.unixSockets = ["a/b": .path("/a")] },
            { $0.addresses = ["h.invalid": ["127.0.0.1"], "H.invalid": ["127.0.0.2"]] },
            { $0.addresses = ["127.1:80": ["127.0.0.1"], "0x7f.1:080": ["127.0.0.2"]] },
            { $0.addresses = ["a%2Fb": ["127.0.0.1"]] },
        ]
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        for change in changes {
            let error = await Wire.error { try await session(change).data(from: url) }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .invalidNetworkOptions)
        }
    }

    @Test("The map also applies to the proxy's host") func proxyAddress() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let proxy = try TestProxy()
        var options = CurlSession.Options()
        options.proxy = .http("proxy.invalid", port: proxy.port)
        options.network.addresses = ["proxy.invalid": ["127.0.0.1"]]
        #expect(try await text(Wire.session(options: options), server.url.absoluteString) == "ok")
        #expect(proxy.exchanges.count == 1)
    }

    @Test("The next of several addresses is tried, and an IP version can be excluded") func versions() async throws {
        let server = try LoopbackServer { _ in .text("four") }
        let map = ["both.invalid": ["::1", "127.0.0.1"]]
        let url = "http://both.invalid:\(server.port)/"
        #expect(try await text(session { $0.addresses = map }, url) == "four")
        #expect(
            try await text(
                session {
                    ($0.addresses, $0.ipVersion, $0.happyEyeballsTimeout) = (map, .v4, 0.05)
                },
                url
            ) == "four"
        )
        let six = session { ($0.addresses, $0.ipVersion) = (map, .v6) }
        let target = try #require(URL(string: url))
        #expect(await Wire.error { try await six.data(from: target) }?.code == .cannotConnectToHost)
    }

    @Test("If the first of several addresses does not respond, the next one is tried in time")
    func silentAddress() async throws {
        let server = try LoopbackServer { _ in .text("second") }
        let listener = try UnansweringListener(on: LoopbackSocket.second, port: server.port)
        defer { withExtendedLifetime(listener) {} }
        var options = CurlSession.Options()
        options.connectTimeout = 3 * patience
        options.network.addresses = ["two.invalid": ["127.0.0.2", "127.0.0.1"]]
        #expect(try await text(Wire.session(options: options), "http://two.invalid:\(server.port)/") == "second")
    }

    @Test("An IPv6 server is reached with IPv6 only") func versionSix() async throws {
        let server = try LoopbackServer(host: "::1") { _ in .text("six") }
        let session = session { ($0.addresses, $0.ipVersion) = (["both.invalid": ["127.0.0.1", "::1"]], .v6) }
        #expect(try await text(session, "http://both.invalid:\(server.port)/") == "six")
    }

    // MARK: - The local endpoint

    @Test("Connections use the requested local address or interface") func localEndpoint() async throws {
        let seen = Watched<[String]>([])
        let server = try RawServer { connection in
            connection.readHead()
            seen.change { $0.append(connection.peer) }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        _ = try await session { $0.localEndpoint = .address("127.0.0.3") }.data(from: server.url())
        _ = try await session { $0.localEndpoint = .interface("lo") }.data(from: server.url())
        #expect(seen.current == ["127.0.0.3", "127.0.0.1"])
    }

    @Test(
        "A local endpoint that this machine does not have is an error",
        arguments: [NetworkOptions.LocalEndpoint.address("192.0.2.1"), .interface("none7")]
    )
    func missingEndpoint(_ endpoint: NetworkOptions.LocalEndpoint) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let error = await Wire.error { try await session { $0.localEndpoint = endpoint }.data(from: server.url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.ferryCode == .localEndpointUnavailable)
    }

    @Test("Invalid options fail every task with the reason") func invalid() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let changes: [@Sendable (inout NetworkOptions) -> Void] = [
            { $0.unixSocket = .path("") }, { $0.unixSocket = .path(String(repeating: "x", count: 108)) },
            { $0.unixSockets = ["a": .abstract("a\0b")] }, { $0.addresses = ["a": []] },
            { $0.addresses = ["a": ["localhost"]] }, { $0.addresses = ["a:0": ["127.0.0.1"]] },
            { $0.addresses = [":80": ["127.0.0.1"]] }, { $0.addresses = ["a:80:b": ["127.0.0.1"]] },
            { $0.localEndpoint = .interface("") }, { $0.localEndpoint = .interface("a/b") },
            { $0.localEndpoint = .address("eth0") }, { $0.happyEyeballsTimeout = 0 },
            { $0.happyEyeballsTimeout = .nan }, { $0.happyEyeballsTimeout = .infinity },
        ]
        for (index, change) in changes.enumerated() {
            let error = await Wire.error { try await session(change).data(from: server.url) }
            #expect(error?.ferryCode == .invalidNetworkOptions, "change \(index)")
        }
        #expect(server.requestCount == 0)
    }
}
