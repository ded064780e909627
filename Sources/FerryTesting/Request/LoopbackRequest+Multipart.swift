import Foundation

extension LoopbackRequest {
    /// One part of a multipart body.
    public struct Part: Sendable, Equatable {
        /// The part's header fields.
        public var headers: LoopbackHeaders

        /// The part's bytes.
        public var body: Data

        /// The `name` of its `Content-Disposition`.
        public var name: String? { disposition["name"] }

        /// The `filename` of its `Content-Disposition`.
        public var filename: String? { disposition["filename"] }

        /// The bytes as text, if they are UTF-8.
        public var text: String? { String(validating: body, as: UTF8.self) }

        private var disposition: [String: String] {
            MultipartParser.parameters(headers["Content-Disposition"] ?? "")
        }
    }

    /// The parts of a `multipart/*` body (RFC 2046 section 5.1.1); nil if it is none, malformed, or not kept whole.
    public var multipartParts: [Part]? {
        guard let type = header("Content-Type"), type.lowercased().hasPrefix("multipart/"),
            let boundary = MultipartParser.parameters(type)["boundary"], body.count == bodyLength
        else { return nil }
        return MultipartParser(boundary: boundary).parts(of: body)
    }

    /// The items of an `application/x-www-form-urlencoded` body in order; nil if it is none.
    public var formItems: [URLQueryItem]? {
        guard header("Content-Type")?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true,
            let bodyText
        else { return nil }
        return RequestTarget.queryItems(of: "?" + bodyText.replacingOccurrences(of: "+", with: "%20"))
    }
}
