import FerrySession

extension RequestSerializationError {
    /// A kind of failure; new ones may be added in any version.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String

        /// Creates a kind from its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There is no URL, or a text is none.
        public static let invalidURL = Code(rawValue: "invalidURL")
        /// The method is no token, or it cannot have the body it was to get.
        public static let invalidMethod = Code(rawValue: "invalidMethod")
        /// A header's name or value breaks the grammar of RFC 9110.
        public static let invalidHeader = Code(rawValue: "invalidHeader")
        /// The parameters have no form in the serializer's format.
        public static let invalidParameters = Code(rawValue: "invalidParameters")
        /// A text has characters that its string encoding lacks.
        public static let unencodableText = Code(rawValue: "unencodableText")
        /// A multipart boundary, length, packet size or delay is out of range.
        public static let invalidMultipart = Code(rawValue: "invalidMultipart")
        /// A file is missing, unreadable or not a regular file.
        public static let fileUnreachable = Code(rawValue: "fileUnreachable")
        /// A file is not what it was when it was added.
        public static let fileChanged = Code(rawValue: "fileChanged")
        /// The body could not be written to a file.
        public static let fileNotWritten = Code(rawValue: "fileNotWritten")
        /// A part's stream failed, or ended before its declared length.
        public static let streamFailed = Code(rawValue: "streamFailed")
        /// A part's stream has been read and cannot be read again.
        public static let streamConsumed = Code(rawValue: "streamConsumed")
    }
}
