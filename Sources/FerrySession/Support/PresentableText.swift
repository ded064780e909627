/// Takes secrets out of texts that have URLs in them.
///
/// It works on text, since what is shown may be what no URL could be made of.
package enum PresentableText {
    /// The text of a URL, or what should have been one, without user information and secret parameters.
    package static func url(_ text: String) -> String {
        withoutSecretParameters(withoutUserInfo(text))
    }

    /// The text of a URL without user information: what is between `//` and the last `@` of the authority.
    ///
    /// Where the text has no host, as in `http:/ada:secret@host`, all before the last `@` is left out: it may be meant
    /// as user information.
    ///
    /// - Parameters:
    ///   - url: The text.
    ///   - replacement: What is written in place of the user information and its `@`.
    /// - Returns: The text without user information.
    package static func withoutUserInfo(_ url: String, replacement: String = "") -> String {
        // All of it looks at bytes: an `@` with a combining mark is no `Character` of its own.
        guard url.hasByte(UInt8(ascii: "@")) else { return url }
        if let authority = Authority(url) {
            if !authority.userInfo.isEmpty, !url[authority.host].isEmpty {
                return url[..<authority.userInfo.lowerBound] + replacement + url[authority.userInfo.upperBound...]
            }
            // A port of other characters than digits is a password with a slash.
            if !url[authority.host].isEmpty, hasPort(url, after: authority) { return url }
        }
        let scheme = Substring(url.utf8.prefix { $0 != UInt8(ascii: ":") }).lowercased()
        // What is before the `@` is no user information there.
        if ["file", "data", "mailto"].contains(scheme) { return url }
        let isAuthority = Authority(url) != nil
        let pathEnd = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let end = isAuthority ? url.endIndex : pathEnd ?? url.endIndex
        guard let at = url.utf8[..<end].lastIndex(of: UInt8(ascii: "@")) else { return url }
        // A relative path such as `users/@me` is no user information.
        let before = url.utf8[..<at]
        if !isAuthority, before.contains(UInt8(ascii: "/")), !before.contains(UInt8(ascii: ":")) { return url }
        let rest = replacement + url[url.utf8.index(after: at)...]
        guard knownSchemes.contains(scheme) else { return rest }
        return scheme + (isAuthority ? "://" : ":") + rest
    }

    private static let knownSchemes: Set<String> = ["http", "https", "ftp", "ftps", "sftp", "ws", "wss"]

    /// Whether what follows the host is a port, or nothing of the authority.
    private static func hasPort(_ url: String, after authority: Authority) -> Bool {
        var rest = url[authority.host.upperBound...].utf8
        guard rest.first == UInt8(ascii: ":") else { return true }
        rest = rest.dropFirst()
        let end = rest.firstIndex { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? rest.endIndex
        return end == rest.endIndex || "/?#".utf8.contains(rest[end])
    }

    /// The text of a URL whose query and fragment have ``SecretName/placeholder`` for each parameter that is secret.
    package static func withoutSecretParameters(
        _ url: String,
        isSecret: (String) -> Bool = { SecretName.isSecret($0) }
    ) -> String {
        guard let start = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            return url
        }
        return String(url[..<start]) + redactedPairs(url[start...], separators: Set("&#".utf8), isSecret: isSecret)
    }

    /// Pairs of names and values, as `a=b&c=d`, with a placeholder for each value that is secret.
    ///
    /// A semicolon or question mark may begin a name, but ends no value: what follows a secret's name is left out up to
    /// the next separator.
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
            // In the value of another name only what follows a semicolon or question mark is a name.
            let isName = nameStart > start || start == pair.startIndex
            if isName, value < pair.endIndex, isSecret(decoded(pair[nameStart..<equals])) {
                return pair[..<value] + SecretName.placeholder
            }
            start = value
        }
        return pair
    }

    private static func decoded(_ name: Substring) -> String {
        // Brackets of nested parameters are no letters, and so make no difference to the name.
        name.removingPercentEncoding ?? String(name)
    }

    /// A message of a library without the user information of a URL that it may quote, as libcurl quotes a proxy's.
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
