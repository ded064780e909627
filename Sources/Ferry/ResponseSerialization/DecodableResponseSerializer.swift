import FerrySession

/// Makes a typed value from a JSON body.
///
/// A response without a body gives the empty value of an ``EmptyResponse`` and nil for an optional type. For other
/// types it gives neither value nor error if no body was to be expected (HEAD, 204, 205, 304), and else an error. When
/// the status code is not acceptable the body is decoded all the same; if it does not fit the type, the status code is
/// the error, and ``NetworkError/decodingError`` tells why it did not fit.
public struct DecodableResponseSerializer<Output: Decodable & Sendable>: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (those of JSON by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    private let configure: @Sendable (JSONDecoder) -> Void

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - type: The type to make.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
    ///   - configure: Sets a new decoder's strategies. Runs on the processing queue for every body.
    public init(
        _ type: Output.Type = Output.self,
        validation: Validation = Validation(contentTypes: JSONResponseSerializer.contentTypes),
        maximumBytes: Int? = nil,
        configure: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) {
        self.validation = validation
        self.maximumBytes = maximumBytes
        self.configure = configure
    }

    /// Checks a response and decodes its body.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The value, and what was wrong.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<Output> {
        let check = BodyCheck(self, request: request, response: response, data: data)
        guard let body = check.body, !body.isSingleSpace else {
            return empty(check, request: request, response: response, data: data)
        }
        do {
            let decoder = JSONDecoder()
            configure(decoder)
            return SerializedResponse(value: try decoder.decode(Output.self, from: body), error: check.error)
        } catch {
            guard var refusal = check.error else {
                let reason = "The body is not \(Output.self): \(BodyCheck.reason(error))"
                return SerializedResponse(error: check.decodingError(reason, error))
            }
            // An error page is seldom what was asked for: the status says more than the page's shape.
            refusal.decodingError = error
            return SerializedResponse(error: refusal)
        }
    }

    private func empty(
        _ check: BodyCheck,
        request: URLRequest?,
        response: URLResponse?,
        data: Data?
    ) -> SerializedResponse<Output> {
        guard data?.isEmpty != false || data?.isSingleSpace == true else {
            return SerializedResponse(error: check.error)
        }
        if let type = Output.self as? any EmptyResponse.Type, let value = type.emptyValue as? Output {
            return SerializedResponse(value: value, error: check.error)
        }
        if let type = Output.self as? any ExpressibleByNilLiteral.Type, let value = type.nilValue as? Output {
            return SerializedResponse(value: value, error: check.error)
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if check.error != nil || request?.httpMethod == "HEAD" || [204, 205, 304].contains(status) || data == nil {
            return SerializedResponse(error: check.error)
        }
        return SerializedResponse(error: check.decodingError("The body is empty where \(Output.self) was expected"))
    }
}

extension ExpressibleByNilLiteral {
    fileprivate static var nilValue: Self { Self(nilLiteral: ()) }
}

extension ResponseSerializer {
    /// The JSON body as a typed value.
    ///
    /// For other settings of the decoder use the initializer and its closure.
    ///
    /// - Parameters:
    ///   - type: The type to make.
    ///   - keys: How keys become names; by default they are the same.
    ///   - dates: How dates are written; by default as seconds since 2001.
    /// - Returns: A serializer.
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
