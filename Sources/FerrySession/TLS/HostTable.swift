/// Values by host: exact hosts, `*.example.com` for all hosts below a domain, and `*` for every host.
///
/// Patterns and hosts are compared in the form of ``URLHost``, so that a different spelling of a host gets the same
/// value.
package struct HostTable<Value: Sendable>: Sendable {
    private var hosts: [String: Entry] = [:]
    /// Keyed by the domain, without the asterisk and its dot.
    private var domains: [String: Entry] = [:]
    private var all: Value?

    private struct Entry: Sendable {
        var pattern: String
        var value: Value
    }

    package var isEmpty: Bool { hosts.isEmpty && domains.isEmpty && all == nil }

    package init() {}

    /// Adds the value of a pattern.
    ///
    /// - Throws: `CurlSessionError` with the code `invalidTLSOptions` for an invalid pattern, and for a second spelling
    ///   of an existing one: which value is used must not depend on the order of a dictionary.
    package mutating func add(_ pattern: String, _ value: Value) throws(CurlSessionError) {
        if pattern == "*" {
            all = value
            return
        }
        let isDomain = pattern.hasPrefix("*.")
        let host = try Self.host(isDomain ? String(pattern.dropFirst(2)) : pattern, of: pattern)
        // A numeric address has no subdomains.
        guard !host.name.contains("*"), !isDomain || host.kind == .name else {
            throw Self.invalid("\(Self.quoted(pattern)) is not a host")
        }
        let entry = Entry(pattern: pattern, value: value)
        let other =
            isDomain ? domains.updateValue(entry, forKey: host.name) : hosts.updateValue(entry, forKey: host.name)
        if let other {
            // Sorted, since the patterns come from a dictionary in any order.
            let names = [pattern, other.pattern].sorted().map(Self.quoted)
            throw Self.invalid("\(names[0]) and \(names[1]) are two spellings of one host")
        }
    }

    /// Returns the value of the most specific pattern for a host, or `nil` if there is none.
    ///
    /// The pattern of a link-local address applies to each zone without a pattern for it.
    package func value(for text: String) throws(CurlSessionError) -> Value? {
        guard !isEmpty else { return nil }
        let host = try Self.host(text, of: text)
        if let entry = hosts[host.name] ?? (host.kind == .ipv6 ? hosts[host.unscopedName] : nil) { return entry.value }
        if host.kind == .name, !domains.isEmpty {
            var rest = Substring(host.name)
            while let dot = rest.firstIndex(of: ".") {
                rest = rest[rest.index(after: dot)...]
                if let entry = domains[String(rest)] { return entry.value }
            }
        }
        return all
    }

    private static func host(_ text: String, of pattern: String) throws(CurlSessionError) -> URLHost {
        do throws(URLHost.Invalid) {
            return try URLHost(text)
        } catch {
            throw invalid("The host \(quoted(pattern)) \(error)")
        }
    }

    /// Returns a quoted pattern without credentials, since it may be a URL with a password.
    private static func quoted(_ pattern: String) -> String {
        PresentableText.withoutUserInfo(pattern).debugDescription
    }

    private static func invalid(_ message: String) -> CurlSessionError {
        CurlSessionError(.invalidTLSOptions, message)
    }
}
