import Ferry

/// A parser for the text of a netrc file, which reads each byte once.
struct NetrcParser {
    /// The kind of the next word.
    private enum Expected {
        case keyword
        case machine
        case login
        case password
        /// A value that is not used.
        case ignored
    }

    private(set) var entries: [NetrcFile.Entry] = []

    private var expected = Expected.keyword
    private var isInMacro = false

    mutating func read(_ text: String) throws(NetrcError) {
        var number = 0
        // Some editors begin files with a byte order mark.
        let text = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            try read(line: line, number: number)
        }
    }

    private mutating func read(line: Substring.UTF8View, number: Int) throws(NetrcError) {
        if isInMacro {
            isInMacro = !(line.isEmpty || line.elementsEqual(CollectionOfOne(UInt8(ascii: "\r"))))
            return
        }
        var rest = line
        while true {
            rest = rest.drop(while: Self.isBlank)
            guard let first = rest.first, first != UInt8(ascii: "#") else { return }
            if first == UInt8(ascii: "\"") {
                guard let word = Self.quotedWord(&rest) else {
                    throw NetrcError(message: "The quoted word in line \(number) of the netrc file does not end")
                }
                take(word)
            } else {
                let word = rest.prefix { !Self.isBlank($0) }
                rest = rest[word.endIndex...]
                take(String(Substring(word)))
            }
            // The rest of the line is the name of the macro.
            if isInMacro { return }
        }
    }

    private mutating func take(_ word: String) {
        let kind = expected
        expected = .keyword
        switch kind {
        case .keyword: takeKeyword(word)
        case .machine: entries.append(NetrcFile.Entry(machine: word))
        case .login: change { $0.login = word }
        case .password: change { $0.password = word }
        case .ignored: break
        }
    }

    private mutating func takeKeyword(_ word: String) {
        // Long words are not compared.
        switch word.utf8.count <= 8 ? word.lowercased() : "" {
        case "machine": expected = .machine
        case "default": entries.append(NetrcFile.Entry(machine: nil))
        case "login": expected = .login
        case "password": expected = .password
        case "account": expected = .ignored
        case "macdef": isInMacro = true
        default: break
        }
    }

    /// Changes the last entry; what comes before the first one is ignored.
    private mutating func change(_ body: (inout NetrcFile.Entry) -> Void) {
        guard let last = entries.indices.last else { return }
        body(&entries[last])
    }

    /// Returns the word in quotes at the beginning, and removes it; `nil` if it does not end.
    private static func quotedWord(_ rest: inout Substring.UTF8View) -> String? {
        var word: [UInt8] = []
        var isEscaped = false
        for index in rest.indices.dropFirst() {
            let byte = rest[index]
            if isEscaped {
                isEscaped = false
                word.append(unescaped(byte))
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                rest = rest[rest.index(after: index)...]
                return String(decoding: word, as: UTF8.self)
            } else {
                word.append(byte)
            }
        }
        return nil
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
