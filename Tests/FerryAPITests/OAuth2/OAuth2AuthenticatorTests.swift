import FerryTesting
import Foundation
import Testing

@testable import FerryAPI

@Suite("OAuth 2.0", .timeLimit(.minutes(5)))
struct OAuth2AuthenticatorTests {
    private let clock = ManualClock()
    private let client = OAuth2Client(id: "robot", secret: "s3cret")
    private static let token = #"{"access_token":"new","token_type":"bearer"}"#

    private func authenticator(
        _ endpoint: URL,
        client: OAuth2Client? = nil,
        grant: OAuth2Authenticator.Grant = .clientCredentials,
        scope: String? = nil,
        parameters: [String: String] = [:]
    ) -> OAuth2Authenticator {
        var authenticator = OAuth2Authenticator(
            tokenEndpoint: endpoint,
            client: client ?? self.client,
            grant: grant,
            scope: scope,
            parameters: parameters
        )
        authenticator.clock = { [clock] in clock.now }
        return authenticator
    }

    private func server(_ json: String, status: Int = 200) throws -> LoopbackServer {
        try LoopbackServer { _ in .json(json, statusCode: status) }
    }

    /// Returns the error with which a refresh fails.
    private func failure(
        _ authenticator: OAuth2Authenticator,
        replacing token: OAuth2Token? = nil
    ) async throws -> OAuth2Error {
        try #require(await #expect(throws: OAuth2Error.self) { try await authenticator.refresh(token) })
    }

    // MARK: - Requests

    @Test("Client credentials are sent with HTTP Basic, form-encoded (RFC 6749, sections 2.3.1 and 4.4.2)")
    func clientCredentials() async throws {
        let server = try server(
            #"{"access_token":"new","token_type":"Bearer","expires_in":3600,"scope":"read","other":1}"#
        )
        let client = OAuth2Client(id: "a b:c", secret: "p%+ä")
        let token = try await authenticator(
            server.url("/token"),
            client: client,
            scope: "read write",
            parameters: ["audience": "api", "grant_type": "other"]
        )
        .refresh(OAuth2Token(accessToken: "old", refreshToken: "r1", scope: "old"))
        let expected = OAuth2Token(accessToken: "new", expirationDate: clock.now + 3_600, scope: "read")
        #expect(token == expected)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/token")
        #expect(request.bodyText == "audience=api&grant_type=client_credentials&scope=read+write")
        #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.header("Accept") == "application/json")
        let basic = Data("a+b%3Ac:p%25%2B%C3%A4".utf8).base64EncodedString()
        #expect(request.header("Authorization") == "Basic \(basic)")
        #expect(request.header("Cookie") == nil)
    }

    @Test("Client credentials are sent in the body if the server requires that")
    func inBody() async throws {
        let server = try server(Self.token)
        let client = OAuth2Client(id: "robot", secret: "a&b", method: .body)
        _ = try await authenticator(server.url, client: client).refresh(nil)
        let request = try #require(server.requests.first)
        #expect(request.bodyText == "client_id=robot&client_secret=a%26b&grant_type=client_credentials")
        #expect(request.header("Authorization") == nil)
    }

    @Test("A refresh token is sent, replaced by a new one, and kept without a new one (RFC 6749, section 6)")
    func refreshToken() async throws {
        let rotation = #"{"access_token":"a2","token_type":"bearer","refresh_token":"r2"}"#
        let server = try LoopbackServer(handler: LoopbackServer.sequence([.json(rotation), .json(Self.token)]))
        let client = OAuth2Client(id: "app", secret: nil)
        let authenticator = authenticator(server.url, client: client, grant: .refreshToken)
        let first = OAuth2Token(accessToken: "a1", refreshToken: "r1", scope: "read")
        let second = try await authenticator.refresh(first)
        #expect(second == OAuth2Token(accessToken: "a2", refreshToken: "r2", scope: "read"))
        let third = try await authenticator.refresh(second)
        #expect(third == OAuth2Token(accessToken: "new", refreshToken: "r2", scope: "read"))
        let bodies = server.requests.map(\.bodyText)
        let grant = "client_id=app&grant_type=refresh_token&refresh_token="
        #expect(bodies == [grant + "r1", grant + "r2"])
        #expect(server.requests.first?.header("Authorization") == nil)
    }

