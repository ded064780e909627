/// An interceptor that adds an API key to requests, as a header field or as an item of the query.
///
/// ```swift
/// let key = APIKeyInterceptor(secret, in: .header("X-API-Key"))
/// ```
///
/// The key is added only to requests for the origins that may receive it, and never after a redirect to another origin.
/// A key in the query is part of the URL, which servers and proxies write into their logs: prefer a header field.
public struct APIKeyInterceptor: ImmediateRequestInterceptor {
    /// Where a key is added.
    public enum Placement: Sendable, Hashable {
        /// The header field with this name; the key replaces the request's value.
        case header(String)
        /// The item of the query with this name; the key replaces the request's items of that name.
        case query(String)
    }

    private let key: String
    private let placement: Placement
    private let scope: CredentialScope

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - placement: Where the key is added.
    ///   - origins: URLs of the origins that the key is sent to; by default the origin of each task's original URL.
    public init(_ key: String, in placement: Placement, origins: [URL]? = nil) {
        self.key = key
        self.placement = placement
        scope = CredentialScope(origins)
    }

    /// An empty set: a refused key is not sent again.
    public var failureStatusCodes: Set<Int> { [] }

    /// Adds the key to the request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - attempt: The attempt that is about to begin.
    /// - Returns: `true`. A request for an origin that must not receive the key is not changed.
    /// - Throws: `RequestSerializationError` if the name or the key cannot be sent. It does not contain the key.
    public func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) throws -> Bool {
        guard scope.includes(request.url, in: attempt), let url = request.url else { return true }
        switch placement {
        case .header(let name): try request.setHeader(HTTPHeader(name, key))
        case .query(let name): request.urlRequest.url = try url.settingQueryItem(name, to: key)
        }
        return true
    }
}

extension URL {
    /// Returns the URL with one item of the given name at the end of its query.
    ///
    /// The text of all other items is kept as it is.
    fileprivate func settingQueryItem(_ name: String, to value: String) throws -> URL {
        let text = absoluteString
        let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        let query = text.utf8[..<fragment].firstIndex(of: UInt8(ascii: "?"))
        let old = query.map { text[text.utf8.index(after: $0)..<fragment] } ?? ""
        var items = old.utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
        items.removeAll { item in
            let written = Substring(item.utf8.prefix { $0 != UInt8(ascii: "=") })
            return (written.removingPercentEncoding ?? String(written)) == name
        }
        items.append("\(QueryEncoding.percentEscape(name))=\(QueryEncoding.percentEscape(value))")
        let changed = text[..<(query ?? fragment)] + "?" + items.joined(separator: "&") + text[fragment...]
        guard let url = URL(string: String(changed)) else {
            // Without the URL, which has the key in it.
            throw RequestSerializationError(.invalidURL, reason: "The API key cannot be added to the URL's query.")
        }
        return url
    }
}

extension APIKeyInterceptor: RedactedDescription {
    /// Where the key is added, without the key.
    public var description: String {
        switch placement {
        case .header(let name): "an API key in the header field \(name)"
        case .query(let name): "an API key in the query item \(name)"
        }
    }
}
