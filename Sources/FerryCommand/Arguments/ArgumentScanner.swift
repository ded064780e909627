/// Splits arguments into options, their values and operands, following the POSIX and GNU conventions.
enum ArgumentScanner {
    enum Token: Equatable {
        case option(Option, value: String?)
        case operand(String)

        var option: Option? { if case .option(let option, _) = self { option } else { nil } }

        /// Whether the token is an option that also applies after `--next`, as in curl.
        var isGlobal: Bool { [.silent, .showError, .verbose, .parallel, .parallelMax].contains(option) }

        /// Whether the token asks for a text about the command.
        var isHelp: Bool { [.help, .version, .completion].contains(option) }
    }

    /// Returns the tokens of `-x`, `-xyz`, `-xVALUE`, `-x VALUE`, `--name`, `--name=VALUE`, `--name VALUE`, `--` and
    /// operands.
    ///
    /// A `-` after `-C` belongs to this option, because curl's `-C -` is the same as this command's `-C`.
    static func scan(_ arguments: [String]) throws(UsageError) -> [Token] {
        var tokens: [Token] = []
        var rest = arguments[...]
        for argument in arguments { try argument.checkCharacters() }
        while let argument = rest.popFirst() {
            if argument == "--" {
                tokens += rest.map { .operand($0) }
                break
            }
            if argument.hasPrefix("--") {
                tokens.append(try long(argument.dropFirst(2), &rest))
            } else if argument.hasPrefix("-"), argument != "-" {
                tokens += try short(argument.dropFirst(), &rest)
            } else {
                tokens.append(.operand(argument))
                continue
            }
            if tokens.last == .option(.continueDownload, value: nil), rest.first == "-" { rest.removeFirst() }
        }
        return tokens
    }

    /// Returns the arguments between `--next`, each with the global options of those before it.
    static func groups(_ arguments: [String]) throws(UsageError) -> [[String]] {
        let groups = try scan(arguments).split(separator: .option(.next, value: nil), omittingEmptySubsequences: false)
        // The arguments are kept as they were typed.
        guard groups.count > 1 else { return [arguments] }
        var global: [Token] = []
        return groups.map { group in
            defer { global += group.filter(\.isGlobal) }
            return words(global + group)
        }
    }

    /// Returns arguments from which these tokens are scanned.
    private static func words(_ tokens: [Token]) -> [String] {
        var (words, last): ([String], [String]) = ([], [])
        for token in tokens {
            switch token {
            case .option(let option, let value): words += [option.names[0]] + [value].compactMap { $0 }
            case .operand(let text):
                if text.hasPrefix("-"), text != "-" { last.append(text) } else { words.append(text) }
            }
        }
        return last.isEmpty ? words : words + ["--"] + last
    }

    private static func long(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) -> Token {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = Option(rawValue: name) else {
            let nearest = NearestName.find(name, among: Option.allCases.map(\.rawValue))
            throw UsageError(
                "There is no option --\(UsageError.shown(name))" + (nearest.map { "; did you mean --\($0)?" } ?? "")
            )
        }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard option.valueName != nil else {
            if attached != nil { throw UsageError("--\(name) takes no value") }
            return .option(option, value: nil)
        }
        return .option(option, value: try value(attached, of: "--\(name)", &rest))
    }

    private static func short(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) -> [Token] {
        var tokens: [Token] = []
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = Option.allCases.first(where: { $0.short == letter }) else {
                throw UsageError("There is no option -\(UsageError.shown(String(letter)))")
            }
            guard option.valueName != nil else {
                tokens.append(.option(option, value: nil))
                continue
            }
            let attached = letters.isEmpty ? nil : String(letters)
            tokens.append(.option(option, value: try value(attached, of: "-\(letter)", &rest)))
            break
        }
        return tokens
    }

    private static func value(
        _ attached: String?,
        of name: String,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        if let value = attached ?? rest.popFirst() { return value }
        throw UsageError("\(name) needs a value")
    }
}

extension StringProtocol {
    /// Throws an error for a character with thousands of combining marks.
    ///
    /// Swift and Foundation sort the marks of a character each time they compare it with another one, in quadratic
    /// time.
    func checkCharacters() throws(UsageError) {
        let maximumBytes = 1_000
        guard utf8.count > maximumBytes, contains(where: { $0.utf8.count > maximumBytes }) else { return }
        throw UsageError("There is a character with more than \(maximumBytes) bytes")
    }
}

extension Character {
    /// Whether the character ends a line of a file, unlike other separators of Unicode.
    var endsLine: Bool { isNewline && (self == "\n" || self == "\r\n" || self == "\r") }
}

/// Finds the name that was probably meant by a misspelled one.
enum NearestName {
    /// Returns a name that begins with `name`, or else the one with the smallest edit distance; `nil` if none is close.
    ///
    /// A name that is much longer than all others is not compared, since that takes time for each pair of letters.
    static func find(_ name: String, among names: [String]) -> String? {
        guard name.utf8.count <= 2 * (names.lazy.map(\.utf8.count).max() ?? 0) else { return nil }
        if name.count >= 3, let longer = names.first(where: { $0.hasPrefix(name) }) { return longer }
        let nearest = names.map { (name: $0, distance: distance(name, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(1, name.count / 3) else { return nil }
        return nearest.name
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbouring letters that turn one word
    /// into the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let replaced = last[column] + (letter == other ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last.last ?? left.count
    }
}
