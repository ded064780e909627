import FerrySession

/// The rules by which a manager's base URL and the strings given to its verbs make a URL (RFC 3986, section 5).
///
/// AFNetworking: `initWithBaseURL:` and `URLWithString:relativeToURL:`.
public enum BaseURL {
    /// The URL with a slash after its path, so that a relative string goes below it instead of replacing its end.
    ///
    /// `http://example.com/v1` becomes `http://example.com/v1/`; a URL without a path stays.
    public static func normalize(_ url: URL) -> URL {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        let path = components.percentEncodedPath
        guard !path.isEmpty, !path.hasSuffix("/") else { return url.absoluteURL }
        components.percentEncodedPath = path + "/"
        return components.url ?? url
    }

    /// The absolute URL a string stands for.
    ///
    /// A relative path goes below the base, one with a leading slash replaces the base's path, an absolute URL stands
    /// for itself, and an empty string is the base. Characters a URL cannot hold are percent-encoded.
    ///
    /// - Parameters:
    ///   - string: A path, a query, or an absolute URL.
    ///   - base: The base, with or without the slash at its end.
    /// - Returns: The absolute URL.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidURL`` for a string that is
    ///   no URL, is relative without a base, or names no host.
    public static func resolve(_ string: String, against base: URL?) throws -> URL {
        let base = base.map(normalize)
        // Foundation makes no URL of an empty string, not even relative to another.
        let resolved = string.isEmpty ? base : URL(string: string, relativeTo: base)
        guard let url = resolved?.absoluteURL else {
            throw RequestSerializationError(.invalidURL, reason: "The text is not a URL.", failingURL: string)
        }
        guard let scheme = url.scheme?.lowercased() else {
            let reason = "The URL is relative, and there is no base URL."
            throw RequestSerializationError(.invalidURL, reason: reason, failingURL: string)
        }
        if scheme == "http" || scheme == "https", url.host()?.isEmpty ?? true {
            throw RequestSerializationError(.invalidURL, reason: "The URL names no host.", failingURL: string)
        }
        return url
    }
}
