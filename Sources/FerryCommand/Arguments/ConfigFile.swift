/// Reads the options in a file of `--config`, in curl's syntax.
///
/// A line is an option with its value after blanks, `=` or `:`. The hyphens of a long name may be left out. A value
/// with blanks is in double quotes, in which `\\`, `\"`, `\t`, `\n`, `\r` and `\v` are escapes. A line that begins with
/// `#` is a comment.
enum ConfigFile {
    /// The largest size of a file in bytes.
    static let maximumBytes = 1_048_576

    /// Returns the options in a file, or of standard input for `-`.
    ///
    /// An error names the file and the line.
    static func tokens(inFile path: String) throws(UsageError) -> [ArgumentScanner.Token] {
        let text: String
        do throws(CommandFailure) {
            text = try UploadBody.text(path, limit: maximumBytes).withoutByteOrderMark
        } catch {
            throw UsageError(error.message)
        }
        return try tokens(in: text, path: path)
    }

    static func tokens(in text: String, path: String) throws(UsageError) -> [ArgumentScanner.Token] {
        var tokens: [ArgumentScanner.Token] = []
        // A character with many combining marks takes long to compare.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.endsLine).enumerated() {
            do throws(UsageError) {
                try line.checkCharacters()
                let line = line.drop(while: \.isWhitespace)
                guard let first = line.first, first != "#" else { continue }
                tokens += try self.tokens(ofLine: line)
            } catch {
                throw UsageError("\(path), line \(index + 1): \(error.message)")
            }
        }
        return tokens
    }

    /// Returns the option of a line, or several short ones in a group.
    private static func tokens(ofLine line: Substring) throws(UsageError) -> [ArgumentScanner.Token] {
        let isDashed = line.hasPrefix("-")
        let isEnd: (Character) -> Bool = { $0.isWhitespace || (!isDashed && ($0 == "=" || $0 == ":")) }
        let name = line.prefix { !isEnd($0) }
        var rest = line.dropFirst(name.count).drop(while: \.isWhitespace)
        // Only one separator: a value may begin with a colon.
        if !isDashed, rest.first == "=" || rest.first == ":" { rest.removeFirst() }
        rest = rest.drop(while: \.isWhitespace)
        var words = [isDashed ? String(name) : "--" + name]
        // A number sign begins a value, as in curl, or a comment behind an option that is complete without it.
        let isComment = rest.hasPrefix("#") && (try? ArgumentScanner.scan(words)) != nil
        if !isComment, let value = try value(rest) { words.append(value) }
        let tokens = try ArgumentScanner.scan(words)
        for token in tokens {
            guard let option = token.option else {
                // The word may end with a value, which may be a secret.
                if case .option(let last, _?)? = tokens.dropLast().last {
                    throw UsageError("--\(last.rawValue) has a value already")
                }
                throw UsageError("\(UsageError.quoted(name)) takes no value")
            }
            if option == .config { throw UsageError("a config file cannot name another one") }
            if option == .next { throw UsageError("a config file cannot have --next") }
        }
        return tokens
    }

    /// Returns the value at the end of a line, or `nil` if there is none.
    private static func value(_ text: Substring) throws(UsageError) -> String? {
        guard text.first == "\"" else {
            let value = text.prefix { !$0.isWhitespace }
            try checkEnd(text.dropFirst(value.count))
            return value.isEmpty ? nil : String(value)
        }
        let escapes: [Character: String] = ["t": "\t", "n": "\n", "r": "\r", "v": "\u{0B}"]
        var rest = text.dropFirst()
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"":
                try checkEnd(rest)
                return value
            case "\\":
                guard let next = rest.popFirst() else { break }
                value += escapes[next] ?? String(next)
            default: value.append(character)
            }
        }
        throw UsageError("the closing quote is missing")
    }

    private static func checkEnd(_ rest: Substring) throws(UsageError) {
        let rest = rest.drop(while: \.isWhitespace)
        guard rest.isEmpty || rest.hasPrefix("#") else { throw UsageError("a value with blanks needs quotes") }
    }
}
