internal import CFerry

/// TLS connections: how they are made, and which may carry requests.
extension Transfer {
    /// How often an attempt looks for another connection, when the pool has one that nobody has judged.
    private static let reconnections = 3

    var tls: TLSMaterial? { try? engine.settings.tls.get() }

    // MARK: - Before the connection

    func configureTLS(_ easy: EasyHandle, _ origin: Origin) throws(URLError) {
        connectionsSeen = 0
        mustReconnect = false
        judgesTrust = false
        guard origin.scheme == "https" else { return }
        trust = engine.trust.use()
        do throws(CurlSessionError) {
            let tls = try engine.settings.tls.get()
            if trust.policy != nil { try TLSBackend.requireEvaluation(engine.runtime) }
            judgesTrust = tls.evaluator != nil || trust.policy != nil
            let pins = try tls.pins.curlValue(for: origin.host)
            do throws(EasyHandle.Refusal) {
                try apply(tls, pins, verification(of: tls, for: origin), to: easy)
            } catch {
                throw CurlSessionError(
                    .tlsUnsupported,
                    "This libcurl's TLS library does not have what the session's options ask for",
                    curlCode: Int(error.curlCode)
                )
            }
        } catch {
            throw .ferry(.secureConnectionFailed, url: request.url, underlying: error)
        }
    }

    /// What libcurl verifies: the policy's word counts where there is one.
    ///
    /// An evaluator that was promised verified chains gets them all the same.
    private func verification(of tls: TLSMaterial, for origin: Origin) -> TrustVerification {
        guard let policy = trust.policy else { return tls.verifies ? .full : [] }
        return tls.evaluator != nil && tls.verifies ? .full : policy.verification(for: origin.host)
    }

    private func apply(
        _ tls: TLSMaterial,
        _ pins: String?,
        _ verification: TrustVerification,
        to easy: EasyHandle
    ) throws(EasyHandle.Refusal) {
        // The chain is for the texts of errors too; a library that cannot tell it is not asked to.
        easy.set(CurlOption.certificateInfo, 1)
        engine.chains.forget(easy.pointer)
        easy.watchHandshake(engine.chains, context: Unmanaged.passUnretained(self).toOpaque())
        if let authorities = tls.authorities { try easy.require(CurlOption.caInfoBlob, authorities) }
        if !tls.usesSystemFolder { easy.clear(CurlOption.caPath) }
        if tls.version != 0 { try easy.require(CurlOption.sslVersion, tls.version) }
        if !tls.cipherSuites.isEmpty { try easy.require(CurlOption.cipherList, tls.cipherSuites) }
        if !tls.tls13CipherSuites.isEmpty { try easy.require(CurlOption.tls13Ciphers, tls.tls13CipherSuites) }
        if let pins { try easy.require(CurlOption.pinnedPublicKey, pins) }
        verifiesChain = verification.contains(.chain)
        if !verifiesChain { try easy.require(CurlOption.verifyPeer, 0) }
        if !verifiesChain || !verification.contains(.hostName) { try easy.require(CurlOption.verifyHost, 0) }
        if let identity = tls.identity {
            try easy.require(CurlOption.certificateBlob, identity.certificate)
            try easy.require(CurlOption.certificateType, identity.type)
            if let key = identity.key {
                try easy.require(CurlOption.keyBlob, key)
                try easy.require(CurlOption.keyType, identity.type)
            }
            try easy.require(CurlOption.keyPassphrase, identity.passphrase)
        }
        guard judgesTrust else { return }
        try easy.require(CurlOption.certificateInfo, 1)
        // A resumed TLS session shows no whole chain with every version of libcurl.
        try easy.require(CurlOption.sessionCache, 0)
        // A stream is read once: it must not be spent on a connection that turns out to be an earlier policy's.
        if reconnectionCount > 0 || (trust.isLater && isStreamed) { try easy.require(CurlOption.freshConnect, 1) }
        easy.forgetClosed(engine.verdicts)
    }

    // MARK: - Between handshake and request

