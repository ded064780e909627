/// A response serializer that tries several serializers in turn and uses the first that produces a value.
///
/// The result is the value and the error of that serializer; the errors of the others are dropped. If no serializer
/// produces a value, the response is checked with ``validation``. If the output type can hold the raw body, that is
/// then the value; for other output types there is no value, and a valid response with a body is a decoding error.
///
/// An ``HTTPDataResponseSerializer`` produces a value for every body within its size limit, so place it last.
/// `.compound(.json, .string)` accepts serializers with different output types; for the initializers, convert them
/// to a common type with ``ResponseSerializer/map(_:)`` or ``ResponseSerializer/erased()``.
///
/// AFNetworking: `AFCompoundResponseSerializer`.
public struct CompoundResponseSerializer<Output: Sendable>: ValidatingResponseSerializer {
    /// The serializers, in the order in which they are tried.
    public let responseSerializers: [any ResponseSerializer<Output>]
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    ///
    /// They apply if no serializer produces a value.
    public var validation = Validation()
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?

    private let fallback: (@Sendable (Data) -> Output)?
    /// Whether the value is the raw body if no serializer produces one.
    private var givesBody = false

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
    }

    /// Creates a serializer whose value is the raw body if no serializer produces one.
    public init(_ responseSerializers: [any ResponseSerializer<Output>]) where Output == Data {
        self.init(responseSerializers, fallback: nil)
        givesBody = true
    }

    /// Creates a serializer whose value is the raw body as `Data` if no serializer produces one.
    public init(_ responseSerializers: [any ResponseSerializer<Output>]) where Output == any Sendable {
        self.init(responseSerializers, fallback: nil)
        givesBody = true
    }

    /// Returns the value and the error of the first serializer that produces a value for a response.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Output> {
        let check = BodyCheck(self, response)
        if check.error?.code == .responseTooLarge { return SerializedResponse(error: check.error) }
        var last: NetworkError?
        for serializer in responseSerializers {
            let serialized = serializer.serialize(response)
            if serialized.value != nil { return serialized }
            last = serialized.error ?? last
        }
        if givesBody { return SerializedResponse(value: response.data.flatMap { $0 as? Output }, error: check.error) }
        if let fallback { return SerializedResponse(value: response.data.map(fallback), error: check.error) }
        guard check.error == nil, check.body != nil, let last else { return SerializedResponse(error: check.error) }
        // The last message names the request, and has the first words of a web page.
        var error = check.decodingError("")
        error.message = "None of \(responseSerializers.count) serializers could decode the body: \(last.message)"
        error.underlyingError = last
        return SerializedResponse(error: error)
    }
}

extension ResponseSerializer {
    /// Returns a serializer that uses the first of several serializers that produces a value.
    public static func compound<Value>(
        _ responseSerializers: any ResponseSerializer<Value>...
    ) -> Self where Self == CompoundResponseSerializer<Value> {
        CompoundResponseSerializer(responseSerializers, fallback: nil)
    }

    /// Returns a serializer that uses the first of several serializers that produces a value, or else the raw body.
    public static func compound(
        _ responseSerializers: any ResponseSerializer<any Sendable>...
    ) -> Self where Self == CompoundResponseSerializer<any Sendable> {
        CompoundResponseSerializer(responseSerializers)
    }

    /// Returns a serializer that uses the first of several serializers that produces data, or else the raw body.
    public static func compound(
        _ responseSerializers: any ResponseSerializer<Data>...
    ) -> Self where Self == CompoundResponseSerializer<Data> {
        CompoundResponseSerializer(responseSerializers)
    }

    /// Returns a serializer that uses the first of several serializers, whose output types may differ, that produces a
    /// value, or else the raw body.
    @_disfavoredOverload
    public static func compound(
        _ responseSerializers: any ResponseSerializer...
    ) -> Self where Self == CompoundResponseSerializer<any Sendable> {
        CompoundResponseSerializer(responseSerializers.map(UntypedResponseSerializer.init))
    }
}

extension CompoundResponseSerializer: Codable {
    private enum Key: CodingKey {
        case responseSerializers, validation, maximumBodySize, givesBody
    }

    /// Decodes a serializer.
    ///
    /// - Throws: `DecodingError` if a contained serializer has another output type, or if compound serializers are
    ///   nested more than 16 levels deep.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func corrupted(_ key: Key, _ description: String) -> DecodingError {
            .dataCorruptedError(forKey: key, in: container, debugDescription: description)
        }
        let depth = decoder.codingPath.count { $0.stringValue == Key.responseSerializers.stringValue }
        guard depth < 16 else {
            throw corrupted(.responseSerializers, "Compound serializers are nested more than 16 levels deep")
        }
        let archived = try container.decode([ArchivedSerializer].self, forKey: .responseSerializers)
        let members = try archived.map { member -> any ResponseSerializer<Output> in
            if let typed = member.serializer as? any ResponseSerializer<Output> { return typed }
            let untyped = UntypedResponseSerializer(base: member.serializer)
            if let untyped = untyped as? any ResponseSerializer<Output> { return untyped }
            let description = "A contained serializer does not produce a value of type \(Output.self)"
            throw corrupted(.responseSerializers, description)
        }
        self.init(members, fallback: nil)
        givesBody = try container.decode(Bool.self, forKey: .givesBody)
        guard !givesBody || Data() is Output else {
            throw corrupted(.givesBody, "The raw body is not a value of type \(Output.self)")
        }
        validation = try container.decode(Validation.self, forKey: .validation)
        maximumBodySize = try container.decodeIfPresent(Int.self, forKey: .maximumBodySize)
    }

    /// Encodes all settings.
    ///
    /// - Throws: `EncodingError` if there is a fallback closure, or if a contained serializer cannot be archived
    ///   because it has a closure or is not defined by this module.
    public func encode(to encoder: any Encoder) throws {
        guard fallback == nil else {
            throw EncodingError.code(self, "the fallback of a compound serializer", at: encoder)
        }
        let archived = try responseSerializers.map { member -> ArchivedSerializer in
            if let member = ArchivedSerializer(member) { return member }
            throw EncodingError.code(member, "a \(type(of: member))", at: encoder)
        }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(archived, forKey: .responseSerializers)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBodySize, forKey: .maximumBodySize)
        try container.encode(givesBody, forKey: .givesBody)
    }

    /// Whether the serializer can be archived: it and the serializers in it have no closures.
    package var isArchivable: Bool {
        fallback == nil && responseSerializers.allSatisfy { ArchivedSerializer($0) != nil }
    }
}
