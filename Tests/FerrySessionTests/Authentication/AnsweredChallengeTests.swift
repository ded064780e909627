import FerryTesting
import Testing

@testable import FerrySession

/// Challenges that libcurl answers within an attempt, and responses that refuse a credential.
@Suite("Answered challenges", .timeLimit(.minutes(5)))
struct AnsweredChallengeTests {
    private static let digest = #"Digest realm="r", nonce="n", algorithm=SHA-256"#

    private static func refusal(_ challenges: String...) -> LoopbackResponse {
        challenges.reduce(.text("refused", statusCode: 401)) { $0.adding("WWW-Authenticate", $1) }
    }

    private static func isDigest(_ request: LoopbackRequest) -> Bool {
        request.header("Authorization")?.hasPrefix("Digest ") == true
    }

    @Test("The content coding of a challenge does not count for the response after it")
    func coding() async throws {
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACAytKTSstTk0BAHy+0/AHAAAA"))
        let server = try LoopbackServer { request in
            if Self.isDigest(request) { return .text("plain") }
            var response = Self.refusal(Self.digest).adding("Content-Encoding", "gzip")
            response.body = .data(coded)
            return response
        }
        let session = Wire.session(CredentialDelegate(password: "secret"))
        for _ in 0..<2 { #expect(try await session.data(from: server.url).0 == Data("plain".utf8)) }
        let unanswered = try await Wire.session().data(from: server.url)
        #expect(unanswered.0 == Data("refused".utf8))
    }

    @Test("The last credential of Digest that a task may give is tried", arguments: [true, false])
    func last(isRight: Bool) async throws {
        let server = try LoopbackServer()
        let most = AuthenticationChallenge.maximumFailures
        let passwords = (1..<most).map { "wrong \($0)" } + [isRight ? "secret" : "worse"]
        let answerer = Answerer(user: "ada", passwords: passwords + ["never given"])
        let (bytes, response) = try await Wire.session(answerer).bytes(from: server.url("/digest-auth/ada/secret"))
        let body = try await bytes.reduce(into: 0) { count, _ in count += 1 }
        #expect((response as? HTTPURLResponse)?.statusCode == (isRight ? 200 : 401))
        #expect((response as? HTTPURLResponse)?.expectedContentLength == Int64(body) && body > 0)
        #expect(answerer.challenges.count == most)
    }

    @Test("A challenge that only libcurl would answer is delivered, and the credential is not kept")
    func ambiguous() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/hostile" {
                return Self.refusal(Self.digest + #", Digest realm="s", nonce="m""#)
            }
            return Self.isDigest(request) ? .text("ok") : Self.refusal(Self.digest)
        }
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        let session = Wire.session(answerer)
        #expect(try await session.data(from: server.url).0 == Data("ok".utf8))
        let (bytes, response) = try await session.bytes(from: server.url("/hostile"))
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(try await bytes.reduce(into: []) { $0.append($1) } == Array("refused".utf8))
        #expect(server.requests.filter { $0.path == "/hostile" && Self.isDigest($0) }.isEmpty)
        #expect(answerer.challenges.count == 1)
    }

    @Test("A server that accepts the empty request before the body gets the body, and has one response")
    func acceptedProbe() async throws {
        let first = Watched(true)
        let server = try LoopbackServer { request in
            let isFirst = first.change { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst { return Self.refusal(Self.digest) }
            return .text(request.body.isEmpty ? "early" : "late")
        }
        let session = Wire.session(CredentialDelegate(password: "secret"))
        let request = Wire.request(server.url, "POST", body: Data("body".utf8))
        #expect(try await session.data(for: request).0 == Data("late".utf8))
        #expect(server.requests.map(\.body.count) == [4, 0, 4])
    }

    @Test("A body is sent twice for Digest, but once to a server that has answered the expectation with 401")
    func expectation() async throws {
        let bodies = Watched(0)
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let isIn = head.contains("\r\nAuthorization: Digest ")
                let isExpecting = head.contains("\r\nExpect: 100-continue\r\n")
                if head.contains("\r\nContent-Length: 4\r\n"), isIn || !isExpecting {
                    if isExpecting { connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
                    connection.readBody(4)
                    bodies.change { $0 += 1 }
                }
                let start = isIn ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 401 No\r\nWWW-Authenticate: \(Self.digest)\r\n"
                connection.write("\(start)Content-Length: 2\r\n\r\nok")
            }
        }
        for (headers, expected) in [([:], 2), (["Expect": "100-continue"], 1)] {
            let session = Wire.session(CredentialDelegate(password: "secret"))
            let request = Wire.request(server.url(), "POST", headers: headers, body: Data("body".utf8))
            for _ in 0..<2 {
                let before = bodies.current
                #expect(try await session.data(for: request).0 == Data("ok".utf8))
                #expect(bodies.current == before + expected)
            }
        }
    }

    @Test(
        "A credential that was refused is not sent with later requests",
        arguments: [[], ["Bearer error=\"invalid_token\""], ["Digest realm=\"r\", nonce=\"n\", algorithm=Unknown"]]
    )
    func refused(challenges: [String]) async throws {
        let server = try LoopbackServer { request in
            guard request.header("Authorization") == nil else {
                return challenges.reduce(.text("refused", statusCode: 401)) { $0.adding("WWW-Authenticate", $1) }
            }
            return Self.refusal("Basic realm=\"r\"")
        }
        let session = Wire.session(Answerer(user: "ada", passwords: ["wrong"]))
        for _ in 0..<2 {
            let (data, response) = try await session.data(from: server.url)
            #expect((response as? HTTPURLResponse)?.statusCode == 401 && data == Data("refused".utf8))
        }
        #expect(server.requests.map { $0.header("Authorization") != nil } == [false, true, false])
    }

    @Test(
        "A refusal of Digest without a challenge for it is delivered, with its own body",
        arguments: [[], ["Bearer error=\"insufficient_scope\""]]
    )
    func refusedDigest(challenges: [String]) async throws {
        let server = try LoopbackServer { request in
            guard Self.isDigest(request) else { return Self.refusal(Self.digest) }
            return challenges.reduce(.text("locked", statusCode: 401)) { $0.adding("WWW-Authenticate", $1) }
        }
        let session = Wire.session(CredentialDelegate(password: "secret"))
        #expect(try await session.data(from: server.url).0 == Data("locked".utf8))
        #expect(server.requestCount == 3)
    }

    @Test("A request with an empty body is sent once, and has one response") func emptyBody() async throws {
        let server = try LoopbackServer { request in
            if request.method == "POST" { return .text("out") }
            return Self.isDigest(request) ? .text("ok") : Self.refusal(Self.digest)
        }
        let session = Wire.session(CredentialDelegate(password: "secret"))
        #expect(try await session.data(from: server.url).0 == Data("ok".utf8))
        #expect(try await session.data(for: Wire.request(server.url, "POST")).0 == Data("out".utf8))
        #expect(server.requests.filter { $0.method == "POST" }.count == 1)
    }

    @Test("A request with an empty body is sent once after a redirect") func emptyRedirect() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/open" { return .text("open") }
            return Self.isDigest(request) ? .redirect(to: "/open", statusCode: 307) : Self.refusal(Self.digest)
        }
        let session = Wire.session(CredentialDelegate(password: "secret"))
        #expect(try await session.data(for: Wire.request(server.url, "POST")).0 == Data("open".utf8))
        #expect(server.requests.filter { $0.path == "/open" }.count == 1)
    }

    @Test("The last of too many credentials is not sent with later requests")
    func tooMany() async throws {
        let server = try LoopbackServer()
        let session = Wire.session(Answerer(user: "ada", passwords: (0..<100).map { "wrong \($0)" }))
        let url = server.url("/basic-auth/ada/secret")
        _ = try await session.data(from: url)
        let count = server.requestCount
        _ = try await session.data(from: url)
        #expect(server.requests[count].header("Authorization") == nil)
    }
}
