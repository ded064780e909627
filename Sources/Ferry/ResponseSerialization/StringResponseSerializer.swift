import FerrySession

/// Makes a string from a body of text.
///
/// The character encoding is, in this order: the one that is set; what a byte order mark says; the `charset` of the
/// Content-Type; what an XML declaration or an HTML `meta` element says; UTF-8. A text that names no encoding and is not
/// UTF-8 is read as Windows 1252 or else ISO 8859-1, as browsers do. An empty body gives an empty string.
public struct StringResponseSerializer: ValidatingResponseSerializer {
    /// The acceptable status codes (200 to 299 by default) and content types (all by default).
    public var validation: Validation

    /// The largest body the serializer takes, in bytes; nil, the default, for any.
    public var maximumBytes: Int?

    /// The encoding of all bodies, whatever they say; nil, the default, asks the response.
    public var encoding: String.Encoding?

    /// Whether bytes that stand for nothing become U+FFFD; by default they are an error.
    public var allowsLossyConversion: Bool

    /// Makes a serializer.
    ///
    /// - Parameters:
    ///   - encoding: The encoding of all bodies; nil asks the response.
    ///   - allowsLossyConversion: Whether bytes that stand for nothing become U+FFFD.
    ///   - validation: The acceptable status codes and content types.
    ///   - maximumBytes: The largest body, in bytes; nil for any.
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

    /// Checks a response and decodes its text.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent last.
    ///   - response: The server's response.
    ///   - data: The body.
    /// - Returns: The text, and what was wrong.
    public func serialize(request: URLRequest?, response: URLResponse?, data: Data?) -> SerializedResponse<String> {
        let check = BodyCheck(self, request: request, response: response, data: data)
        guard let body = check.body else {
            return SerializedResponse(value: data?.isEmpty == true ? "" : nil, error: check.error)
        }
        let mark = Charset.byteOrderMark(of: body)
        let text = mark.map { body.dropFirst($0.length) } ?? body
        let declared = encoding ?? mark?.encoding ?? Self.declaredEncoding(response, body)
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

    private static func declaredEncoding(_ response: URLResponse?, _ body: Data) -> String.Encoding? {
        response?.declaredEncoding ?? Charset.declaration(in: body, contentType: response?.contentType)
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// The body as text.
    public static var string: StringResponseSerializer { StringResponseSerializer() }

    /// The body as text in one encoding.
    ///
    /// - Parameter encoding: The encoding, whatever the response says.
    /// - Returns: A serializer.
    public static func string(encoding: String.Encoding) -> StringResponseSerializer {
        StringResponseSerializer(encoding: encoding)
    }
}
