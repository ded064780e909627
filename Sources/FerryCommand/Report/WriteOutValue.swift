/// The value of a variable of `--write-out`, as text and as JSON.
enum WriteOutValue: Equatable, Sendable {
    case text(String)
    /// A text that may be missing: empty as text, `null` as JSON.
    case optional(String?)
    case integer(Int64)
    /// The status of a response, with three digits as text; zero without a response.
    case status(Int)
    case seconds(Double)

    /// Returns the rate in whole bytes per second; zero for a duration of zero.
    static func rate(of count: Int64?, in seconds: Double) -> WriteOutValue {
        let rate = seconds > 0 ? Double(count ?? 0) / seconds : 0
        return .integer(Int64(exactly: rate.rounded()) ?? 0)
    }

    var text: String {
        switch self {
        case .text(let text): text
        case .optional(let text): text ?? ""
        case .integer(let number): String(number)
        case .status(let status): Self.padded(status, 3)
        case .seconds(let seconds): Self.decimal(seconds)
        }
    }

    var json: JSONLine.Value {
        switch self {
        case .text(let text): .string(text)
        case .optional(let text): text.map { .string($0) } ?? .null
        case .integer(let number): .integer(number)
        case .status(let status): .integer(Int64(status))
        case .seconds(let seconds): .seconds(seconds)
        }
    }

    /// Returns seconds with six decimal places, independent of the locale.
    static func decimal(_ seconds: Double) -> String {
        let most = 1e12
        guard seconds.isFinite, abs(seconds) < most else { return "0.000000" }
        let micros = Int64((max(seconds, 0) * 1e6).rounded())
        return "\(micros / 1_000_000)." + padded(Int(micros % 1_000_000), 6)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
