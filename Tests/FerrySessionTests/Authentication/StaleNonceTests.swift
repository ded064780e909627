import FerryTesting
import Testing

@testable import FerrySession

/// Nonces that a server calls stale: the password was right, and is sent with the new nonce (RFC 7616, section 3.3).
///
/// `HostileChallengeTests` has the servers that never accept a nonce.
@Suite("Stale nonces", .timeLimit(.minutes(5)))
struct StaleNonceTests {
    /// The server's verdict about a request with the right password.
    enum Verdict { case accepted, stale, refused }

    /// A server with a new nonce in each challenge, which decides in turn about the requests with a credential.
    ///
    /// It responds with the hash of the body. Without further verdicts it accepts the right password.
    private static func server(_ verdicts: [Verdict]) throws -> LoopbackServer {
        let state = Watched((nonces: 0, verdicts: verdicts))
        return try LoopbackServer { request in
            let isKnown = request.header("Authorization").map { isRight($0, request) }
            let (number, verdict) = state.change { state in
                state.nonces += 1
                guard isKnown == true else { return (state.nonces, Verdict.refused) }
                return (state.nonces, state.verdicts.isEmpty ? .accepted : state.verdicts.removeFirst())
            }
            if verdict == .accepted { return .text(request.bodySHA256) }
            let challenge = "Digest realm=\"r\", nonce=\"n\(number)\", qop=\"auth\", algorithm=SHA-256"
            let field = verdict == .stale ? challenge + ", stale=true" : challenge
            return LoopbackResponse.text("refused \(number)", statusCode: 401).adding("WWW-Authenticate", field)
        }
    }

    /// Whether a field proves that the client knows the password of `ada`.
    private static func isRight(_ field: String, _ request: LoopbackRequest) -> Bool {
        guard let nonce = parameter("nonce", field), let count = parameter("nc", field),
            let clientNonce = parameter("cnonce", field)
        else { return false }
        func hash(_ text: String) -> String { SHA256Hash.hash(Data(text.utf8)).hexadecimal }
        let (secret, action) = (hash("ada:r:secret"), hash("\(request.method):\(request.target)"))
        return parameter("response", field) == hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(action)")
    }

    private static func parameter(_ name: String, _ field: String) -> String? {
        for part in field.dropFirst("Digest ".count).split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1)
            guard sides.count == 2, sides[0].trimmingCharacters(in: .whitespaces) == name else { continue }
            return sides[1].trimmingCharacters(in: ["\"", " "])
        }
        return nil
    }

    /// The nonces of the requests, in order; `nil` for those without a credential.
    private func nonces(_ server: LoopbackServer) -> [String?] {
        server.requests.map { request in request.header("Authorization").flatMap { Self.parameter("nonce", $0) } }
    }

    @Test("The credential is sent with the new nonce, and the delegate is asked once", arguments: TaskKind.allCases)
    func once(kind: TaskKind) async throws {
        let server = try Self.server([.stale])
        let delegate = CredentialDelegate(password: "secret")
        let data = try await kind.send(Wire.request(server.url), in: Wire.session(delegate))
        let body = Data(kind == .upload ? "12345".utf8 : "".utf8)
        #expect(String(decoding: data, as: UTF8.self) == SHA256Hash.hash(body).hexadecimal)
        #expect(nonces(server) == [nil, nil, "n2", "n3"])
        #expect(delegate.count.current == 1)
    }

    @Test("A large body is sent again completely with the new nonce") func largeBody() async throws {
        let server = try Self.server([.stale])
        let session = Wire.session(CredentialDelegate(password: "secret"))
        let body = LoopbackServer.pattern(count: 700_000)
        let (data, _) = try await session.upload(for: Wire.request(server.url, "POST"), from: body)
        #expect(String(decoding: data, as: UTF8.self) == SHA256Hash.hash(body).hexadecimal)
        #expect(nonces(server) == [nil, nil, "n2", "n3"])
    }

    @Test("A credential that was accepted before is sent with the new nonce, without a challenge")
    func accepted() async throws {
        let server = try Self.server([.accepted, .stale, .accepted, .stale])
        let delegate = CredentialDelegate(password: "secret")
        let session = Wire.session(delegate)
        for _ in 0..<3 {
            let (_, response) = try await session.data(from: server.url)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        #expect(nonces(server) == [nil, nil, "n2", nil, "n4", "n5", nil, "n7", "n8"])
        #expect(delegate.count.current == 1)
    }

    /// The response to the new nonce refuses the password.
    @Test("A credential that is refused with the new nonce leads to a challenge, and its 401 has a body")
    func refused() async throws {
        let server = try Self.server([.stale, .refused])
        let delegate = Answerer(user: "ada", passwords: ["secret"])
        let (data, response) = try await Wire.session(delegate).data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(data == Data("refused 4".utf8))
        #expect(delegate.challenges.map(\.failures) == [0, 1])
        #expect(nonces(server) == [nil, nil, "n2", "n3"])
    }

    @Test("A nonce that is stale twice leads to a challenge, and another credential may follow")
    func twice() async throws {
        let server = try Self.server([.stale, .stale])
        let delegate = Answerer(user: "ada", passwords: ["secret", "other", "secret"])
        let (data, response) = try await Wire.session(delegate).data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(data.starts(with: Data("refused".utf8)))
        #expect(nonces(server) == [nil, nil, "n2", "n3", nil, "n5"])
        #expect(delegate.challenges.map(\.failures) == [0, 1, 2])
    }

    @Test("Basic is not sent again, whatever the challenge says") func basic() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("no", statusCode: 401).adding("WWW-Authenticate", "Basic realm=\"r\", stale=true")
        }
        let delegate = CredentialDelegate(password: "secret")
        let (_, response) = try await Wire.session(delegate).data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(server.requests.map { $0.header("Authorization") != nil } == [false, true])
    }

    @Test(
        "A credential that was accepted is not tried without the body where the server does not ask",
        arguments: [200, 500, 303],
        [false, true]
    )
    func open(status: Int, redirects: Bool) async throws {
        let server = try LoopbackServer { request in
            if request.path == "/open" {
                let response = LoopbackResponse.text(request.bodySHA256, statusCode: status)
                return status == 303 ? response.adding("Location", "/done") : response
            }
            let isRight = request.header("Authorization").map { Self.isRight($0, request) } == true
            guard isRight else {
                let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
                return .text("no", statusCode: 401).adding("WWW-Authenticate", challenge)
            }
            let leads = redirects && request.method == "POST"
            return leads
                ? LoopbackResponse.status(307).adding("Location", "/open") : .text(request.bodySHA256)
        }
        let delegate = CredentialDelegate(password: "secret")
        let session = makeSession(delegate)
        _ = try await session.data(from: server.url("/private"))
        var request = URLRequest(url: server.url(redirects ? "/private" : "/open"))
        request.httpMethod = "POST"
        let body = LoopbackServer.pattern(count: 100_000)
        _ = try await session.upload(for: request, from: body)
        let open = server.requests.filter { $0.path == "/open" }
        #expect(open.map(\.bodyLength) == [100_000])
        #expect(delegate.count.current == 1)
        // Where libcurl asks for a challenge itself, the delegate is not asked again.
        request.url = server.url("/private/other")
        if !redirects {
            let (data, _) = try await session.upload(for: request, from: body)
            #expect(String(decoding: data, as: UTF8.self) == SHA256Hash.hash(body).hexadecimal)
            #expect(delegate.count.current == 1)
        }
    }
}
