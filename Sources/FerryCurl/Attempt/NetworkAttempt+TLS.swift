/// TLS connections: how they are made, and which may carry the request.
extension NetworkAttempt {
    package struct ConnectionTrust {
        /// The session's policy when the attempt began.
        package var session = SessionTrust.Current()
        /// Whether the connection needs a verdict before it carries the request.
        var needsVerdict = false
        var verifiesChain = true
        var verifiesHost = true
        /// OpenSSL's security level of the connection.
        package var securityLevel = ServerTrust.usualSecurityLevel
        package var identity: TLSMaterial.Identity?
        /// The number of connections that the attempt had opened at the last evaluation.
        var connectionsSeen = 0
        /// The question that was not decided when the attempt ended.
        package var pendingQuestion: TrustQuestion?
    }

    /// Whether libcurl has verified that the server is the one that the URL names.
    package var isVerified: Bool { prepared.origin.scheme == "https" && trust.verifiesChain && trust.verifiesHost }

    // MARK: - Before the connection

    func setUpTLS(_ easy: EasyHandle, _ transfer: Transfer) throws(URLError) {
        let engine = transfer.engine
        let origin = prepared.origin
        guard origin.scheme == "https" else { return }
        trust.session = engine.trust.use()
        do throws(CurlSessionError) {
            let tls = try engine.settings.tls.get()
            if trust.session.policy != nil { try TLSBackend.requireEvaluation(engine.runtime) }
            trust.needsVerdict = tls.evaluator != nil || trust.session.policy != nil
            let pins = try tls.pins.curlValue(for: origin.host)
            let verification = verification(of: tls, engine)
            guard !tls.checksRevocation || verification.contains(.chain) else {
                let text = "Revocation cannot be checked where the trust policy verifies the chain in place of libcurl"
                throw .invalidTLS("\(text): \(origin.host)")
            }
            trust.identity = try tls.identity(for: origin.host, hasLeftOrigin: prepared.hasLeftOrigin)
            easy.watchHandshake(engine.chains)
            try apply(tls, pins, verification, to: easy)
            // A stream can be read once, so it is not risked on a connection that an earlier policy has accepted.
            if trust.needsVerdict, trust.session.isLater, prepared.isStreamed {
                try easy.require(CurlOption.freshConnect, 1)
            }
        } catch {
            throw .ferry(.secureConnectionFailed, url: url, underlying: error)
        }
    }

    /// Returns what libcurl verifies: what the policy asks for, if there is a policy.
    ///
    /// An evaluator that was promised verified chains gets them in any case.
    private func verification(of tls: TLSMaterial, _ engine: TransferEngine) -> TrustVerification {
        guard let policy = trust.session.policy else { return tls.verifies ? .full : [] }
        if tls.evaluator != nil, tls.verifies { return .full }
        let host = prepared.origin.host
        if let policy = policy as? any ImmediateTrustPolicy { return policy.verification(for: host) }
        // The policy was asked before the attempt began. If it has changed since, the connection is refused later.
        return engine.trust.verification(for: host, revision: trust.session.revision) ?? .full
    }

    private func apply(
        _ tls: TLSMaterial,
        _ pins: String?,
        _ verification: TrustVerification,
        to easy: EasyHandle
    ) throws(CurlSessionError) {
        // Errors name the chain too; a TLS library that does not report it can be used as well.
        easy.set(CurlOption.certificateInfo, 1)
        try tls.setAuthorities(of: easy)
        try easy.require(CurlOption.sslVersion, tls.version)
        if !tls.cipherSuites.isEmpty { try easy.require(CurlOption.cipherList, tls.cipherSuites) }
        if !tls.tls13CipherSuites.isEmpty { try easy.require(CurlOption.tls13Ciphers, tls.tls13CipherSuites) }
        if let pins { try easy.require(CurlOption.pinnedPublicKey, pins) }
        trust.verifiesChain = verification.contains(.chain)
        if !trust.verifiesChain { try easy.require(CurlOption.verifyPeer, 0) }
        trust.verifiesHost = trust.verifiesChain && verification.contains(.hostName)
        if !trust.verifiesHost { try easy.require(CurlOption.verifyHost, 0) }
        if tls.requiresStapledStatus { try easy.require(CurlOption.verifyStatus, 1) }
        // The certificates of a resumed TLS session are not verified again, and it has no stapled response.
        if tls.checksRevocation { try easy.require(CurlOption.sessionCache, 0) }
        if let identity = trust.identity {
            try easy.require(CurlOption.certificateBlob, identity.certificate)
            try easy.require(CurlOption.certificateType, identity.type)
            if let key = identity.key {
                try easy.require(CurlOption.keyBlob, key)
                try easy.require(CurlOption.keyType, identity.type)
            }
            try easy.require(CurlOption.keyPassphrase, identity.passphrase)
        }
        guard trust.needsVerdict else { return }
        try easy.require(CurlOption.certificateInfo, 1)
        // A resumed TLS session does not present the whole chain with every version of libcurl.
        try easy.require(CurlOption.sessionCache, 0)
    }