    @Test("Without a refresh token, or over http, nothing is sent")
    func nothingSent() async throws {
        let server = try server(Self.token)
        let refresh = authenticator(server.url, grant: .refreshToken)
        for token in [nil, OAuth2Token(accessToken: "a")] {
            #expect(try await failure(refresh, replacing: token).code == .missingRefreshToken)
        }
        #expect(server.requestCount == 0)
        for text in [
            "http://auth.example.com/token", "http://127.evil.example/", "http://localhost.evil.example/",
            "http://10.0.0.1/", "ftp://127.0.0.1/", "file:///etc/passwd", "token",
        ] {
            let endpoint = try #require(URL(string: text))
            #expect(try await failure(authenticator(endpoint)).code == .insecureEndpoint, "\(text)")
        }
    }

    @Test("A session can be given, whose cookies are not used")
    func session() async throws {
        let server = try LoopbackServer { _ in .json(Self.token).adding("Set-Cookie", "a=1; Path=/") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": "mine"]
        let authenticator = OAuth2Authenticator(
            tokenEndpoint: server.url,
            client: client,
            grant: .clientCredentials,
            session: CurlSession(configuration: configuration)
        )
        for _ in 1...2 { _ = try await authenticator.refresh(nil) }
        #expect(server.requests.map { $0.header("X-Session") } == ["mine", "mine"])
        #expect(server.requests.allSatisfy { $0.header("Cookie") == nil })
    }

    @Test("An endpoint on this machine is reached without the proxy of the environment", .ownThreads)
    func proxy() async {
        // The environment is shared within a process.
        await #expect(processExitsWith: .success) {
            let token = #"{"access_token":"new","token_type":"bearer"}"#
            let server = try LoopbackServer { _ in .json(token) }
            let proxy = try LoopbackServer { _ in .json(token) }
            setenv("http_proxy", proxy.url.absoluteString, 1)
            for host in ["127.0.0.1", "localhost", "auth.localhost"] {
                let endpoint = try #require(URL(string: "http://\(host):\(server.port)/token"))
                _ = try await OAuth2Authenticator(
                    tokenEndpoint: endpoint,
                    client: OAuth2Client(id: "robot", secret: "s3cret"),
                    grant: .clientCredentials
                )
                .refresh(nil)
            }
            try #require(server.requestCount == 3)
            try #require(proxy.requestCount == 0)
        }
    }

    // MARK: - Responses

    @Test("An error of the server has its code and description (RFC 6749, section 5.2)")
    func serverError() async throws {
        let server = try server(
            #"{"error":"invalid_grant","error_description":"The token was revoked"}"#,
            status: 400
        )
        let token = OAuth2Token(accessToken: "a", refreshToken: "r1")
        let error = try await failure(authenticator(server.url, grant: .refreshToken), replacing: token)
        let message = "The token endpoint refused the request: The token was revoked"
        #expect(error == OAuth2Error(.invalidGrant, message, statusCode: 400))
        #expect(error.localizedDescription == message)
        #expect("\(error)" == "invalid_grant: \(message) (HTTP 400)")
    }

