import Ferry

/// A header as `-H` takes it: `Name: value`, or `Name:` for an empty value.
struct HeaderLine: Equatable, Sendable {
    let name: String
    let value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init(parsing line: String) throws(UsageError) {
        guard let colon = line.firstIndex(of: ":") else { throw UsageError("A header needs a colon: '\(line)'") }
        name = String(line[..<colon])
        value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        guard HeaderLine.isToken(name) else { throw UsageError("'\(name)' cannot be a header's name") }
        guard value.utf8.allSatisfy({ $0 != 0 && $0 != 0x0A && $0 != 0x0D }) else {
            throw UsageError("The value of \(name) has a line break")
        }
    }

    /// Whether HTTP allows the string as a method or a header's name (RFC 9110, section 5.6.2).
    static func isToken(_ string: String) -> Bool {
        let marks = Set("!#$%&'*+-.^_`|~".utf8)
        return !string.isEmpty
            && string.utf8.allSatisfy { byte in
                let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                return isLetter || (0x30...0x39).contains(byte) || marks.contains(byte)
            }
    }
}
