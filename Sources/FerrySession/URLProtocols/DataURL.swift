/// The content of a `data:` URL (RFC 2397).
struct DataURL: Equatable {
    /// The media type without parameters; `text/plain` if the URL names none.
    let mediaType: String
    /// The character encoding named by the URL, in lowercase.
    let charset: String?
    let data: Data

    static func isOne(_ url: URL) -> Bool { url.scheme?.folded == "data" }

    /// Returns the response to a request for a URL; `nil` if the URL cannot be parsed.
    static func response(for url: URL) -> CachedURLResponse? {
        guard let content = DataURL(url) else { return nil }
        let response = URLResponse(
            url: url,
            mimeType: content.mediaType,
            expectedContentLength: content.data.count,
            textEncodingName: content.charset
        )
        return CachedURLResponse(response: response, data: content.data)
    }

    /// Parses a URL; `nil` without a comma, for a media type not of the form `type/subtype`, or for invalid Base64.
    init?(_ url: URL) {
        let text = url.absoluteString.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        guard Self.isOne(url), let comma = text.firstIndex(of: ",") else { return nil }
        var type = text[..<comma].dropFirst("data:".count)
        let isBase64 = type.lowercased().hasSuffix(";base64")
        if isBase64 { type = type.dropLast(";base64".count) }
        let body = text[text.index(after: comma)...].utf8.percentDecoded()
        if isBase64 {
            guard let decoded = Self.decode(body) else { return nil }
            data = decoded
        } else {
            data = Data(body)
        }
        let named = String(decoding: type.utf8.percentDecoded(), as: UTF8.self)
        let essence = named.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard essence.isEmpty || Self.isMediaType(essence) else { return nil }
        // Section 3 also defines a default charset; like URLSession, Ferry reports only one that the URL names.
        mediaType = essence.isEmpty ? "text/plain" : essence
        charset = ContentTypeField.charset(mediaType + named.drop { $0 != ";" })?.lowercased()
    }

    /// Returns a Boolean value that indicates whether a text has two nonempty parts separated by a slash.
    private static func isMediaType(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
    }

    /// Decodes Base64 leniently: in either alphabet, with blanks, and with or without padding.
    private static func decode(_ bytes: [UInt8]) -> Data? {
        var text = bytes.filter { $0 > 0x20 }.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        let padding = UInt8(ascii: "=")
        while text.last == padding { text.removeLast() }
        // Foundation also decodes padding before the last character.
        guard text.count % 4 != 1, !text.contains(padding) else { return nil }
        while !text.count.isMultiple(of: 4) { text.append(padding) }
        return Data(base64Encoded: Data(text))
    }
}

/// Delivers a response that the program has stored in a `URLCache`, or that of a `data:` URL.
final class StoredResponseProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { false }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let stored = cachedResponse else {
            let error = URLError.ferry(.badURL, url: request.url, "The data: URL is malformed")
            client?.urlProtocol(self, didFailWithError: error)
            return
        }
        client?.urlProtocol(self, cachedResponseIsValid: stored)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
