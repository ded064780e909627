import Foundation

/// A request serializer that encodes parameters as an `application/x-plist` body.
///
/// Methods whose parameters go into the URL get a query, as with ``HTTPRequestSerializer``. Without parameters, neither
/// a body nor a `Content-Type` is set. AFNetworking: `AFPropertyListRequestSerializer`.
public struct PropertyListRequestSerializer: ConfigurableRequestSerializer {
    /// The default header fields, the request properties and the encoding of queries.
    public var options: RequestOptions
    /// The format: XML (the default) or binary.
    ///
    /// Foundation cannot write the OpenStep format.
    public var format: PropertyListSerialization.PropertyListFormat

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - format: The format: XML or binary.
    ///   - options: The default header fields, the request properties and the encoding of queries.
    public init(
        format: PropertyListSerialization.PropertyListFormat = .xml,
        options: RequestOptions = RequestOptions()
    ) {
        self.format = format
        self.options = options
    }

    /// Returns a copy of the request with default header fields and with the parameters in its query or body.
    ///
    /// - Parameters:
    ///   - request: The request. Header fields that it already has are kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError``, with ``RequestSerializationError/Code/invalidParameters`` for values
    ///   that a property list cannot represent: null, a single value that is not a collection and, in XML, control
    ///   characters; or the error that ``RequestOptions/querySerializer`` throws.
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
            try request.setBody(body, contentType: "application/x-plist")
        }
        return request
    }

    private func encode(_ parameters: Parameters) throws(RequestSerializationError) -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let body: Data
        do {
            var value = try parameters.encodable()
            if let tree = value as? ParameterValue {
                value = try tree.propertyListValue()
            }
            body = try encoder.encode(value)
        } catch let error as RequestSerializationError {
            throw error
        } catch {
            throw Self.invalid("The `parameters` argument is not a valid property list.", underlying: error)
        }
        // Foundation writes control characters as they are, and no XML parser can read the result.
        guard format != .xml || !body.contains(where: Self.isForbiddenInXML) else {
            throw Self.invalid("An XML property list cannot contain control characters.")
        }
        return body
    }

    private static func isForbiddenInXML(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
    }

    private static func invalid(_ reason: String, underlying error: (any Error)? = nil) -> RequestSerializationError {
        RequestSerializationError(.invalidParameters, reason: reason, underlyingError: error)
    }
}

extension ParameterValue {
    /// Returns the value in a form that property lists can represent.
    ///
    /// Decimals become doubles. Null is an error, since Foundation would write it as the string `$null`.
    fileprivate func propertyListValue() throws -> ParameterValue {
        switch self {
        case .null: throw RequestSerializationError(.invalidParameters, reason: "A property list cannot contain null.")
        case .decimal(let value): .double(NSDecimalNumber(decimal: value).doubleValue)
        case .array(let values): .array(try values.map { value in try value.propertyListValue() })
        case .set(let values): .set(try values.map { value in try value.propertyListValue() })
        case .dictionary(let values): .dictionary(try values.mapValues { value in try value.propertyListValue() })
        default: self
        }
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// A request serializer that encodes parameters as a query or an XML property list.
    public static var propertyList: PropertyListRequestSerializer { PropertyListRequestSerializer() }

    /// Returns a request serializer for queries and XML property lists, with the given options.
    ///
    /// For example, `.propertyList { $0.timeoutInterval = 10 }`.
    public static func propertyList(_ configure: (inout RequestOptions) -> Void) -> PropertyListRequestSerializer {
        PropertyListRequestSerializer(options: RequestOptions(configure: configure))
    }
}
