/// The challenges of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
enum AuthenticateField {
    struct Challenge: Hashable, Sendable {
        /// In lower case.
        var scheme: String
        var realm: String?
    }

    /// How many challenges are read; those behind them are ignored.
    static let maximumCount = 64

    /// The largest realm, in bytes.
    ///
    /// A challenge with a larger one is ignored: realms are compared and hashed, for which hostile text takes quadratic
    /// time.
    static let maximumRealmSize = 1_024

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
            guard let last = challenges.indices.last, challenges[last].challenge.realm == nil,
                let realm = realm(parameter)
            else { continue }
            challenges[last].isTooLarge = realm.utf8.count > maximumRealmSize
            challenges[last].challenge.realm = realm
        }
        return challenges.filter { !$0.isTooLarge }.map(\.challenge)
    }

    private static func realm(_ parameter: Substring.UTF8View) -> String? {
        guard let sides = parameter.cut(at: "="), sides.before.trimmed.string.isEqualIgnoringCase("realm") else {
            return nil
        }
        let value = sides.after.trimmed
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
