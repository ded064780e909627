/// How hosts are written.
package enum HostRule {
    /// A host as libcurl connects to it: decoded, in lower case, without brackets and the root's dot.
    ///
    /// International names are refused, since their many spellings would each have to be named.
    package static func normal(_ host: String) throws(CurlSessionError) -> String {
        guard let decoded = host.removingPercentEncoding, decoded.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CurlSessionError(
                .invalidTLSOptions,
                "In a session with pins a host has to be written in ASCII (xn--…): \(host)"
            )
        }
        var name = Substring(decoded.lowercased())
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        while name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }

    /// The bytes of an IPv4 or IPv6 address, or `nil` for a name.
    package static func address(_ text: String) -> Data? {
        IPAddress(text).map { Data($0.bytes) }
    }
}
