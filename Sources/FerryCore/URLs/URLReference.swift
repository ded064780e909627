/// The rules for the URL references that servers send, which may contain characters that a URL may not (RFC 3986).
package enum URLReference {
    /// Returns the absolute URL of a reference (section 5.2), or `nil` if it is empty or not a reference.
    package static func resolve(_ reference: String, against base: URL?) -> URL? {
        let reference = percentEncoded(reference.trimmingCharacters(in: .whitespaces))
        guard !reference.isEmpty else { return nil }
        return URL(string: reference, relativeTo: base).map { withoutDotSegments($0.absoluteURL) }
    }

    /// Removes the segments `.` and `..` from a path (section 5.2.4), which Foundation does for relative references.
    private static func withoutDotSegments(_ url: URL) -> URL {
        let path = url.path(percentEncoded: true)
        let text = url.absoluteString
        guard path.hasPrefix("/"), !path.hasPrefix("//"), path.split(separator: "/").contains(where: isDotSegment),
            let host = Authority(text)?.host,
            let start = text.utf8[host.upperBound...].firstIndex(of: UInt8(ascii: "/"))
        else { return url }
        return URL(string: String(text[start...]), relativeTo: url)?.absoluteURL ?? url
    }

    private static func isDotSegment(_ segment: Substring) -> Bool { segment == "." || segment == ".." }

    /// Whether a reference names a host: any credentials in it are chosen by the server, and never used.
    package static func namesAuthority(_ reference: String) -> Bool {
        !authority(of: Array(reference.trimmingCharacters(in: .whitespaces).utf8)).isEmpty
    }

    /// Percent-encodes the bytes that a URL may not contain, and leaves all others unchanged, including `%2F`.
    ///
    /// Nothing may be left for Foundation to encode: it would also encode the percent signs again.
    private static func percentEncoded(_ string: String) -> String {
        let bytes = Array(string.utf8)
        let authority = authority(of: bytes)
        var hasFragment = false
        var result = ""
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isEncoded: Bool
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "]"): isEncoded = !authority.contains(index)
            case UInt8(ascii: "%"): isEncoded = bytes[(index + 1)...].prefix(2).compactMap(\.hexValue).count < 2
            case UInt8(ascii: "#"):
                isEncoded = hasFragment
                hasFragment = true
            default: isEncoded = byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte)
            }
            if isEncoded {
                result += "%" + byte.hexadecimal.uppercased()
            } else {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }

    /// Returns the range of a reference's authority, the only place for brackets (RFC 3986, section 3.2.2).
    private static func authority(of bytes: [UInt8]) -> Range<Int> {
        let slash = UInt8(ascii: "/")
        let ends = [slash, UInt8(ascii: "?"), UInt8(ascii: "#")]
        let scheme = bytes.firstIndex { ends.contains($0) || $0 == UInt8(ascii: ":") } ?? bytes.count
        let start = bytes[scheme...].first == UInt8(ascii: ":") ? scheme + 1 : 0
        guard bytes[start...].starts(with: [slash, slash]) else { return 0..<0 }
        let end = bytes[(start + 2)...].firstIndex(where: ends.contains) ?? bytes.count
        return start + 2..<end
    }
}
