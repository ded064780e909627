/// A request serializer that encodes parameters as an `application/x-plist` body.
///
/// Methods whose parameters go into the URL get a query, as with ``HTTPRequestSerializer``. Without parameters, neither
/// a body nor a `Content-Type` is set. Values that a property list cannot represent are an error with
/// ``RequestSerializationError/Code/invalidParameters``: null, a single value that is not a collection and, in XML,
/// control characters, U+FFFE and U+FFFF. AFNetworking: `AFPropertyListRequestSerializer`.
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

    /// Returns a copy of the request with its parameters encoded, as
    /// ``HTTPRequestSerializer/serialize(_:parameters:)``.
    public func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest {
        let contentType = "application/x-plist"
        return try options.serialize(request, parameters, contentType: contentType, format: "a valid property list") {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            var value = try $0.encodable()
            if let tree = value as? ParameterValue {
                value = try tree.propertyListValue()
            } else {
                // Foundation writes a marker in place of null.
                _ = try ParameterEncoder().encode(value).propertyListValue()
            }
            let body = try encoder.encode(value)
            return format == .xml ? try Self.readableXML(body) : body
        }
    }

    /// Returns a property list that Foundation has written as XML that any parser reads as the same values.
    ///
    /// Foundation writes all characters of a string but three as they are. XML has no control characters, U+FFFE and
    /// U+FFFF, and its parsers read a carriage return as a line feed unless it is written as a reference (XML 1.0,
    /// sections 2.2 and 2.11).
    private static func readableXML(_ list: Data) throws -> Data {
        let text = String(decoding: list, as: UTF8.self).unicodeScalars
        let isValid = text.allSatisfy { scalar in
            (scalar.value >= 0x20 || ["\t", "\n", "\r"].contains(scalar)) && !(0xFFFE...0xFFFF).contains(scalar.value)
        }
        guard isValid else {
            let reason = "An XML property list cannot contain control characters, U+FFFE and U+FFFF."
            throw RequestSerializationError(.invalidParameters, reason: reason)
        }
        let lines = text.split(separator: "\r", omittingEmptySubsequences: false).map { String($0) }
        return Data(lines.joined(separator: "&#13;").utf8)
    }
}

extension PropertyListRequestSerializer: Codable {
    private enum Key: CodingKey {
        case options, format
    }

    /// Decodes a serializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(options: try container.decode(RequestOptions.self, forKey: .options))
        typealias Format = PropertyListSerialization.PropertyListFormat
        format = try container.decodeRawIfPresent(Format.self, forKey: .format) ?? format
    }

    /// Encodes the options and the format.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(options, forKey: .options)
        try container.encodeRawIfPresent(format, forKey: .format)
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
        case .array(let values): .array(try values.map { try $0.propertyListValue() })
        case .set(let values): .set(try values.map { try $0.propertyListValue() })
        case .dictionary(let values): .dictionary(try values.mapValues { try $0.propertyListValue() })
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
