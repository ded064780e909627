import Ferry
import TestSupport
import Testing

/// Negotiate with MIT's Kerberos, in a realm of the tests' own.
@Suite(
    "Kerberos",
    .serialized,
    .ownThreads,
    .enabled(if: KerberosServer.isWanted, "Kerberos is not installed: \(KerberosServer.packages)"),
    .enabled(if: (try? CurlRuntime.current().supportsNegotiate) == true, "This libcurl has no Negotiate"),
    .timeLimit(.minutes(5))
)
struct KerberosTests {
    /// Returns a session of this process, which gets the realm's configuration and a file with the user's tickets.
    ///
    /// Each test has a process of its own, since GSS-API reads both from the environment.
    static func session(in folder: URL, tickets: String) -> (CurlSession, CredentialDelegate) {
        setenv("KRB5_CONFIG", folder.appendingPathComponent("krb5.conf").path, 1)
        setenv("KRB5CCNAME", "FILE:\(folder.appendingPathComponent(tickets).path)", 1)
        let delegate = CredentialDelegate("", "")
        return (CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil), delegate)
    }

    @Test("The user's ticket answers Negotiate, without a user name or password")
    func ticket() async throws {
        let server = try KerberosServer(user: "ada")
        let (folder, url) = (server.folder, server.url)
        await #expect(processExitsWith: .success) { [folder = folder as URL, url = url as URL] in
            let (session, delegate) = KerberosTests.session(in: folder, tickets: "cache")
            // The service's principal has the name of the host.
            let port = try #require(url.port)
            var request = URLRequest(url: try #require(URL(string: "http://localhost:\(port)/")))
            let (data, response) = try await session.fetch(request)
            #expect(response.statusCode == 200)
            #expect(String(decoding: data, as: UTF8.self) == "ada@FERRY.TEST 0")
            #expect(delegate.methods == [NSURLAuthenticationMethodNegotiate])
            request.httpMethod = "POST"
            request.httpBody = Data(repeating: 7, count: 100_000)
            #expect(String(decoding: try await session.fetch(request).0, as: UTF8.self) == "ada@FERRY.TEST 100000")
        }
        withExtendedLifetime(server) {}
    }

    @Test("A request without the credential does not use a connection that the server knows by it")
    func connections() async throws {
        let server = try KerberosServer(user: "ada")
        let (folder, url) = (server.folder, server.url)
        await #expect(processExitsWith: .success) { [folder = folder as URL, url = url as URL] in
            let (session, delegate) = KerberosTests.session(in: folder, tickets: "cache")
            let port = try #require(url.port)
            let target = try #require(URL(string: "http://localhost:\(port)/connection"))
            #expect(String(decoding: try await session.fetch(target).0, as: UTF8.self) == "ada@FERRY.TEST 0")
            delegate.refuse()
            let (data, response) = try await session.fetch(target)
            #expect(response.statusCode == 401 && String(decoding: data, as: UTF8.self) == "denied")
            #expect(delegate.methods.count == 2)
        }
        withExtendedLifetime(server) {}
    }

    @Test("Without a ticket, the 401 is delivered")
    func noTicket() async throws {
        let server = try KerberosServer(user: "ada")
        let (folder, url) = (server.folder, server.url)
        await #expect(processExitsWith: .success) { [folder = folder as URL, url = url as URL] in
            let (session, _) = KerberosTests.session(in: folder, tickets: "none")
            let port = try #require(url.port)
            let (_, response) = try await session.fetch(try #require(URL(string: "http://localhost:\(port)/")))
            #expect(response.statusCode == 401)
        }
        withExtendedLifetime(server) {}
    }
}
