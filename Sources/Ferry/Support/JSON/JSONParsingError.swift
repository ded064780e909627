import FerrySession

/// Where and why a text is not JSON.
public struct JSONParsingError: Error, Sendable, Hashable, LocalizedError {
    /// What is wrong.
    public var reason: String

    /// The place of the fault in the body, in bytes from 0.
    public var offset: Int

    /// The line of the fault, from 1.
    public var line: Int

    /// The column of the fault, in bytes from 1.
    public var column: Int

    /// The reason and the place.
    public var errorDescription: String? { "\(reason) at line \(line), column \(column)" }
}
