/// A response serializer that decodes the body as a string.
///
/// The character encoding is the first of these: ``encoding``, if set; that of a byte order mark; the `charset` of the
/// `Content-Type`; for XML, the one named by the XML declaration; UTF-8. Text that names no encoding and is not UTF-8
/// is decoded as Windows 1252 or, if that fails, as ISO 8859-1. A `<meta charset>` of HTML is not read. An empty body
/// is decoded as an empty string.
public struct StringResponseSerializer: ValidatingResponseSerializer, Codable {
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation
    /// The maximum size of a body, in bytes; `nil`, the default, for no limit.
    public var maximumBodySize: Int?
    /// The encoding to use for all bodies; with `nil`, the default, the response determines the encoding.
    public var encoding: String.Encoding? {
        get { rawEncoding.map { String.Encoding(rawValue: $0) } }
        set { rawEncoding = newValue?.rawValue }
    }
    /// A Boolean value that indicates whether invalid bytes are replaced by U+FFFD.
    ///
    /// The default is `false`: invalid bytes are an error.
    public var allowsLossyConversion: Bool
    /// The raw value of the encoding, whose type is not `Codable`.
    private var rawEncoding: UInt?

    private enum CodingKeys: String, CodingKey {
        case validation, maximumBodySize, allowsLossyConversion
        case rawEncoding = "encoding"
    }

    /// Creates a serializer; each parameter is the initial value of the property with its name.
    public init(
        encoding: String.Encoding? = nil,
        allowsLossyConversion: Bool = false,
        validation: Validation = Validation(),
        maximumBodySize: Int? = nil
    ) {
        rawEncoding = encoding?.rawValue
        self.allowsLossyConversion = allowsLossyConversion
        self.validation = validation
        self.maximumBodySize = maximumBodySize
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
