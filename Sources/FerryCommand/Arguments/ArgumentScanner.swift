/// Splits arguments into options, their values and operands, following the POSIX and GNU conventions.
enum ArgumentScanner {
    enum Token: Equatable {
        case option(Option, value: String?)
        case operand(String)
    }

    /// Returns the tokens of `-x`, `-xyz`, `-xVALUE`, `-x VALUE`, `--name`, `--name=VALUE`, `--name VALUE`, `--` and
    /// operands.
    static func scan(_ arguments: [String]) throws(UsageError) -> [Token] {
        var tokens: [Token] = []
        var rest = arguments[...]
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
            }
        }
        return tokens
    }

    private static func long(
        _ text: Substring,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> Token {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        guard let option = Option.named(name) else { throw unknown(name) }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard option.valueName != nil else {
            if attached != nil { throw UsageError("--\(name) takes no value") }
            return .option(option, value: nil)
        }
        return .option(option, value: try value(attached, of: "--\(name)", &rest))
    }

    private static func short(
        _ text: Substring,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> [Token] {
        var tokens: [Token] = []
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = Option.named(letter) else { throw UsageError("There is no option -\(letter)") }
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

    private static func unknown(_ name: String) -> UsageError {
        let nearest = NearestName.find(name, among: Option.allCases.map(\.rawValue))
        return UsageError("There is no option --\(name)" + (nearest.map { "; did you mean --\($0)?" } ?? ""))
    }
}
