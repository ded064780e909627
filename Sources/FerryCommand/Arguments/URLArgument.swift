import Ferry

/// A URL as people type it.
enum URLArgument {
    /// The URL; without a scheme it is https, except on this machine.
    static func parse(_ text: String) throws(UsageError) -> URL {
        var full = text
        if !text.contains("://") {
            full = (isLocal(text) ? "http://" : "https://") + text
        }
        guard let url = URL(string: full), let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw UsageError("'\(PresentableText.url(text))' is not a URL")
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw UsageError("Only http and https can be transferred, not '\(PresentableText.url(text))'")
        }
        return url
    }

    /// A proxy's URL; without a scheme it is an HTTP proxy.
    static func parseProxy(_ text: String) throws(UsageError) -> URL {
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        let url = URL(string: text.contains("://") ? text : "http://" + text)
        guard let url, url.host(percentEncoded: true)?.isEmpty == false else {
            throw UsageError("'\(PresentableText.url(text))' is not a proxy's URL")
        }
        guard schemes.contains(url.scheme?.lowercased() ?? "") else {
            throw UsageError(
                "A proxy is http, https, socks4, socks4a, socks5 or socks5h, not '\(PresentableText.url(text))'"
            )
        }
        return url
    }

    private static func isLocal(_ text: String) -> Bool {
        let host = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return name == "localhost" || name.hasPrefix("127.") || name == "[::1"
    }
}

extension URL {
    /// The URL as files may hold it, to be compared: without user and password, and with its whole query.
    ///
    /// What is shown is `presentableText`.
    var withoutCredentials: String { presentable.absoluteString }
}
