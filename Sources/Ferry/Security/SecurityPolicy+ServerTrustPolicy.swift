import FerrySession

extension SecurityPolicy: ImmediateTrustPolicy {
    /// Returns what libcurl should verify.
    ///
    /// The chain is left to the policy if it allows certificates the system does not trust; names are not verified if
    /// the policy does not validate them.
    ///
    /// - Parameter host: The host of the URL.
    /// - Returns: The parts of the verification that libcurl performs.
    public func verification(for host: String) -> TrustVerification {
        guard let policy = try? policy(for: host) else { return .full }
        if policy.allowsInvalidCertificates { return [] }
        return policy.validatesDomainName ? .full : .chain
    }

    /// Evaluates a server's trust at the current date.
    ///
    /// - Parameter trust: The certificates the server presented, and the TLS library's verdict on them.
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
