/// The key of a stored response: the URL, and the request's fields that `Vary` names (RFC 9111, sections 2 and 4.1).
package enum CacheKey {
    /// Returns the key: the URL with its query, without credentials and fragment; only responses to GET are stored.
    package static func key(_ url: String, origin: Origin) -> String {
        var key = ""
        key.reserveCapacity(url.utf8.count + 8)
        key += origin.scheme
        key += "://"
        key += origin.hostText
        key += ":"
        key += String(origin.port)
        let (slash, question, hash) = (UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"))
        var url = url
        url.withUTF8 { bytes in
            // The path and query after the scheme, `://` and the authority.
            let rest = bytes.dropFirst(origin.scheme.utf8.count + 3)
            let start = rest.firstIndex { $0 == slash || $0 == question || $0 == hash } ?? rest.endIndex
            let target = rest[start...].prefix { $0 != hash }
            if target.first != slash { key += "/" }
            key += String(decoding: target, as: UTF8.self)
        }
        return key
    }

    /// Returns the key of a URL, or `nil` if it is not an http or https URL with a host.
    package static func key(_ url: URL) -> String? {
        let origin = Origin(url)
        guard origin.scheme == "http" || origin.scheme == "https", !origin.host.isEmpty else { return nil }
        return key(url.absoluteString, origin: origin)
    }

    /// Returns the values that a request has for sorted names in `Vary` as one text, each as a digest.
    ///
    /// The text is stored, and a field of any name may contain a secret. `lines` are the request's fields as libcurl
    /// gets them, `Name: value`.
    package static func variant(_ names: [String], lines: [String]) -> String {
        var text = ""
        for name in names {
            text += name
            let values = values(of: name, in: lines)
            if !values.isEmpty {
                let value = normalized(values, of: name)
                text += ":" + SHA256Hash.hash(Data(value.utf8)).base64EncodedString()
            }
            text += "\n"
        }
        return text
    }

    package static func values(of name: String, in lines: [String]) -> [String] {
        lines.compactMap { line in
            guard line.utf8.count > name.utf8.count else { return nil }
            let end = line.utf8.index(line.utf8.startIndex, offsetBy: name.utf8.count)
            guard line.utf8[end] == UInt8(ascii: ":") || line.utf8[end] == UInt8(ascii: ";") else { return nil }
            guard line[..<end].lowercased() == name else { return nil }
            let value = line[line.utf8.index(after: end)...].trimmingCharacters(in: .whitespaces)
            // A name with nothing after the colon makes libcurl omit its own field.
            return value.isEmpty && line.utf8[end] == UInt8(ascii: ":") ? nil : value
        }
    }

    /// Returns the values of one field as one text, and those of a list without blanks and empty members.
    ///
    /// Case-insensitive values are in lower case. Values are never reordered: servers may prefer a language that comes
    /// first.
    package static func normalized(_ values: [String], of name: String) -> String {
        guard lists.contains(name) else { return values.joined(separator: ", ") }
        let members = values.flatMap { Self.members(of: $0, isCaseless: caseless.contains(name)) }
        return members.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
    }

    /// Fields of RFC 9110 and others that are lists; commas and blanks of other fields belong to the value.
    private static let lists: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "access-control-request-headers",
        "cache-control", "connection", "expect", "if-match", "if-none-match", "pragma", "prefer", "te", "trailer",
        "upgrade", "via", "want-content-digest", "want-repr-digest",
    ]

    /// Lists of case-insensitive tokens, with blanks only around separators (RFC 9110, sections 12.5.2 to 12.5.4).
    private static let caseless: Set<String> = ["accept-charset", "accept-encoding", "accept-language"]

    /// Splits a value at the commas outside quoted strings and comments.
    private static func members(of value: String, isCaseless: Bool) -> [[UInt8]] {
        var members: [[UInt8]] = []
        var member: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        var depth = 0
        func finish() {
            while let last = member.last, last.isBlank { member.removeLast() }
            if !member.isEmpty { members.append(member) }
            member = []
        }
        for byte in value.utf8 {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted || depth > 0: isEscaped = true
            case UInt8(ascii: "\"") where depth == 0: isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: depth += 1
            case UInt8(ascii: ")") where !isQuoted: depth = max(0, depth - 1)
            case UInt8(ascii: ",") where !isQuoted && depth == 0:
                finish()
                continue
            case _ where byte.isBlank && !isQuoted && depth == 0 && (member.isEmpty || isCaseless): continue
            default: break
            }
            member.append(isCaseless ? byte.lowercased : byte)
        }
        finish()
        return members
    }
}
