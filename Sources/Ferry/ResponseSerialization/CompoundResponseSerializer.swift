import FerrySession

/// Asks several serializers in turn; the first that makes a value wins.
///
/// The winner's error is kept, those of the others are dropped. If none wins, the raw body is the value where the
/// output type can hold it, checked for a status code of 200 to 299; for other types the error says that none could.
///
/// A plain ``HTTPDataResponseSerializer`` always makes a value, so it belongs at the end. `.compound(.json, .imageData)`
/// takes members that make different types; in an initializer they are brought together by ``ResponseSerializer/map(_:)``
/// or ``ResponseSerializer/erased()``.
///
/// AFNetworking: `AFCompoundResponseSerializer`.
public struct CompoundResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The serializers, in the order in which they are asked.
    public let responseSerializers: [any ResponseSerializer<Output>]

    /// The acceptable status codes (200 to 299 by default) and content types (all by default) when none wins.
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    private let fallback: (@Sendable (Data) -> Output)?

    /// Whether the fallback is code that an archive would lose.
    let hasCustomFallback: Bool

    /// Whether the raw body is the value when none wins.
    let givesBody: Bool

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - responseSerializers: The serializers, in the order in which they are asked.
    ///   - fallback: Makes a value from the raw body when none wins; nil makes that an error.
    public init(_ responseSerializers: [any ResponseSerializer<Output>], fallback: (@Sendable (Data) -> Output)? = nil)
    {
        self.responseSerializers = responseSerializers
        self.fallback = fallback
        hasCustomFallback = fallback != nil
        givesBody = false
        validation = Validation()
    }

    /// Makes a serializer that gives the raw body when none wins.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are asked.
    public init(_ responseSerializers: [any ResponseSerializer<Output>]) where Output == Data {
        self.init(responseSerializers, body: { $0 })
    }

    /// Makes a serializer that gives the raw body as `Data` when none wins.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are asked.
    public init(_ responseSerializers: [any ResponseSerializer<Output>]) where Output == any Sendable {
        self.init(responseSerializers, body: { $0 })
    }

    /// Makes a serializer that gives the raw body, as the output type, when none wins.
    init(_ responseSerializers: [any ResponseSerializer<Output>], body: (@Sendable (Data) -> Output)?) {
        self.responseSerializers = responseSerializers
        fallback = body
        hasCustomFallback = false
        givesBody = body != nil
        validation = Validation()
    }

    /// Checks a response and makes a value from its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: What the first serializer made that made anything, and what it found wrong.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        let check = BodyCheck(self, request: request, response: response, data: data)
        if check.error?.code == .responseTooLarge { return SerializedResponse(error: check.error) }
        var last: NetworkError?
        for serializer in responseSerializers {
            let serialized = serializer.serialize(request: request, response: response, data: data)
            if serialized.value != nil { return serialized }
            last = serialized.error ?? last
        }
        if let fallback { return SerializedResponse(value: data.map(fallback), error: check.error) }
        guard check.error == nil, check.body != nil, let last else { return SerializedResponse(error: check.error) }
        let reason = "None of \(responseSerializers.count) serializers could decode the body: \(last.message)"
        var error = check.decodingError(reason)
        error.underlyingError = last
        return SerializedResponse(error: error)
    }
}

extension ResponseSerializer {
    /// The first value that one of several serializers can make.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are asked.
    /// - Returns: A serializer.
    public static func compound<Value>(
        _ responseSerializers: any ResponseSerializer<Value>...
    ) -> Self where Self == CompoundResponseSerializer<Value> {
        CompoundResponseSerializer(responseSerializers, fallback: nil)
    }

    /// The first value that one of several serializers can make, else the raw body as `Data`.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are asked.
    /// - Returns: A serializer.
    public static func compound(
        _ responseSerializers: any ResponseSerializer<any Sendable>...
    ) -> Self where Self == CompoundResponseSerializer<any Sendable> {
        CompoundResponseSerializer(responseSerializers)
    }

    /// The first body that one of several serializers accepts, else the raw body.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are asked.
    /// - Returns: A serializer.
    public static func compound(
        _ responseSerializers: any ResponseSerializer<Data>...
    ) -> Self where Self == CompoundResponseSerializer<Data> {
        CompoundResponseSerializer(responseSerializers)
    }

    /// The first value that one of several serializers of different types can make, else the raw body as `Data`.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are asked.
    /// - Returns: A serializer.
    @_disfavoredOverload
    public static func compound(
        _ responseSerializers: any ResponseSerializer...
    ) -> Self where Self == CompoundResponseSerializer<any Sendable> {
        CompoundResponseSerializer(responseSerializers.map(UntypedResponseSerializer.init))
    }
}
