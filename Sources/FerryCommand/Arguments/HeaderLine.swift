import Ferry

/// A header field in the syntax of `-H`: `Name: value`, `Name:` for a field that is left out, or `Name;` for an empty
/// one.
struct HeaderLine: Equatable, Sendable {
    let name: String
    /// The value; `nil` for a default field that must not be sent.
    let value: String?
}

extension HeaderLine {
    init(parsing line: String) throws(UsageError) {
        guard let mark = line.firstIndex(where: { $0 == ":" || $0 == ";" }), Self.isMark(mark, of: line) else {
            // Only the first word is shown, because the rest may be a credential.
            let word = UsageError.quoted(line.prefix { !$0.isWhitespace && $0 != "=" })
            throw UsageError("A header field needs a colon: \(word)")
        }
        let text = line[line.index(after: mark)...].trimmingCharacters(in: .whitespaces)
        try self.init(checking: String(line[..<mark]), line[mark] == ":" && text.isEmpty ? nil : text)
    }

    init(checking name: String, _ value: String?) throws(UsageError) {
        guard HeaderRule.isToken(name) else {
            throw UsageError("\(UsageError.quoted(name)) is not a valid header field name")
        }
        guard HeaderRule.isValue(value ?? "") else { throw UsageError("The value of \(name) has a line break") }
        let framing = ["content-length", "host", "transfer-encoding"]
        if value == nil, framing.contains(name.lowercased()) {
            throw UsageError("The header field \(name) cannot be left out")
        }
        self.name = name
        self.value = value
    }

    /// Whether a character ends the name: a colon, or a semicolon with nothing after it.
    private static func isMark(_ index: String.Index, of line: String) -> Bool {
        line[index] == ":" || line[line.index(after: index)...].allSatisfy(\.isWhitespace)
    }
}

extension [HeaderLine] {
    /// The names of default fields that must not be sent.
    var omitted: Set<String> { Set(filter { $0.value == nil }.map { $0.name.lowercased() }) }
}
