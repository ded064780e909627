import FerryCore
import Foundation
import Testing

/// The cases are from the WHATWG URL Standard (https://url.spec.whatwg.org/#host-parsing), from RFC 3986, section
/// 3.2.2, and from RFC 5952, sections 4 and 5, except for what ``URLHost`` documents.
@Suite struct URLHostTests {
    @Test(
        "A name has one form for all its spellings",
        arguments: [
            ("example.com", "example.com"),
            ("EXAMPLE.com", "example.com"),
            ("Example.COM.", "example.com"),
            ("ex%61mple.com", "example.com"),
            ("EX%41MPLE%2Ecom", "example.com"),
            ("%65%78%61%6d%70%6c%65", "example"),
            ("localhost.", "localhost"),
            ("a_b.test", "a_b.test"),
            ("a-b", "a-b"),
            ("sub_domain.EXAMPLE", "sub_domain.example"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"),
            ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
            ("b\u{FC}cher.example", "xn--bcher-kva.example"),
            ("B\u{DC}CHER.example", "xn--bcher-kva.example"),
            ("b%C3%BCcher.example", "xn--bcher-kva.example"),
            ("bu\u{308}cher.example", "xn--bcher-kva.example"),
            ("fa\u{DF}.de", "xn--fa-hia.de"),
            ("\u{FF45}xample.com", "example.com"),
            ("example\u{3002}com", "example.com"),
            ("exam\u{AD}ple.com", "example.com"),
            ("a!b$&'()*+,;=c~", "a!b$&'()*+,;=c~"),
            ("1.2.3.4.example", "1.2.3.4.example"),
            ("0x7f.1.example", "0x7f.1.example"),
            ("127.0.0.1x", "127.0.0.1x"),
            ("1a", "1a"),
            ("0xg", "0xg"),
            (String(repeating: "a", count: 253), String(repeating: "a", count: 253)),
        ]
    )
    func names(_ text: String, _ name: String) throws {
        let host = try URLHost(text)
        #expect(host.name == name)
        #expect(host.kind == .name)
        #expect(host.address == nil)
        #expect(try URLHost(host.name) == host, "the form is normalized to itself")
    }

    @Test(
        "An IPv4 address in any spelling becomes four decimal numbers",
        arguments: [
            ("127.0.0.1", "127.0.0.1"),
            ("127.0.0.1.", "127.0.0.1"),
            ("127.0.1", "127.0.0.1"),
            ("127.1", "127.0.0.1"),
            ("127.1.", "127.0.0.1"),
            ("2130706433", "127.0.0.1"),
            ("0x7f.1", "127.0.0.1"),
            ("0x7f.0.0.1", "127.0.0.1"),
            ("0X7F.0X0.0x0.0x1", "127.0.0.1"),
            ("0x7f000001", "127.0.0.1"),
            ("0177.0.0.1", "127.0.0.1"),
            ("0177.1", "127.0.0.1"),
            ("017700000001", "127.0.0.1"),
            ("0000000000177.1", "127.0.0.1"),
            ("%31%32%37.0.0.1", "127.0.0.1"),
            ("127%2E1", "127.0.0.1"),
            ("%30x7f.1", "127.0.0.1"),
            ("\u{FF11}\u{FF12}\u{FF17}.0.0.1", "127.0.0.1"),
            ("127\u{3002}0\u{3002}0\u{3002}1", "127.0.0.1"),
            ("%EF%BC%91%EF%BC%92%EF%BC%97.1", "127.0.0.1"),
            ("0", "0.0.0.0"),
            ("0x", "0.0.0.0"),
            ("0x.0x.0", "0.0.0.0"),
            ("1.65535", "1.0.255.255"),
            ("1.2.65535", "1.2.255.255"),
            ("1.16777215", "1.255.255.255"),
            ("4294967295", "255.255.255.255"),
            ("0xffffffff", "255.255.255.255"),
            ("255.255.255.255", "255.255.255.255"),
            ("192.0x00A80001", "192.168.0.1"),
        ]
    )
    func ipv4(_ text: String, _ name: String) throws {
        let host = try URLHost(text)
        #expect(host.name == name)
        #expect(host.kind == .ipv4)
        #expect(host.urlText == name)
        #expect(host.address?.count == 4)
        #expect(try URLHost(host.name) == host)
    }

    @Test(
        "An IPv6 address in any spelling takes the form that RFC 5952 recommends",
        arguments: [
            ("::1", "::1"),
            ("[::1]", "::1"),
            ("[0:0:0:0:0:0:0:1]", "::1"),
            ("[0000:0000:0000:0000:0000:0000:0000:0001]", "::1"),
            ("[::]", "::"),
            ("[2001:DB8::A]", "2001:db8::a"),
            ("[2001:db8:0:0:1:0:0:1]", "2001:db8::1:0:0:1"),
            ("[2001:db8:0:1:1:1:1:1]", "2001:db8:0:1:1:1:1:1"),
            ("[2001:0db8::0001]", "2001:db8::1"),
            ("[64:ff9b::192.0.2.1]", "64:ff9b::c000:201"),
            // RFC 5952, section 5.
            ("::ffff:127.0.0.1", "::ffff:127.0.0.1"),
            ("[::ffff:7f00:1]", "::ffff:127.0.0.1"),
            ("[::FFFF:127.0.0.1]", "::ffff:127.0.0.1"),
            ("[0:0:0:0:0:ffff:127.0.0.1]", "::ffff:127.0.0.1"),
            ("[fe80::1%25eth0]", "fe80::1%25eth0"),
            ("[FE80:0::1%25eth0]", "fe80::1%25eth0"),
            ("fe80::1%eth0", "fe80::1%25eth0"),
        ]
    )
    func ipv6(_ text: String, _ name: String) throws {
        let host = try URLHost(text)
        #expect(host.name == name)
        #expect(host.kind == .ipv6)
        #expect(host.urlText == "[\(name)]")
        #expect(host.address?.count == 16)
        #expect(try URLHost(host.name) == host)
    }

    @Test(
        "A mapped address is connected to as the IPv4 address, and is another host",
        arguments: [
            ("[::ffff:7f00:1]", "127.0.0.1"), ("::FFFF:1.2.3.4", "1.2.3.4"), ("[::ffff:0:1.2.3.4]", "::ffff:0:102:304"),
            ("[::1.2.3.4]", "::1.2.3.4"), ("127.1", "127.0.0.1"), ("[::1]", "::1"), ("example.com", "example.com"),
        ]
    )
    func destination(_ text: String, _ destination: String) throws {
        let host = try URLHost(text)
        #expect(host.destination == destination)
        #expect(try (host == URLHost(destination)) == (host.name == destination))
    }

    @Test(
        "A host that no URL can have is refused",
        arguments: [
            "", ".", "..", "a..b", ".a", "a..", "256.0.0.1", "1.2.3.4.5", "1.2.3.256", "1.256.1", "1.2.65536",
            "1.16777216", "4294967296", "0x100000000", "99999999999999999999999999", "08", "0x7g.1.1", "1.2.3.0x1g.9",
            "127..1", "127.0.0.1..", "09.1", "a.0x1", "foo.127", "foo.0xff", "a b", "a%20b", "a%2Fb", "a%40b",
            "a%3A80", "a:80", "a%00b", "a\u{0}b", "a%25b", "a%", "a%zz", "a%c3", "%ff%fe", "a#b", "a?b", "a<b", "a>b",
            "a[b", "a]b", "a\\b", "a^b", "a|b", "a\u{7F}", "a\tb", "%0Aexample.com", "[::1", "::1]", "[]", "[:]",
            "[1.2.3.4]", "[::1]x", "[[::1]]", "[v1.x]", "[::g]", "[1:2:3:4:5:6:7:8:9]", "[::1::2]", "[12345::]",
            "[::1.2.3]", "[::256.1.1.1]", "[::1%25eth0]", "[fe80::1%25]", "[fe80::1%25a/b]", "[fe80::1%25%20]",
            "[fe80::1%251234567890123456]", "%5B::1%5D", "0%3A0%3A0%3A0%3A0%3A0%3A0%3A1", "::1\u{0}", "\u{AD}",
            String(repeating: "a", count: 254), String(repeating: "%61", count: 20_000),
            String(repeating: ":", count: 20_000),
        ]
    )
    func refused(_ text: String) {
        #expect(throws: URLHost.Invalid.self) { try URLHost(text) }
    }

    @Test(
        "The text for a URL keeps the trailing dot of a name for which a resolver may search domains",
        arguments: [
            ("example.com.", "example.com."), ("DB.", "db."), ("example.com", "example.com"),
            ("localhost.", "localhost"),
            ("a.localhost.", "a.localhost"), ("127.1.", "127.0.0.1"),
        ]
    )
    func urlText(_ text: String, _ expected: String) throws {
        #expect(try URLHost(text).urlText == expected)
    }

    @Test("Two spellings of a host are equal, and have the same hash")
    func equality() throws {
        let spellings = ["example.com", "EXAMPLE.COM.", "ex%61mple.com", "\u{FF45}xample.com"]
        #expect(Set(try spellings.map { try URLHost($0) }).count == 1)
    }

    @Test("An international host in a URL has the same form as the text")
    func foundation() throws {
        for text in ["b\u{FC}cher.example", "B\u{DC}CHER.example", "fa\u{DF}.de", "\u{2603}.net"] {
            let url = try #require(URL(string: "http://\(text)/"))
            #expect(Origin(url).host == (try URLHost(text)).name)
        }
    }
}

@Suite("IPv4 addresses that are already in normalized form") struct NormalIPv4Tests {
    @Test(
        "Four decimal numbers up to 255 without leading zeros",
        arguments: [
            ("127.0.0.1", true), ("0.0.0.0", true), ("255.255.255.255", true), ("10.20.30.40", true), ("127.1", false),
            ("127.0.0.1.", false), ("127.0.0.01", false), ("00.0.0.0", false), ("256.0.0.1", false), ("1.2.3", false),
            ("1.2.3.4.5", false), ("1..2.3", false), (".1.2.3", false), ("1.2.3.", false), ("", false), ("...", false),
            ("1.2.3.a", false), ("0x7f.0.0.1", false), ("1.2.3.4 ", false), ("99999999999999999999.1.1.1", false),
        ]
    )
    func table(_ text: String, _ isNormal: Bool) throws {
        #expect(URLHost.isNormalIPv4(text) == isNormal)
        if isNormal {
            let host = try URLHost(text)
            #expect(host.name == text && host.kind == .ipv4)
        }
    }
}
