/// The Digest challenge that libcurl responds to.
///
/// libcurl reads only the first Digest challenge, and takes all that follows it in the same value for its parameters. A
/// client must ignore an unknown algorithm (RFC 7616, section 3.3), but libcurl gives up on it.
extension AuthenticateField {
    /// Returns the challenge that libcurl responds to, or `nil` if there is none or its response would be wrong.
    ///
    /// The response is right if the parameters that libcurl reads are those of one challenge. Of two challenges that
    /// differ only in their algorithms, libcurl reads the last one in one value, and the first one in two values.
    package static func digest(_ values: [String]) -> Challenge? {
        guard let (value, read) = curlReading(of: values) else { return nil }
        let wanted = DigestMeaning(read)
        guard wanted.isAnswered else { return nil }
        return parse([value]).first { $0.scheme == "digest" && DigestMeaning($0.parameters) == wanted }
    }

    /// Returns whether libcurl responds a second time, since the challenge calls the nonce of its first response stale.
    package static func isStale(_ values: [String]) -> Bool {
        curlReading(of: values).map { DigestMeaning($0.parameters).isStale } ?? false
    }

    /// The parameters of a Digest challenge as libcurl understands them.
    private struct DigestMeaning: Hashable {
        /// The realm, nonce and opaque; bytes, because comparing hostile texts could take quadratic time.
        package let texts: [[UInt8]?]
        package let algorithm: String
        package let qop: String?
        package let isStale: Bool
        package let hashesUser: Bool

        package init(_ parameters: [String: String]) {
            texts = ["realm", "nonce", "opaque"].map { parameters[$0].map { Array($0.utf8) } }
            algorithm = parameters["algorithm"].map(shortLowercased) ?? "md5"
            let qops = parameters["qop"]?.utf8.split(separator: UInt8(ascii: ","))
                .map { shortLowercased(String(Substring($0.drop(while: \.isBlank)))) }
            qop = ["auth", "auth-int"].first { qops?.contains($0) == true }
            isStale = parameters["stale"].map(shortLowercased) == "true"
            hashesUser = parameters["userhash"].map(shortLowercased) == "true"
        }

        /// Whether libcurl responds correctly; it computes SHA-512-256 as SHA-256.
        package var isAnswered: Bool {
            guard texts[1]?.isEmpty == false else { return false }
            return switch algorithm {
            case "md5", "sha-256": true
            case "md5-sess", "sha-256-sess": qop != nil
            default: false
            }
        }
    }

    // MARK: - As libcurl reads

    /// Returns the value in which libcurl finds its challenge, with the parameters that it reads.
    private static func curlReading(of values: [String]) -> (value: String, parameters: [String: String])? {
        for value in values {
            if let rest = afterScheme(Array(value.utf8)[...]) { return (value, curlParameters(rest)) }
        }
        return nil
    }

    /// Returns what follows the first `Digest` at the beginning or after a comma, which may be one in a quoted string.
    private static func afterScheme(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = value
        while true {
            let name = rest.prefix(6)
            let next = rest.dropFirst(6).first
            if name.elementsEqual("digest".utf8, by: { $0.lowercased == $1 }), next.map(isSeparator) ?? true {
                return next.map(\.isBlank) == true ? rest.dropFirst(6) : []
            }
            guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return nil }
            rest = rest[(comma + 1)...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// Reads as `Curl_auth_decode_digest_http_message` does.
    private static func curlParameters(_ text: ArraySlice<UInt8>) -> [String: String] {
        var rest = text.drop(while: \.isBlank)
        var parameters: [String: String] = [:]
        while let (name, value) = curlPair(&rest) {
            switch name {
            case "algorithm":
                // libcurl gives up, also if another algorithm follows.
                if !["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(shortLowercased(value)) { return [:] }
                parameters[name] = value
            case "qop": parameters[name, default: ""] += "," + value
            case "stale", "userhash": if shortLowercased(value) == "true" { parameters[name] = value }
            default: if digestNames.contains(name) { parameters[name] = value }
            }
            rest = rest.drop(while: \.isBlank)
            if rest.first == UInt8(ascii: ",") { rest.removeFirst() }
            rest = rest.drop(while: \.isBlank)
        }
        return parameters
    }

    /// Reads as `Curl_auth_digest_get_pair` does: a name of at most 255 bytes and a value of at most 1,023.
    private static func curlPair(_ rest: inout ArraySlice<UInt8>) -> (name: String, value: String)? {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let name = rest.prefix(255).prefix { $0 != UInt8(ascii: "=") }
        rest = rest[name.endIndex...]
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        let isQuoted = rest.first == quote
        if isQuoted { rest.removeFirst() }
        var value: [UInt8] = []
        var isEscaped = false
        reading: for _ in 0..<1_023 {
            guard let byte = rest.popFirst() else { break }
            if !isEscaped {
                switch byte {
                case backslash where isQuoted:
                    isEscaped = true
                    continue reading
                case quote where isQuoted, UInt8(ascii: ",") where !isQuoted: break reading
                case quote: return nil
                default: break
                }
            }
            isEscaped = false
            value.append(byte)
        }
        if isEscaped { return nil }
        return (shortLowercased(String(decoding: name, as: UTF8.self)), String(decoding: value, as: UTF8.self))
    }
}
