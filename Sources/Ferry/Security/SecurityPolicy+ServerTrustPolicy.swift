import FerrySession

extension SecurityPolicy: ImmediateTrustPolicy {
    /// Leaves the chain to the policy if it allows what the system does not trust, and names if it does not look at them.
    ///
    /// - Parameter host: The host of the URL.
    /// - Returns: What libcurl verifies.
    public func verification(for host: String) -> TrustVerification {
        guard let policy = try? policy(for: host) else { return .full }
        if policy.allowsInvalidCertificates { return [] }
        return policy.validatesDomainName ? .full : .chain
    }

    /// Evaluates a server's trust, today.
    ///
    /// - Parameter trust: What the server has shown.
    /// - Returns: The decision, with the ``Refusal``'s code and text.
    public func decide(_ trust: ServerTrust) -> TrustDecision {
        do throws(Refusal) {
            try evaluate(trust)
            return .accept
        } catch {
            return .refuse(reason: error.description, code: error.code)
        }
    }
}
