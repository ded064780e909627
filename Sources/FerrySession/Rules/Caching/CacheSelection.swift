/// The normalization of a request's field values for comparison by `Vary` (RFC 9111, section 4.1).
enum CacheSelection {
    /// Returns the values of one field, each of which may be a list, as one list without blanks around its commas and
    /// without empty members.
    ///
    /// Case-insensitive values are in lower case.
    ///
    /// Values are never reordered: servers may prefer a language that comes first.
    static func normalized(_ values: [String], of name: String) -> String {
        guard !singular.contains(name) else { return values.joined(separator: ", ") }
        let members = values.flatMap { Self.members(of: $0, isCaseless: caseless.contains(name)) }
        return members.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
    }

    /// Fields that are not lists: their commas and blanks belong to the value.
    private static let singular: Set<String> = [
        "authorization", "content-type", "cookie", "date", "from", "host", "proxy-authorization", "referer",
        "user-agent",
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
            while let last = member.last, Substring.UTF8View.isBlank(last) { member.removeLast() }
            if !member.isEmpty { members.append(member) }
            member = []
        }
        for byte in value.utf8 {
            if isEscaped {
                isEscaped = false
            } else if isQuoted || depth > 0, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\""), depth == 0 {
                isQuoted.toggle()
            } else if !isQuoted, byte == UInt8(ascii: "(") {
                depth += 1
            } else if !isQuoted, byte == UInt8(ascii: ")") {
                depth = max(0, depth - 1)
            } else if !isQuoted, depth == 0 {
                if byte == UInt8(ascii: ",") {
                    finish()
                    continue
                }
                if Substring.UTF8View.isBlank(byte), member.isEmpty || isCaseless { continue }
            }
            let isUpper = isCaseless && (0x41...0x5A).contains(byte)
            member.append(isUpper ? byte | 0x20 : byte)
        }
        finish()
        return members
    }
}
