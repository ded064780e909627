/// The rule for the targets of requests that libcurl would change (RFC 9112, section 3.2).
package enum RequestTargetRule {
    /// Returns the path and query of an absolute URL if libcurl may send others; `nil` if it sends them unchanged.
    ///
    /// Newer versions of libcurl omit the question mark of an empty query, or write percent-encoded bytes in upper
    /// case. Neither is the same for a server that compares text, or that checks a signature of the target.
    package static func literalTarget(of url: String) -> String? {
        guard mayChange(url), let target = Self.target(of: url) else { return nil }
        // Blanks and line breaks would end the target; libcurl refuses URLs with them.
        return target.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? target : nil
    }

    /// Returns the path and query of an absolute URL as they are sent; `nil` if it has neither, so that `/` is sent.
    package static func target(of url: String) -> String? {
        let bytes = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        // The authority follows `//`.
        let authority = bytes[colon...].dropFirst(3)
        let start = authority.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        guard let start else { return nil }
        let target = String(decoding: bytes[start...], as: UTF8.self)
        return target.hasPrefix("/") ? target : "/" + target
    }

    /// Whether a URL has an empty query or a percent-encoded byte with a lowercase letter.
    private static func mayChange(_ url: String) -> Bool {
        var url = url
        return url.withUTF8 { bytes in
            var digits = 0
            var last = UInt8(0)
            for byte in bytes {
                if byte == UInt8(ascii: "#") { break }
                if digits > 0, byte >= UInt8(ascii: "a") { return true }
                digits = byte == UInt8(ascii: "%") ? 2 : max(0, digits - 1)
                last = byte
            }
            return last == UInt8(ascii: "?")
        }
    }
}
