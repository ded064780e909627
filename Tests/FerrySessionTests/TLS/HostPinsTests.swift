import Testing

@testable import FerrySession

@Suite("Pins by host")
struct HostPinsTests {
    private static let first: PublicKeyPin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let second: PublicKeyPin = "sha256/AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let third: PublicKeyPin = "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test(
        "The most specific pattern applies, in any spelling of the host",
        arguments: [
            ("example.com", first), ("EXAMPLE.com", first), ("example.com.", first), ("ex%61mple.com", first),
            ("api.example.com", second), ("v1.api.example.com", second), ("img.example.com", third),
            ("a.img.example.com", second), ("example.org", nil), ("notexample.com", nil), ("com", nil), ("::1", first),
        ] as [(String, PublicKeyPin?)]
    )
    func matching(host: String, expected: PublicKeyPin?) throws {
        let pins = try HostPins([
            "Example.Com": [Self.first], "*.example.com": [Self.second], "img.example.com.": [Self.third],
            "[::1]": [Self.first],
        ])
        #expect(try pins.curlValue(for: host) == expected?.description)
    }

    @Test("An asterisk matches every other host, and the longest domain takes precedence")
    func star() throws {
        let pins = try HostPins(["*": [Self.first], "*.b.example": [Self.second], "*.a.b.example": [Self.third]])
        #expect(try pins.curlValue(for: "other.example") == Self.first.description)
        #expect(try pins.curlValue(for: "b.example") == Self.first.description)
        #expect(try pins.curlValue(for: "x.b.example") == Self.second.description)
        #expect(try pins.curlValue(for: "x.a.b.example") == Self.third.description)
    }

    @Test("Several pins become one list for libcurl")
    func several() throws {
        let pins = try HostPins(["h": [Self.first, Self.second]])
        #expect(try pins.curlValue(for: "h") == "\(Self.first);\(Self.second)")
    }

    @Test(
        "Patterns and pins that would never match are refused",
        arguments: [
            ("", first), ("https://h", first), ("h:443", first), ("a.*.b", first), ("*a.b", first), ("h", "no hash"),
            ("h", "sha256//AAAA"), ("*.127.1", first), ("256.1.1.1", first), ("*.", first), ("h/path", first),
            ("h h", first),
        ]
    )
    func refused(pattern: String, pin: PublicKeyPin) {
        let error = #expect(throws: CurlSessionError.self) { try HostPins([pattern: [pin]]) }
        #expect(error?.code == .invalidTLSOptions)
    }

    @Test("A host with an empty list is refused")
    func empty() {
        #expect(throws: CurlSessionError.self) { try HostPins(["h": []]) }
    }

    @Test(
        "International hosts and addresses have their pins in every spelling",
        arguments: [
            ("b\u{FC}cher.example", first), ("b%C3%BCcher.example", first), ("xn--bcher-kva.example", first),
            ("\u{FF45}xample.com", second), ("a.XN--BCHER-KVA.example", third), ("127.1", second),
            ("0x7f.0.0.1", second),
            ("2130706433", second), ("127.0.0.1.", second), ("%31%32%37.0.0.1", second), ("::ffff:7f00:1", second),
            ("0:0:0:0:0:0:0:1", third), ("fe80::1%25eth0", first), ("fe80:0::1%25lo", second),
        ] as [(String, PublicKeyPin)]
    )
    func spellings(host: String, expected: PublicKeyPin) throws {
        let pins = try HostPins([
            "B\u{DC}CHER.example": [Self.first], "*.b\u{FC}cher.example": [Self.third], "example.com": [Self.second],
            "127.1": [Self.second], "[::1]": [Self.third], "fe80::1%25eth0": [Self.first], "fe80::1": [Self.second],
        ])
        #expect(try pins.curlValue(for: host) == expected.description)
    }

    @Test("An invalid host has no pins, and is refused if there are any")
    func noHost() throws {
        let pins = try HostPins(["example.com": [Self.first]])
        #expect(throws: CurlSessionError.self) { try pins.curlValue(for: "a%2Fb") }
        #expect(try HostPins([:]).curlValue(for: "a%2Fb") == nil)
    }

    @Test(
        "Two spellings of one pattern are refused, in any order",
        arguments: [
            ("127.1", "127.0.0.1"), ("*.example.com", "*.Example.com."), ("example.com", "ex%61mple.com"),
            ("[::1]", "0:0:0:0:0:0:0:1"), ("b\u{FC}cher.example", "xn--bcher-kva.example"), ("h", "h."),
            ("*.b\u{FC}cher.example", "*.XN--BCHER-KVA.example"), ("fe80::1%25eth0", "[FE80::1%eth0]"),
        ]
    )
    func duplicates(one: String, other: String) throws {
        let error = #expect(throws: CurlSessionError.self) {
            try HostPins([one: [Self.first], other: [Self.second]])
        }
        #expect(error?.code == .invalidTLSOptions)
        #expect(error?.message.contains(other.debugDescription) == true)
    }
}
