import Foundation

/// The error of a text that is not valid JSON.
public struct JSONParsingError: Error, Sendable, Hashable, LocalizedError {
    /// A description of the error.
    public var reason: String

    /// The position of the error in the text, in bytes starting at 0.
    public var offset: Int

    /// The line of the error, starting at 1.
    public var line: Int

    /// The column of the error, in bytes starting at 1.
    public var column: Int

    /// The reason and the position.
    public var errorDescription: String? { "\(reason) at line \(line), column \(column)" }
}
