/// Whether a certificate is for a host (RFC 9525, section 6).
package enum CertificateNameRule {
    /// Whether one of the names is the host, as a URL has it.
    ///
    /// An address is compared with addresses alone, a name with names alone; the common name does not count.
    package static func matches(_ names: [X509Certificate.Name], host: String) -> Bool {
        guard let host = try? URLHost(host) else { return false }
        if host.kind != .name { return host.address.map { names.contains(.address($0)) } ?? false }
        return names.contains { name in
            guard case .dns(let pattern) = name else { return false }
            return matches(pattern: pattern, host: host.name)
        }
    }

    /// A star stands for the whole first label, and for one label only (RFC 9525, section 6.3).
    ///
    /// What follows it must have a dot, so that nobody has a certificate for a whole top-level domain.
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
