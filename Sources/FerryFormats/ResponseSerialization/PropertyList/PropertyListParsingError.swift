/// The error of data that is not a valid property list.
public struct PropertyListParsingError: Error, Sendable, Hashable, LocalizedError {
    /// A description of the error.
    public var reason: String
    /// The position of the error in bytes, starting at 0; nil if it is not known.
    public var offset: Int?

    /// The reason and the position.
    public var errorDescription: String? { reason + (offset.map { " at byte \($0)" } ?? "") }

    package init(_ reason: String, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }
}
