/// A JSON object on one line (RFC 8259) whose members keep their order.
struct JSONLine: Equatable, Sendable {
    enum Value: Equatable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// A number with six decimal places.
        case seconds(Double)
        case string(String)
        case objects([JSONLine])
    }

    private var members: [String] = []

    var text: String { "{" + members.joined(separator: ",") + "}" }

    mutating func add(_ name: String, _ value: Value) {
        members.append(Self.quoted(name) + ":" + Self.text(of: value))
    }

    mutating func add(_ name: String, _ text: String?) { add(name, text.map { .string($0) } ?? .null) }

    mutating func add(_ name: String, _ number: Int64?) { add(name, number.map { .integer($0) } ?? .null) }

    mutating func append(_ other: JSONLine) { members += other.members }

    private static func text(of value: Value) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .seconds(let seconds): WriteOutValue.decimal(seconds)
        case .string(let text): quoted(text)
        case .objects(let lines): "[" + lines.map(\.text).joined(separator: ",") + "]"
        }
    }

    /// Returns the text in quotes; control characters and line separators are escaped too.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case let scalar where TextStyle.isControl(scalar) || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
