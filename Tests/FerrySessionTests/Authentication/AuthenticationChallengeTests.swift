import Testing

@testable import FerrySession

@Suite struct AuthenticationChallengeTests {
    /// A scheme that is not known, or that this libcurl lacks, is one that the server does not require of every client.
    ///
    /// The text of a Digest challenge decides whether it can be answered, and could be written to get the password.
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
            (#"Digest realm=a, nonce=n, stale=true"#, .digest, [true, false, false]),
            (#"Digest realm=a, nonce=n, stale=false"#, .digest, [true, true, false]),
            ("Negotiate YWJj", .negotiate, [true, true, false]), ("NTLM YWJj", .ntlm, [true, true, false]),
            ("Basic realm=a", .basic, [true, true, false]),
        ] as [(String, AuthenticationScheme, [Bool])]
    )
    func rounds(_ value: String, _ scheme: AuthenticationScheme, _ expected: [Bool]) throws {
        let head = try head([value])
        let goesOn = (1...3).map { AuthenticationChallenge.mayContinue(head, scheme: scheme, rounds: $0) }
        #expect(goesOn == expected)
    }

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
