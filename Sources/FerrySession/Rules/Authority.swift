/// The position of the authority in the text of a URL (RFC 3986, section 3.2).
///
/// It is found in the text that libcurl gets, not in Foundation's components, so that both mean the same host.
struct Authority {
    /// The user information with the `@` after it; empty if there is none.
    let userInfo: Range<String.Index>
    /// The host, with the brackets of an IPv6 address.
    let host: Range<String.Index>

    /// Finds the authority of a URL, or returns `nil` if it has none.
    init?(_ url: String) {
        var url = url
        guard let found = url.withUTF8(Self.find) else { return nil }
        let bytes = url.utf8
        let start = bytes.index(bytes.startIndex, offsetBy: found.start)
        let hostStart = bytes.index(start, offsetBy: found.hostStart - found.start)
        userInfo = start..<hostStart
        host = hostStart..<bytes.index(hostStart, offsetBy: found.hostEnd - found.hostStart)
    }

    /// Returns the offsets of the authority, of its host, and of the host's end.
    private static func find(_ bytes: UnsafeBufferPointer<UInt8>) -> (start: Int, hostStart: Int, hostEnd: Int)? {
        let (slash, colon) = (UInt8(ascii: "/"), UInt8(ascii: ":"))
        guard let scheme = bytes.firstIndex(where: { !isSchemeByte($0) }), bytes.count - scheme >= 3,
            bytes[scheme] == colon, bytes[scheme + 1] == slash, bytes[scheme + 2] == slash
        else { return nil }
        let start = scheme + 3
        let isEnd = { (byte: UInt8) in byte == slash || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
        let end = bytes[start...].firstIndex(where: isEnd) ?? bytes.endIndex
        let hostStart = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
        let rest = bytes[hostStart..<end]
        let isInBrackets = rest.first == UInt8(ascii: "[")
        let hostEnd = isInBrackets ? rest.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : rest.firstIndex(of: colon)
        return (start, hostStart, hostEnd ?? end)
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
