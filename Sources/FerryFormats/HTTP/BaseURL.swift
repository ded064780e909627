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
    /// used as it is, and an empty string results in the base. A string that begins with two slashes is a URL without a
    /// scheme, whose first part is a host (RFC 3986, section 4.2). Characters that are not allowed in a URL are
    /// percent-encoded; in a path or query with such characters, percent signs are encoded too.
    ///
    /// - Parameters:
    ///   - string: A path, a query, or an absolute URL.
    ///   - base: The base, with or without a slash at its end.
    /// - Returns: The absolute URL.
    /// - Throws: ``RequestSerializationError`` with ``RequestSerializationError/Code/invalidURL`` for a string that is
    ///   not a URL, has no scheme, is relative without a base, or has no host. The reason contains the string.
    public static func resolve(_ string: String, against base: URL?) throws -> URL {
        let base = base.map(normalize)
        // Foundation cannot make a URL of an empty string, not even relative to another.
        let resolved = string.isEmpty ? base : URL(string: string, relativeTo: base)
        func error(_ reason: String) -> RequestSerializationError {
            RequestSerializationError(.invalidURL, reason: reason, failingURL: string)
        }
        if resolved?.isWebAddress != true {
            if let suggestion = MissingScheme.suggestion(for: string) {
                let text = "\(quoted(string)) has no scheme. If it begins with a host, write \(quoted(suggestion))."
                throw error(text)
            }
            if let text = base?.absoluteString, let suggestion = MissingScheme.suggestion(for: text) {
                throw error("The base URL \(quoted(text)) has no scheme. Write \(quoted(suggestion)).")
            }
        }
        guard let url = resolved?.absoluteURL else {
            throw error(
                string.isEmpty ? "The URL is empty, and there is no base URL." : "\(quoted(string)) is not a URL."
            )
        }
        guard let scheme = url.scheme?.lowercased() else {
            guard let base else { throw error("\(quoted(string)) is relative, and there is no base URL.") }
            throw error("The base URL \(quoted(base.absoluteString)) has no scheme.")
        }
        if scheme == "http" || scheme == "https", url.host()?.isEmpty ?? true {
            throw error("\(quoted(string)) has no host.")
        }
        return url
    }

    /// Returns a text for a message: in quotes, without secrets and control characters, and not too long.
    private static func quoted(_ text: String) -> String {
        let longest = 300
        let scalars = PresentableText.url(text).unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: scalars.prefix(longest))
        return "“\(String(shown))\(scalars.count > longest ? "…" : "")”"
    }
}

/// The guess that a URL without a scheme begins with the name of a host.
package enum MissingScheme {
    /// Returns a URL with a scheme, as text; nil unless the text begins with what may be a host name or an IPv4
    /// address.
    package static func suggestion(for text: String) -> String? {
        let rest = text.hasPrefix("//") ? text.dropFirst(2) : text[...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, parts.count < 2 || isPort(parts[1]), host.utf8.count <= 253 else { return nil }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isLocal = host == "localhost" || host.hasPrefix("127.")
        guard isLocal || labels.count > 1, labels.allSatisfy(isLabel) else { return nil }
        return "\(isLocal ? "http" : "https")://\(rest)"
    }

    private static func isPort(_ text: Substring) -> Bool {
        (1...5).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit)
    }

    private static func isLabel(_ text: Substring) -> Bool {
        (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { HeaderRule.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }
}
