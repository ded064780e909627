import FerrySession

/// A response serializer whose own type does not show, only what it makes.
public struct AnyResponseSerializer<Output: Sendable>: ResponseSerializer {
    /// The largest body the serializer takes, in bytes; nil for any.
    public let maximumBytes: Int?

    private let body: @Sendable (URLRequest?, URLResponse?, Data?) -> SerializedResponse<Output>

    /// Wraps a serializer.
    ///
    /// - Parameter base: The serializer.
    public init(_ base: some ResponseSerializer<Output>) {
        maximumBytes = base.maximumBytes
        body = { base.serialize(request: $0, response: $1, data: $2) }
    }

    /// Wraps a serializer and makes another value of what it makes.
    ///
    /// - Parameters:
    ///   - base: The serializer.
    ///   - transform: Makes the new value. Runs on the processing queue; what it throws becomes the error
    ///     (``NetworkError/Code/decodingFailed`` unless it is a ``NetworkError``).
    public init<Base: ResponseSerializer>(
        _ base: Base,
        transform: @escaping @Sendable (Base.Output) throws -> Output
    ) {
        maximumBytes = base.maximumBytes
        body = { request, response, data in
            let serialized = base.serialize(request: request, response: response, data: data)
            let whole = TaskResponse(
                request: request,
                response: response,
                data: data,
                value: serialized.value,
                error: serialized.error
            ).tryMap(transform)
            return SerializedResponse(value: whole.value, error: whole.error)
        }
    }

    /// Checks a response and makes a value from its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: What the wrapped serializer made, and what was wrong.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        body(request, response, data)
    }
}

extension ResponseSerializer {
    /// A serializer that makes another value of what this one makes.
    ///
    /// - Parameter transform: Makes the new value. Runs on the processing queue; what it throws becomes the error.
    /// - Returns: A serializer.
    public func map<New: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> New
    ) -> AnyResponseSerializer<New> {
        AnyResponseSerializer(self, transform: transform)
    }

    /// The same serializer, its value as `any Sendable`, so that it fits beside others in a compound.
    ///
    /// - Returns: A serializer.
    public func erased() -> AnyResponseSerializer<any Sendable> {
        AnyResponseSerializer(self) { $0 }
    }
}
