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
        private var disposition: [String: String] { FieldParts.parameters(headers["Content-Disposition"] ?? "") }
    }

    /// The parts of a `multipart/*` body (RFC 2046 section 5.1.1).
    ///
    /// Nil if the body has another type, is malformed, or was not kept completely.
    public var multipartParts: [Part]? {
        guard let type = header("Content-Type"), type.lowercased().hasPrefix("multipart/"),
            let boundary = FieldParts.parameters(type)["boundary"], body.count == bodyLength
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

/// A strict parser for multipart bodies: line endings must be CRLF, and the closing delimiter is required.
struct MultipartParser {
    let boundary: String

    func parts(of body: Data) -> [LoopbackRequest.Part]? {
        // The line ending before a delimiter belongs to it, but a body may begin with a delimiter.
        let delimiter = Data("\r\n--\(boundary)".utf8)
        let body = Data("\r\n".utf8) + body
        guard var position = body.range(of: delimiter)?.upperBound else { return nil }
        var parts: [LoopbackRequest.Part] = []
        while true {
            let rest = body[position...]
            if rest.starts(with: Data("--".utf8)) { return parts }
            guard rest.starts(with: Data("\r\n".utf8)),
                let end = body.range(of: delimiter, in: position..<body.endIndex),
                let part = Self.part(body[position..<end.lowerBound])
            else { return nil }
            parts.append(part)
            position = end.upperBound
        }
    }

    /// Parses a part that begins with the line ending of its delimiter.
    private static func part(_ data: Data) -> LoopbackRequest.Part? {
        guard let blank = data.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        var headers = LoopbackHeaders()
        let lines = String(decoding: data[data.startIndex..<blank.lowerBound], as: UTF8.self)
        for line in lines.components(separatedBy: "\r\n") where !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers.add(String(line[..<colon]), value)
        }
        return LoopbackRequest.Part(headers: headers, body: Data(data[blank.upperBound...]))
    }
}
