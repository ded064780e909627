import FerrySession

/// Encodes parameters as an `application/x-plist` body.
///
/// Methods whose parameters go into the URL get a query, as with ``HTTPRequestSerializer``. Without parameters there is
/// neither a body nor a `Content-Type`. AFNetworking: `AFPropertyListRequestSerializer`.
public struct PropertyListRequestSerializer: ConfigurableRequestSerializer {
    /// Headers, properties and the encoding of queries.
    public var options: RequestOptions
    /// The format, XML (the default) or binary; Foundation does not write the OpenStep format.
    public var format: PropertyListSerialization.PropertyListFormat

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - format: The format, XML or binary.
    ///   - options: Headers, properties and the encoding of queries.
    public init(
        format: PropertyListSerialization.PropertyListFormat = .xml,
        options: RequestOptions = RequestOptions()
    ) {
        self.format = format
        self.options = options
    }

    /// A copy of the request with default headers, and with the parameters in its query or its body.
    ///
    /// - Parameters:
    ///   - request: The request; what it carries already is kept.
    ///   - parameters: The parameters, or `nil` for none.
    /// - Returns: The request to send.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidParameters`` for what
    ///   property lists cannot hold: null, a leaf alone, and in XML control characters.
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
        // Foundation writes them as they are, and then no XML parser reads the result.
        guard format != .xml || !body.contains(where: Self.isForbiddenInXML) else {
            throw Self.invalid("XML has no form for the control characters in a text.")
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
    /// The value as property lists can hold it: decimals become doubles, and null is an error, since Foundation would
    /// write it as the text `$null`.
    fileprivate func propertyListValue() throws -> ParameterValue {
        switch self {
        case .null: throw RequestSerializationError(.invalidParameters, reason: "A property list has no null.")
        case .decimal(let value): .double(NSDecimalNumber(decimal: value).doubleValue)
        case .array(let values): .array(try values.map { value in try value.propertyListValue() })
        case .set(let values): .set(try values.map { value in try value.propertyListValue() })
        case .dictionary(let values): .dictionary(try values.mapValues { value in try value.propertyListValue() })
        default: self
        }
    }
}

extension RequestSerializer where Self == PropertyListRequestSerializer {
    /// Parameters as a query or an XML property list.
    public static var propertyList: PropertyListRequestSerializer { PropertyListRequestSerializer() }

    /// Parameters as a query or a property list, with options such as `.propertyList { $0.timeoutInterval = 10 }`.
    public static func propertyList(_ configure: (inout RequestOptions) -> Void) -> PropertyListRequestSerializer {
        PropertyListRequestSerializer(options: RequestOptions(configure: configure))
    }
}
