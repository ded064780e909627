/// The challenges of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
enum AuthenticateField {
    struct Challenge: Hashable, Sendable {
        /// In lower case.
        var scheme: String
        var realm: String?
        /// In lower case; only of Digest, like the two that follow.
        var algorithm: String?
        var hasNonce = false
        /// Whether a challenge behind it in the same value has parameters that libcurl takes for this one's.
        var isMixed = false
    }

    /// How many challenges are read; those behind them are ignored.
    static let maximumCount = 64

    /// The largest realm, in bytes.
    ///
    /// A challenge with a larger one is ignored: realms are compared and hashed, for which hostile text takes quadratic
    /// time.
    static let maximumRealmSize = 1_024

    /// Returns the challenge for Digest that libcurl answers, or `nil` where its answer would be wrong.
    ///
    /// libcurl reads the first one alone, and takes the parameters of others in the same value for its own. An algorithm
    /// that a client does not know is not used (RFC 7616, section 3.3): libcurl gives up with those, and computes
    /// SHA-512-256 as SHA-256.
    static func digest(_ challenges: [Challenge]) -> Challenge? {
        guard let first = challenges.first(where: { $0.scheme == "digest" }), first.hasNonce, !first.isMixed else {
            return nil
        }
        let algorithms: Set<String> = ["md5", "md5-sess", "sha-256", "sha-256-sess"]
        return algorithms.contains(first.algorithm ?? "md5") ? first : nil
    }

    /// Reads all values of the field; what cannot be read is skipped.
    static func parse(_ values: [String]) -> [Challenge] {
        var challenges: [Challenge] = []
        for value in values {
            for challenge in parse(value) {
                guard challenges.count < maximumCount else { return challenges }
                challenges.append(challenge)
            }
        }
        return challenges
    }

    private static func parse(_ value: String) -> [Challenge] {
        var challenges: [(challenge: Challenge, isTooLarge: Bool)] = []
        for element in elements(of: value) {
            var parameter = element
            // An element begins a challenge when a word is before the first `=`, or when it has none.
            let equals = element.firstIndex(of: UInt8(ascii: "="))
            let blank = element.firstIndex(where: Substring.UTF8View.isBlank)
            let isStart = blank.map { blank in equals.map { blank < $0 } ?? true } ?? (equals == nil)
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

    /// The parameters of Digest that libcurl reads.
    private static let digestNames: Set<String> = ["algorithm", "nonce", "opaque", "qop", "realm", "stale", "userhash"]

    /// No name that counts, of a parameter or of an algorithm, is longer than this, and comparing hostile text takes
    /// quadratic time.
    private static func shortLowercased(_ text: String) -> String {
        text.utf8.count <= 32 ? text.lowercased() : ""
    }

    /// Reads a parameter: the name in lower case and the value without quotes.
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
            if byte == backslash, !isEscaped {
                isEscaped = true
            } else {
                result.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The parts between commas that are in no quoted string.
    private static func elements(of value: String) -> [Substring.UTF8View] {
        let bytes = value[...].utf8
        var result: [Substring.UTF8View] = []
        var start = bytes.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in bytes.indices {
            let byte = bytes[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ","), !isQuoted {
                result.append(bytes[start..<index].trimmed)
                start = bytes.index(after: index)
            }
        }
        result.append(bytes[start...].trimmed)
        return result.filter { !$0.isEmpty }
    }
}
