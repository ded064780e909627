import Foundation

/// A response serializer that tries several serializers in turn and uses the first that produces a value.
///
/// The result is the value and the error of that serializer; the errors of the others are dropped. If no serializer
/// produces a value, the response is checked with ``validation``. If the output type can hold the raw body, that is
/// then the value; for other output types there is no value, and a valid response with a body is a decoding error.
///
/// An ``HTTPDataResponseSerializer`` produces a value for every body within its size limit, so place it last.
/// `.compound(.json, .imageData)` accepts serializers with different output types; for the initializers, convert them
/// to a common type with ``ResponseSerializer/map(_:)`` or ``ResponseSerializer/erased()``.
///
/// AFNetworking: `AFCompoundResponseSerializer`.
public struct CompoundResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The serializers, in the order in which they are tried.
    public let responseSerializers: [any ResponseSerializer<Output>]

    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    ///
    /// They apply if no serializer produces a value.
    public var validation: Validation

    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?

    private let fallback: (@Sendable (Data) -> Output)?

    /// Whether the fallback is a closure, which cannot be archived.
    let hasCustomFallback: Bool

    /// Whether the raw body is the value if no serializer produces one.
    let givesBody: Bool

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - responseSerializers: The serializers, in the order in which they are tried.
    ///   - fallback: A closure that returns a value for the raw body if no serializer produces one, normally called on
    ///     the processing queue. With `nil`, the result is then a decoding error.
    public init(_ responseSerializers: [any ResponseSerializer<Output>], fallback: (@Sendable (Data) -> Output)? = nil)
    {
        self.responseSerializers = responseSerializers
        self.fallback = fallback
        hasCustomFallback = fallback != nil
        givesBody = false
        validation = Validation()
    }

    /// Creates a serializer whose value is the raw body if no serializer produces one.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are tried.
    public init(_ responseSerializers: [any ResponseSerializer<Output>]) where Output == Data {
        self.init(responseSerializers, body: { $0 })
    }

    /// Creates a serializer whose value is the raw body as `Data` if no serializer produces one.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are tried.
    public init(_ responseSerializers: [any ResponseSerializer<Output>]) where Output == any Sendable {
        self.init(responseSerializers, body: { $0 })
    }

    /// Creates a serializer whose value is the raw body as the output type if no serializer produces one.
    init(_ responseSerializers: [any ResponseSerializer<Output>], body: (@Sendable (Data) -> Output)?) {
        self.responseSerializers = responseSerializers
        fallback = body
        hasCustomFallback = false
        givesBody = body != nil
        validation = Validation()
    }

    /// Validates a response and decodes its body.
    ///
    /// - Parameters:
    ///   - request: The request that was sent last, such as after a redirect.
    ///   - response: The server's response.
    ///   - data: The response's body.
    /// - Returns: The value and the error of the first serializer that produces a value.
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
    /// Returns a serializer that uses the first of several serializers that produces a value.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are tried.
    /// - Returns: The new serializer.
    public static func compound<Value>(
        _ responseSerializers: any ResponseSerializer<Value>...
    ) -> Self where Self == CompoundResponseSerializer<Value> {
        CompoundResponseSerializer(responseSerializers, fallback: nil)
    }

    /// Returns a serializer that uses the first of several serializers that produces a value, or else the raw body.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are tried.
    /// - Returns: The new serializer.
    public static func compound(
        _ responseSerializers: any ResponseSerializer<any Sendable>...
    ) -> Self where Self == CompoundResponseSerializer<any Sendable> {
        CompoundResponseSerializer(responseSerializers)
    }

    /// Returns a serializer that uses the first of several serializers that produces data, or else the raw body.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are tried.
    /// - Returns: The new serializer.
    public static func compound(
        _ responseSerializers: any ResponseSerializer<Data>...
    ) -> Self where Self == CompoundResponseSerializer<Data> {
        CompoundResponseSerializer(responseSerializers)
    }

    /// Returns a serializer that uses the first of several serializers that produces a value, or else the raw body.
    ///
    /// The serializers may have different output types.
    ///
    /// - Parameter responseSerializers: The serializers, in the order in which they are tried.
    /// - Returns: The new serializer.
    @_disfavoredOverload
    public static func compound(
        _ responseSerializers: any ResponseSerializer...
    ) -> Self where Self == CompoundResponseSerializer<any Sendable> {
        CompoundResponseSerializer(responseSerializers.map(UntypedResponseSerializer.init))
    }
}
