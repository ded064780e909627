/// A type-erased response serializer.
///
/// It validates responses as the wrapped serializer does. If the wrapped serializer is not a
/// ``ValidatingResponseSerializer``, it is called after the checks set here, which initially accept every response.
public struct AnyResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The acceptable status codes and content types; by default, those of the wrapped serializer.
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil` for no limit.
    ///
    /// By default, that of the wrapped serializer.
    public var maximumBodySize: Int?

    private let body: @Sendable (AnyResponseSerializer, TaskResponse<Never>) -> SerializedResponse<Output>

    /// Creates a serializer that wraps another one.
    ///
    /// - Parameter base: The serializer to wrap.
    public init(_ base: some ResponseSerializer<Output>) { self.init(base) { $0 } }

    /// Creates a serializer that wraps another one and transforms its value.
    ///
    /// - Parameters:
    ///   - base: The serializer to wrap.
    ///   - transform: A closure that transforms the value. It is normally called on the processing queue. A
    ///     ``NetworkError`` that it throws becomes the response's error; any other error is reported as
    ///     ``NetworkError/Code/decodingFailed``.
    public init<Base: ResponseSerializer>(
        _ base: Base,
        transform: @escaping @Sendable (Base.Output) throws -> Output
    ) {
        validation = (base as? any ValidatingResponseSerializer)?.validation ?? .none
        maximumBodySize = base.maximumBodySize
        body = { limits, response in
            let serialized = base.serialize(response, limits: limits)
            let whole = response.replacing(value: serialized.value, error: serialized.error).tryMap(transform)
            return SerializedResponse(value: whole.value, error: whole.error)
        }
    }

    /// Validates a response and decodes its body; see ``ResponseSerializer/serialize(_:)``.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Output> { body(self, response) }
}

extension ResponseSerializer {
    /// Validates and decodes a response, with the validation and the maximum body size of another serializer.
    fileprivate func serialize(
        _ response: TaskResponse<Never>,
        limits: some ValidatingResponseSerializer
    ) -> SerializedResponse<Output> {
        if var validating = self as? any ValidatingResponseSerializer<Output> {
            validating.validation = limits.validation
            validating.maximumBodySize = limits.maximumBodySize
            return validating.serialize(response)
        }
        let check = BodyCheck(limits, response)
        if let error = check.refusal { return SerializedResponse(error: error) }
        let result = serialize(response)
        return SerializedResponse(value: result.value, error: result.error?.onTop(of: check.error) ?? check.error)
    }

    /// Returns a serializer that transforms the value of this serializer.
    ///
    /// - Parameter transform: A closure that transforms the value, normally called on the processing queue. An error
    ///   that it throws becomes the response's error.
    /// - Returns: The new serializer.
    public func map<New: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> New
    ) -> AnyResponseSerializer<New> {
        AnyResponseSerializer(self, transform: transform)
    }

    /// Returns this serializer with its value as `any Sendable`.
    ///
    /// A ``CompoundResponseSerializer`` can then combine it with serializers for other types.
    public func erased() -> AnyResponseSerializer<any Sendable> { AnyResponseSerializer(self) { $0 } }
}

/// A response serializer whose value type is known only at run time, such as the manager's own.
package struct UntypedResponseSerializer: ResponseSerializer {
    package let base: any ResponseSerializer

    package init(base: any ResponseSerializer) { self.base = base }

    package var maximumBodySize: Int? { base.maximumBodySize }

    package func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<any Sendable> {
        func run(_ base: some ResponseSerializer) -> SerializedResponse<any Sendable> {
            let result = base.serialize(response)
            return SerializedResponse(value: result.value, error: result.error)
        }
        return run(base)
    }
}
