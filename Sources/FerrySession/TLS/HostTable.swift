/// Values by host: exact hosts, `*.example.com` for all hosts below a domain, and `*` for every host.
///
/// It is a rule of its own, so that no spelling of a host goes around it.
package struct HostTable<Value: Sendable>: Sendable {
    private var hosts: [String: Value] = [:]
    /// `.example.com` for all hosts below the domain, the longest first.
    private var domains: [(suffix: String, value: Value)] = []
    private var all: Value?

    package var isEmpty: Bool { hosts.isEmpty && domains.isEmpty && all == nil }

    package init() {}

    /// Adds a value; of two for the same host, `merge` makes one.
    package mutating func add(
        _ pattern: String,
        _ value: Value,
        merge: (Value, Value) -> Value
    ) throws(CurlSessionError) {
        if pattern == "*" {
            all = value
            return
        }
        let isDomain = pattern.hasPrefix("*.")
        let host = try HostRule.normal(isDomain ? String(pattern.dropFirst(2)) : pattern)
        guard Self.isHost(host) else {
            throw CurlSessionError(.invalidTLSOptions, "\(pattern.debugDescription) is no host")
        }
        if isDomain {
            domains.append((".\(host)", value))
            domains.sort { $0.suffix.count > $1.suffix.count }
        } else {
            hosts[host] = hosts[host].map { merge($0, value) } ?? value
        }
    }

    /// The value of the most specific pattern for a host, `nil` where there is none.
    package func value(for host: String) throws(CurlSessionError) -> Value? {
        guard !isEmpty else { return nil }
        let host = try HostRule.normal(host)
        return hosts[host] ?? domains.first { host.hasSuffix($0.suffix) }?.value ?? all
    }

    /// A name or address alone: a pattern with a port or a path would never match, and so hold nobody to anything.
    private static func isHost(_ host: String) -> Bool {
        let isNumericIPv6 = host.contains("::") || host.filter { $0 == ":" }.count > 1
        return !host.isEmpty && !host.contains { "*/?#@%".contains($0) || ($0 == ":" && !isNumericIPv6) }
    }
}
