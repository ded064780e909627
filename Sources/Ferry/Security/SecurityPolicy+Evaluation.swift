extension SecurityPolicy {
    /// Evaluates whether a server is trusted, and throws the reason if it is not.
    ///
    /// In this order:
    /// 1. If untrusted certificates are allowed and the host must be validated, but the mode has no pins, the server is
    ///    refused.
    /// 2. Unless untrusted certificates are allowed, the system must trust the chain, and the server's certificate must
    ///    be valid on the date.
    /// 3. With ``validatesDomainName``, the certificate must name the host.
    /// 4. Without pinning, the server is then trusted. With pinning, but without pins for the mode, it is refused.
    /// 5. With ``PinningMode/certificate``, the pins are the anchors: the server's certificate must be pinned, or its
    ///    path must lead to a pinned one, with all certificates on it valid on the date.
    /// 6. With ``PinningMode/publicKey``, the server's key must be pinned, or its path must lead to a pinned key; the
    ///    dates count unless untrusted certificates are allowed.
    ///
    /// A path is a chain of signatures: a pin does not match a certificate that the server merely sends along. Every
    /// key and signature on a path must be as strong as OpenSSL requires in a handshake, unless the server's own
    /// certificate or key is pinned. The pinned key of an authority is looked for in the certificates that the server
    /// presents if the system trusts the chain, and otherwise only in those that are pinned or signed by this key.
    ///
    /// - Parameters:
    ///   - trust: The certificates the server presented, and the TLS library's verdict on them.
    ///   - date: The date at which the certificates must be valid.
    /// - Throws: The reason why the server is refused.
    public func evaluate(_ trust: ServerTrust, date: Date = Date()) throws(Refusal) {
        let policy = try policy(for: trust.host)
        if policy.allowsInvalidCertificates, policy.validatesDomainName, policy.hasNothingToCompare {
            throw .domainNeedsPins
        }
        guard let first = trust.certificates.first else { throw .noCertificate }
        guard let certificate = X509Certificate(der: first) else { throw .unreadableCertificate }
        guard policy.allowsInvalidCertificates || trust.isVerified else {
            throw .untrustedChain(verifyResult: trust.verifyResult)
        }
        if !policy.allowsInvalidCertificates || policy.pinningMode == .certificate {
            try Self.check(certificate, on: date)
        }
        if policy.validatesDomainName {
            guard let names = certificate.names else { throw .unreadableCertificate }
            guard CertificateNameRule.matches(names, host: trust.host) else {
                throw names.isEmpty ? .noHostNames : .hostMismatch
            }
        }
        switch policy.pinningMode {
        case .none: return
        case .certificate: try policy.checkCertificatePins(trust, date)
        case .publicKey: try policy.checkKeyPins(trust, certificate, date)
        }
    }

    /// Returns the policy that applies to a host.
    ///
    /// - Parameter host: The host, in the form in which it appears in a URL.
    /// - Returns: The most specific one of ``hostPolicies``, or this policy.
    /// - Throws: ``Refusal/unreadableHost`` if the string is not a host.
    public func policy(for host: String) throws(Refusal) -> SecurityPolicy {
        guard !hostPolicies.isEmpty else { return self }
        do { return try hostTable().value(for: host) ?? self } catch { throw .unreadableHost }
    }

    /// Returns the host policies as a table to look hosts up in.
    func hostTable() throws(CurlSessionError) -> HostTable<SecurityPolicy> {
        var table = HostTable<SecurityPolicy>()
        for (pattern, policy) in hostPolicies { try table.add(pattern, policy) }
        return table
    }

    /// Whether there are no pins that the mode could compare with.
    private var hasNothingToCompare: Bool {
        switch pinningMode {
        case .none: true
        case .certificate: pinnedCertificates.isEmpty
        case .publicKey: pinnedCertificates.isEmpty && pinnedPublicKeys.isEmpty
        }
    }

    private static func check(_ certificate: X509Certificate, on date: Date) throws(Refusal) {
        guard let validity = certificate.validity else { throw .unreadableCertificate }
        if date < validity.notBefore { throw .notYetValid }
        if date > validity.notAfter { throw .expired }
    }

    private func checkCertificatePins(_ trust: ServerTrust, _ date: Date) throws(Refusal) {
        guard !hasNothingToCompare else { throw .noPins }
        if let first = trust.certificates.first, pinnedCertificates.contains(first) { return }
        if let refusal = Self.refusal(trust, anchors: pinnedCertificates, date) { throw refusal }
    }

    private func checkKeyPins(_ trust: ServerTrust, _ certificate: X509Certificate, _ date: Date) throws(Refusal) {
        guard !hasNothingToCompare else { throw .noPins }
        let keys = pinnedCertificates.compactMap { X509Certificate(der: $0)?.publicKeyInfo }
        let pins = pinnedPublicKeys.union(keys.map { PublicKeyPin(publicKeyInfo: $0) })
        if pins.contains(PublicKeyPin(publicKeyInfo: certificate.publicKeyInfo)) { return }
        // If the system does not trust the chain, only a signature by the pinned key proves what a certificate says:
        // anyone could have left out its name constraints, for example.
        let (isSelfSigned, level) = (allowsInvalidCertificates, trust.securityLevel)
        let presented = trust.certificates.dropFirst().filter { der in
            X509Certificate(der: der).map { pins.contains(PublicKeyPin(publicKeyInfo: $0.publicKeyInfo)) } == true
                && CertificatePath.isAuthority(der, isSelfSigned: isSelfSigned, securityLevel: level)
        }
        // OpenSSL follows one path only. It must not end at an unusable certificate of the server where a pinned one
        // has the same name and key, nor at an expired certificate where another path is valid.
        var refusal = Refusal.notPinned
        for anchors in [pinnedCertificates, Set(presented)] {
            guard var reason = Self.refusal(trust, anchors: anchors, date) else { return }
            if allowsInvalidCertificates {
                guard let other = Self.refusal(trust, anchors: anchors, nil) else { return }
                reason = other
            }
            if refusal == .notPinned { refusal = reason }
        }
        throw refusal
    }

    /// Returns why the signatures of a chain do not lead to an anchor, or nil if they do; with a date, the certificates
    /// must be valid on it.
    private static func refusal(_ trust: ServerTrust, anchors: Set<Data>, _ date: Date?) -> Refusal? {
        guard !anchors.isEmpty else { return .notPinned }
        let (notYetValid, expired, weak) = (9, 10, 66...68)
        // In the same order each time, since OpenSSL uses only one of several with the same name.
        let sorted = anchors.sorted { $0.lexicographicallyPrecedes($1) }
        let (chain, level) = (trust.certificates, trust.securityLevel)
        switch CertificatePath.verify(chain, anchors: sorted, date: date, securityLevel: level) {
        case .good: return nil
        case .bad(notYetValid): return .notYetValid
        case .bad(expired): return .expired
        case .bad(weak): return .weakCryptography
        case .bad: return .notPinned
        case .unreadable: return .unreadableCertificate
        case .unavailable: return .pathNotVerifiable
        }
    }
}

extension SecurityPolicy: ImmediateTrustPolicy {
    /// Returns the parts of the verification that libcurl performs.
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

    /// Evaluates a server's trust at the current date; the decision has the ``Refusal``'s code and text.
    public func decide(_ trust: ServerTrust) -> TrustDecision {
        do throws(Refusal) {
            try evaluate(trust)
            return .accept
        } catch {
            return .refuse(reason: error.description, code: error.code)
        }
    }
}
