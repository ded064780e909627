/// The challenges of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
enum AuthenticateField {
    struct Challenge: Hashable, Sendable {
        /// In lower case.
        var scheme: String
        var realm: String?
    }

    /// Reads all values of the field; what cannot be read is skipped.
    static func parse(_ values: [String]) -> [Challenge] {
        values.flatMap(parse)
    }

    private static func parse(_ value: String) -> [Challenge] {
        var challenges: [Challenge] = []
        for element in elements(of: value) {
            var parameter = element
            // An element begins a challenge when a word stands before the first `=`, or when it has none.
            let equals = element.firstIndex(of: "=")
            let space = element.firstIndex(where: { $0 == " " || $0 == "\t" })
            if let space, equals.map({ space < $0 }) ?? true, HeaderRule.isToken(String(element[..<space])) {
                challenges.append(Challenge(scheme: element[..<space].lowercased()))
                parameter = element[space...].trimmingCharacters(in: .whitespaces)
            } else if equals == nil {
                if HeaderRule.isToken(element) { challenges.append(Challenge(scheme: element.lowercased())) }
                continue
            }
            guard let last = challenges.indices.last, challenges[last].realm == nil else { continue }
            challenges[last].realm = realm(parameter)
        }
        return challenges
    }

    private static func realm(_ parameter: String) -> String? {
        guard let equals = parameter.firstIndex(of: "=") else { return nil }
        guard parameter[..<equals].trimmingCharacters(in: .whitespaces).lowercased() == "realm" else { return nil }
        let value = parameter[parameter.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        guard value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 else { return value }
        var result = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                result.append(character)
                isEscaped = false
            }
        }
        return result
    }

    /// The parts between commas that no quoted string holds.
    private static func elements(of value: String) -> [String] {
        var result: [String] = []
        var current = ""
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                result.append(current)
                current = ""
                continue
            }
            current.append(character)
        }
        result.append(current)
        return result.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
