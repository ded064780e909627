/// The rule for whether a certificate is valid for a host (RFC 9525, section 6).
package enum CertificateNameRule {
    /// Whether one of the names matches the host, as written in a URL.
    ///
    /// Addresses are compared only with addresses, and names only with names. The common name is ignored.
    package static func matches(_ names: [X509Certificate.Name], host: String) -> Bool {
        guard let host = try? URLHost(host) else { return false }
        if host.kind != .name { return host.address.map { names.contains(.address($0)) } ?? false }
        return names.contains { name in
            guard case .dns(let pattern) = name else { return false }
            return matches(pattern: pattern, host: host.name)
        }
    }

    /// Whether a name, which may begin with a wildcard for exactly one label, matches a host (RFC 9525, section 6.3).
    ///
    /// What follows the wildcard must contain a dot, so that no certificate is valid for a whole top-level domain.
    private static func matches(pattern: String, host: String) -> Bool {
        var pattern = Substring(pattern)
        if pattern.hasSuffix(".") { pattern = pattern.dropLast() }
        guard pattern.contains("*") else { return pattern == host }
        guard pattern.hasPrefix("*."), let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
        let parent = pattern.dropFirst(2)
        return parent.contains(".") && !parent.contains("*") && !parent.hasPrefix(".")
            && parent == host[host.index(after: dot)...]
    }
}
