/// A response serializer that decodes a JSON body as a `Decodable` type.
///
/// If the body is empty or a single space, the value is ``EmptyResponse/emptyValue`` for an ``EmptyResponse``, and
/// `nil` for an optional type. For other types there is no value; if the response is valid, that is a decoding error
/// unless no body was expected (HEAD, 204, 205, 304) or the response has no data, as for a download.
///
/// If the status code is not acceptable, the body is decoded nevertheless. If that fails, the error is the one for the
/// status code, with the decoding error in ``NetworkError/decodingError``.
///
/// The text is checked as strictly as that of a ``JSONValue``, unless the decoder allows JSON5 or assumes a dictionary.
public struct DecodableResponseSerializer<Output: Decodable & Sendable>: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (those of JSON by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?

    private let configure: @Sendable (JSONDecoder) -> Void

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBodySize: The maximum size of a body, in bytes; `nil` for no limit.
    ///   - configure: A closure that configures the decoder, which is created for each body. It is normally called on
    ///     the processing queue.
    public init(
        _ type: Output.Type = Output.self,
        validation: Validation = Validation(contentTypes: JSONResponseSerializer.contentTypes),
        maximumBodySize: Int? = nil,
        configure: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) {
        self.validation = validation
        self.maximumBodySize = maximumBodySize
        self.configure = configure
    }

    /// Validates a response and decodes its body; see ``ResponseSerializer/serialize(_:)``.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<Output> {
        let check = BodyCheck(self, response)
        guard let body = check.body, !body.isSingleSpace else {
            return empty(response, check)
        }
        let decoder = JSONDecoder()
        configure(decoder)
        do {
            return SerializedResponse(value: try decoder.decodeStrictly(Output.self, from: body), error: check.error)
        } catch {
            guard var refusal = check.error else {
                let reason = "The body is not \(Output.self): \(Self.reason(error, decoder))"
                return SerializedResponse(error: check.decodingError(reason, error))
            }
            // An error page rarely has the requested type, so the status code is the more useful error.
            refusal.decodingError = error
            return SerializedResponse(error: refusal)
        }
    }

    /// Returns a description of an error with its place.
    private static func reason(_ error: any Error, _ decoder: JSONDecoder) -> String {
        guard case .dataCorrupted(let context)? = error as? DecodingError, context.codingPath.isEmpty else {
            return BodyCheck.reason(error)
        }
        if let cause = context.underlyingError as? JSONParsingError { return cause.localizedDescription }
        // On Linux `JSONDecoder` has this error without a place also for numbers that their type cannot represent.
        let isNumber = context.debugDescription == "The given data was not valid JSON." && !decoder.allowsJSON5
        return isNumber ? "a number cannot be represented in its type" : BodyCheck.reason(error)
    }

    private func empty(_ response: TaskResponse<Never>, _ check: BodyCheck) -> SerializedResponse<Output> {
        let data = response.data
        guard data?.isEmpty != false || data?.isSingleSpace == true else {
            return SerializedResponse(error: check.error)
        }
        if let type = Output.self as? any EmptyResponse.Type, let value = type.emptyValue as? Output {
            return SerializedResponse(value: value, error: check.error)
        }
        if let type = Output.self as? any ExpressibleByNilLiteral.Type,
            let value = type.init(nilLiteral: ()) as? Output
        {
            return SerializedResponse(value: value, error: check.error)
        }
        let hasNoBody = response.request?.httpMethod == "HEAD" || [204, 205, 304].contains(response.statusCode ?? 0)
        if check.error != nil || hasNoBody || data == nil { return SerializedResponse(error: check.error) }
        return SerializedResponse(error: check.decodingError("The body is empty, but \(Output.self) was expected"))
    }
}

extension ResponseSerializer {
    /// Returns a serializer that decodes a JSON body as a `Decodable` type.
    ///
    /// For other settings of the decoder, use the initializer and its `configure` closure.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - keys: The decoder's strategy for keys; by default, keys are used unchanged.
    ///   - dates: The decoder's strategy for dates; by default, dates are numbers of seconds since 1 January 2001.
    /// - Returns: The new serializer.
    public static func decodable<Value>(
        _ type: Value.Type = Value.self,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys,
        dates: JSONDecoder.DateDecodingStrategy = .deferredToDate
    ) -> Self where Self == DecodableResponseSerializer<Value> {
        DecodableResponseSerializer(type) { decoder in
            decoder.keyDecodingStrategy = keys
            decoder.dateDecodingStrategy = dates
        }
    }
}

/// A type that has a value for a response without a body.
///
/// ```swift
/// _ = try await manager.delete("users/1", as: Empty.self)
/// ```
public protocol EmptyResponse: Sendable {
    /// The value for a response without a body.
    static var emptyValue: Self { get }
}

/// The value of a response whose body is ignored.
///
/// It can be decoded from any JSON value, and is also the value of an empty body.
public struct Empty: EmptyResponse, Codable, Hashable {
    /// Creates the value.
    public init() {}

    /// Creates the value, whatever was encoded.
    public init(from decoder: any Decoder) {}

    /// The value for a response without a body.
    public static var emptyValue: Empty { Empty() }
}