    /// Notes a handshake that begins, and returns whether the certificate must name a host.
    func willShakeHands(securityLevel: Int) -> Bool {
        if timing.handshakeStart == nil { timing.handshakeStart = .now() }
        // A policy decides about the server, never about a proxy.
        if route.proxy?.kind == .https, route.tunnel.head.map({ 200..<300 ~= $0.status }) != true { return true }
        trust.securityLevel = securityLevel
        return trust.verifiesHost
    }

    // MARK: - Between handshake and request

    /// Whether evaluator and policy let the connection carry the request.
    func mayTrust(_ transfer: Transfer, _ receiver: any TransferReceiver, isNew: Bool) -> Bool {
        let engine = transfer.engine
        let origin = prepared.origin
        // Otherwise the policy has changed since the attempt set up what libcurl verifies.
        guard engine.trust.current.revision == trust.session.revision || origin.scheme != "https" else {
            return refuseConnection()
        }
        guard trust.needsVerdict else { return true }
        guard let tls = try? engine.settings.tls.get(), let easy else { return false }
        let verdict: Connection.Verdict
        if isNew {
            guard let evaluated = evaluate(tls, easy, transfer) else { return refuseConnection() }
            connection?.verdict = evaluated
            verdict = evaluated
        } else if let known = connection?.verdict, known.isValid(for: origin, revision: trust.session.revision) {
            verdict = known
        } else {
            return refuseConnection()
        }
        guard case .refuse(let reason, let code) = verdict.decision else {
            transfer.decidedTrust = [:]
            return true
        }
        // libcurl would keep the connection in its pool.
        easy.set(CurlOption.forbidReuse, 1)
        let whose = verdict.subject.map { " (certificate: \($0))" } ?? ""
        let cause = CurlSessionError(
            code,
            "The connection to \(origin.host) was refused: \(reason)\(whose)",
            certificates: verdict.question.certificates,
            host: origin.host
        )
        receiver.handle(.willFail(.ferry(.serverCertificateUntrusted, url: url, underlying: cause)))
        return false
    }

    /// Ends the attempt before its request is sent, so that it begins again on another connection.
    func refuseConnection() -> Bool {
        needsNewConnection = true
        easy?.set(CurlOption.forbidReuse, 1)
        return false
    }

    /// Returns the verdict on a new connection, or `nil` where the attempt has to wait for it.
    private func evaluate(_ tls: TLSMaterial, _ easy: EasyHandle, _ transfer: Transfer) -> Connection.Verdict? {
        let origin = prepared.origin
        let certificates = easy.presentedCertificates
        // Without verification libcurl loads no authorities, and OpenSSL has none.
        let verifyResult = trust.verifiesChain ? easy.long(CurlInfo.sslVerifyResult) : nil
        let (host, port) = (origin.host, origin.port)
        var server = ServerTrust(host: host, port: port, certificates: certificates, verifyResult: verifyResult)
        server.securityLevel = trust.securityLevel
        let question = TrustQuestion(
            origin: origin,
            certificates: certificates,
            verifyResult: verifyResult,
            revision: trust.session.revision
        )
        let decision: TrustDecision
        if certificates.isEmpty {
            decision = .refuse(reason: "it presented no certificate")
        } else if tls.evaluator == nil, let policy = trust.session.policy as? any ImmediateTrustPolicy {
            decision = policy.decide(server)
        } else {
            guard let found = decide(question, server, tls, transfer) else { return nil }
            decision = found
        }
        return Connection.Verdict(question: question, decision: decision, subject: easy.presentedSubject)
    }

    /// Asks the user's code, unless it has decided about the same chain for this transfer already.
    private func decide(
        _ question: TrustQuestion,
        _ server: ServerTrust,
        _ tls: TLSMaterial,
        _ transfer: Transfer
    ) -> TrustDecision? {
        if let decided = transfer.decidedTrust[question] { return decided }
        let (evaluator, policy) = (tls.evaluator, trust.session.policy)
        let delaysOthers = transfer.engine.active.count > 1
        let decision = transfer.engine.trust.questions.ask(question, delaysOthers: delaysOthers) {
            let first = evaluator?(server) ?? .accept
            guard first == .accept else { return first }
            return policy?.decide(server) ?? .accept
        } whenDecided: { decision in
            transfer.engine.submit(.run { transfer.receiver?.handle(.trust(question, decision)) })
        }
        if decision == nil { trust.pendingQuestion = question }
        return decision
    }
}
