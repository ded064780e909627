import Foundation

/// The rules that combine a manager's base URL with the path of a request (RFC 3986, section 5).
///
/// AFNetworking: `initWithBaseURL:` and `URLWithString:relativeToURL:`.
public enum BaseURL {
    /// Returns the URL with a slash after its path, so that a relative path extends it instead of replacing its end.
    ///
    /// `http://example.com/v1` becomes `http://example.com/v1/`; a URL without a path is returned unchanged.
    public static func normalize(_ url: URL) -> URL {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        let path = components.percentEncodedPath
        guard !path.isEmpty, !path.hasSuffix("/") else { return url.absoluteURL }
        components.percentEncodedPath = path + "/"
        return components.url ?? url
    }

    /// Returns the absolute URL for a string, resolved against a base URL.
    ///
    /// A relative path is appended to the base, one with a leading slash replaces the base's path, an absolute URL is
    /// used as it is, and an empty string results in the base. Characters that are not allowed in a URL are
    /// percent-encoded; if a path or query has any, so are its percent signs.
    ///
    /// - Parameters:
    ///   - string: A path, a query, or an absolute URL.
    ///   - base: The base, with or without a slash at its end.
    /// - Returns: The absolute URL.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidURL`` for a string that is
    ///   not a URL, is relative without a base, or has no host.
    public static func resolve(_ string: String, against base: URL?) throws -> URL {
        let base = base.map(normalize)
        // Foundation cannot make a URL of an empty string, not even relative to another.
        let resolved = string.isEmpty ? base : URL(string: string, relativeTo: base)
        guard let url = resolved?.absoluteURL else {
            throw RequestSerializationError(.invalidURL, reason: "The text is not a URL.", failingURL: string)
        }
        guard let scheme = url.scheme?.lowercased() else {
            let reason = "The URL is relative, and there is no base URL."
            throw RequestSerializationError(.invalidURL, reason: reason, failingURL: string)
        }
        if scheme == "http" || scheme == "https", url.host()?.isEmpty ?? true {
            throw RequestSerializationError(.invalidURL, reason: "The URL has no host.", failingURL: string)
        }
        return url
    }
}
