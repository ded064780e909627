internal import FerryDigest

/// The key of a stored response: the URL, and the request's fields that `Vary` names (RFC 9111, sections 2 and 4.1).
enum CacheKey {
    /// Returns the key of a URL: the requested URL with its query, without credentials and fragment.
    ///
    /// The method is not part of it: only responses to GET are stored.
    static func key(_ url: String, origin: Origin) -> String {
        var key = ""
        key.reserveCapacity(url.utf8.count + 8)
        key += origin.scheme
        key += "://"
        key += origin.host
        key += ":"
        key += String(origin.port)
        var url = url
        // Skips the scheme and `://`.
        url.withUTF8 { append(target(of: $0.dropFirst(origin.scheme.utf8.count + 3)), to: &key) }
        return key
    }

    /// Returns the path and query, given the part of a URL after `://`.
    private static func target(of rest: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        let (slash, question, hash) = (UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"))
        let start = rest.firstIndex { $0 == slash || $0 == question || $0 == hash } ?? rest.endIndex
        return rest[start...].prefix { $0 != hash }
    }

    private static func append(_ target: Slice<UnsafeBufferPointer<UInt8>>, to key: inout String) {
        if target.first != UInt8(ascii: "/") { key += "/" }
        key += String(decoding: target, as: UTF8.self)
    }

    /// Returns the key of a URL, or `nil` if it is not an http or https URL with a host.
    static func key(_ url: URL) -> String? {
        let origin = Origin(url)
        guard origin.scheme == "http" || origin.scheme == "https", !origin.host.isEmpty else { return nil }
        return key(url.absoluteString, origin: origin)
    }

    /// Returns the values that a request has for the names in `Vary`, normalized, as one text.
    ///
    /// Credentials are included only as a digest.
    ///
    /// - Parameters:
    ///   - names: The names in lower case, sorted.
    ///   - lines: The request's fields as libcurl gets them, `Name: value`.
    /// - Returns: The text; empty if there are no names.
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

    /// Returns the values of a field in lines.
    static func values(of name: String, in lines: [String]) -> [String] {
        lines.compactMap { line in
            guard line.utf8.count > name.utf8.count else { return nil }
            let end = line.utf8.index(line.utf8.startIndex, offsetBy: name.utf8.count)
            guard line.utf8[end] == UInt8(ascii: ":") || line.utf8[end] == UInt8(ascii: ";") else { return nil }
            guard line[..<end].lowercased() == name else { return nil }
            let value = line[line.utf8.index(after: end)...].trimmingCharacters(in: .whitespaces)
            // A name with nothing after the colon tells libcurl to omit its own field.
            return value.isEmpty && line.utf8[end] == UInt8(ascii: ":") ? nil : value
        }
    }
}
