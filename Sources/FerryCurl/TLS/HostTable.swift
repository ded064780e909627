/// Values by host: exact hosts, `*.example.com` for all hosts below a domain, and `*` for every host.
///
/// Patterns and hosts are compared in the form of ``URLHost/destination``, so that every spelling of a host, and every
/// way to write the address that is connected to, gets the same value.
package struct HostTable<Value: Sendable>: Sendable {
    private var hosts: [String: Entry] = [:]
    /// Keyed by the domain, without the asterisk and its dot.
    private var domains: [String: Entry] = [:]
    private var all: Value?

    private typealias Entry = (pattern: String, value: Value)

    package var isEmpty: Bool { hosts.isEmpty && domains.isEmpty && all == nil }

    package init() {}

    /// Adds the value of a pattern; throws `invalidTLSOptions` if it is invalid or a second spelling of another one.
    ///
    /// Otherwise the order of a dictionary would determine which value is used.
    package mutating func add(_ pattern: String, _ value: Value) throws(CurlSessionError) {
        if pattern == "*" {
            all = value
            return
        }
        let isDomain = pattern.hasPrefix("*.")
        let host = try URLHost(isDomain ? String(pattern.dropFirst(2)) : pattern, of: pattern, .invalidTLSOptions)
        // A numeric address has no subdomains.
        guard !host.name.contains("*"), !isDomain || host.kind == .name else {
            throw .invalidTLS("\(URLHost.quoted(pattern)) is not a host")
        }
        let entry: Entry = (pattern, value)
        let key = host.destination
        let other = isDomain ? domains.updateValue(entry, forKey: key) : hosts.updateValue(entry, forKey: key)
        if let other { throw URLHost.ambiguous(pattern, other.pattern, .invalidTLSOptions) }
    }

    /// Returns the value of the most specific pattern for a host, or `nil` if there is none.
    ///
    /// The pattern of a link-local address applies to each zone without a pattern for it.
    package func value(for text: String) throws(CurlSessionError) -> Value? {
        guard !isEmpty else { return nil }
        let host = try URLHost(text, of: text, .invalidTLSOptions)
        let entry = hosts[host.destination] ?? (host.kind == .ipv6 ? hosts[host.unscopedName] : nil)
        if let entry { return entry.value }
        if host.kind == .name, !domains.isEmpty {
            var rest = Substring(host.name)
            while let dot = rest.firstIndex(of: ".") {
                rest = rest[rest.index(after: dot)...]
                if let entry = domains[String(rest)] { return entry.value }
            }
        }
        return all
    }
}

extension URLHost {
    /// Parses a host that an option names; the error has the code and quotes the option's whole text.
    package init(_ text: String, of option: String, _ code: CurlSessionError.Code) throws(CurlSessionError) {
        do throws(Invalid) {
            try self.init(text)
        } catch {
            throw CurlSessionError(code, "The host \(Self.quoted(option)) \(error)")
        }
    }

    /// Returns a quoted host without secrets, since it may be a URL with a password.
    package static func quoted(_ text: String) -> String { PresentableText.url(text).debugDescription }

    /// Returns the error for options with two spellings of one host, which come from a dictionary in any order.
    static func ambiguous(_ one: String, _ other: String, _ code: CurlSessionError.Code) -> CurlSessionError {
        let names = [one, other].sorted().map(quoted)
        return CurlSessionError(code, "\(names[0]) and \(names[1]) are two spellings of one host")
    }
}
