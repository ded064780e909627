/// Which hosts a proxy is not asked for.
enum ProxyException {
    /// Whether a pattern of the forms of ``CurlSession/Proxy/exceptions`` means this host and port.
    static func matches(_ pattern: String, host: String, port: Int) -> Bool {
        var pattern = pattern.trimmingCharacters(in: .whitespaces).lowercased()
        let host = plain(host)
        if let range = network(pattern) {
            return IPAddress(host)?.isIn(range.bytes, length: range.length) ?? false
        }
        if let (name, wanted) = split(pattern) {
            guard wanted == port else { return false }
            pattern = name
        }
        pattern = plain(pattern)
        if let address = IPAddress(pattern) { return IPAddress(host) == address }
        if pattern.isEmpty { return false }
        if pattern == "*" { return true }
        if pattern.hasPrefix(".") { return host == pattern.dropFirst() || host.hasSuffix(pattern) }
        return matches(Array(pattern.utf8)[...], Array(host.utf8)[...])
    }

    /// Whether a host is a name without a dot, as machines of one's own network are called.
    static func isSimple(_ host: String) -> Bool {
        let host = plain(host)
        return !host.contains(".") && IPAddress(host) == nil
    }

    /// Without brackets, the root's dot and case.
    private static func plain(_ host: String) -> String {
        // Byte by byte: comparing hostile text as strings takes quadratic time.
        let folded = host.lowercased()
        var host = folded.utf8[...]
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") { host = host.dropFirst().dropLast() }
        if host.last == UInt8(ascii: "."), host.count > 1 { host = host.dropLast() }
        return host.string
    }

    /// A name and the port behind it; the colons of a bare address of version 6 are no such thing.
    private static func split(_ pattern: String) -> (name: String, port: Int)? {
        guard let colon = pattern.lastIndex(of: ":"), let port = Int(pattern[pattern.index(after: colon)...]) else {
            return nil
        }
        let name = pattern[..<colon]
        guard !name.contains(":") || name.hasSuffix("]") else { return nil }
        return (String(name), port)
    }

    /// A network such as `10.0.0.0/8`; missing bytes of version 4 are zero, as in `169.254/16`.
    private static func network(_ pattern: String) -> (bytes: [UInt8], length: Int)? {
        let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let length = Int(parts[1]) else { return nil }
        var address = plain(String(parts[0]))
        if !address.contains(":") {
            let missing = max(0, 4 - address.split(separator: ".", omittingEmptySubsequences: false).count)
            address += String(repeating: ".0", count: missing)
        }
        return IPAddress(address).map { ($0.bytes, length) }
    }

    /// Compares with `*` for any run of characters, without backtracking further than the last star.
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
