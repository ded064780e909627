import FerrySession

extension SecurityPolicy {
    /// Why a policy does not trust a server.
    public enum Refusal: Error, Sendable, Hashable {
        /// Untrusted certificates are allowed and the host is to be validated, but nothing is pinned to do it by.
        case domainNeedsPins

        /// The mode compares with pins, and there are none for it.
        case noPins

        /// The server has shown no certificate.
        case noCertificate

        /// The server's certificate, or one on its path, cannot be read.
        case unreadableCertificate

        /// The host or a pattern of ``SecurityPolicy/hostPolicies`` is not a host, or two patterns are spellings of one.
        case unreadableHost

        /// The system does not trust the chain; the number is OpenSSL's, nil if nothing was verified.
        case untrustedChain(verifyResult: Int?)

        /// A certificate's last day is over.
        case expired

        /// A certificate's first day is yet to come.
        case notYetValid

        /// The certificate is for other hosts.
        case hostMismatch

        /// The certificate names no host: it has no subject alternative name, and a common name does not count.
        case noHostNames

        /// The path from the server's certificate has no pinned certificate or key.
        case notPinned

        /// Only an authority could be pinned here, and there is no OpenSSL to follow the path to it.
        case pathNotVerifiable
    }
}

extension SecurityPolicy.Refusal: CustomStringConvertible, LocalizedError {
    /// The reason as a sentence without its full stop.
    public var description: String {
        switch self {
        case .domainNeedsPins: "to validate the host of untrusted certificates, the policy needs pins"
        case .noPins: "the policy compares with pins, and has none"
        case .noCertificate: "it has shown no certificate"
        case .unreadableCertificate: "its certificate cannot be read"
        case .unreadableHost: "the host is none, or one of the policy's hosts is none or is there in two spellings"
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
        case .pathNotVerifiable: "its path to a pinned authority cannot be verified without OpenSSL"
        }
    }

    /// The reason as a sentence without its full stop.
    public var errorDescription: String? { description }

    /// The code of the session's error.
    public var code: CurlSessionError.Code {
        switch self {
        case .domainNeedsPins, .noCertificate, .unreadableHost: .trustRefused
        case .noPins, .notPinned: .pinMismatch
        case .unreadableCertificate, .untrustedChain: .certificateUntrusted
        case .expired: .certificateExpired
        case .notYetValid: .certificateNotYetValid
        case .hostMismatch, .noHostNames: .certificateHostMismatch
        case .pathNotVerifiable: .tlsUnsupported
        }
    }
}
