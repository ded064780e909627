import FerrySession
import FerryTesting
import ProxySupport
import TestSupport
import Testing

/// Servers and proxies that request credentials again and again (RFC 7616, section 3.3).
@Suite("Hostile challenges", .ownThreads, .timeLimit(.minutes(5)))
struct HostileChallengeTests {
    /// Responds to every request with a challenge whose nonce is new.
    private func server(
        _ status: Int,
        _ field: String,
        isStale: Bool = true,
        _ body: String = "no"
    ) throws -> (server: RawServer, requests: Watched<Int>) {
        let requests = Watched(0)
        let server = try RawServer { connection in
            while true {
                // The end of a connection may leave a part of a request's body.
                if !connection.readHead().contains(" HTTP/1.1\r\n") { return }
                let number = requests.change { count in
                    count += 1
                    return count
                }
                let challenge = "Digest realm=\"a\", nonce=\"n\(number)\", stale=\(isStale), qop=\"auth\""
                let head = "HTTP/1.1 \(status) No\r\n\(field): \(challenge)\r\nContent-Length: \(body.utf8.count)"
                connection.write("\(head)\r\n\r\n\(body)")
            }
        }
        return (server, requests)
    }

    @Test("Nonces that are always stale are responded to twice, then the challenge is delivered")
    func inURL() async throws {
        let (server, requests) = try server(401, "WWW-Authenticate")
        var components = URLComponents(url: server.url(), resolvingAgainstBaseURL: false)
        components?.user = "ada"
        components?.password = "secret"
        let url = try #require(components?.url)
        let session = Wire.session()
        let (data, response) = try await Bystander.watching(session) { try await session.data(from: url) }
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(data == Data("no".utf8))
        #expect(requests.current <= 4)
    }

    @Test(
        "A server that accepts no nonce gets three requests, and one more if it calls them stale",
        arguments: [false, true],
        TaskKind.allCases
    )
    func byDelegate(isStale: Bool, kind: TaskKind) async throws {
        let (server, requests) = try server(401, "WWW-Authenticate", isStale: isStale)
        let delegate = CredentialDelegate(password: "wrong")
        let session = Wire.session(delegate)
        let data = try await Bystander.watching(session) {
            try await kind.send(Wire.request(server.url()), in: session)
        }
        #expect(data == Data("no".utf8))
        #expect(delegate.count.current == 2)
        #expect(requests.current == (isStale ? 4 : 3))
    }

    @Test("A request follows an upload that was ended instead of being sent once more")
    func requestAfterEndedUpload() async throws {
        let (server, _) = try server(401, "WWW-Authenticate", isStale: true)
        let other = try LoopbackServer { _ in .json("1") }
        let session = Wire.session(CredentialDelegate(password: "wrong"))
        for _ in 0..<10 {
            #expect(try await TaskKind.upload.send(Wire.request(server.url()), in: session) == Data("no".utf8))
            #expect(try await session.data(from: other.url("/")).0 == Data("1".utf8))
        }
    }

    @Test(
        "A proxy that accepts no nonce gets three requests, and one more if it calls them stale",
        arguments: [false, true],
        TaskKind.allCases
    )
    func forwarded(isStale: Bool, kind: TaskKind) async throws {
        let (server, requests) = try server(407, "Proxy-Authenticate", isStale: isStale)
        let delegate = CredentialDelegate(password: "wrong")
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: server.port, except: ["127.0.0.1"])
        let session = Wire.session(delegate, options: options)
        let url = try #require(URL(string: "http://example.invalid/"))
        let data = try await Bystander.watching(session) { try await kind.send(Wire.request(url), in: session) }
        #expect(data == Data("no".utf8))
        #expect(requests.current == (isStale ? 4 : 3))
    }

    @Test("A credential that has worked is given up when all of its nonces are stale")
    func afterSuccess() async throws {
        let count = Watched((isStale: false, requests: 0))
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let (isStale, number) = count.change { count in
                    count.requests += 1
                    return (count.isStale, count.requests)
                }
                if !isStale, head.contains("\r\nAuthorization:") {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                } else {
                    let challenge = "Digest realm=\"a\", nonce=\"n\(number)\", stale=\(isStale)"
                    connection.write("HTTP/1.1 401 No\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nno")
                }
            }
        }
        let session = Wire.session(CredentialDelegate(password: "right"))
        #expect(try await session.data(from: server.url()).0 == Data("ok".utf8))
        count.change { $0 = (true, 0) }
        let (data, response) = try await Bystander.watching(session) { try await session.data(from: server.url()) }
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(data == Data("no".utf8))
        #expect(count.change { $0.requests } == 4)
    }

    /// The body of the first response is not kept, and that of the last one is discarded by libcurl.
    @Test("A large response whose nonces are always stale is an error")
    func largeBody() async throws {
        let (server, requests) = try server(401, "WWW-Authenticate", String(repeating: "n", count: 200_000))
        let session = Wire.session(CredentialDelegate(password: "wrong"))
        let error = await Wire.error { try await session.data(from: server.url()) }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(requests.current == 4)
    }

    @Test("A proxy whose nonces for a tunnel are always new is given up", arguments: [false, true])
    func tunnel(isStale: Bool) async throws {
        let (server, requests) = try server(407, "Proxy-Authenticate", isStale: isStale)
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: server.port, user: "ada", password: "secret", except: ["127.0.0.1"])
        let session = Wire.session(options: options)
        let url = try #require(URL(string: "https://example.invalid/"))
        let error = try await Bystander.watching(session) { await Wire.error { try await session.data(from: url) } }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.ferryCode == .proxyAuthenticationRequired)
        #expect(requests.current == (isStale ? 4 : 3))
    }

    @Test(
        "The endless response of a proxy to CONNECT ends, and delays no other request",
        arguments: ["Content-Length: 999999999999", "Transfer-Encoding: chunked"]
    )
    func endlessTunnel(_ framing: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"a\"\r\n\(framing)\r\n\r\n")
            let zeros = Data(count: 65_536)
            let piece = framing.hasSuffix("chunked") ? Data("10000\r\n".utf8) + zeros + Data("\r\n".utf8) : zeros
            while connection.write(piece) {}
        }
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: server.port, user: "ada", password: "x", except: ["127.0.0.1"])
        let session = Wire.session(options: options)
        let url = try #require(URL(string: "https://example.invalid/"))
        for kind in [TaskKind.data, .upload, .download, .stream] {
            let error = try await Bystander.watching(session) {
                await Wire.error { try await kind.send(Wire.request(url), in: session) }
            }
            #expect(error?.code == .userAuthenticationRequired, "\(kind)")
        }
    }

    @Test("The header of a proxy's response to CONNECT has a limit") func tunnelHeader() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n")
            while connection.write(String(repeating: "X: \(String(repeating: "v", count: 100))\r\n", count: 100)) {}
        }
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: server.port, except: ["127.0.0.1"])
        let session = Wire.session(options: options)
        let url = try #require(URL(string: "https://example.invalid/"))
        let error = try await Bystander.watching(session) { await Wire.error { try await session.data(from: url) } }
        #expect(error != nil)
    }
}
