/// The format of `--write-out`: text, `%{name}`, `%{json}`, `%%`, `\n`, `\r`, `\t` and `\\`.
struct WriteOutFormat: Equatable, Sendable {
    private enum Part: Equatable, Sendable {
        case text(String)
        case variable(WriteOutVariable)
        /// An object of all variables.
        case json
    }

    private var parts: [Part] = []

    /// Parses a format; throws an error that names the variable if it is unknown.
    init(parsing format: String) throws(UsageError) {
        var text = ""
        var rest = format[...]
        while let character = rest.popFirst() {
            switch (character, rest.first) {
            case ("%", "{"?):
                parts.append(.text(text))
                text = ""
                parts.append(try Self.variable(&rest))
            case ("%", "%"?):
                rest.removeFirst()
                text.append("%")
            case ("\\", let next?):
                rest.removeFirst()
                text += Self.escapes[next] ?? "\\\(next)"
            default: text.append(character)
            }
        }
        parts.append(.text(text))
    }

    private static let escapes: [Character: String] = ["n": "\n", "r": "\r", "t": "\t", "\\": "\\"]

    /// Parses a variable in braces.
    private static func variable(_ rest: inout Substring) throws(UsageError) -> Part {
        rest.removeFirst()
        guard let end = rest.firstIndex(of: "}") else {
            throw UsageError("--write-out has a %{ without a }")
        }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        if name == "json" { return .json }
        if let variable = WriteOutVariable(rawValue: name) { return .variable(variable) }
        let names = WriteOutVariable.allCases.map(\.rawValue) + ["json"]
        let nearest = NearestName.find(name, among: names).map { "; did you mean %{\($0)}?" } ?? ""
        throw UsageError("--write-out has no variable %{\(name)}" + nearest)
    }

    func text(for report: TransferReport) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .variable(let variable): variable.value(in: report).text
            case .json: JSONLine(facts: report).text
            }
        }.joined()
    }
}

extension JSONLine {
    /// Creates an object of all variables of `--write-out`.
    init(facts report: TransferReport) {
        self.init()
        for variable in WriteOutVariable.allCases { add(variable.rawValue, variable.value(in: report).json) }
    }
}
