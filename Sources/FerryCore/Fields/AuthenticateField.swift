/// The challenges of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110, section 11.6.1).
package enum AuthenticateField {
    package struct Challenge: Hashable, Sendable {
        /// The scheme, in lower case.
        package var scheme: String
        package var realm: String?
        /// The parameters of a Digest challenge that libcurl reads, by their names in lower case.
        package var parameters: [String: String] = [:]
    }

    /// The maximum number of challenges that are read; later ones are ignored.
    ///
    /// A Digest challenge is read in any case, since ``AuthenticationChallenge`` offers no weaker scheme beside one
    /// that cannot be answered.
    package static let maximumCount = 64

    /// The maximum size of a realm, in bytes; a challenge with a larger one is ignored, or has no parameters if it is
    /// Digest.
    ///
    /// Realms are compared and hashed, which takes quadratic time with hostile text.
    package static let maximumRealmSize = 1_024

    /// The Digest parameters that libcurl reads.
    package static let digestNames: Set<String> = ["algorithm", "nonce", "opaque", "qop", "realm", "stale", "userhash"]

    /// Reads all values of the field, and skips what cannot be read.
    package static func parse(_ values: [String]) -> [Challenge] {
        var challenges: [Challenge] = []
        for value in values { parse(value, &challenges) }
        return challenges.compactMap { challenge in
            guard let realm = challenge.realm, realm.utf8.count > maximumRealmSize else { return challenge }
            return challenge.scheme == "digest" ? Challenge(scheme: "digest") : nil
        }
    }

    private static func parse(_ value: String, _ challenges: inout [Challenge]) {
        var hasDigest = challenges.contains { $0.scheme == "digest" }
        // Parameters before the first challenge of a value belong to none.
        var isIgnored = true
        for element in value[...].utf8.parts(outsideQuotesBetween: ",") {
            var parameter = element
            // An element begins a challenge if two words come before the first `=`, or if it has no `=`.
            let equals = element.firstIndex(of: UInt8(ascii: "="))
            let blank = element.firstIndex(where: \.isBlank)
            let second = blank.flatMap { element[$0...].firstIndex { !$0.isBlank } }
            let isStart = equals.map { equals in second.map { $0 < equals } ?? false } ?? true
            let scheme = element[..<(isStart ? blank ?? element.endIndex : element.startIndex)].string
            if isStart, HeaderRule.isToken(scheme) {
                let isDigest = shortLowercased(scheme) == "digest"
                isIgnored = challenges.count >= maximumCount && (!isDigest || hasDigest)
                if isIgnored { continue }
                hasDigest = hasDigest || isDigest
                parameter = element[(blank ?? element.endIndex)...].trimmed
                challenges.append(Challenge(scheme: scheme.lowercased()))
            }
            guard !isIgnored, let last = challenges.indices.last, let (name, value) = nameAndValue(parameter) else {
                continue
            }
            if name == "realm", challenges[last].realm == nil { challenges[last].realm = value }
            if challenges[last].scheme == "digest", digestNames.contains(name) {
                challenges[last].parameters[name] = challenges[last].parameters[name] ?? value
            }
        }
    }

    /// Returns a short text in lower case; comparing a longer one, which is no known name, could take quadratic time.
    package static func shortLowercased(_ text: String) -> String { text.utf8.count <= 32 ? text.lowercased() : "" }

    /// Reads a parameter, and returns its name in lower case and its value without quotes.
    private static func nameAndValue(_ parameter: Substring.UTF8View) -> (name: String, value: String)? {
        guard let sides = parameter.cut(at: "=") else { return nil }
        return (shortLowercased(sides.before.trimmed.string), sides.after.trimmed.unquoted)
    }
}
