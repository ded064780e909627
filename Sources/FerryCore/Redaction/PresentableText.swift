/// Removes secrets from the texts that leave the library: errors, descriptions, logs, command lines and archives.
///
/// It works on text, because the text may not be a valid URL.
package enum PresentableText {
    /// Returns the text of a URL, or of an invalid one, without user information and secret parameters.
    package static func url(_ text: String, isSecret: (String) -> Bool = { SecretName.isSecret($0) }) -> String {
        withoutSecretParameters(withoutUserInfo(text), isSecret: isSecret)
    }

    /// Returns a text that was typed, such as an argument that is not understood, without its secrets.
    ///
    /// It may be a URL, a form, a parameter such as `token=x`, or a header field such as `Authorization: Basic x`:
    /// after the name of a secret and a colon, everything is removed.
    package static func argument(_ text: String) -> String {
        let plain = redactedPairs(withoutUserInfo(text)[...], separators: Set("&#".utf8))
        let bytes = plain.utf8
        var start = bytes.startIndex
        for index in bytes.indices where !isNameByte(bytes[index]) {
            let next = bytes.index(after: index)
            if bytes[index] == UInt8(ascii: ":"), next < bytes.endIndex, SecretName.isSecret(plain[start..<index]) {
                return plain[..<next] + SecretName.placeholder
            }
            start = next
        }
        return plain
    }

    /// Returns the path of a file, or another name that was typed, without the secrets of a URL in its place.
    package static func path(_ text: String) -> String { Authority(text) == nil ? text : url(text) }

    /// Returns a message of another library without the secrets of the URLs that it contains.
    package static func message(_ text: String) -> String {
        guard text.hasByte(UInt8(ascii: "/")) else { return text }
        return text.unicodeScalars
            .split(omittingEmptySubsequences: false) { $0 == " " || $0 == "\n" || $0 == "\"" || $0 == "'" }
            .reduce(into: (result: "", end: text.startIndex)) { state, word in
                // The separator before the word.
                state.result += text[state.end..<word.startIndex]
                state.result += word.contains("/") ? url(String(word)) : String(word)
                state.end = word.endIndex
            }.result
    }

    /// Whether a byte belongs to the name of a field or parameter.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte.isDigit || (0x61...0x7A).contains(byte | 0x20) || "-_.".utf8.contains(byte)
    }

    /// Returns the text of a URL without its user information, which is between `//` and the last `@` of the authority.
    ///
    /// If the text has no host, as in `http:/ada:secret@host`, everything before the last `@` is removed, because it
    /// may be meant as user information.
    package static func withoutUserInfo(_ url: String, replacement: String = "") -> String {
        // All comparisons are of bytes: an `@` with a combining mark is not a separate `Character`.
        guard url.hasByte(UInt8(ascii: "@")) else { return url }
        if let authority = Authority(url) {
            if !authority.userInfo.isEmpty, !url[authority.host].isEmpty {
                return url[..<authority.userInfo.lowerBound] + replacement + url[authority.userInfo.upperBound...]
            }
            // A port with characters other than digits is a password with a slash.
            if !url[authority.host].isEmpty, hasPort(url, after: authority) { return url }
        }
        let scheme = Substring(url.utf8.prefix { $0 != UInt8(ascii: ":") }).lowercased()
        // In these schemes, text before an `@` is not user information.
        if ["file", "data", "mailto"].contains(scheme) { return url }
        let isAuthority = Authority(url) != nil
        let pathEnd = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let end = isAuthority ? url.endIndex : pathEnd ?? url.endIndex
        guard let at = url.utf8[..<end].lastIndex(of: UInt8(ascii: "@")) else { return url }
        // A relative path such as `users/@me` has no user information.
        let before = url.utf8[..<at]
        if !isAuthority, before.contains(UInt8(ascii: "/")), !before.contains(UInt8(ascii: ":")) { return url }
        let rest = replacement + url[url.utf8.index(after: at)...]
        guard knownSchemes.contains(scheme) else { return rest }
        return scheme + (isAuthority ? "://" : ":") + rest
    }

    private static let knownSchemes: Set<String> = ["http", "https", "ftp", "ftps", "sftp", "ws", "wss"]

    /// Whether the host is followed by a port or by the end of the authority.
    ///
    /// In `https://http:/ada:secret@host`, the host is another scheme.
    private static func hasPort(_ url: String, after authority: Authority) -> Bool {
        var rest = url[authority.host.upperBound...].utf8
        guard rest.first == UInt8(ascii: ":") else { return true }
        rest = rest.dropFirst()
        let end = rest.firstIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? rest.endIndex
        if end == rest.startIndex, knownSchemes.contains(url[authority.host].lowercased()) { return false }
        return end == rest.endIndex || "/?#".utf8.contains(rest[end])
    }

    /// Returns the text of a URL, with ``SecretName/placeholder`` for each secret parameter of its query and fragment.
    package static func withoutSecretParameters(
        _ url: String,
        isSecret: (String) -> Bool = { SecretName.isSecret($0) }
    ) -> String {
        guard let start = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return url
        }
        return String(url[..<start]) + redactedPairs(url[start...], separators: Set("&#".utf8), isSecret: isSecret)
    }

    /// Returns pairs of names and values, such as `a=b&c=d`, with a placeholder for each secret value.
    ///
    /// A semicolon or question mark may begin a name but does not end a value: everything after a secret's name up to
    /// the next separator is removed.
    package static func redactedPairs(
        _ text: Substring,
        separators: Set<UInt8> = Set("&".utf8),
        isSecret: (String) -> Bool = { SecretName.isSecret($0) }
    ) -> String {
        var result = ""
        var rest = text
        while !rest.isEmpty {
            let end = rest.utf8.firstIndex(where: separators.contains) ?? rest.endIndex
            result += redactedPair(rest[..<end], isSecret)
            guard end < rest.endIndex else { break }
            let next = rest.utf8.index(after: end)
            result += rest[end..<next]
            rest = rest[next...]
        }
        return result
    }

    private static func redactedPair(_ pair: Substring, _ isSecret: (String) -> Bool) -> Substring {
        var start = pair.startIndex
        while let equals = pair[start...].utf8.firstIndex(of: UInt8(ascii: "=")) {
            let value = pair.utf8.index(after: equals)
            let name = pair[start..<equals].utf8.lastIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "?") }
            let nameStart = name.map { pair.utf8.index(after: $0) } ?? start
            // Within the value of another name, only text after a semicolon or question mark is a name.
            let isName = nameStart > start || start == pair.startIndex
            if isName, value < pair.endIndex, isSecret(decoded(pair[nameStart..<equals])) {
                return pair[..<value] + SecretName.placeholder
            }
            start = value
        }
        return pair
    }

    private static func decoded(_ name: Substring) -> String {
        // Brackets of nested parameters are not letters, so they do not affect the name.
        name.removingPercentEncoding ?? String(name)
    }

    /// Returns a library's message without the user information of a URL that it quotes, as libcurl quotes a proxy's.
    package static func withoutUserInfo(inMessage message: String) -> String {
        let bytes = message.utf8
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return message }
        let quotes = Array("'\"`".utf8)
        var start = bytes[..<at].firstIndex(where: quotes.contains).map { bytes.index(after: $0) }
        if start == nil, let first = bytes.firstIndex(of: UInt8(ascii: "@")) {
            let blank = bytes[..<first].lastIndex(of: UInt8(ascii: " "))
            start = blank.map { bytes.index(after: $0) } ?? message.startIndex
        }
        guard let start else { return message }
        return message[..<start] + withoutUserInfo(String(message[start...]))
    }
}