    /// Whether the connection may carry a request, as evaluator and policy say or have said.
    func mayTrust(_ key: () -> ConnectionVerdicts.Key?) -> Bool {
        // The policy has changed since libcurl was told what to verify.
        guard engine.trust.current.revision == trust.revision || prepared?.origin.scheme != "https" else {
            return refuseUnjudged()
        }
        guard judgesTrust else { return true }
        guard let tls, let origin = prepared?.origin, let easy else { return false }
        let connections = easy.long(CurlInfo.newConnections)
        let isNew = connections > connectionsSeen
        connectionsSeen = connections
        let key = key()
        let verdict: ConnectionVerdicts.Verdict
        if isNew {
            verdict = judge(tls, origin, easy)
            if let key { engine.verdicts.remember(verdict, for: key) }
        } else if let known = key.flatMap({
            engine.verdicts.verdict(for: $0, origin: origin, revision: trust.revision)
        }) {
            verdict = known
        } else {
            return refuseUnjudged()
        }
        guard case .refuse(let reason, let code) = verdict.decision else {
            reconnectionCount = 0
            return true
        }
        // libcurl would keep the connection in its pool.
        easy.set(CurlOption.forbidReuse, 1)
        let whose = verdict.subject.map { " (certificate: \($0))" } ?? ""
        let cause = CurlSessionError(
            code,
            "The connection to \(origin.host) was refused: \(reason)\(whose)",
            certificates: verdict.certificates,
            host: origin.host
        )
        ownFailure = .ferry(.serverCertificateUntrusted, url: request.url, underlying: cause)
        return false
    }

    /// Has the attempt begin again on a new connection.
    private func refuseUnjudged() -> Bool {
        mustReconnect = true
        easy?.set(CurlOption.forbidReuse, 1)
        return false
    }

    private func judge(_ tls: TLSMaterial, _ origin: Origin, _ easy: EasyHandle) -> ConnectionVerdicts.Verdict {
        let certificates = easy.presentedCertificates
        let server = ServerTrust(
            host: origin.host,
            port: origin.port,
            certificates: certificates,
            // Without verification libcurl loads no authorities, and OpenSSL knows none.
            verifyResult: verifiesChain ? easy.long(CurlInfo.sslVerifyResult) : nil
        )
        var decision = TrustDecision.refuse(reason: "it has shown no certificate")
        if !certificates.isEmpty {
            decision = tls.evaluator?(server) ?? .accept
            if decision == .accept { decision = trust.policy?.decide(server) ?? .accept }
        }
        return ConnectionVerdicts.Verdict(
            origin: origin,
            revision: trust.revision,
            decision: decision,
            certificates: certificates,
            subject: easy.presentedSubject
        )
    }

    /// The connection from the pool was never judged: asks for a new one.
    func reconnect() -> Bool {
        guard mustReconnect, reconnectionCount < Self.reconnections else { return false }
        mustReconnect = false
        reconnectionCount += 1
        engine.start(self, priority: priority)
        return true
    }

    // MARK: - Errors

    /// What the server has shown: by libcurl after a handshake, by OpenSSL where it refused the chain.
    private var presentedChain: RefusedChains.Chain {
        guard let easy else { return RefusedChains.Chain() }
        let presented = easy.presentedCertificates
        let refused = engine.chains.take(easy.pointer)
        return presented.isEmpty ? refused : RefusedChains.Chain(certificates: presented)
    }

    /// The error of an attempt that libcurl has ended with a code.
    func failure(_ code: Int32) -> URLError {
        if mustReconnect {
            let cause = CurlSessionError(
                .trustRefused,
                "No connection could be had whose certificate was judged",
                host: prepared?.origin.host
            )
            return .ferry(.serverCertificateUntrusted, url: request.url, underlying: cause)
        }
        let text = easy?.message(for: code) ?? ""
        if let failure = routeFailure(code, text) { return failure }
        let verdict = ErrorRule.Verdict(verifyResult: easy?.long(CurlInfo.sslVerifyResult) ?? 0, text: text)
        guard prepared?.origin.scheme == "https", let tlsReason = TLSErrorRule.reason(for: code, verdict: verdict)
        else {
            let cause = CurlSessionError(.curl, text, curlCode: Int(code))
            return .ferry(ErrorRule.code(for: code, verdict: verdict), url: request.url, text, underlying: cause)
        }
        var reason = tlsReason.reason
        var message = text
        if let identity = tls?.identity, reason == .clientCertificateUnusable {
            let isPassphrase = TLSErrorRule.isWrongPassphrase(text, isEncrypted: identity.isEncrypted)
            if isPassphrase { reason = .wrongPassphrase }
            message =
                "The client certificate \(isPassphrase ? "does not open with its passphrase" : "is of no use"): \(text)"
        }
        let chain = presentedChain
        if let words = CertificateSummary.words(for: reason, chain) { message += " (\(words))" }
        let cause = CurlSessionError(
            reason,
            message,
            curlCode: Int(code),
            certificates: chain.certificates,
            host: prepared?.origin.host
        )
        // Under a policy all faults of a server's certificate are one, as in AFNetworking; the reason tells them apart.
        let isServers = TLSErrorRule.isAboutServerCertificate(code)
        let errorCode = trust.policy != nil && isServers ? .serverCertificateUntrusted : tlsReason.code
        return .ferry(errorCode, url: request.url, underlying: cause)
    }
}
