import Foundation

/// The unit and precision in which a number is written.
public enum Notation: String, Sendable, Codable {
    /// A plain number with two decimals.
    case ratio
    /// A whole number.
    case count
    /// A plain number with one decimal.
    case tenths
    /// Seconds, written as seconds.
    case seconds
    /// Seconds, written as milliseconds.
    case milliseconds
    /// Seconds, written as microseconds.
    case microseconds
    /// Bytes, written as mebibytes.
    case megabytes
    /// Bytes, written as kibibytes.
    case kilobytes

    /// Returns the number as text.
    public func text(_ value: Double) -> String {
        switch self {
        case .ratio: String(format: "%.2f", value)
        case .count: String(format: "%.0f", value)
        case .tenths: String(format: "%.1f", value)
        case .seconds: String(format: "%.3f s", value)
        case .milliseconds: String(format: "%.0f ms", value * 1e3)
        case .microseconds: String(format: "%.1f µs", value * 1e6)
        case .megabytes: String(format: "%.1f MB", value / 1_048_576)
        case .kilobytes: String(format: "%.2f KB", value / 1024)
        }
    }
}
