import FerrySession

/// What a response serializer made of a response: a value, an error, both or neither.
public struct SerializedResponse<Output: Sendable>: Sendable {
    /// What could be decoded.
    public var value: Output?

    /// What was wrong.
    public var error: NetworkError?

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - value: What could be decoded.
    ///   - error: What was wrong.
    public init(value: Output? = nil, error: NetworkError? = nil) {
        self.value = value
        self.error = error
    }
}
