import Testing

@testable import FerrySession

/// RFC 9525, section 6.
@Suite("Names of certificates")
struct CertificateNameRuleTests {
    private static let names: [X509Certificate.Name] = [
        .dns("api.example.com"), .dns("*.example.org"), .dns("*.com"), .dns("f*.example.net"), .dns("*.*.example.net"),
        .dns("192.0.2.9"), .dns("*"), .dns("*."), .dns("dot.example."), .dns("xn--bcher-kva.example"),
        .address(Data([192, 0, 2, 1])), .address(Data([0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1])),
    ]

    @Test(
        "A host matches its exact name, a wildcard for its first label, or its address",
        arguments: [
            ("api.example.com", true), ("API.Example.COM", true), ("api.example.com.", true),
            ("%61pi.example.com", true),
            ("dot.example", true), ("a.example.org", true), ("xn--bcher-kva.example", true), ("192.0.2.1", true),
            ("[2001:db8::1]", true), ("2001:DB8:0::1", true),
            ("example.com", false), ("v1.api.example.com", false), ("example.org", false), ("a.b.example.org", false),
            (".example.org", false), ("example.com.evil", false), ("other.com", false), ("foo.example.net", false),
            ("a.b.example.net", false), ("192.0.2.9", false), ("192.0.2.2", false), ("::1", false), ("", false),
            (".", false), ("localhost", false), ("b\u{FC}cher.example", true), ("b\u{FC}cher.test", false),
            ("192.1", false),
            ("0xc0.0.2.1", true), ("3221225985", true), ("[::ffff:192.0.2.1]", false), ("api.example.com:443", false),
        ]
    )
    func matching(host: String, expected: Bool) {
        #expect(CertificateNameRule.matches(Self.names, host: host) == expected)
    }

    @Test("Without names, no host matches")
    func none() {
        #expect(!CertificateNameRule.matches([], host: "api.example.com"))
    }
}
