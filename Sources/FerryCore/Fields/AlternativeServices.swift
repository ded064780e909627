/// The value of an `Alt-Svc` field: where else an origin can be reached, and how (RFC 7838, section 3).
package struct AlternativeServices: Hashable, Sendable {
    /// Another way to reach the origin.
    package struct Service: Hashable, Sendable {
        /// The protocol, such as `h3`, which is compared exactly.
        package var protocolID: String
        /// The host; empty for the origin's host.
        package var host: String
        package var port: Int
        /// The seconds for which the service is known, from when the field was sent; a day if the field does not say.
        package var maximumAge = 86_400
    }

    /// The services, the preferred one first; empty if those that were known before are not available any more.
    package var services: [Service] = []

    /// Reads a value, or returns `nil` if it does not conform to the grammar: the field is ignored then.
    package init?(_ value: String) {
        // A long field costs time, and its end must not be cut off.
        guard value.utf8.count <= 8_192 else { return nil }
        var rest = Substring(value).utf8
        if rest.trimmed.elementsEqual("clear".utf8) { return }
        repeat {
            rest = rest.drop(while: \.isBlank)
            // Lists may have empty elements (RFC 9110, section 5.6.1.2).
            guard let first = rest.first, first != UInt8(ascii: ",") else { continue }
            guard let service = Self.service(&rest) else { return nil }
            services.append(service)
        } while Self.skip(",", &rest)
        guard rest.isEmpty, !services.isEmpty else { return nil }
    }

    private static func service(_ rest: inout Substring.UTF8View) -> Service? {
        guard let id = token(&rest), skip("=", &rest), let authority = quotedString(&rest),
            let colon = authority.lastIndex(of: ":"),
            let port = ByteCount(digits: authority[authority.index(after: colon)...])?.int64,
            (1...65_535).contains(port)
        else { return nil }
        var service = Service(protocolID: id, host: String(authority[..<colon]), port: Int(port))
        while skip(";", &rest) {
            rest = rest.drop(while: \.isBlank)
            guard let name = token(&rest), skip("=", &rest), let value = quotedString(&rest) ?? token(&rest) else {
                return nil
            }
            // Other parameters are ignored.
            guard name.isEqualIgnoringCase("ma") else { continue }
            guard let seconds = DeltaSeconds.read(value) else { return nil }
            service.maximumAge = seconds
        }
        return service
    }

    /// Skips blanks and a character; changes nothing and returns `false` if another one follows.
    private static func skip(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        let next = rest.drop(while: \.isBlank)
        guard next.first == UInt8(ascii: character) else {
            if next.isEmpty { rest = next }
            return false
        }
        rest = next.dropFirst()
        return true
    }

    private static func token(_ rest: inout Substring.UTF8View) -> String? {
        let token = rest.prefix { !$0.isBlank && !#"=;,""#.utf8.contains($0) }
        guard HeaderRule.isToken(token.string) else { return nil }
        rest = rest[token.endIndex...]
        return token.string
    }

    /// Reads a quoted string, in which a backslash escapes the next byte (RFC 9110, section 5.6.4).
    private static func quotedString(_ rest: inout Substring.UTF8View) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var (bytes, left, isEscaped) = ([UInt8](), rest.dropFirst(), false)
        while let byte = left.popFirst() {
            if !isEscaped, byte == UInt8(ascii: "\"") {
                rest = left
                return String(decoding: bytes, as: UTF8.self)
            }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { bytes.append(byte) }
        }
        return nil
    }
}
