import Ferry

/// The error of a text that is not well-formed XML or exceeds a limit.
public struct XMLParsingError: Error, Sendable, Hashable, LocalizedError {
    /// The description of the error.
    public var reason: String

    /// The line of the error, starting from 1.
    public var line: Int

    /// The column of the error in bytes of UTF-8, starting from 1.
    public var column: Int

    /// The reason and the position.
    public var errorDescription: String? { "\(reason) at line \(line), column \(column)" }
}
