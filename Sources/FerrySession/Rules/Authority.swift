/// Where the text of a URL has its authority (RFC 3986, section 3.2).
///
/// The text that libcurl gets is parsed, and not what Foundation makes of it, so that both mean the same host.
struct Authority {
    /// The user information with the `@` behind it; empty where there is none.
    let userInfo: Range<String.Index>
    /// The host, with the brackets of an IPv6 address.
    let host: Range<String.Index>

    /// Finds the authority of a URL; `nil` where it has none.
    init?(_ url: String) {
        let bytes = url.utf8
        let (slash, colon) = (UInt8(ascii: "/"), UInt8(ascii: ":"))
        guard let scheme = bytes.firstIndex(where: { !Self.isSchemeByte($0) }), bytes[scheme] == colon,
            bytes[scheme...].dropFirst().starts(with: [slash, slash])
        else { return nil }
        let start = bytes.index(scheme, offsetBy: 3)
        let ends = bytes[start...].firstIndex { $0 == slash || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let end = ends ?? bytes.endIndex
        let hostStart = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { bytes.index(after: $0) } ?? start
        userInfo = start..<hostStart
        if bytes[hostStart..<end].first == UInt8(ascii: "[") {
            let bracket = bytes[hostStart..<end].firstIndex(of: UInt8(ascii: "]"))
            host = hostStart..<(bracket.map { bytes.index(after: $0) } ?? end)
        } else {
            host = hostStart..<(bytes[hostStart..<end].firstIndex(of: colon) ?? end)
        }
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
