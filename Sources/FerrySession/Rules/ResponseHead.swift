/// The head of one response: status line and fields, as they came.
struct ResponseHead: Sendable, Hashable, Codable {
    struct Field: Sendable, Hashable, Codable {
        var name: String
        var value: String
        /// The line was no UTF-8, so each character beyond ASCII stands for one byte.
        var isLatin1 = false
    }

    var version: String
    var status: Int
    var fields: [Field] = []

    init(version: String, status: Int, fields: [Field]) {
        self.version = version
        self.status = status
        self.fields = fields
    }

    /// Reads a status line (RFC 9112, section 4; the reason may be missing), or answers `nil`.
    init?(statusLine line: String) {
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

    /// The first value of a field, its name compared without case.
    func value(_ name: String) -> String? {
        firstIndex(of: name).map { fields[$0].value }
    }

    /// Where a field stands first.
    private func firstIndex(of name: String) -> Int? {
        let count = name.utf8.count
        // By the lengths first, in place: a head is searched for many names, and each copy of a field counts references.
        return fields.indices.first { fields[$0].name.utf8.count == count && fields[$0].name.isEqualIgnoringCase(name) }
    }

    /// The value of `Location`, with bytes that are no UTF-8 percent-encoded as they came.
    var location: String? {
        guard let field = firstIndex(of: "location").map({ fields[$0] }) else { return nil }
        guard field.isLatin1 else { return field.value }
        return field.value.unicodeScalars.reduce(into: "") { result, scalar in
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                result += "%" + String(scalar.value, radix: 16, uppercase: true)
            }
        }
    }

    /// Whether the head gives its body two lengths, so that nobody knows where it ends (RFC 9112, section 6.3).
    var hasConflictingLengths: Bool {
        let isLength: (Field) -> Bool = { $0.name.isEqualIgnoringCase("content-length") }
        // One field with one length, as nearly every head has it.
        if fields.count(where: isLength) <= 1, value("Content-Length")?.utf8.contains(UInt8(ascii: ",")) != true {
            return false
        }
        let values = fields.filter(isLength).map(\.value)
        let lengths = values.flatMap { value in
            value.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Set(lengths).count > 1 && value("Transfer-Encoding") == nil
    }

    /// The fields as URLSession gives them: values of one name joined (RFC 9110, section 5.3), in whatever case.
    var joinedFields: [String: String] {
        var result: [String: String] = [:]
        result.reserveCapacity(fields.count)
        // Comparing all with all is quicker than folding the few names a head has; one with many could make it slow.
        guard fields.count <= 32 else { return joinedFoldedFields }
        for index in fields.indices {
            let first = firstIndex(of: fields[index].name) ?? index
            if first < index, let value = result[fields[first].name] {
                result[fields[first].name] = value + ", " + fields[index].value
            } else {
                result[fields[index].name] = fields[index].value
            }
        }
        return result
    }

    private var joinedFoldedFields: [String: String] {
        // Each name's values are joined once: to append to a text for each of them would take quadratic time.
        var groups: [String: (name: String, values: [String])] = [:]
        for field in fields { groups[field.name.lowercased(), default: (field.name, [])].values.append(field.value) }
        return Dictionary(groups.values.map { ($0.name, $0.values.joined(separator: ", ")) }) { first, _ in first }
    }
}
