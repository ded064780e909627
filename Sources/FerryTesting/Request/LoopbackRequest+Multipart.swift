import Foundation

extension LoopbackRequest {
    /// A part of a multipart body.
    public struct Part: Sendable, Equatable {
        /// The part's header fields.
        public var headers: LoopbackHeaders

        /// The part's bytes.
        public var body: Data

        /// The `name` of its `Content-Disposition`.
        public var name: String? { disposition["name"] }

        /// The `filename` of its `Content-Disposition`.
        public var filename: String? { disposition["filename"] }

        /// The bytes as text, or nil if they are not UTF-8.
        public var text: String? { String(validating: body, as: UTF8.self) }

        private var disposition: [String: String] {
            MultipartParser.parameters(headers["Content-Disposition"] ?? "")
        }
    }

    /// The parts of a `multipart/*` body (RFC 2046 section 5.1.1).
    ///
    /// Nil if the body has another type, is malformed, or was not kept completely.
    public var multipartParts: [Part]? {
        guard let type = header("Content-Type"), type.lowercased().hasPrefix("multipart/"),
            let boundary = MultipartParser.parameters(type)["boundary"], body.count == bodyLength
        else { return nil }
        return MultipartParser(boundary: boundary).parts(of: body)
    }

    /// The items of an `application/x-www-form-urlencoded` body in order; nil if the body has another type.
    public var formItems: [URLQueryItem]? {
        guard header("Content-Type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
            let bodyText
        else { return nil }
        return RequestTarget.queryItems(of: "?" + bodyText.replacingOccurrences(of: "+", with: "%20"))
    }
}
