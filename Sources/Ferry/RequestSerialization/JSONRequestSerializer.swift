import Foundation

/// A request serializer that encodes parameters as an `application/json` body.
///
/// Methods whose parameters go into the URL get a query, as with ``HTTPRequestSerializer``. Without parameters, neither
/// a body nor a `Content-Type` is set. AFNetworking: `AFJSONRequestSerializer`.
public struct JSONRequestSerializer: ConfigurableRequestSerializer {
    /// The default header fields, the request properties and the encoding of queries.
    public var options: RequestOptions
    /// The formatting of the JSON; sorted keys by default, so that equal parameters always give the same bytes.
    public var outputFormatting: JSONEncoder.OutputFormatting = .sortedKeys
    /// A Boolean value that indicates whether a body may be a single string, number, Boolean or null.
    ///
    /// The default is `false`, as in AFNetworking.
    public var allowsFragments = false
    /// A closure that configures the encoder, which is created for each request.
    public var configureEncoder: (@Sendable (JSONEncoder) -> Void)?

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - options: The default header fields, the request properties and the encoding of queries.
    ///   - configureEncoder: A closure that configures the encoder, which is created for each request.
    public init(
        options: RequestOptions = RequestOptions(),
        configureEncoder: (@Sendable (JSONEncoder) -> Void)? = nil
    ) {
        self.options = options
        self.configureEncoder = configureEncoder
    }

    /// Returns a copy of the request with default header fields and with the parameters in its query or body.
    ///
    /// - Parameters:
    ///   - request: The request. Header fields that it already has are kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, with ``RequestSerializationError/Code/invalidParameters`` for values
    ///   that JSON cannot represent, such as not-a-number; or the error that ``RequestOptions/querySerializer`` throws.
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
    /// A request serializer that encodes parameters as a query or a JSON body.
    public static var json: JSONRequestSerializer { JSONRequestSerializer() }

    /// Returns a request serializer for queries and JSON bodies, with the given options.
    ///
    /// For example, `.json { $0.timeoutInterval = 10 }`.
    public static func json(_ configure: (inout RequestOptions) -> Void) -> JSONRequestSerializer {
        JSONRequestSerializer(options: RequestOptions(configure: configure))
    }
}
