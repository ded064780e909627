import FerrySession

/// Makes a value from a response by a closure, after the usual checks.
///
/// The closure is called when the content type is acceptable and the body not too large, whatever the status code is,
/// and for empty bodies too.
public struct ClosureResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// Makes a value from a request, its response and the body.
    public typealias Closure = @Sendable (URLRequest?, URLResponse?, Data?) throws -> Output?

    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    private let closure: Closure

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    ///   - closure: Makes the value. Runs on the processing queue. A ``NetworkError`` it throws becomes the error as it
    ///     is, any other one with ``NetworkError/Code/decodingFailed``.
    public init(
        validation: Validation = Validation(),
        maximumBytes: Int? = nil,
        _ closure: @escaping Closure
    ) {
        self.validation = validation
        self.maximumBytes = maximumBytes
        self.closure = closure
    }

    /// Checks a response and calls the closure.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: What the closure made, and what was wrong.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        let check = BodyCheck(self, request: request, response: response, data: data)
        if let error = check.error, check.body == nil, data?.isEmpty == false {
            return SerializedResponse(error: error)
        }
        do {
            return SerializedResponse(value: try closure(request, response, data), error: check.error)
        } catch {
            let reason = "The body is not acceptable: \(BodyCheck.reason(error))"
            return SerializedResponse(error: check.decodingError(reason, error))
        }
    }
}

extension ResponseSerializer {
    /// A value made by a closure, after the usual checks.
    ///
    /// A closure after a leading dot has to be marked `@Sendable` (Swift 6.3 does not infer it there).
    ///
    /// - Parameter closure: Makes the value. Runs on the processing queue.
    /// - Returns: A serializer.
    public static func closure<Value>(
        _ closure: @escaping @Sendable (URLRequest?, URLResponse?, Data?) throws -> Value?
    ) -> Self where Self == ClosureResponseSerializer<Value> {
        ClosureResponseSerializer(closure)
    }
}
