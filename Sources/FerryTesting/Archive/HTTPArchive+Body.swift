extension HTTPArchive {
    /// The body of a response, after decoding of its content codings.
    public struct Content: Sendable, Hashable {
        /// The number of bytes.
        public var size: Int
        /// The media type, or an empty text.
        public var mimeType: String
        /// The body as text, or encoded as ``encoding`` names; nil if it was not recorded.
        public var text: String?
        /// `base64` if the text is encoded in Base64; nil for plain text.
        public var encoding: String?
        /// A comment.
        public var comment: String?

        /// Creates a body from bytes: as text if they are UTF-8 and the type names no other charset, and in Base64
        /// otherwise.
        public init(_ body: Data = Data(), mimeType: String = "") {
            size = body.count
            self.mimeType = mimeType
            (text, encoding) = HTTPArchive.text(of: body, mimeType)
        }

        /// The bytes; nil if they were not recorded, or the text is not valid Base64.
        public var body: Data? { HTTPArchive.bytes(of: text, encoding) }
    }

    /// The body of a request.
    public struct PostData: Sendable, Hashable {
        /// The media type, or an empty text.
        public var mimeType: String
        /// The body as text, or encoded as ``encoding`` names; nil if it was not recorded.
        public var text: String?
        /// `base64` if the text is encoded in Base64; nil for plain text.
        ///
        /// It is an extension of the format, the field `_encoding`.
        public var encoding: String?
        /// The items of a form, which some programs write instead of the text.
        public var params: [Field]?
        /// A comment.
        public var comment: String?

        /// Creates a body from bytes: as text if they are UTF-8 and the type names no other charset, and in Base64
        /// otherwise.
        public init(_ body: Data, mimeType: String = "") {
            self.mimeType = mimeType
            (text, encoding) = HTTPArchive.text(of: body, mimeType)
        }

        /// The bytes; nil if they were not recorded, or the text is not valid Base64.
        public var body: Data? { HTTPArchive.bytes(of: text, encoding) }
    }

    private static func text(of body: Data, _ mimeType: String) -> (text: String, encoding: String?) {
        if isUTF8(body, mimeType), let text = String(validating: body, as: UTF8.self) { return (text, nil) }
        return (body.base64EncodedString(), "base64")
    }

    /// Returns whether a body of a type is UTF-8, to which text in archives is converted (HAR 1.2, `content`).
    private static func isUTF8(_ body: Data, _ mimeType: String) -> Bool {
        guard let charset = otherCharset(mimeType) else { return true }
        // Other charsets than these may use the bytes of ASCII for other characters.
        let isSuperset = charset == "us-ascii" || charset.hasPrefix("iso-8859-") || charset.hasPrefix("windows-")
        return isSuperset && body.allSatisfy { $0 < 0x80 }
    }

    /// Returns the charset of a type in lower case, or nil if it is UTF-8 or not named.
    static func otherCharset(_ mimeType: String) -> String? {
        guard let charset = ContentTypeField.charset(mimeType)?.lowercased(), !charset.isEmpty else { return nil }
        return ["utf-8", "utf8"].contains(charset) ? nil : charset
    }

    private static func bytes(of text: String?, _ encoding: String?) -> Data? {
        guard let text else { return nil }
        guard let encoding, !encoding.isEmpty else { return Data(text.utf8) }
        guard encoding.isEqualIgnoringCase("base64") else { return nil }
        // Some programs break Base64 into lines.
        let blanks = Set(" \t\r\n".utf8)
        return Data(base64Encoded: Data(text.utf8.filter { !blanks.contains($0) }))
    }
}

extension HTTPArchive.Content: Codable {
    /// Reads a body.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        size = values.count(.size) ?? 0
        mimeType = values.text(.mimeType) ?? ""
        text = try values.decodeIfPresent(String.self, forKey: .text)
        encoding = values.text(.encoding)
        comment = values.text(.comment)
    }
}

extension HTTPArchive.PostData: Codable {
    private enum CodingKeys: String, CodingKey {
        case mimeType, text, params, comment
        case encoding = "_encoding"
    }

    /// Reads a body.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        mimeType = values.text(.mimeType) ?? ""
        text = try values.decodeIfPresent(String.self, forKey: .text)
        params = try? values.decodeIfPresent([HTTPArchive.Field].self, forKey: .params)
        encoding = values.text(.encoding)
        comment = values.text(.comment)
    }
}
