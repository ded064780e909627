import FerrySession
import ProxySupport
import TestSupport
import Testing

/// Servers and proxies that request credentials again and again (RFC 7616, section 3.3).
@Suite("Hostile challenges", .ownThreads, .timeLimit(.minutes(5)))
struct HostileChallengeTests {
    /// Responds to every request with a challenge whose nonce is new and marked as stale.
    private func server(_ status: Int, _ field: String) throws -> (server: RawServer, requests: Locked<Int>) {
        let requests = Locked(0)
        let server = try RawServer { connection in
            while true {
                if connection.readHead().isEmpty { return }
                let number = requests.withLock { count in
                    count += 1
                    return count
                }
                let challenge = "Digest realm=\"a\", nonce=\"n\(number)\", stale=true, qop=\"auth\""
                connection.write("HTTP/1.1 \(status) No\r\n\(field): \(challenge)\r\nContent-Length: 2\r\n\r\nno")
            }
        }
        return (server, requests)
    }

    @Test("A nonce that is always stale is responded to once, then the challenge is delivered")
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
        #expect(requests.withLock { $0 } <= 40)
    }

    @Test("A delegate that returns the same credential each time is asked at most ten times") func byDelegate()
        async throws
    {
        let (server, requests) = try server(401, "WWW-Authenticate")
        let delegate = CredentialDelegate(password: "wrong")
        let session = Wire.session(delegate)
        let (data, response) = try await Bystander.watching(session) { try await session.data(from: server.url()) }
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(data == Data("no".utf8))
        #expect(delegate.count.withLock { $0 } == 10)
        #expect(requests.withLock { $0 } <= 40)
    }

    @Test("A proxy whose nonces are always stale is given up") func tunnel() async throws {
        let (server, requests) = try server(407, "Proxy-Authenticate")
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: server.port, user: "ada", password: "secret", except: ["127.0.0.1"])
        let session = Wire.session(options: options)
        let url = try #require(URL(string: "https://example.invalid/"))
        let error = try await Bystander.watching(session) { await Wire.error { try await session.data(from: url) } }
        #expect(error?.code == .userAuthenticationRequired)
        #expect(error?.ferryCode == .proxyAuthenticationRequired)
        #expect(requests.withLock { $0 } <= 40)
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
