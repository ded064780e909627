import FerrySession

extension SecurityPolicy {
    /// Throws an error if a part of the policy could never match, so that the policy would silently trust no server.
    func validate() throws(NetworkError) {
        do throws(CurlSessionError) {
            _ = try hostTable()
        } catch {
            throw NetworkError(.invalidSecurityPolicy, message: error.message, underlyingError: error)
        }
        try validatePins()
        for (host, policy) in hostPolicies {
            guard policy.hostPolicies.isEmpty else {
                throw NetworkError(
                    .invalidSecurityPolicy,
                    message: "The policy of the host \(host) must not have host policies itself"
                )
            }
            try policy.validatePins()
        }
    }

    private func validatePins() throws(NetworkError) {
        if let pin = pinnedPublicKeys.first(where: { !$0.isValid }) {
            throw NetworkError(.invalidSecurityPolicy, message: "The pin \(pin) is not a SHA-256 hash in base64")
        }
        guard pinnedCertificates.allSatisfy({ X509Certificate(der: $0) != nil }) else {
            throw NetworkError(.invalidSecurityPolicy, message: "A pinned certificate is not valid DER")
        }
    }
}

extension NetworkError {
    /// The error of a policy that a session cannot enforce.
    static func unenforceable(by transport: String) -> NetworkError {
        NetworkError(
            .invalidSecurityPolicy,
            message: "A security policy other than the default one cannot be enforced by \(transport): use .curl"
        )
    }
}
