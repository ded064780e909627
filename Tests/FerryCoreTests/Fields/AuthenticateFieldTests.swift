import FerryCore
import Testing

@Suite("Authenticate field")
struct AuthenticateFieldTests {
    @Test(
        "Challenges are parsed according to RFC 9110, section 11.6.1",
        arguments: [
            (["Basic realm=\"simple\""], ["basic:simple"]),
            (
                ["Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\""],
                ["newauth:apps", "basic:simple"]
            ),
            (["Digest realm=\"a, b\", nonce=\"x\"", "Basic realm=c"], ["digest:a, b", "basic:c"]),
            (["Negotiate", "NTLM"], ["negotiate:-", "ntlm:-"]),
            (["Negotiate, Basic realm=\"x\""], ["negotiate:-", "basic:x"]),
            (["Negotiate YWJj=="], ["negotiate:-"]),
            (["BASIC nonsense, REALM=\"late\""], ["basic:late"]),
            (["", ",,", "=", "\""], []),
            (["Basic realm=\"a\u{301}\"\u{301}, Digest realm=\"b\""], ["basic:\"a\u{301}\"\u{301}", "digest:b"]),
            (["Basic realm=\"" + String(repeating: "a", count: 1_025) + "\", Digest realm=b"], ["digest:b"]),
            // Section 11.2 allows white space around the equals sign.
            (["Basic realm = \"r\", charset =\"UTF-8\""], ["basic:r"]),
            (["Other a= b,  Digest realm  =d"], ["other:-", "digest:d"]),
            ([String(repeating: "Basic realm=a,", count: 100)], Array(repeating: "basic:a", count: 64)),
            // Beyond the limit, only the first Digest challenge is read.
            (
                [String(repeating: "Basic realm=a,", count: 64) + "Digest realm=b, Digest realm=c", "Digest realm=d"],
                Array(repeating: "basic:a", count: 64) + ["digest:b"]
            ),
        ] as [([String], [String])]
    )
    func parsing(_ values: [String], _ expected: [String]) {
        #expect(AuthenticateField.parse(values).map { "\($0.scheme):\($0.realm ?? "-")" } == expected)
    }
}

extension AuthenticateFieldTests {
    @Test(
        "Digest is chosen only if libcurl's response is correct (RFC 7616, section 3.3)",
        arguments: [
            ([#"Digest realm="d", nonce="n""#], "d"),
            ([#"Digest realm="d", nonce="n", algorithm=MD5"#], "d MD5"),
            ([#"Digest algorithm="sha-256-SESS", realm="d", nonce="n", qop=auth"#], "d sha-256-SESS"),
            ([#"Digest realm="d", nonce="n", algorithm=SHA-512-256"#], nil),
            ([#"Digest realm="d", nonce="n", algorithm=SHA-512-256-sess"#], nil),
            ([#"Digest realm="d", nonce="n", algorithm=unknown"#], nil),
            ([#"Digest realm="d", nonce="n", algorithm="#], nil),
            ([#"Digest realm="d""#], nil),
            ([#"Digest realm="d", nonce="""#], nil),
            (["Basic realm=b"], nil),
            // libcurl reads no white space around the equals sign.
            ([#"Digest realm="d", nonce = "n""#], nil),
            ([#"Digest realm= "d", nonce="n""#], nil),
            // libcurl reads only the first Digest challenge.
            ([#"Digest realm="d", nonce="n", algorithm=SHA-256"#, #"Digest realm="e", nonce="m""#], "d SHA-256"),
            ([#"Digest realm="d", nonce="n", algorithm=unknown"#, #"Digest realm="e", nonce="m""#], nil),
            // libcurl adds the parameters of later challenges in the same value, except the first of each.
            ([#"Digest realm="d", nonce="n", algorithm=SHA-256, Digest realm="e", nonce="m", algorithm=MD5"#], nil),
            ([#"Digest realm="d", nonce="n", Other a=1, nonce="m""#], nil),
            ([#"Digest realm="d", nonce="n", algorithm=SHA-256, Digest realm="d", nonce="m", algorithm=MD5"#], "d MD5"),
            ([#"Digest realm="d", nonce="n", algorithm=SHA-256, Digest realm="d", nonce="n""#], "d SHA-256"),
            ([#"Digest realm="d", nonce="n", algorithm=SHA-256, Digest nonce="m", realm="e", algorithm=MD5"#], nil),
            ([#"Digest realm="d", nonce="n", qop="auth", Digest realm="d", nonce="n", algorithm=SHA-256"#], nil),
            ([#"Digest realm="d", nonce="n", algorithm=unknown, Digest realm="d", nonce="n", algorithm=MD5"#], nil),
            ([#"Basic realm="b", Digest realm="d", nonce="n", Digest realm="d", nonce="n", stale=TRUE"#], "d"),
            // libcurl reads nothing after an empty element, and at most 1,023 bytes of a value.
            ([#"Digest realm="d", nonce="n", , stale=false"#], "d"),
            ([#"Digest realm="d", , nonce="n""#], nil),
            ([#"Digest realm="d", nonce=""# + String(repeating: "n", count: 1_023) + "\""], "d"),
            ([#"Digest realm="d", nonce=""# + String(repeating: "n", count: 1_024) + "\""], nil),
            // libcurl also finds a scheme in a quoted string, and no parameters of a session algorithm without qop.
            ([#"Basic realm="a, Digest realm=x", Digest realm="d", nonce="n""#], nil),
            ([#"Digest realm="d", nonce="n", algorithm=MD5-sess"#], nil),
            ([#"Digest realm="d", nonce="n", algorithm=MD5-sess, qop="auth-int, auth""#], "d MD5-sess"),
            ([#"Digest realm="d", nonce="n", Basic realm="b""#], "d"),
            ([#"Basic realm="b", charset="UTF-8", Digest realm="d", nonce="n", Bearer"#], "d"),
            ([#"Digest realm="d, nonce=x, Digest nonce=y", nonce="n""#], "d, nonce=x, Digest nonce=y"),
        ] as [([String], String?)]
    )
    func digest(_ values: [String], _ expected: String?) {
        let chosen = AuthenticateField.digest(values)
        let text = chosen.map { [$0.realm, $0.parameters["algorithm"]].compactMap { $0 }.joined(separator: " ") }
        #expect(text == expected)
    }
}
