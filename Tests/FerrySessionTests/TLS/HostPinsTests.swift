import Testing

@testable import FerrySession

@Suite("Pins by host")
struct HostPinsTests {
    private static let first: PublicKeyPin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let second: PublicKeyPin = "sha256/AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let third: PublicKeyPin = "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    @Test(
        "The most specific pattern counts, in whatever spelling the host comes",
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

    @Test("A star stands for every other host, and the longest domain wins")
    func star() throws {
        let pins = try HostPins(["*": [Self.first], "*.b.example": [Self.second], "*.a.b.example": [Self.third]])
        #expect(try pins.curlValue(for: "other.example") == Self.first.description)
        #expect(try pins.curlValue(for: "b.example") == Self.first.description)
        #expect(try pins.curlValue(for: "x.b.example") == Self.second.description)
        #expect(try pins.curlValue(for: "x.a.b.example") == Self.third.description)
    }

    @Test("Several pins are one list for libcurl")
    func several() throws {
        let pins = try HostPins(["h": [Self.first, Self.second]])
        #expect(try pins.curlValue(for: "h") == "\(Self.first);\(Self.second)")
    }

    @Test(
        "Patterns and pins that would pin nothing are refused",
        arguments: [
            ("", first), ("https://h", first), ("h:443", first), ("a.*.b", first), ("*a.b", first), ("h", "no hash"),
            ("h", "sha256//AAAA"), ("bücher.example", first), ("*.", first), ("h/path", first), ("h h", first),
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
        "International hosts are refused beside pins, and left alone without",
        arguments: [
            "b\u{FC}cher.example", "b%C3%BCcher.example", "\u{FF45}xample.com",
        ]
    )
    func international(host: String) throws {
        let pins = try HostPins(["example.com": [Self.first]])
        #expect(throws: CurlSessionError.self) { try pins.curlValue(for: host) }
        #expect(try HostPins([:]).curlValue(for: host) == nil)
    }
}
