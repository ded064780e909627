/// The hosts that are only used over TLS (HTTP Strict Transport Security, RFC 6797).
///
/// A session with a store sends each `http` request for such a host as `https`, also after a redirect, so that it
/// cannot be read or changed on the way. A host is added when it sends `Strict-Transport-Security` over a verified
/// connection, or by ``add(_:includesSubdomains:until:)``, for a list of your own.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.hsts = .store(try HSTSStore(file: folder.appendingPathComponent("hsts.txt")))
/// ```
///
/// It can be used from any thread.
public final class HSTSStore: Sendable {
    /// A host that is only used over TLS.
    public struct Host: Hashable, Sendable {
        /// The name of the host, in lower case.
        public var name: String
        /// A Boolean value that indicates whether the names below the host are included.
        public var includesSubdomains: Bool
        /// The time at which the entry ends.
        public var expirationDate: Date

        /// Returns whether an entry for the same host differs only in its end, and by less than a number of seconds.
        fileprivate func isEqual(to other: Host, within seconds: TimeInterval) -> Bool {
            includesSubdomains == other.includesSubdomains
                && abs(expirationDate.timeIntervalSince(other.expirationDate)) <= seconds
        }
    }

    /// The store of sessions whose configuration has `HTTPCookieStorage.shared`; it is kept in memory.
    public static let shared = HSTSStore()
    /// The maximum number of hosts whose entries have an end; only the program adds others.
    static let maximumCount = 10_000

    private struct State {
        var hosts: [String: Host] = [:]
        /// The hosts that the file does not have yet, and `nil` for those that it must lose.
        var changes: [String: Host?] = [:]
        /// Whether the file must lose all hosts but those of the changes.
        var isCleared = false
        /// Whether the queue is about to remove hosts above the limit, and to write the file.
        var isWorkScheduled = false
    }

    private let state = Mutex(State())
    private let file: URL?
    private let queue = DispatchQueue(label: "ferry.hsts")

    /// Creates an empty store that is kept in memory.
    public init() { file = nil }

    /// Creates a store with the hosts of a file, in which changes are kept.
    ///
    /// The file has the format of curl's option `--hsts`, and may be shared with it. It is read now, and read again and
    /// replaced atomically after changes, on a queue of the store, so that several processes can add hosts to it.
    ///
    /// - Parameter file: The URL of the file; a missing file is an empty store.
    /// - Throws: An error if the file cannot be read, or is not in this format.
    public init(file: URL) throws {
        self.file = file
        do {
            let hosts = Self.limited(try HSTSFile.hosts(in: file))
            state.withLock { $0.hosts = hosts }
        } catch let error as FileError where error.code == ENOENT {
            // A missing file is an empty store.
        }
    }

    /// The hosts, in the order of their names.
    public var hosts: [Host] { state.withLock { Array($0.hosts.values) }.sorted { $0.name < $1.name } }

    /// Adds a host, replacing one of the same name, until a time or, without one, for ever; addresses are ignored.
    public func add(_ host: String, includesSubdomains: Bool = false, until end: Date? = nil) {
        guard let name = Self.name(of: host) else { return }
        add(Host(name: name, includesSubdomains: includesSubdomains, expirationDate: end ?? .distantFuture))
    }

    /// Removes a host.
    public func remove(_ host: String) {
        guard let name = Self.name(of: host) else { return }
        // Another process may have added it to the file.
        change { state in
            state.hosts[name] = nil
            state.changes[name] = .some(nil)
        }
    }

    /// Removes all hosts.
    public func removeAll() { change { ($0.hosts, $0.changes, $0.isCleared) = ([:], [:], true) } }

    /// Returns whether a host is only used over TLS: because of its own entry, or that of a domain above it.
    public func requiresHTTPS(_ host: String) -> Bool { requiresHTTPS(host, now: Date.current) }

    /// Writes changes to the file now, on the caller's thread; without a file, does nothing.
    ///
    /// - Throws: An error if the file cannot be written. The changes are kept for the next time.
    public func synchronize() throws { try queue.sync { try write() } }

    // MARK: - Rules

    func requiresHTTPS(_ host: String, now: Date) -> Bool {
        state.withLock { state in
            guard !state.hosts.isEmpty, let name = Self.name(of: host) else { return false }
            var domain = Substring(name)
            var isHostItself = true
            while true {
                if let entry = state.hosts[String(domain)], entry.expirationDate > now,
                    isHostItself || entry.includesSubdomains
                {
                    return true
                }
                guard let dot = domain.firstIndex(of: ".") else { return false }
                domain = domain[domain.index(after: dot)...]
                isHostItself = false
            }
        }
    }

    /// Notes the field of a response that has come over a verified connection (RFC 6797, section 8.1).
    func note(_ fields: [ResponseHead.Field], from host: String, now: Date = .current) {
        // Only the first field counts.
        guard let field = fields.first(where: { $0.name.isEqualIgnoringCase("strict-transport-security") }),
            let rule = StrictTransportSecurity(field.value), let name = Self.name(of: host)
        else { return }
        guard rule.maximumAge > 0 else {
            if state.withLock({ $0.hosts[name] != nil }) { remove(host) }
            return
        }
        // The dates of the file have four digits for the year.
        let age = TimeInterval(rule.maximumAge)
        let host = Host(
            name: name,
            includesSubdomains: rule.includesSubdomains,
            expirationDate: min(now.addingTimeInterval(age), .distantFuture - 1)
        )
        // Servers send the field with each response; if the end is only a little later, the file is not written.
        let tolerance = min(age / 100, 3_600)
        if let known = state.withLock({ $0.hosts[name] }), known.isEqual(to: host, within: tolerance) { return }
        add(host)
    }

