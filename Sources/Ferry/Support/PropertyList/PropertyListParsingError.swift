import FerrySession

/// Why bytes are not a property list.
public struct PropertyListParsingError: Error, Sendable, Hashable, LocalizedError {
    /// What is wrong.
    public var reason: String

    /// The place of the fault in bytes from 0, where it is known.
    public var offset: Int?

    /// The reason and the place.
    public var errorDescription: String? { reason + (offset.map { " at byte \($0)" } ?? "") }

    init(_ reason: String, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }
}
