import Foundation

/// The result of a response serializer: a value, an error, both or neither.
public struct SerializedResponse<Output: Sendable>: Sendable {
    /// The decoded value, if any.
    public var value: Output?

    /// The validation or decoding error, if any.
    public var error: NetworkError?

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - value: The decoded value, if any.
    ///   - error: The validation or decoding error, if any.
    public init(value: Output? = nil, error: NetworkError? = nil) {
        self.value = value
        self.error = error
    }
}