    /// Returns the https URL that replaces an http URL, or `nil` if it is not replaced (RFC 6797, section 8.3).
    func upgraded(_ url: URL) -> URL? {
        guard state.withLock({ !$0.hosts.isEmpty }), url.scheme?.folded == "http",
            requiresHTTPS(Origin(url).host), var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        parts.scheme = "https"
        if parts.port == 80 { parts.port = nil }
        return parts.url
    }

    /// Returns the normalized name of a host; `nil` for an address or an invalid host.
    private static func name(of host: String) -> String? {
        guard let parsed = try? URLHost(host), parsed.kind == .name else { return nil }
        return parsed.name
    }

    // MARK: - Changes

    private func add(_ host: Host) {
        change { state in
            state.hosts[host.name] = host
            state.changes[host.name] = .some(host)
        }
    }

    /// Changes the hosts, and schedules the removal of those above the limit and the writing of the file.
    private func change(_ change: (inout State) -> Void) {
        let mustSchedule = state.withLock { state in
            change(&state)
            if file == nil {
                state.changes = [:]
                guard state.hosts.count > Self.maximumCount else { return false }
            }
            // If the file cannot be written, the changes must not grow without a limit.
            if state.changes.count > 2 * Self.maximumCount {
                state.changes = state.changes.filter { state.hosts[$0.key] != nil }
            }
            defer { state.isWorkScheduled = true }
            return !state.isWorkScheduled
        }
        guard mustSchedule else { return }
        queue.async { [self] in
            removeSurplus()
            // If the file cannot be written now, that is tried again with the next change.
            try? write()
        }
    }

    /// Removes hosts above the limit; called on the queue, since it takes long.
    private func removeSurplus() {
        let hosts = state.withLock { state in
            state.isWorkScheduled = false
            return state.hosts
        }
        let surplus = Self.surplus(hosts)
        state.withLock { state in
            for host in surplus where state.hosts[host.name] == host { state.hosts[host.name] = nil }
        }
    }

    /// Writes changes; called on the queue.
    private func write() throws {
        let (changes, isCleared) = state.withLock { state in
            defer { (state.changes, state.isCleared) = ([:], false) }
            return (state.changes, state.isCleared)
        }
        guard let file, isCleared || !changes.isEmpty else { return }
        do {
            var hosts = try HSTSFile.update(file) { present in
                // Other processes may have added hosts. A file that is missing or damaged gets those that are known.
                var hosts = isCleared ? [:] : present ?? state.withLock { $0.hosts }
                for (name, host) in changes { hosts[name] = host }
                return Self.limited(hosts)
            }
            state.withLock { state in
                guard !state.isCleared else { return }
                for (name, host) in state.changes { hosts[name] = host }
                state.hosts = hosts
            }
        } catch {
            state.withLock { state in
                if !state.isCleared { state.changes.merge(changes) { later, _ in later } }
                state.isCleared = state.isCleared || isCleared
            }
            throw error
        }
    }

    private static func limited(_ hosts: [String: Host]) -> [String: Host] {
        var hosts = hosts
        for host in surplus(hosts) { hosts[host.name] = nil }
        return hosts
    }

    /// Returns the hosts that are removed if there are too many.
    ///
    /// Hosts of the site with the most hosts are removed first, since a server could add any number of names below its
    /// own, and of these the ones that end first. A tenth is removed at once, since finding them takes time.
    private static func surplus(_ hosts: [String: Host]) -> [Host] {
        let hosts = hosts.filter { $0.value.expirationDate < .distantFuture }
        guard hosts.count > maximumCount else { return [] }
        let bySite = Dictionary(grouping: hosts.values) { CookieJar.site(of: $0.name) }
        let entries = bySite.values.flatMap { site in site.map { (count: site.count, host: $0) } }
        let sorted = entries.sorted { ($0.count, $1.host.expirationDate) > ($1.count, $0.host.expirationDate) }
        return sorted.prefix(hosts.count - maximumCount * 9 / 10).map(\.host)
    }
}

extension CurlSession.Options {
    /// The hosts that a session uses only over TLS.
    public enum HSTS: Sendable {
        /// The hosts that have asked for it, for sessions that have a cookie storage: in ``HSTSStore/shared`` for
        /// `HTTPCookieStorage.shared`, and in a store of the session's own for another one.
        case automatic
        /// No hosts.
        case none
        /// The hosts of a store.
        case store(HSTSStore)

        func store(for cookies: HTTPCookieStorage?) -> HSTSStore? {
            switch self {
            case .automatic: cookies.map { $0 === HTTPCookieStorage.shared ? .shared : HSTSStore() }
            case .none: nil
            case .store(let store): store
            }
        }
    }
}
