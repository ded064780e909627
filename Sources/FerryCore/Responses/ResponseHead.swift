/// The status line and the header fields of a response, as received.
package struct ResponseHead: Sendable, Hashable, Codable {
    package struct Field: Sendable, Hashable, Codable {
        package var name: String
        package var value: String
        /// Whether the line is not UTF-8, so that each character beyond ASCII represents one byte.
        package var isLatin1 = false

        package init(name: String, value: String, isLatin1: Bool = false) {
            (self.name, self.value, self.isLatin1) = (name, value, isLatin1)
        }
    }

    package var version: String
    package var status: Int
    package var fields: [Field] = []

    package init(version: String, status: Int, fields: [Field]) {
        (self.version, self.status, self.fields) = (version, status, fields)
    }

    /// Reads a status line, whose reason phrase may be missing, or returns `nil` (RFC 9112, section 4).
    package init?(statusLine line: String) {
        let blank = UInt8(ascii: " ")
        let text = line.utf8.drop { $0 == blank }
        let version = text.prefix { $0 != blank }
        let code = text[version.endIndex...].drop { $0 == blank }.prefix { $0 != blank }
        guard version.starts(with: "HTTP/".utf8), code.count == 3, let status = Int(Substring(code)),
            (100...999).contains(status)
        else { return nil }
        self.version = String(Substring(version))
        self.status = status
    }

    /// Returns the value of the first field with a name, ignoring case.
    package func value(_ name: String) -> String? { firstIndex(of: name).map { fields[$0].value } }

    /// Returns the value of a field that is a list, of which several fields with the name are parts (RFC 9110, section
    /// 5.3).
    package func listValue(_ name: String) -> String? {
        guard let first = firstIndex(of: name) else { return nil }
        let others = fields[(first + 1)...].filter { $0.name.isEqualIgnoringCase(name) }
        return others.reduce(fields[first].value) { $0 + ", " + $1.value }
    }

    /// Returns the value that ``joinedFields`` has for a name, ignoring case.
    package func joinedValue(_ name: String) -> String? {
        guard let first = firstIndex(of: name) else { return nil }
        let isSingle = !fields[(first + 1)...].contains { $0.name.isEqualIgnoringCase(name) }
        if isSingle { return HeaderRule.isToken(name) && Self.isReadable(fields[first]) ? fields[first].value : nil }
        return joinedFields.first { $0.key.isEqualIgnoringCase(name) }?.value
    }

    /// Returns the index of the first field with a name, ignoring case.
    private func firstIndex(of name: String) -> Int? {
        let count = name.utf8.count
        // Lengths are compared first and in place: a head is searched for many names, and copying a field retains its
        // strings.
        return fields.indices.first { fields[$0].name.utf8.count == count && fields[$0].name.isEqualIgnoringCase(name) }
    }

    /// The value of `Location`, with bytes that are not UTF-8 percent-encoded.
    package var location: String? {
        guard let field = firstIndex(of: "location").map({ fields[$0] }), field.isLatin1 else {
            return value("location")
        }
        return field.value.unicodeScalars.reduce(into: "") { result, scalar in
            result += scalar.isASCII ? "\(scalar)" : "%" + String(scalar.value, radix: 16, uppercase: true)
        }
    }

    /// The reason why the end of the body is undefined, as a sentence that names the field (RFC 9112, sections 6.1 and
    /// 6.3); `nil` if it is defined.
    package var framingProblem: String? {
        var (lengths, codings) = (0, 0)
        var isPlain = true
        for index in fields.indices {
            // Comparing lengths first, and in place, leaves few names to compare in full.
            switch fields[index].name.utf8.count {
            case 14 where fields[index].name.isEqualIgnoringCase("content-length"):
                lengths += 1
                isPlain = ByteCount(digits: fields[index].value) != nil
            case 17 where fields[index].name.isEqualIgnoringCase("transfer-encoding"): codings += 1
            default: break
            }
        }
        // The common case: no length, or one length in digits.
        if codings == 0 { return lengths <= 1 && isPlain ? nil : lengthProblem }
        guard codings == 1, let value = value("Transfer-Encoding") else {
            return "The response has several Transfer-Encoding fields"
        }
        // No other coding was requested with TE, and Ferry decodes none.
        let coding = value[...].utf8.trimmed.string
        guard coding.isEqualIgnoringCase("chunked") || coding.isEqualIgnoringCase("identity") else {
            return "The response's Transfer-Encoding is not supported: \(Self.quoted(coding))"
        }
        // Chunks override a length; beside another coding, libcurl ignores it, and would accept a truncated body.
        guard lengths > 0, !coding.isEqualIgnoringCase("chunked") else { return nil }
        return "The response has both Transfer-Encoding: \(Self.quoted(coding)) and Content-Length"
    }

    /// Whether only the end of the connection ends the body, if there is one (RFC 9112, section 6.3).
    package var endsWithConnection: Bool {
        version.hasPrefix("HTTP/1.") && value("Content-Length") == nil && !isChunked
    }

    /// Whether the body is in chunks, so that its `Content-Length` does not count (RFC 9112, section 6.3).
    package var isChunked: Bool { value("Transfer-Encoding")?.isEqualIgnoringCase("chunked") == true }

    private var lengthProblem: String? {
        var length: String?
        for field in fields where field.name.isEqualIgnoringCase("content-length") {
            // A list that repeats one length is one length (section 6.3).
            for part in field.value.split(separator: ",", omittingEmptySubsequences: false) {
                let value = part.utf8.trimmed.string
                guard ByteCount(digits: value) != nil else {
                    return "The response's Content-Length is not a number of bytes: \(Self.quoted(field.value))"
                }
                if let length, ByteCount(digits: length) != ByteCount(digits: value) {
                    return "The response has two different Content-Length values: \(length) and \(value)"
                }
                length = value
            }
        }
        return nil
    }

    /// Returns the beginning of a value, quoted for an error message.
    private static func quoted(_ value: String) -> String {
        String(decoding: value.utf8.prefix(80), as: UTF8.self).debugDescription
    }

    /// The fields with names as ``FieldSpelling`` has them, and the values of the same name joined (RFC 9110, section
    /// 5.3).
    ///
    /// Fields that would take FoundationNetworking quadratic time are left out: names that are not tokens, and values
    /// of `Content-Type` and `Content-Disposition` longer than 8,192 bytes.
    package var joinedFields: [String: String] {
        var result: [String: String] = [:]
        result.reserveCapacity(fields.count)
        // The first spelling of each name that is left as it is, by the name in lower case.
        var unchanged: [String: String] = [:]
        for field in fields where Self.isReadable(field) {
            guard var name = FieldSpelling.spelled(field.name) else { continue }
            if FieldSpelling.isUnchanged(name) {
                let folded = name.lowercased()
                name = unchanged[folded, default: name]
                unchanged[folded] = name
            }
            Self.append(field, to: &result[name])
        }
        return result
    }

    /// Appends in place: a new string for each of many fields would take quadratic time.
    private static func append(_ field: Field, to value: inout String?) {
        guard let size = value?.utf8.count else {
            value = field.value
            return
        }
        if isParsedByFoundation(field.name), size + field.value.utf8.count > maximumParsedLength { return }
        value?.append(", ")
        value?.append(field.value)
    }

    private static let maximumParsedLength = 8_192

    private static func isReadable(_ field: Field) -> Bool {
        field.value.utf8.count <= maximumParsedLength || !isParsedByFoundation(field.name)
    }

    private static func isParsedByFoundation(_ name: String) -> Bool {
        name.isEqualIgnoringCase("content-type") || name.isEqualIgnoringCase("content-disposition")
    }
}
