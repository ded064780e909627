import Foundation

/// The managers for operations whose security policy is not their manager's: one for each policy, while it is used.
enum PolicySessions {
    private struct Key: Hashable, Sendable {
        let base: ObjectIdentifier
        let policy: SecurityPolicy
    }

    private struct Entry: Sendable {
        weak var base: SessionManager?
        weak var manager: SessionManager?
    }

    private static let entries = Locked<[Key: Entry]>([:])

    /// Returns a manager that applies the policy: `base` if it does already.
    static func manager(
        for policy: SecurityPolicy?,
        of base: SessionManager,
        request: URLRequest
    ) throws(NetworkError) -> SessionManager {
        guard let policy, policy != base.securityPolicy else { return base }
        guard policy.pinningMode == .none || request.url?.scheme?.lowercased() == "https" else {
            throw NetworkError(
                .invalidSecurityPolicy,
                message: "Pinning needs a URL with the scheme https",
                failingURL: request.url
            )
        }
        let key = Key(base: ObjectIdentifier(base), policy: policy)
        if let known = known(key, base) { return known }
        let made = SessionManager(configuration: base.configuration, transport: base.core.transport)
        let settings = base.core.settings.withLock { $0 }
        made.core.settings.withLock { $0 = settings }
        (made.notificationCenter, made.notificationQueue) = (base.notificationCenter, base.notificationQueue)
        try made.setSecurityPolicy(policy)
        return entries.withLock { entries in
            // Another thread may have made one in the meantime.
            if let entry = entries[key], entry.base === base, let manager = entry.manager { return manager }
            entries = entries.filter { $0.value.manager != nil }
            entries[key] = Entry(base: base, manager: made)
            return made
        }
    }

    private static func known(_ key: Key, _ base: SessionManager) -> SessionManager? {
        entries.withLock { entries in
            guard let entry = entries[key], entry.base === base else { return nil }
            return entry.manager
        }
    }
}
