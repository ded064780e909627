/// A pattern for hosts that are reached without a proxy, in one of the forms of ``CurlSession/Proxy/exceptions``.
///
/// Hosts and addresses are compared in the form of ``URLHost/destination``, regardless of how the pattern or the URL
/// spells them.
package struct ProxyException: Sendable, Hashable {
    private enum Pattern: Sendable, Hashable {
        case any
        case host(String)
        /// All hosts below a domain, and optionally the domain itself.
        case domain(String, includesItself: Bool)
        case network([UInt8], length: Int)
        /// A name in which `*` matches any run of characters.
        case stars([UInt8])
        case nothing
    }

    private let pattern: Pattern
    private let port: Int?

    package init(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        let network = Self.network(text)
        let (name, port) = network == nil ? Self.split(text) ?? (text, nil) : (text, nil)
        (pattern, self.port) = (network ?? Self.pattern(name), port)
    }

    /// Whether the exception applies to a host, in the form of ``URLHost/name``.
    package func matches(host: String, port: Int) -> Bool {
        if let wanted = self.port, wanted != port { return false }
        let host = URLHost.destination(of: host)
        if matches(host) { return true }
        // The zone of an IPv6 address is one of this machine's (RFC 4007, section 11).
        guard host.contains(":"), let zone = host.firstIndex(of: "%") else { return false }
        return matches(String(host[..<zone]))
    }

    private func matches(_ host: String) -> Bool {
        switch pattern {
        case .any: return true
        case .nothing: return false
        case .host(let name): return name == host
        case .domain(let domain, let includesItself):
            return (includesItself && host == domain)
                || (host.hasSuffix(domain) && host.dropLast(domain.count).last == ".")
        case .network(let bytes, let length): return IPAddress(host)?.isIn(bytes, length: length) ?? false
        case .stars(let pattern): return Self.matches(pattern[...], Array(host.utf8)[...])
        }
    }

    /// Whether a host is a name without a dot, as in a local network.
    package static func isSimple(_ host: String) -> Bool { !host.contains(".") && !host.contains(":") }

    private static func pattern(_ name: String) -> Pattern {
        if name == "*" { return .any }
        for (prefix, includesItself) in [("*.", false), (".", true)] where name.hasPrefix(prefix) {
            let domain = name.dropFirst(prefix.count)
            guard !domain.contains("*") else { break }
            return (try? URLHost(String(domain))).map { .domain($0.name, includesItself: includesItself) } ?? .nothing
        }
        if name.contains("*") {
            let text = name.lowercased()
            return .stars(Array((text.hasSuffix(".") ? text.dropLast() : text[...]).utf8))
        }
        return (try? URLHost(name)).map { .host($0.destination) } ?? .nothing
    }

    /// Splits a pattern into a name and a port; the colons of an IPv6 address without brackets do not separate a port.
    private static func split(_ pattern: String) -> (name: String, port: Int?)? {
        guard let colon = pattern.lastIndex(of: ":"), let port = Int(pattern[pattern.index(after: colon)...]) else {
            return nil
        }
        let name = pattern[..<colon]
        guard !name.contains(":") || name.hasSuffix("]") else { return nil }
        return (String(name), port)
    }

    /// Parses a network such as `10.0.0.0/8`; missing bytes of an IPv4 address are zero, as in `169.254/16`.
    private static func network(_ text: String) -> Pattern? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let length = Int(parts[1]) else { return nil }
        var address = String(parts[0])
        if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
        if !address.contains(":") {
            let missing = max(0, 4 - address.split(separator: ".", omittingEmptySubsequences: false).count)
            address += String(repeating: ".0", count: missing)
        }
        guard let network = IPAddress(address) else { return nil }
        // Hosts with a mapped address are compared as IPv4 addresses.
        if let mapped = network.mappedIPv4, length >= 96 { return .network(mapped.bytes, length: length - 96) }
        return .network(network.bytes, length: length)
    }

    /// Matches a pattern in which `*` is any run of characters, without backtracking further than the last star.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        let star = UInt8(ascii: "*")
        var (pattern, text) = (pattern, text)
        var retry: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
        while true {
            if let next = pattern.first, next == star {
                pattern = pattern.dropFirst()
                retry = (pattern, text)
            } else if let byte = text.first, byte == pattern.first {
                (pattern, text) = (pattern.dropFirst(), text.dropFirst())
            } else if text.isEmpty {
                return pattern.isEmpty
            } else if let last = retry, !last.text.isEmpty {
                (pattern, text) = (last.pattern, last.text.dropFirst())
                retry = (pattern, text)
            } else {
                return false
            }
        }
    }
}
