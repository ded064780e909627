/// The challenges of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
enum AuthenticateField {
    struct Challenge: Hashable, Sendable {
        /// In lower case.
        var scheme: String
        var realm: String?
        /// In lower case; set only for Digest, like the properties that follow.
        var algorithm: String?
        var hasNonce = false
        /// Whether libcurl would read other parameters than this challenge's.
        var isMixed = false
    }

    /// The maximum number of challenges that are read; later ones are ignored.
    static let maximumCount = 64

    /// The maximum size of a realm, in bytes; a challenge with a larger one is ignored.
    ///
    /// Realms are compared and hashed, which takes quadratic time with hostile text.
    static let maximumRealmSize = 1_024

    /// Returns the Digest challenge that libcurl responds to, or `nil` if its response would be wrong.
    ///
    /// libcurl reads only the first one, and takes the parameters of others in the same value for its own. A client
    /// must ignore an unknown algorithm (RFC 7616, section 3.3), but libcurl gives up on it, and computes SHA-512-256
    /// as SHA-256.
    static func digest(_ challenges: [Challenge]) -> Challenge? {
        guard let first = challenges.first(where: { $0.scheme == "digest" }), first.hasNonce, !first.isMixed,
            ["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(first.algorithm ?? "md5")
        else { return nil }
        return first
    }

    /// Reads all values of the field, and skips what cannot be read.
    static func parse(_ values: [String]) -> [Challenge] {
        values.reduce(into: []) { challenges, value in
            if challenges.count < maximumCount { challenges += parse(value).prefix(maximumCount - challenges.count) }
        }
    }

    private static func parse(_ value: String) -> [Challenge] {
        var challenges: [(challenge: Challenge, isTooLarge: Bool)] = []
        for element in elements(of: value) {
            var parameter = element
            // An element begins a challenge if two words come before the first `=`, or if it has no `=`.
            let equals = element.firstIndex(of: UInt8(ascii: "="))
            let blank = element.firstIndex(where: \.isBlank)
            let second = blank.flatMap { element[$0...].firstIndex { !$0.isBlank } }
            let isStart = equals.map { equals in second.map { $0 < equals } ?? false } ?? true
            let scheme = element[..<(isStart ? blank ?? element.endIndex : element.startIndex)].string
            if isStart, HeaderRule.isToken(scheme) {
                guard challenges.count < maximumCount else { break }
                challenges.append((Challenge(scheme: scheme.lowercased()), false))
                parameter = element[(blank ?? element.endIndex)...].trimmed
            } else if equals == nil {
                continue
            }
            guard let last = challenges.indices.last, let (name, value) = nameAndValue(parameter) else { continue }
            let digest = challenges.firstIndex { $0.challenge.scheme == "digest" }
            if let digest, digest != last, !isStart, digestNames.contains(name) {
                challenges[digest].challenge.isMixed = true
            }
            // libcurl does not read a parameter with white space around its `=`.
            if digest == last, hasBlankAroundEquals(parameter) { challenges[last].challenge.isMixed = true }
            if name == "realm", challenges[last].challenge.realm == nil {
                challenges[last].isTooLarge = value.utf8.count > maximumRealmSize
                challenges[last].challenge.realm = value
            } else if digest == last {
                if name == "algorithm" { challenges[last].challenge.algorithm = shortLowercased(value) }
                if name == "nonce" { challenges[last].challenge.hasNonce = !value.isEmpty }
            }
        }
        return challenges.filter { !$0.isTooLarge }.map(\.challenge)
    }

    /// The Digest parameters that libcurl reads.
    private static let digestNames: Set<String> = ["algorithm", "nonce", "opaque", "qop", "realm", "stale", "userhash"]

    /// Returns a short text in lower case; comparing a longer one, which is no known name, could take quadratic time.
    private static func shortLowercased(_ text: String) -> String { text.utf8.count <= 32 ? text.lowercased() : "" }

    private static func hasBlankAroundEquals(_ parameter: Substring.UTF8View) -> Bool {
        guard let sides = parameter.cut(at: "=") else { return false }
        return sides.before.last?.isBlank == true || sides.after.first?.isBlank == true
    }

    /// Reads a parameter, and returns its name in lower case and its value without quotes.
    private static func nameAndValue(_ parameter: Substring.UTF8View) -> (name: String, value: String)? {
        guard let sides = parameter.cut(at: "=") else { return nil }
        return (shortLowercased(sides.before.trimmed.string), unquoted(sides.after.trimmed))
    }

    private static func unquoted(_ value: Substring.UTF8View) -> String {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        guard value.first == quote, value.last == quote, value.count >= 2 else { return value.string }
        var result: [UInt8] = []
        var isEscaped = false
        for byte in value.dropFirst().dropLast() {
            isEscaped = byte == backslash && !isEscaped
            if !isEscaped { result.append(byte) }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Splits a value at the commas outside quoted strings.
    private static func elements(of value: String) -> [Substring.UTF8View] {
        let bytes = value[...].utf8
        var result: [Substring.UTF8View] = []
        var start = bytes.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in bytes.indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                result.append(bytes[start..<index].trimmed)
                start = bytes.index(after: index)
            default: break
            }
        }
        result.append(bytes[start...].trimmed)
        return result.filter { !$0.isEmpty }
    }
}
