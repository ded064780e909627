internal import CFerry

/// TLS connections: how they are made, and which may carry requests.
extension Transfer {
    /// How often an attempt looks for another connection, where the one from the pool must not carry its request.
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
            identity = try tls.identity(for: origin.host, hasLeftOrigin: hasLeftOrigin)
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
        if tls.evaluator != nil, tls.verifies { return .full }
        if let policy = policy as? any ImmediateTrustPolicy { return policy.verification(for: origin.host) }
        // It was asked before the attempt began; where the policy has changed since, the connection is refused later.
        return engine.trust.verification(for: origin.host, revision: trust.revision) ?? .full
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
        if let identity {
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
        // A stream is read once: it must not be spent on a connection that an earlier policy has let through.
        if trust.isLater && isStreamed { try easy.require(CurlOption.freshConnect, 1) }
    }

    // MARK: - Between handshake and request

    /// Whether the connection may carry a request, as evaluator and policy say or have said.
    func mayTrust() -> Bool {
        // The policy has changed since libcurl was told what to verify.
        guard engine.trust.current.revision == trust.revision || prepared?.origin.scheme != "https" else {
            return refuseConnection()
        }
        guard judgesTrust else { return true }
        guard let tls, let origin = prepared?.origin, let easy else { return false }
        let connections = easy.long(CurlInfo.newConnections)
        let isNew = connections > connectionsSeen
        connectionsSeen = connections
        let known = attempt.connection?.verdict
        let verdict: Connection.Verdict
        if isNew {
            guard let judged = judge(tls, origin, easy) else { return refuseConnection() }
            attempt.connection?.verdict = judged
            verdict = judged
        } else if let known, known.origin == origin, known.revision == trust.revision {
            verdict = known
        } else {
            return refuseConnection()
        }
        guard case .refuse(let reason, let code) = verdict.decision else {
            decidedTrust = nil
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

    /// Ends the attempt before its request is sent, so that it begins again on another connection.
    func refuseConnection() -> Bool {
        mustReconnect = true
        easy?.set(CurlOption.forbidReuse, 1)
        return false
    }

    /// Returns the verdict on a new connection, or `nil` where it is not made yet and the attempt has to wait for it.
    private func judge(_ tls: TLSMaterial, _ origin: Origin, _ easy: EasyHandle) -> Connection.Verdict? {
        let certificates = easy.presentedCertificates
        // Without verification libcurl loads no authorities, and OpenSSL knows none.
        let verifyResult = verifiesChain ? easy.long(CurlInfo.sslVerifyResult) : nil
        let server = ServerTrust(
            host: origin.host,
            port: origin.port,
            certificates: certificates,
            verifyResult: verifyResult
        )
        let decision: TrustDecision
        if certificates.isEmpty {
            decision = .refuse(reason: "it has shown no certificate")
        } else if tls.evaluator == nil, let policy = trust.policy as? any ImmediateTrustPolicy {
            decision = policy.decide(server)
        } else {
            let question = TrustQuestion(
                origin: origin,
                certificates: certificates,
                verifyResult: verifyResult,
                revision: trust.revision
            )
            guard let found = decide(question, server, tls) else { return nil }
            decision = found
        }
        return Connection.Verdict(
            origin: origin,
            revision: trust.revision,
            decision: decision,
            certificates: certificates,
            subject: easy.presentedSubject
        )
    }

    /// Asks the user's code, unless it has decided about the same chain for this transfer already.
    private func decide(_ question: TrustQuestion, _ server: ServerTrust, _ tls: TLSMaterial) -> TrustDecision? {
        if let decidedTrust, decidedTrust.question == question { return decidedTrust.decision }
        let (evaluator, policy) = (tls.evaluator, trust.policy)
        let decision = engine.trustQuestions.ask(question) {
            let first = evaluator?(server) ?? .accept
            guard first == .accept else { return first }
            return policy?.decide(server) ?? .accept
        } whenDecided: { [self] decision in
            engine.submit(.trustDecided(self, question, decision))
        }
        if decision == nil { attempt.pendingTrust = question }
        return decision
    }

    // MARK: - Waiting for the user's code

    /// Waits for the decision about the connection's trust that the attempt has ended without.
    func waitForTrust() -> Bool {
        // A server that shows another chain each time is not waited for again and again.
        guard let question = attempt.pendingTrust, reconnectionCount < Self.reconnections else { return false }
        reconnectionCount += 1
        mustReconnect = false
        // The decision may be here already, with its command in the inbox.
        if decidedTrust?.question == question {
            engine.start(self, priority: priority)
        } else {
            engine.wait(self)
        }
        return true
    }

    func continueAfterTrust(_ question: TrustQuestion, _ decision: TrustDecision) {
        guard client != nil else { return }
        decidedTrust = (question, decision)
        continueAfterWait()
    }

    func continueAfterWait() {
        guard client != nil, engine.endWait(self) else { return }
        engine.start(self, priority: priority)
    }

    /// Asks a policy of the user's what libcurl is to verify for a host, where that is not known yet.
    ///
    /// Returns whether the transfer waits for it.
    func mustWaitForVerification(of origin: Origin) -> Bool {
        guard origin.scheme == "https" else { return false }
        let current = engine.trust.use()
        guard let policy = current.policy, !(policy is any ImmediateTrustPolicy),
            engine.trust.verification(for: origin.host, revision: current.revision) == nil
        else { return false }
        engine.wait(self)
        engine.trustQuestions.run { [self] in
            let verification = policy.verification(for: origin.host)
            engine.trust.note(verification, for: origin.host, revision: current.revision)
            engine.submit(.verificationKnown(self))
        }
        return true
    }

    /// The connection from the pool must not carry the request: asks for a new one.
    func reconnect() -> Bool {
        if waitForTrust() { return true }
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
                "No connection was found that may carry the request",
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
        if let identity, reason == .clientCertificateUnusable {
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
