/// The value of a `Strict-Transport-Security` field (RFC 6797, section 6.1).
package struct StrictTransportSecurity: Hashable, Sendable {
    /// The seconds for which the host is only to be used over TLS; zero ends that.
    package var maximumAge: Int64
    package var includesSubdomains = false

    /// Reads a value, or returns `nil` if it does not conform to the grammar: the field is ignored then.
    package init?(_ value: String) {
        // A field has two directives; a long one costs time, and its end must not be cut off.
        guard value.utf8.count <= 4_096 else { return nil }
        var seen: Set<String> = []
        var age: Int64?
        for part in value[...].utf8.parts(outsideQuotesBetween: ";") {
            let pair = part.cut(at: "=")
            let name = (pair?.before ?? part).trimmed.string.lowercased()
            guard HeaderRule.isToken(name), seen.insert(name).inserted else { return nil }
            let text = pair?.after.trimmed.unquoted
            switch name {
            case "max-age":
                guard let text, let seconds = DeltaSeconds.read(text) else { return nil }
                age = Int64(seconds)
            case "includesubdomains":
                guard text == nil else { return nil }
                includesSubdomains = true
            default: break
            }
        }
        guard let age else { return nil }
        maximumAge = age
    }
}
