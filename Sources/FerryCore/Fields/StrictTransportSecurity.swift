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
        for part in value.utf8.split(separator: UInt8(ascii: ";")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair.first.map { Substring($0.trimmed).lowercased() } ?? ""
            if name.isEmpty, pair.count == 1 { continue }
            guard HeaderRule.isToken(name), seen.insert(name).inserted else { return nil }
            let text = pair.count > 1 ? Substring(pair[1].trimmed) : nil
            switch name {
            case "max-age":
                guard let text, let seconds = DeltaSeconds.read(text.withoutQuotes) else { return nil }
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

extension Substring {
    fileprivate var withoutQuotes: Substring {
        count > 1 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
    }
}
