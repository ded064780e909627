import Ferry

/// A parser for the text of a netrc file, which reads each byte once.
struct NetrcParser {
    private let text: Substring.UTF8View
    private var rest: Substring.UTF8View
    private var entries: [NetrcFile.Entry] = []

    /// Returns all entries in their order.
    static func entries(in text: String) throws(NetrcError) -> [NetrcFile.Entry] {
        // Some editors begin files with a byte order mark.
        var parser = NetrcParser(text.withoutByteOrderMark)
        while let word = try parser.nextWord() { try parser.take(word) }
        return parser.entries
    }

    private init(_ text: String) {
        self.text = text[...].utf8
        rest = self.text
    }

    private mutating func take(_ word: String) throws(NetrcError) {
        // Long words are not compared.
        switch word.utf8.count <= 8 ? word.lowercased() : "" {
        case "machine": if let name = try nextWord() { entries.append(NetrcFile.Entry(machine: name)) }
        case "default": entries.append(NetrcFile.Entry(machine: nil))
        case "login": try takeValue(of: \.login)
        case "password": try takeValue(of: \.password)
        case "account": _ = try nextWord()
        case "macdef":
            // The rest of the line is the name of the macro, which ends before an empty line.
            repeat { skipLine() } while rest.first.map { $0 != 0x0A && !rest.starts(with: "\r\n".utf8) } ?? false
        default: break
        }
    }

    /// Sets a member of the last entry; what comes before the first one is ignored.
    private mutating func takeValue(of member: WritableKeyPath<NetrcFile.Entry, String>) throws(NetrcError) {
        guard let value = try nextWord(), let last = entries.indices.last else { return }
        entries[last][keyPath: member] = value
    }

    /// Returns the next word, and removes it and what precedes it; `nil` at the end.
    private mutating func nextWord() throws(NetrcError) -> String? {
        rest = rest.drop(while: Self.isBlank)
        while rest.first == UInt8(ascii: "#") {
            skipLine()
            rest = rest.drop(while: Self.isBlank)
        }
        if rest.first == UInt8(ascii: "\"") { return try quotedWord() }
        let word = rest.prefix { !Self.isBlank($0) }
        rest = rest[word.endIndex...]
        return word.isEmpty ? nil : String(Substring(word))
    }

    private mutating func skipLine() { rest = rest.drop { $0 != 0x0A }.dropFirst() }

    /// Returns the word in quotes at the beginning, and removes it.
    private mutating func quotedWord() throws(NetrcError) -> String {
        var word: [UInt8] = []
        var isEscaped = false
        for index in rest.indices.dropFirst() {
            let byte = rest[index]
            if byte == 0x0A { break }
            if isEscaped {
                isEscaped = false
                word.append(Self.unescaped(byte))
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                rest = rest[rest.index(after: index)...]
                return String(decoding: word, as: UTF8.self)
            } else {
                word.append(byte)
            }
        }
        let line = text[..<rest.startIndex].count { $0 == 0x0A } + 1
        throw NetrcError(message: "The quoted word in line \(line) of the netrc file does not end")
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// Returns whether a byte is a blank of C's `isspace`.
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
