import Ferry

/// Parses URLs as they are typed on a command line.
enum URLArgument {
    /// Returns the URL; without a scheme it is https, or http on this machine.
    ///
    /// `:8080/path` and `:/path` are URLs of this machine, as in HTTPie.
    static func parse(_ text: String) throws(UsageError) -> URL {
        if text.hasPrefix(":"), !text.hasPrefix("::") {
            let hasPort = text.dropFirst().first?.isNumber == true
            return try parse("localhost" + (hasPort ? text : String(text.dropFirst())))
        }
        let scheme = text.contains("://") ? "" : isLocal(text) ? "http://" : "https://"
        guard let url = URL(string: scheme + text), let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw UsageError("'\(PresentableText.url(text))' is not a URL")
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw UsageError("Only http and https URLs are supported, not '\(PresentableText.url(text))'")
        }
        return url
    }

    /// Returns the URL of a proxy; without a scheme it is an HTTP proxy.
    static func parseProxy(_ text: String) throws(UsageError) -> URL {
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        let url = URL(string: text.contains("://") ? text : "http://" + text)
        guard let url, url.host(percentEncoded: true)?.isEmpty == false else {
            throw UsageError("'\(PresentableText.url(text))' is not a proxy URL")
        }
        guard schemes.contains(url.scheme?.lowercased() ?? "") else {
            throw UsageError(
                "A proxy must be http, https, socks4, socks4a, socks5 or socks5h, not '\(PresentableText.url(text))'"
            )
        }
        return url
    }

    /// Returns the URLs in a file, one per line; `-` means standard input.
    ///
    /// Empty lines and lines that begin with `#` are ignored. An error names the file and the line.
    static func urls(inBatch name: String) throws(CommandFailure) -> [URL] {
        let text = String(decoding: try UploadBody.content(name), as: UTF8.self)
        var urls: [URL] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            do throws(UsageError) {
                urls.append(try parse(line))
            } catch {
                throw CommandFailure(.usage, "\(name), line \(index + 1): \(error.message)")
            }
        }
        return urls
    }

    private static func isLocal(_ text: String) -> Bool {
        let host = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return name == "localhost" || name.hasPrefix("127.") || name == "[::1"
    }
}

extension URL {
    /// The URL without user and password but with its whole query, for records that are compared later.
    ///
    /// Use `presentableText` for text that is shown.
    var withoutCredentials: String { presentable.absoluteString }
}
