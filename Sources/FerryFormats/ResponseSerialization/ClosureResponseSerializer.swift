/// A response serializer that decodes a validated response with a closure.
///
/// The closure is called for any status code if the content type is acceptable and the body is not too large, and
/// always if the body is empty.
public struct ClosureResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// A closure that returns a value for a request, its response and the body.
    public typealias Closure = @Sendable (URLRequest?, URLResponse?, Data?) throws -> Output?

    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?

    private let closure: Closure

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBodySize: The maximum size of a body, in bytes; `nil` for no limit.
    ///   - closure: A closure that returns the value, normally called on the processing queue. A ``NetworkError`` that
    ///     it throws becomes the response's error; any other error is reported as ``NetworkError/Code/decodingFailed``.
    public init(validation: Validation = Validation(), maximumBodySize: Int? = nil, _ closure: @escaping Closure) {
        self.validation = validation
        self.maximumBodySize = maximumBodySize
        self.closure = closure
    }

    /// Validates a response and calls the closure; see ``ResponseSerializer/serialize(_:)``.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Output> {
        let check = BodyCheck(self, response)
        if let error = check.refusal { return SerializedResponse(error: error) }
        do {
            let value = try closure(response.request, response.response, response.data)
            return SerializedResponse(value: value, error: check.error)
        } catch {
            let reason = "The body is not acceptable: \(BodyCheck.reason(error))"
            return SerializedResponse(error: check.decodingError(reason, error))
        }
    }
}

extension ResponseSerializer {
    /// Returns a serializer that decodes a validated response with a closure.
    ///
    /// A closure after a leading dot must be marked `@Sendable` (Swift 6.3 does not infer it there).
    ///
    /// - Parameter closure: A closure that returns the value, normally called on the processing queue.
    /// - Returns: The new serializer.
    public static func closure<Value>(
        _ closure: @escaping @Sendable (URLRequest?, URLResponse?, Data?) throws -> Value?
    ) -> Self where Self == ClosureResponseSerializer<Value> {
        ClosureResponseSerializer(closure)
    }
}
