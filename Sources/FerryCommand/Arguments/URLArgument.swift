import Ferry

/// Parses URLs as they are typed on a command line.
enum URLArgument {
    /// Returns the URL; without a scheme it is https, or http on this machine.
    ///
    /// `:8080/path` and `:/path` are URLs of this machine, as in HTTPie.
    static func parse(_ text: String) throws(UsageError) -> URL {
        if text.hasPrefix(":"), !text.hasPrefix("::") {
            let end = text.dropFirst().drop { $0.isASCII && $0.isNumber }.first
            guard end.map({ "/?#".contains($0) }) ?? true else {
                throw UsageError("\(UsageError.quoted(text)) is not a URL")
            }
            let hasPort = text.dropFirst().first?.isNumber == true
            return try parse("localhost" + (hasPort ? text : String(text.dropFirst())))
        }
        // Otherwise the scheme would be taken for the name of a host.
        for scheme in ["http:", "https:"] where text.lowercased().hasPrefix(scheme) {
            let rest = text.dropFirst(scheme.count)
            guard rest.hasPrefix("//") || rest.first?.isNumber == true else {
                throw UsageError("\(UsageError.quoted(text)) is not a URL; // must follow \(scheme)")
            }
        }
        guard let url = makeURL(text), url.host(percentEncoded: true)?.isEmpty == false else {
            throw UsageError("\(UsageError.quoted(text)) is not a URL")
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw UsageError("Only http and https URLs are supported, not \(UsageError.quoted(text))")
        }
        return url
    }

    /// Returns the URL of a WebSocket, with the scheme of its handshake.
    ///
    /// Without a scheme it is `wss`, or `ws` on this machine.
    static func parseWebSocket(_ text: String) throws(UsageError) -> URL {
        for (scheme, handshake) in ["ws:": "http:", "wss:": "https:"] where text.lowercased().hasPrefix(scheme + "//") {
            return try parse(handshake + text.dropFirst(scheme.count))
        }
        return try parse(text)
    }

    /// Returns the URL of a proxy; without a scheme it is an HTTP proxy.
    static func parseProxy(_ text: String) throws(UsageError) -> URL {
        let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
        let url = URL(string: hasScheme(text) ? text : "http://" + text)
        guard let url, url.host(percentEncoded: true)?.isEmpty == false else {
            throw UsageError("\(UsageError.quoted(text)) is not a proxy URL")
        }
        guard schemes.contains(url.scheme?.lowercased() ?? "") else {
            throw UsageError(
                "A proxy must be http, https, socks4, socks4a, socks5 or socks5h, not \(UsageError.quoted(text))"
            )
        }
        return url
    }

    /// A URL of a batch file, and the name of its output file, if the batch has one.
    typealias BatchEntry = (url: URL, output: String?)

    /// Returns the URLs in a file, one per line; `-` means standard input.
    ///
    /// As in aria2's input files, an indented line `out=NAME` after a URL names its file. Empty lines and lines that
    /// begin with `#` are ignored. An error names the file and the line.
    static func entries(inBatch name: String) throws(CommandFailure) -> [BatchEntry] {
        let text = try UploadBody.text(name).withoutByteOrderMark
        var entries: [BatchEntry] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.endsLine).enumerated() {
            do throws(UsageError) {
                try line.checkCharacters()
                let text = line.trimmingCharacters(in: .whitespaces)
                guard !text.isEmpty, !text.hasPrefix("#") else { continue }
                if line.first == " " || line.first == "\t", text.hasPrefix("out=") {
                    guard let last = entries.indices.last, entries[last].output == nil else {
                        throw UsageError("out= belongs to the URL in the line before")
                    }
                    let name = String(text.dropFirst("out=".count))
                    guard !name.isEmpty, name != "-" else { throw UsageError("out= needs the name of a file") }
                    entries[last].output = name
                } else {
                    entries.append((try parse(text), nil))
                }
            } catch {
                throw CommandFailure(.usage, "\(name), line \(index + 1): \(error.message)")
            }
        }
        return entries
    }

    private static func makeURL(_ text: String) -> URL? {
        if hasScheme(text) { return URL(string: text) }
        guard let url = URL(string: "https://" + text) else { return nil }
        return isLocal(url) ? URL(string: "http://" + text) : url
    }

    /// Whether a text begins with a scheme (RFC 3986, section 3.1) and `://`, which may also be within a query.
    private static func hasScheme(_ text: String) -> Bool {
        guard let mark = text.range(of: "://") else { return false }
        let scheme = text[..<mark.lowerBound].utf8
        let beginsWithDigit = scheme.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        return !beginsWithDigit && scheme.allSatisfy { HeaderRule.isLetterOrDigit($0) || "+-.".utf8.contains($0) }
    }

    /// Whether the host is this machine by its name or address, so that the request does not leave it without TLS.
    ///
    /// Text before an `@` is user information, and not a host.
    private static func isLocal(_ url: URL) -> Bool {
        guard url.user == nil, url.password == nil, let host = url.host(percentEncoded: true)?.lowercased() else {
            return false
        }
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        // Other names may begin with the same digits.
        var address = in_addr()
        return inet_aton(host, &address) != 0 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }
}

extension URL {
    /// The URL without user and password but with its whole query, for records that are compared later.
    ///
    /// Use `presentableText` for text that is shown.
    var withoutCredentials: String { presentable.absoluteString }
}
