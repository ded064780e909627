import FerrySession

/// A type that has a value for a response without a body.
///
/// ```swift
/// try await manager.delete("users/1", as: Empty.self)
/// ```
public protocol EmptyResponse: Sendable {
    /// The value for a response without a body.
    static var emptyValue: Self { get }
}

/// The value of a response whose body does not matter.
///
/// Decodes from nothing and from anything.
public struct Empty: EmptyResponse, Codable, Hashable {
    /// Makes the value.
    public init() {}

    /// Takes anything for nothing.
    ///
    /// - Parameter decoder: Not read.
    public init(from decoder: any Decoder) {}

    /// The value for a response without a body.
    public static var emptyValue: Empty { Empty() }
}
