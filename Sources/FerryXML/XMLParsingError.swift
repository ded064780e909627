import Ferry

/// Where and why a text is not well-formed XML.
public struct XMLParsingError: Error, Sendable, Hashable, LocalizedError {
    /// What is wrong.
    public var reason: String

    /// The line of the fault, from 1.
    public var line: Int

    /// The column of the fault, from 1.
    public var column: Int

    /// The reason and the place.
    public var errorDescription: String? { "\(reason) at line \(line), column \(column)" }
}
