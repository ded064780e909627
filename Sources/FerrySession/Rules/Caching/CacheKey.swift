internal import FerryDigest

/// What a stored response is found by: the URL, and the request's fields that `Vary` names (RFC 9111, sections 2
/// and 4.1).
enum CacheKey {
    /// The URL as it is asked for, query and all, without credentials and fragment.
    ///
    /// Methods have no part in it: only responses to GET are stored.
    static func key(_ url: String, origin: Origin) -> String {
        var key = ""
        key.reserveCapacity(url.utf8.count + 8)
        key += origin.scheme
        key += "://"
        key += origin.host
        key += ":"
        key += String(origin.port)
        var url = url
        // Behind the scheme and `://`.
        url.withUTF8 { append(target(of: $0.dropFirst(origin.scheme.utf8.count + 3)), to: &key) }
        return key
    }

    /// Returns path and query of what follows `://` in a URL.
    private static func target(of rest: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        let (slash, question, hash) = (UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"))
        let start = rest.firstIndex { $0 == slash || $0 == question || $0 == hash } ?? rest.endIndex
        return rest[start...].prefix { $0 != hash }
    }

    private static func append(_ target: Slice<UnsafeBufferPointer<UInt8>>, to key: inout String) {
        if target.first != UInt8(ascii: "/") { key += "/" }
        key += String(decoding: target, as: UTF8.self)
    }

    /// The key of a URL, or `nil` for one that is no web address.
    static func key(_ url: URL) -> String? {
        let origin = Origin(url)
        guard origin.scheme == "http" || origin.scheme == "https", !origin.host.isEmpty else { return nil }
        return key(url.absoluteString, origin: origin)
    }

    /// The values that a request has for the names of `Vary`, normalized and as one text; credentials only as a digest.
    ///
    /// - Parameters:
    ///   - names: Names in lower case, sorted.
    ///   - lines: The request's fields as they go to libcurl, `Name: value`.
    /// - Returns: The text, empty for no names.
    static func variant(_ names: [String], lines: [String]) -> String {
        var text = ""
        for name in names {
            text += name
            let values = values(of: name, in: lines)
            if !values.isEmpty {
                let value = CacheSelection.normalized(values, of: name)
                let isSecret = RedirectRule.credentialHeaders.contains(name)
                text += ":" + (isSecret ? SHA256Hash.hash(Data(value.utf8)).base64EncodedString() : value)
            }
            text += "\n"
        }
        return text
    }

    /// The values of a field among lines.
    static func values(of name: String, in lines: [String]) -> [String] {
        lines.compactMap { line in
            guard line.utf8.count > name.utf8.count else { return nil }
            let end = line.utf8.index(line.utf8.startIndex, offsetBy: name.utf8.count)
            guard line.utf8[end] == UInt8(ascii: ":") || line.utf8[end] == UInt8(ascii: ";") else { return nil }
            guard line[..<end].lowercased() == name else { return nil }
            let value = line[line.utf8.index(after: end)...].trimmingCharacters(in: .whitespaces)
            // Nothing behind a colon: libcurl is told to leave its own field out.
            return value.isEmpty && line.utf8[end] == UInt8(ascii: ":") ? nil : value
        }
    }
}
