/// The value of a `Content-Disposition` field (RFC 6266), with extended parameters (RFC 8187).
package struct ContentDisposition: Sendable, Hashable {
    /// The disposition type in lower case, such as `attachment`.
    package let type: String
    /// The parameters by name, in lower case, with their values as sent; the first one if several have the same name.
    package let parameters: [String: String]

    /// Reads a field's value; `nil` if it has no type.
    package init?(_ text: String) {
        var scanner = FieldScanner(text)
        let type = scanner.token().lowercased()
        guard HeaderRule.isToken(type) else { return nil }
        var parameters: [String: String] = [:]
        // In `x=y; filename=z` there is a parameter in place of the type, so the others are not read.
        let hasType = scanner.parameterValue() == nil
        while hasType, scanner.skipSemicolon() {
            let name = scanner.token().lowercased()
            // A parameter's name is a token, and hashing hostile text takes quadratic time.
            guard HeaderRule.isToken(name), let value = scanner.parameterValue() else { continue }
            if parameters[name] == nil { parameters[name] = value }
        }
        self.type = type
        self.parameters = parameters
    }

    /// The suggested file name as sent, from `filename*` or else from `filename` (RFC 6266, section 4.3).
    ///
    /// It is not safe to use as a file name; see ``FileName/sanitized(_:)``.
    package var fileName: String? { parameters["filename*"].flatMap(Self.decodeExtended) ?? parameters["filename"] }

    /// Returns the suggested name as one safe path component; uses `filename` if nothing of `filename*` is left.
    package func safeFileName(maximumByteCount: Int = FileName.maximumByteCount) -> String? {
        [parameters["filename*"].flatMap(Self.decodeExtended), parameters["filename"]].lazy
            .compactMap { $0.flatMap { FileName.component($0, maximumByteCount: maximumByteCount) } }
            .first
    }

    /// Decodes `charset'language'percent-encoded` (RFC 8187, section 3.2).
    package static func decodeExtended(_ value: String) -> String? {
        guard let charset = value[...].utf8.cut(at: "'"), let language = charset.after.cut(at: "'") else { return nil }
        // No known charset has a longer name.
        guard charset.before.count <= 16, let bytes = decodePercent(language.after) else { return nil }
        switch charset.before.string.lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        // These bytes are control characters in ISO-8859-1, so the text is in another encoding.
        case "iso-8859-1": return bytes.contains { (0x80...0x9F).contains($0) } ? nil : String(latin1: bytes)
        default: return nil
        }
    }

    private static func decodePercent(_ text: Substring.UTF8View) -> [UInt8]? {
        let bytes = text.percentDecoded()
        // Each percent sign makes one byte of three, unless it lacks its digits and is kept.
        return bytes.count == text.count - 2 * text.count(where: { $0 == UInt8(ascii: "%") }) ? bytes : nil
    }
}

/// A `Content-Type` field (RFC 9110, section 8.3), or the values of several, joined with commas.
///
/// Some servers and the proxies before them both add the field. As in the Fetch standard, the last media type counts.
package enum ContentTypeField {
    /// Returns the media type in lower case, without the blanks around it.
    ///
    /// As in FoundationNetworking, quotation marks are removed, and backslashes before another character.
    package static func mediaType(_ field: String) -> String {
        let field = last(in: field)
        var rest = field.utf8[...]
        var type: [UInt8] = []
        var isQuoted = false
        while let byte = rest.popFirst(), isQuoted || byte != UInt8(ascii: ";") {
            switch byte {
            case UInt8(ascii: "\\"): if let next = rest.popFirst() { type.append(next) }
            case UInt8(ascii: "\""): isQuoted.toggle()
            default: type.append(byte)
            }
        }
        return String(decoding: type, as: UTF8.self).lowercased().trimmingCharacters(in: .whitespaces)
    }

    /// Returns the value of the first `charset` parameter, or `nil` if there is none.
    package static func charset(_ field: String) -> String? { parameter("charset", of: field) }

    /// Returns the value of the first parameter with a name, whose case does not matter, or `nil` if there is none.
    package static func parameter(_ wanted: String, of field: String) -> String? {
        var scanner = FieldScanner(last(in: field))
        _ = scanner.token()
        while scanner.skipSemicolon() {
            let name = scanner.token()
            // Values are always read: they may be quoted and contain semicolons.
            if let value = scanner.parameterValue(), name.isEqualIgnoringCase(wanted) { return value }
        }
        return nil
    }

    /// Returns the last media type with its parameters; a value without quotes may contain commas too.
    private static func last(in joined: String) -> String {
        guard joined.hasByte(UInt8(ascii: ",")),
            let last = joined[...].utf8.parts(outsideQuotesBetween: ",").last(where: isMediaType)
        else { return joined }
        return last.contains(UInt8(ascii: ";")) ? String(joined[last.startIndex...]) : last.string
    }

    private static func isMediaType(_ text: Substring.UTF8View) -> Bool {
        let words = text.prefix { $0 != UInt8(ascii: ";") }.trimmed.parts(between: "/").map(\.string)
        return words.count == 2 && words.allSatisfy(HeaderRule.isToken) && words[0] != "*"
    }
}