extension URL {
    /// Whether the URL has the scheme `http` or `https` and a host.
    package var isWebAddress: Bool {
        guard let scheme = scheme?.lowercased(), scheme == "http" || scheme == "https" else { return false }
        return host(percentEncoded: true)?.isEmpty == false
    }

    /// The URL for errors, responses, metrics and logs, without user and password.
    ///
    /// Query and fragment are kept, because a program may need them to identify what failed; ``presentableText`` is for
    /// people.
    package var presentable: URL {
        // Nearly all URLs have no user information and are returned unchanged.
        guard mayHaveUserInfo else { return self }
        let text = absoluteString
        let safe = PresentableText.withoutUserInfo(text)
        if safe == text { return self }
        return URL(string: safe) ?? URL(string: "redacted:") ?? URL(fileURLWithPath: "/")
    }

    /// Whether the URL may have a user or password; a quick check that never misses one.
    fileprivate var mayHaveUserInfo: Bool { absoluteString.hasByte(UInt8(ascii: "@")) }

    /// The URL for errors: without user and password, and with ``SecretName/placeholder`` in place of the values of
    /// parameters such as `access_token`.
    ///
    /// The descriptions of `URLError` and `NSError` contain it. The task's requests have the URL itself.
    package var withoutSecrets: URL {
        let text = absoluteString
        let safe = PresentableText.url(text)
        if safe.utf8.elementsEqual(text.utf8) { return self }
        return URL(string: safe) ?? URL(string: "redacted:") ?? URL(fileURLWithPath: "/")
    }

    /// The host of the URL in the form of ``URLHost/name``, or the whole URL as text if it has no host.
    package var presentableHost: String {
        guard let host = host(percentEncoded: true), !host.isEmpty else { return presentableText }
        return (try? URLHost(host))?.name ?? host
    }

    /// The text of the URL for messages, logs and command lines.
    ///
    /// It has no user and password, and ``SecretName/placeholder`` in place of parameters such as `access_token`.
    package var presentableText: String { PresentableText.url(absoluteString) }
}

extension URLRequest {
    /// The method and the URL of the request for messages, without secrets.
    package var presentableText: String {
        [httpMethod ?? "GET", url?.presentableText].compactMap { $0 }.joined(separator: " ")
    }

    /// The request with ``Foundation/URL/presentable`` as its URL; it is copied only if that differs.
    package var presentable: URLRequest {
        guard let url, url.mayHaveUserInfo else { return self }
        let safe = url.presentable
        if safe.absoluteString == url.absoluteString { return self }
        var request = self
        request.url = safe
        return request
    }
}
