extension SecurityPolicy {
    /// The reason why a policy does not trust a server.
    public enum Refusal: Error, Sendable, Hashable {
        /// Untrusted certificates are allowed and the host must be validated, but there are no pins to validate it
        /// with.
        case domainNeedsPins

        /// The mode compares with pins, but there are none for it.
        case noPins

        /// The server presented no certificate.
        case noCertificate

        /// The server's certificate, or one on its path, cannot be read.
        case unreadableCertificate

        /// The host or a pattern of ``SecurityPolicy/hostPolicies`` is not a host, or two patterns denote the same one.
        case unreadableHost

        /// The system does not trust the chain; the number is OpenSSL's verify result, nil if nothing was verified.
        case untrustedChain(verifyResult: Int?)

        /// A certificate has expired.
        case expired

        /// A certificate is not valid yet.
        case notYetValid

        /// The certificate is for other hosts.
        case hostMismatch

        /// The certificate names no host: it has no subject alternative name, and a common name does not count.
        case noHostNames

        /// There is no pinned certificate or key on the path from the server's certificate.
        case notPinned

        /// A key or signature on the path to a pinned certificate or key is weaker than OpenSSL's security level
        /// demands.
        case weakCryptography

        /// The server's own certificate or key is not pinned, and without OpenSSL its path cannot be followed.
        case pathNotVerifiable
    }
}

extension SecurityPolicy.Refusal: CustomStringConvertible, LocalizedError {
    /// The reason in lower case and without a full stop, as the end of a sentence about the server.
    public var description: String {
        switch self {
        case .domainNeedsPins: "to validate the host of untrusted certificates, the policy needs pins"
        case .noPins: "the policy compares with pins, but has none"
        case .noCertificate: "it presented no certificate"
        case .unreadableCertificate: "its certificate cannot be read"
        case .unreadableHost: "the host or a host of the policy is invalid, or two hosts of the policy are the same"
        case .untrustedChain(let result):
            "the system does not trust its certificate\(result.map { " (\($0))" } ?? "")"
        case .expired: "its certificate has expired"
        case .notYetValid: "its certificate is not valid yet"
        case .hostMismatch: "its certificate is for another host"
        case .noHostNames:
            """
            its certificate names no host: a common name does not count (RFC 9525); for a certificate that is pinned, \
            the policy's validatesDomainName can be false
            """
        case .notPinned: "its certificate is not pinned"
        case .weakCryptography: "a key or signature on its path is too weak, such as one of RSA with 1024 bits or SHA-1"
        case .pathNotVerifiable: "its path to a pinned authority cannot be verified without OpenSSL"
        }
    }

    /// The reason, as in ``description``.
    public var errorDescription: String? { description }

    /// The corresponding code of a `CurlSessionError`.
    public var code: CurlSessionError.Code {
        switch self {
        case .domainNeedsPins, .noCertificate, .unreadableHost: .trustRefused
        case .noPins, .notPinned: .pinMismatch
        case .unreadableCertificate, .untrustedChain, .weakCryptography: .certificateUntrusted
        case .expired: .certificateExpired
        case .notYetValid: .certificateNotYetValid
        case .hostMismatch, .noHostNames: .certificateHostMismatch
        case .pathNotVerifiable: .tlsUnsupported
        }
    }
}
