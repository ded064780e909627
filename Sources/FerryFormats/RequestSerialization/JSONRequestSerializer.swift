/// A request serializer that encodes parameters as an `application/json` body.
///
/// Methods whose parameters go into the URL get a query, as with ``HTTPRequestSerializer``. Without parameters, neither
/// a body nor a `Content-Type` is set. Values that JSON cannot represent, such as not-a-number, are an error with
/// ``RequestSerializationError/Code/invalidParameters``. AFNetworking: `AFJSONRequestSerializer`.
///
/// All settings are encoded except ``configureEncoder``, a closure.
public struct JSONRequestSerializer: ConfigurableRequestSerializer, Codable {
    /// The default header fields, the request properties and the encoding of queries.
    public var options: RequestOptions
    /// The formatting of the JSON; sorted keys by default, so that equal parameters always give the same bytes.
    public var outputFormatting: JSONEncoder.OutputFormatting {
        get { JSONEncoder.OutputFormatting(rawValue: rawFormatting) }
        set { rawFormatting = newValue.rawValue }
    }
    /// A Boolean value that indicates whether a body may be a single string, number, Boolean or null.
    ///
    /// The default is `false`, as in AFNetworking.
    public var allowsFragments = false
    /// A closure that configures the encoder, which is created for each request.
    public var configureEncoder: (@Sendable (JSONEncoder) -> Void)?
    /// The raw value of the formatting, whose type is not `Codable`.
    private var rawFormatting = JSONEncoder.OutputFormatting.sortedKeys.rawValue

    private enum CodingKeys: String, CodingKey {
        case options, allowsFragments
        case rawFormatting = "outputFormatting"
    }

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

    /// Returns a copy of the request with its parameters encoded, as
    /// ``HTTPRequestSerializer/serialize(_:parameters:)``.
    public func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest {
        try options.serialize(request, parameters, contentType: "application/json", format: "valid JSON") {
            let encoder = JSONEncoder()
            encoder.outputFormatting = outputFormatting
            configureEncoder?(encoder)
            let body = try encoder.encode($0.encodable())
            let isFragment = body.first != UInt8(ascii: "{") && body.first != UInt8(ascii: "[")
            return isFragment && !allowsFragments ? nil : body
        }
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
