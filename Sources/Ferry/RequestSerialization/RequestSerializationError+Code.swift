import Foundation

extension RequestSerializationError {
    /// A kind of failure; any version may add new kinds.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The URL is missing or not valid.
        public static let invalidURL = Code(rawValue: "invalidURL")
        /// The method is not a token (RFC 9110, section 5.6.2), or it does not allow the body it was given.
        public static let invalidMethod = Code(rawValue: "invalidMethod")
        /// A header field's name or value does not conform to the grammar of RFC 9110.
        public static let invalidHeader = Code(rawValue: "invalidHeader")
        /// The parameters cannot be represented in the serializer's format.
        public static let invalidParameters = Code(rawValue: "invalidParameters")
        /// A string contains characters that its string encoding cannot represent.
        public static let unencodableText = Code(rawValue: "unencodableText")
        /// A multipart boundary is not valid, or a length, packet size or delay is out of range.
        public static let invalidMultipart = Code(rawValue: "invalidMultipart")
        /// A file does not exist, is not readable or is not a regular file.
        public static let fileUnreachable = Code(rawValue: "fileUnreachable")
        /// A file was changed after it was added to a form.
        public static let fileChanged = Code(rawValue: "fileChanged")
        /// The body could not be written to a file.
        public static let fileNotWritten = Code(rawValue: "fileNotWritten")
        /// A part's stream failed, or ended before its declared length.
        public static let streamFailed = Code(rawValue: "streamFailed")
        /// A part's stream has already been read and cannot be read again.
        public static let streamConsumed = Code(rawValue: "streamConsumed")
    }
}
