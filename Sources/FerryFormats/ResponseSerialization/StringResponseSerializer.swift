/// A response serializer that decodes the body as a string.
///
/// The character encoding is the first of these: ``encoding``, if set; that of a byte order mark; the `charset` of the
/// `Content-Type`; for XML, the one named by the XML declaration; UTF-8. Text that names no encoding and is not UTF-8
/// is decoded as Windows 1252 or, if that fails, as ISO 8859-1. A `<meta charset>` of HTML is not read. An empty body
/// is decoded as an empty string.
public struct StringResponseSerializer: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBytes: Int?
    /// The encoding to use for all bodies; with `nil`, the default, the response determines the encoding.
    public var encoding: String.Encoding?
    /// A Boolean value that indicates whether invalid bytes are replaced by U+FFFD.
    ///
    /// The default is `false`: invalid bytes are an error.
    public var allowsLossyConversion: Bool

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(
        encoding: String.Encoding? = nil,
        allowsLossyConversion: Bool = false,
        validation: Validation = Validation(),
        maximumBytes: Int? = nil
    ) {
        self.encoding = encoding
        self.allowsLossyConversion = allowsLossyConversion
        self.validation = validation
        self.maximumBytes = maximumBytes
    }

    /// Validates a response and decodes its text; see ``ResponseSerializer/serialize(_:)``.
    public func serialize(_ response: TaskResponse<Never>) -> SerializedResponse<String> {
        let check = BodyCheck(self, response)
        guard let body = check.body else {
            return SerializedResponse(value: response.data?.isEmpty == true ? "" : nil, error: check.error)
        }
        let mark = Charset.byteOrderMark(of: body)
        let text = mark.map { body.dropFirst($0.length) } ?? body
        let isOrdered = mark.map { Charset.orders($0.encoding, of: encoding) } ?? false
        let declared =
            (isOrdered ? mark?.encoding : encoding) ?? mark?.encoding ?? response.declaredEncoding
            ?? (Self.mayBeXML(response) ? Charset.xmlDeclaration(of: body) : nil)
        let string =
            if let declared {
                Charset.string(text, encoding: declared)
                    ?? (allowsLossyConversion ? Charset.lossyString(text, encoding: declared) : nil)
            } else {
                String(data: text, encoding: .utf8) ?? String(data: text, encoding: .windowsCP1252)
                    ?? String(data: text, encoding: .isoLatin1)
            }
        guard let string else {
            let name = declared.map(\.description) ?? "any known encoding"
            return SerializedResponse(error: check.decodingError("The body is not text in \(name)"))
        }
        return SerializedResponse(value: string, error: check.error)
    }

    private static func mayBeXML(_ response: TaskResponse<Never>) -> Bool {
        response.contentType.map { type in type.hasSuffix("/xml") || type.hasSuffix("+xml") } ?? true
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// A response serializer that decodes the body as a string.
    public static var string: StringResponseSerializer { StringResponseSerializer() }

    /// Returns a serializer that decodes the body as a string in a given encoding.
    ///
    /// - Parameter encoding: The encoding, regardless of the one that the response names.
    /// - Returns: The new serializer.
    public static func string(encoding: String.Encoding) -> StringResponseSerializer {
        StringResponseSerializer(encoding: encoding)
    }
}

extension StringResponseSerializer: Codable {
    private enum Key: CodingKey {
        case validation, maximumBytes, encoding, allowsLossyConversion
    }

    /// Decodes a serializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            encoding: try container.decodeRawIfPresent(String.Encoding.self, forKey: .encoding),
            allowsLossyConversion: try container.decode(Bool.self, forKey: .allowsLossyConversion),
            validation: try container.decode(Validation.self, forKey: .validation),
            maximumBytes: try container.decodeIfPresent(Int.self, forKey: .maximumBytes)
        )
    }

    /// Encodes all settings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeRawIfPresent(encoding, forKey: .encoding)
        try container.encode(allowsLossyConversion, forKey: .allowsLossyConversion)
        try container.encode(validation, forKey: .validation)
        try container.encodeIfPresent(maximumBytes, forKey: .maximumBytes)
    }
}
