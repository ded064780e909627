import Foundation

/// A type that has a value for a response without a body.
///
/// ```swift
/// try await manager.delete("users/1", as: Empty.self)
/// ```
public protocol EmptyResponse: Sendable {
    /// The value for a response without a body.
    static var emptyValue: Self { get }
}

/// The value of a response whose body is ignored.
///
/// It can be decoded from any JSON value, and is also the value of an empty body.
public struct Empty: EmptyResponse, Codable, Hashable {
    /// Creates the value.
    public init() {}

    /// Creates the value, whatever was encoded.
    ///
    /// - Parameter decoder: The decoder, which is not used.
    public init(from decoder: any Decoder) {}

    /// The value for a response without a body.
    public static var emptyValue: Empty { Empty() }
}
