import Testing

@testable import FerrySession

@Suite("Proxy exceptions")
struct ProxyExceptionTests {
    @Test(
        "A pattern matches the intended hosts",
        arguments: [
            ("example.com", "example.com", true),
            ("Example.COM", "example.com", true),
            ("example.com", "www.example.com", false),
            ("example.com.", "example.com", true),
            ("*.example.com", "www.example.com", true),
            ("*.example.com", "example.com", false),
            (".example.com", "a.b.example.com", true),
            (".example.com", "example.com", true),
            (".example.com", "badexample.com", false),
            ("*", "anything", true),
            ("", "anything", false),
            ("*.local", "printer.local", true),
            ("build*.ci.*", "build7.ci.example", true),
            ("build*.ci.*", "built.ci.example", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("10.0.0.0/8", "10.200.3.4", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("169.254/16", "169.254.9.9", true),
            ("192.168.1.128/25", "192.168.1.127", false),
            ("192.168.1.128/25", "192.168.1.129", true),
            ("10.0.0.0/8", "10.example.com", false),
            ("10.0.0.0/99", "10.0.0.1", false),
            ("fd00::/8", "[fd12:3456::1]", true),
            ("fd00::/8", "[fe80::1]", false),
            ("fe80::/10", "[fe80::1%25eth0]", true),
            ("fe80::1", "[fe80::1%25eth0]", true),
            ("[fe80::1%25eth0]", "[fe80::1%25eth0]", true),
            ("[fe80::1%25eth0]", "[fe80::1%25eth1]", false),
            ("fe80::/10", "[fd00::1%25eth0]", false),
            ("::1", "[::1]", true),
            ("[::1]", "[0:0:0:0:0:0:0:1]", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.10", false),
            ("example.com:8080", "example.com", true),
            ("example.com:81", "example.com", false),
            ("[::1]:8080", "[::1]", true),
            ("*:8080", "anything", true),
            ("127.0.0.1", "127.1", true),
            ("0x7f.1", "2130706433", true),
            ("127.0.0.0/8", "0177.0.0.1", true),
            ("127.0.0.1:8080", "127.1.", true),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true),
            ("10.0.0.0/8", "[::ffff:10.1.2.3]", true),
            ("B\u{FC}cher.example", "xn--bcher-kva.example", true),
            ("*.b\u{FC}cher.example", "www.XN--BCHER-KVA.example.", true),
            ("ex%61mple.com", "EXAMPLE.com.", true),
            (".example.com", ".example.com.invalid", false),
        ]
    )
    func patterns(_ pattern: String, _ host: String, _ isMeant: Bool) {
        let name = (try? URLHost(host))?.name ?? host
        #expect(ProxyException(pattern).matches(host: name, port: 8080) == isMeant)
    }

    @Test("A pattern with many asterisks is compared quickly")
    func stars() {
        let pattern = String(repeating: "*a", count: 30) + "*b"
        #expect(!ProxyException(pattern).matches(host: String(repeating: "a", count: 5000), port: 80))
    }

    @Test(
        "A simple host name has no dot and is not an address",
        arguments: [
            ("intranet", true), ("intranet.", true), ("a.b", false), ("[::1]", false), ("127.0.0.1", false),
            ("2130706433", false),
        ]
    )
    func simple(_ host: String, _ isSimple: Bool) throws {
        #expect(ProxyException.isSimple(try URLHost(host).name) == isSimple)
    }
}
