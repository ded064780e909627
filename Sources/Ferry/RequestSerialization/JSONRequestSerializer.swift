import FerrySession

/// Encodes parameters as an `application/json` body.
///
/// Methods whose parameters go into the URL get a query, as with ``HTTPRequestSerializer``. Without parameters there is
/// neither a body nor a `Content-Type`. AFNetworking: `AFJSONRequestSerializer`.
public struct JSONRequestSerializer: ConfigurableRequestSerializer {
    /// Headers, properties and the encoding of queries.
    public var options: RequestOptions
    /// How the JSON is written; by default with sorted keys, so that equal parameters always give the same bytes.
    public var outputFormatting: JSONEncoder.OutputFormatting = .sortedKeys
    /// Whether a text, a number, a truth value or null may be a whole body; by default not, as in AFNetworking.
    public var allowsFragments = false
    /// Sets the strategies of the encoder, which is a new one for each request.
    public var configureEncoder: (@Sendable (JSONEncoder) -> Void)?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - options: Headers, properties and the encoding of queries.
    ///   - configureEncoder: Sets the strategies of the encoder, which is a new one for each request.
    public init(
        options: RequestOptions = RequestOptions(),
        configureEncoder: (@Sendable (JSONEncoder) -> Void)? = nil
    ) {
        self.options = options
        self.configureEncoder = configureEncoder
    }

    /// A copy of the request with default headers, and with the parameters in its query or its body.
    ///
    /// - Parameters:
    ///   - request: The request; what it carries already is kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidParameters`` for what JSON
    ///   cannot hold, such as not-a-number.
    public func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest {
        let url = try request.requiredURL()
        if options.encodesParametersInURI(request) {
            return try HTTPRequestSerializer(options: options).serialize(request, parameters: parameters)
        }
        var request = request
        try request.addMissingHeaders(options.headers)
        if let parameters {
            let body: Data
            do {
                body = try encode(parameters)
            } catch {
                throw error.failing(url)
            }
            try request.setBody(body, contentType: "application/json")
        }
        return request
    }

    private func encode(_ parameters: Parameters) throws(RequestSerializationError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = outputFormatting
        configureEncoder?(encoder)
        let body: Data
        do {
            body = try encoder.encode(parameters.encodable())
        } catch let error as RequestSerializationError {
            throw error
        } catch {
            throw Self.invalid(underlying: error)
        }
        guard allowsFragments || body.first == UInt8(ascii: "{") || body.first == UInt8(ascii: "[") else {
            throw Self.invalid(underlying: nil)
        }
        return body
    }

    private static func invalid(underlying error: (any Error)?) -> RequestSerializationError {
        let reason = "The `parameters` argument is not valid JSON."
        return RequestSerializationError(.invalidParameters, reason: reason, underlyingError: error)
    }
}

extension RequestSerializer where Self == JSONRequestSerializer {
    /// Parameters as a query or a JSON body.
    public static var json: JSONRequestSerializer { JSONRequestSerializer() }

    /// Parameters as a query or a JSON body, with options such as `.json { $0.timeoutInterval = 10 }`.
    public static func json(_ configure: (inout RequestOptions) -> Void) -> JSONRequestSerializer {
        JSONRequestSerializer(options: RequestOptions(configure: configure))
    }
}
