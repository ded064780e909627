/// Which public keys each host may have: a rule of its own, so that no spelling of a host goes around it.
struct HostPins: Sendable {
    private var hosts: [String: [PublicKeyPin]] = [:]
    /// `.example.com` for all hosts below the domain.
    private var domains: [(suffix: String, pins: [PublicKeyPin])] = []
    private var all: [PublicKeyPin]?

    init(_ pins: [String: [PublicKeyPin]]) throws(CurlSessionError) {
        for (pattern, list) in pins {
            guard !list.isEmpty, list.allSatisfy(\.isValid) else {
                let problem = list.isEmpty ? "has no pin" : "has a pin that is no SHA-256 hash in base64"
                throw CurlSessionError(
                    .invalidTLSOptions,
                    "The host \(pattern.debugDescription) of the pins \(problem)"
                )
            }
            if pattern == "*" {
                all = list
                continue
            }
            let isDomain = pattern.hasPrefix("*.")
            let host = try Self.normal(isDomain ? String(pattern.dropFirst(2)) : pattern)
            guard Self.isHost(host) else {
                throw CurlSessionError(.invalidTLSOptions, "The pins' \(pattern.debugDescription) is no host")
            }
            if isDomain {
                domains.append((".\(host)", list))
            } else {
                hosts[host, default: []] += list
            }
        }
        domains.sort { $0.suffix.count > $1.suffix.count }
    }

    var isEmpty: Bool { hosts.isEmpty && domains.isEmpty && all == nil }

    /// The pins of a host as libcurl wants them, `nil` where there are none.
    func curlValue(for host: String) throws(CurlSessionError) -> String? {
        guard !isEmpty else { return nil }
        let host = try Self.normal(host)
        let pins = hosts[host] ?? domains.first { host.hasSuffix($0.suffix) }?.pins ?? all
        return pins.map { $0.map(\.description).joined(separator: ";") }
    }

    /// A host as libcurl connects to it: decoded, in lower case, without brackets and the root's dot.
    ///
    /// International names are refused, since their many spellings would each have to be pinned.
    private static func normal(_ host: String) throws(CurlSessionError) -> String {
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

    /// A name or address alone: a pattern with a port or a path would never match, and so pin nothing.
    private static func isHost(_ host: String) -> Bool {
        let isNumericIPv6 = host.contains("::") || host.filter { $0 == ":" }.count > 1
        return !host.isEmpty && !host.contains { "*/?#@%".contains($0) || ($0 == ":" && !isNumericIPv6) }
    }
}