    @Test("A refused client is an error, also with a challenge")
    func invalidClient() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.json(#"{"error":"invalid_client"}"#, statusCode: 401)
                .adding("WWW-Authenticate", "Basic realm=\"a\"")
        }
        #expect(try await failure(authenticator(server.url)).code == .invalidClient)
        #expect(server.requestCount == 1)
    }

    @Test("Secrets that a server repeats are removed from its error")
    func repeatedSecrets() async throws {
        let body = #"{"error":"invalid_grant","error_description":"s3cret, r3fresh and pa55 are no jwt_token"}"#
        let server = try server(body, status: 400)
        let token = OAuth2Token(accessToken: "a", refreshToken: "r3fresh")
        // A word is not treated as a secret, whatever the name of its parameter.
        let parameters = ["password": "pa55", "assertion_kind": "jwt_token"]
        let authenticator = authenticator(server.url, grant: .refreshToken, parameters: parameters)
        let error = try await failure(authenticator, replacing: token)
        #expect(error.message.hasSuffix(": <redacted>, <redacted> and <redacted> are no jwt_token"))
        #expect(SecretScan.findings(in: error) == [])
    }

    @Test("A redirect is not followed, which would send the secrets elsewhere", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let other = try server(Self.token)
        let server = try LoopbackServer { _ in .redirect(to: other.url.absoluteString, statusCode: status) }
        let error = try await failure(authenticator(server.url))
        #expect(error.code == .unexpectedResponse)
        #expect(error.statusCode == status)
        #expect(other.requestCount == 0)
    }

    @Test("A response that is too large is not read to its end")
    func tooLarge() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 500_000_000) }
        #expect(try await failure(authenticator(server.url)).code == .responseTooLarge)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
        #expect(server.sentByteCount < 100_000_000)
    }

    @Test("An error of the connection is reported as it is")
    func connectionError() async throws {
        let server = try LoopbackServer { _ in .empty }
        await #expect(throws: URLError.self) { try await authenticator(server.url).refresh(nil) }
        let closed = try ClosedPort()
        await #expect(throws: URLError.self) { try await authenticator(closed.url).refresh(nil) }
    }

    // MARK: - With an interceptor

    @Test("A thousand requests cause one token request, and another one when the token expires")
    func interceptor() async throws {
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence(
                (1...2).map { .json(#"{"access_token":"t\#($0)","token_type":"bearer","expires_in":100}"#) }
            )
        )
        let interceptor = AuthenticationInterceptor(
            authenticator(server.url),
            credential: nil,
            clock: { [clock] in clock.now }
        )
        for expected in ["Bearer t1", "Bearer t2"] {
            let results = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 1...1_000 {
                    let task = InterceptedTask(identifier: number)
                    group.addTask { try await task.authorization(interceptor) }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(results == [expected])
            clock.advance(by: 100)
        }
        #expect(server.requestCount == 2)
        #expect(await InterceptedTask(identifier: 0).decision(interceptor, token: "t1").name == "retry")
        #expect(server.requestCount == 2)
    }

    @Test("Descriptions contain neither tokens nor the client's secret")
    func descriptions() throws {
        let client = OAuth2Client(id: "robot", secret: SecretScan.password, method: .body)
        let endpoint = try #require(URL(string: "https://\(SecretScan.userInfo)auth.example.com/token"))
        let token = OAuth2Token(accessToken: SecretScan.password, refreshToken: SecretScan.password)
        let authenticator = authenticator(endpoint, client: client, parameters: ["password": SecretScan.password])
        let interceptor = AuthenticationInterceptor(authenticator, credential: token)
        for value in [client, token, authenticator, interceptor, ["a": token]] as [Any] {
            #expect(SecretScan.findings(in: value) == [])
            var text = ""
            dump(value, to: &text)
            #expect(!text.contains(SecretScan.password))
        }
        #expect("\(authenticator)" == "the OAuth 2.0 client robot at https://auth.example.com/token")
    }

    @Test("A token can be stored and read again")
    func storing() throws {
        let token = OAuth2Token(accessToken: "a", refreshToken: "r", expirationDate: clock.now, scope: "s")
        #expect(try JSONDecoder().decode(OAuth2Token.self, from: JSONEncoder().encode(token)) == token)
    }
}
