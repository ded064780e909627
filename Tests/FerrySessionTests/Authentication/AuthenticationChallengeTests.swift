import Testing

@testable import FerrySession

@Suite struct AuthenticationChallengeTests {
    /// A scheme that is unknown, or that this libcurl lacks, is not one that the server requires of every client.
    ///
    /// The text of a Digest challenge decides whether it can be answered; a server could write it to get the password.
    @Test(
        "Basic is not offered beside a Digest challenge that cannot be answered",
        arguments: [
            (["Basic realm=b"], ["basic:b"]),
            ([#"Digest realm=d, nonce=n, Basic realm=b"#], ["digest:d", "basic:b"]),
            (["Basic realm=b", #"Digest realm=d, nonce=n, algorithm=SHA-256"#], ["digest:d", "basic:b"]),
            (["Digest realm=d, nonce=n, algorithm=SHA-512-256, Basic realm=b"], []),
            (["Basic realm=b", "Digest realm=d"], []),
            (["Basic realm=b, Digest realm=d, nonce=n, Digest realm=e, nonce=m"], []),
            (["Basic realm=b", "Digest realm=\"" + String(repeating: "d", count: 1_025) + "\", nonce=n"], []),
            ([String(repeating: "Basic realm=a,", count: 64) + "Digest realm=d"], []),
            (["Bearer realm=a", "Basic realm=b"], ["basic:b"]),
            ([#"Bearer realm="a", scope="b c", Newauth x=1, Basic realm=b"#], ["basic:b"]),
        ] as [([String], [String])]
    )
    func offered(_ values: [String], _ expected: [String]) throws {
        let challenge = AuthenticationChallenge(try head(values), runtime: try CurlRuntime.current())
        #expect((challenge?.options ?? []).map { "\($0.scheme.rawValue):\($0.realm ?? "-")" } == expected)
    }

    /// A server may call every nonce stale (RFC 7616, section 3.3); a token may follow another (RFC 4559, section 5).
    @Test(
        "A credential is sent again for a stale nonce once, and for a token twice",
        arguments: [
            ([Self.new, Self.stale], .digest, [true, true]),
            ([Self.new, Self.stale, Self.stale], .digest, [true, true, false]),
            // The first nonce cannot belong to the credential.
            ([Self.stale, Self.stale, Self.stale], .digest, [true, true, false]),
            // The password is wrong: libcurl does not respond, and the body is delivered.
            ([Self.new, Self.stale, Self.new], .digest, [true, true, true]),
            ([Self.new, Self.new, Self.new], .digest, [true, true, false]),
            ([Self.new, Self.stale, Self.new, Self.stale], .digest, [true, true, true, false]),
            // libcurl does not respond to an unknown algorithm.
            ([Self.new, Self.stale + ", algorithm=x", Self.new], .digest, [true, true, false]),
            (["Negotiate YWJj", "Negotiate YWJj", "Negotiate YWJj"], .negotiate, [true, true, false]),
            (["NTLM YWJj", "NTLM YWJj", "NTLM YWJj"], .ntlm, [true, true, false]),
            (["Basic realm=a", "Basic realm=a", "Basic realm=a"], .basic, [true, true, false]),
            // Only Digest has nonces.
            ([Self.stale, Self.stale, Self.stale], .basic, [true, true, false]),
            ([Self.stale, Self.stale, Self.stale], nil, [true, true, false]),
        ] as [([String], AuthenticationScheme?, [Bool])]
    )
    func rounds(_ values: [String], _ scheme: AuthenticationScheme?, _ expected: [Bool]) throws {
        var rounds = ChallengeRounds()
        #expect(try values.map { rounds.mayContinue(try head([$0]), scheme: scheme) } == expected)
    }

    private static let new = "Digest realm=a, nonce=n"
    private static let stale = "Digest realm=a, nonce=n, stale=true"

    /// Returns the head of a response with status 401.
    private func head(_ values: [String]) throws -> ResponseHead {
        var parser = ResponseHeadParser()
        var head: ResponseHead?
        for line in ["HTTP/1.1 401 No"] + values.map({ "WWW-Authenticate: \($0)" }) + [""] {
            let event = Array("\(line)\r\n".utf8).withUnsafeBytes { parser.consume($0) }
            if case .head(let found) = event { head = found }
        }
        return try #require(head)
    }
}
