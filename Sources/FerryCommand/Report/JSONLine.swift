/// A JSON object on one line (RFC 8259) whose members keep their order.
struct JSONLine: Equatable, Sendable {
    enum Value: Equatable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// The status of a response, which has three digits as plain text; zero without a response.
        case status(Int)
        /// A number with six decimal places.
        case seconds(Double)
        case string(String)
        case objects([JSONLine])

        static func optional(_ text: String?) -> Value { text.map { .string($0) } ?? .null }

        var json: String {
            switch self {
            case .null: "null"
            case .bool(let flag): flag ? "true" : "false"
            case .integer(let number): String(number)
            case .status(let status): String(status)
            case .seconds(let seconds): Self.decimal(seconds)
            case .string(let text): JSONLine.quoted(text)
            case .objects(let lines): "[" + lines.map(\.text).joined(separator: ",") + "]"
            }
        }

        /// The value without quotes; null is empty.
        var plain: String {
            switch self {
            case .null: ""
            case .string(let text): text
            case .status(let status): String(status).padded(to: 3, with: "0")
            default: json
            }
        }

        /// Returns seconds with six decimal places, independent of the locale.
        static func decimal(_ seconds: Double) -> String {
            let most = 1e12
            guard seconds.isFinite, abs(seconds) < most else { return "0.000000" }
            let micros = Int64((max(seconds, 0) * 1e6).rounded())
            return "\(micros / 1_000_000)." + String(micros % 1_000_000).padded(to: 6, with: "0")
        }
    }

    private var members: [String] = []

    var text: String { "{" + members.joined(separator: ",") + "}" }

    mutating func add(_ name: String, _ value: Value) {
        members.append(JSONLine.quoted(name) + ":" + value.json)
    }

    mutating func add(_ name: String, _ text: String?) { add(name, .optional(text)) }

    mutating func add(_ name: String, _ number: (some BinaryInteger)?) {
        add(name, number.map { .integer(Int64($0)) } ?? .null)
    }

    mutating func append(_ other: JSONLine) { members += other.members }

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
                result += "\\u" + UInt16(truncatingIfNeeded: scalar.value).hexadecimal
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
