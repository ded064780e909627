import Ferry

/// A header field in the syntax of `-H`: `Name: value`, or `Name:` for an empty value.
struct HeaderLine: Equatable, Sendable {
    let name: String
    let value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init(parsing line: String) throws(UsageError) {
        guard let colon = line.firstIndex(of: ":") else {
            // Only the first word is shown, because the rest may be a credential.
            throw UsageError("A header field needs a colon: '\(line.prefix { !$0.isWhitespace && $0 != "=" })'")
        }
        name = String(line[..<colon])
        value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard HeaderRule.isToken(name) else { throw UsageError("'\(name)' is not a valid header field name") }
        guard HeaderRule.isValue(value) else {
            throw UsageError("The value of \(name) has a line break")
        }
    }
}
