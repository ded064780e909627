import FerrySession

/// A response serializer that hides the type of another one, and shows only what it makes.
///
/// It validates as the wrapped serializer does. One that does not validate, since it conforms to ``ResponseSerializer``
/// alone, is asked after the checks set here, which accept every response to begin with.
public struct AnyResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The acceptable status codes and content types; those of the wrapped serializer unless set.
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil for any.
    public var maximumBytes: Int?

    private typealias Body =
        @Sendable (AnyResponseSerializer, URLRequest?, URLResponse?, Data?) -> SerializedResponse<Output>

    private let body: Body

    /// Wraps a serializer.
    ///
    /// - Parameter base: The serializer.
    public init(_ base: some ResponseSerializer<Output>) {
        self.init(wrapping: base) { limits, request, response, data in
            base.serialize(request: request, response: response, data: data, limits: limits)
        }
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
        self.init(wrapping: base) { limits, request, response, data in
            let serialized = base.serialize(request: request, response: response, data: data, limits: limits)
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

    private init(wrapping base: some ResponseSerializer, body: @escaping Body) {
        validation = (base as? any ValidatingResponseSerializer)?.validation ?? .none
        maximumBytes = base.maximumBytes
        self.body = body
    }

    /// Checks a response and makes a value from its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: What the wrapped serializer made, and what was wrong.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        body(self, request, response, data)
    }
}

extension ResponseSerializer {
    /// Serializes with the validation and the largest body of another serializer.
    fileprivate func serialize(
        request: URLRequest?,
        response: URLResponse?,
        data: Data?,
        limits: some ValidatingResponseSerializer
    ) -> SerializedResponse<Output> {
        if var validating = self as? any ValidatingResponseSerializer<Output> {
            validating.validation = limits.validation
            validating.maximumBytes = limits.maximumBytes
            return validating.serialize(request: request, response: response, data: data)
        }
        let check = BodyCheck(limits, request: request, response: response, data: data)
        if let error = check.error, check.body == nil, data?.isEmpty == false {
            return SerializedResponse(error: error)
        }
        let result = serialize(request: request, response: response, data: data)
        return SerializedResponse(value: result.value, error: result.error?.onTop(of: check.error) ?? check.error)
    }

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
