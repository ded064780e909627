/// Turns libcurl's codes into errors that name what failed.
extension NetworkAttempt {
    func failure(_ code: Int32) -> URLError {
        if needsNewConnection {
            let text = "No connection was found that may carry the request"
            let cause = CurlSessionError(.trustRefused, text, host: prepared.origin.host)
            let isEncrypted = prepared.origin.scheme == "https"
            return .ferry(isEncrypted ? .serverCertificateUntrusted : .cannotConnectToHost, url: url, underlying: cause)
        }
        let text = easy?.message(for: code) ?? ""
        let failure = resolverFailure(code, text) ?? routeFailure(code, text) ?? versionFailure(code, text)
        if let failure { return failure }
        // While an attempt is paused within a head, libcurl counts the lines that wait.
        if code == CurlCode.receiveError, text.hasPrefix("Too large response headers") {
            return .ferry(.dataLengthExceedsMaximum, url: url, reason: .responseTooLarge, text, curlCode: code)
        }
        if ErrorRule.isLongHeader(code), let easy {
            if easy.long(CurlInfo.requestSize) == 0 { return longRequestHeader(curlCode: code) }
            var text = "A line of the response's header is longer than libcurl accepts"
            // The engine gives up a stream long before that, if it can be continued.
            if isReceivingPaused, status != nil {
                text = "More of the body has arrived than libcurl keeps while nothing reads it"
            }
            return .ferry(.dataLengthExceedsMaximum, url: url, reason: .responseTooLarge, text, curlCode: code)
        }
        let guess = SchemeRule.guess(prepared.origin, code, text, hasResponseBytes: sending.hasResponseBytes)
        let verifyResult = easy?.long(CurlInfo.sslVerifyResult) ?? 0
        let verdict = ErrorRule.Verdict(verifyResult: verifyResult, text: text, verifiesChain: trust.verifiesChain)
        guard prepared.origin.scheme == "https", let tlsReason = TLSErrorRule.reason(for: code, verdict: verdict) else {
            let reason: CurlSessionError.Code = ErrorRule.isAboutMessage(code) ? .malformedResponse : .curl
            let errorCode = ErrorRule.code(for: code, verdict: verdict)
            return .ferry(errorCode, url: url, reason: reason, text + guess, curlCode: code)
        }
        // After the beginning of a response, an alert is only the end of the connection.
        if tlsReason.isAboutClient, sending.hasResponseBytes {
            return .ferry(.networkConnectionLost, url: url, reason: .curl, text, curlCode: code)
        }
        return tlsFailure(code, text + guess, tlsReason)
    }

    /// Makes the request use another connection if libcurl has refused to send it: its body has no known length, and
    /// the server has answered with HTTP/1.0 on this one.
    func noteRefusedChunks(_ code: Int32) {
        guard code == CurlCode.uploadFailed, sharesConnection else { return }
        (needsNewConnection, sending.count) = (true, 0)
    }

    /// The error of a request with a header that cannot be sent.
    func longRequestHeader(curlCode: Int32? = nil) -> URLError {
        let text = "The request's header is longer than libcurl accepts"
        return .ferry(.dataLengthExceedsMaximum, url: url, reason: .invalidHeader, text, curlCode: curlCode)
    }

    /// The error of a request that was sent without a response, and may not be sent again.
    func notRepeated() -> URLError {
        let refusal = version.choice == .http1 ? "" : "refused the request or "
        let text =
            "The server \(refusal)closed the connection without a response, and a \(prepared.method) request is not "
            + "sent again"
        return .ferry(.networkConnectionLost, url: url, reason: .notRepeated, text)
    }

    private func tlsFailure(_ code: Int32, _ text: String, _ tlsReason: TLSErrorRule.Reason) -> URLError {
        var (reason, errorCode, message) = (tlsReason.reason, tlsReason.code, text)
        if reason == .clientCertificateRejected, trust.identity == nil {
            (reason, errorCode) = (.clientCertificateRequired, .clientCertificateRequired)
        }
        if tlsReason.isAboutClient, code == CurlCode.peerFailedVerification {
            message = "The server has sent the alert \"certificate expired\" about the client's certificate"
        }
        if let identity = trust.identity, reason == .clientCertificateUnusable {
            let isPassphrase = TLSErrorRule.isWrongPassphrase(text, isEncrypted: identity.isEncrypted)
            if isPassphrase { reason = .wrongPassphrase }
            // libcurl does not distinguish an encrypted key of another certificate from a wrong passphrase.
            let words = "does not open with its passphrase, or its key belongs to another certificate"
            let problem = isPassphrase ? words : "cannot be used"
            message = "The client certificate \(problem): \(text)"
        }
        let chain = presentedChain
        if let words = CertificateSummary.words(for: reason, chain) { message += " (\(words))" }
        let (certificates, host) = (chain.certificates, prepared.origin.host)
        let cause = CurlSessionError(reason, message, curlCode: Int(code), certificates: certificates, host: host)
        // Under a policy all faults of a server's certificate have one code, as in AFNetworking; the reasons differ.
        let isServers = TLSErrorRule.isAboutCertificate(code) && !tlsReason.isAboutClient
        if trust.session.policy != nil && isServers { errorCode = .serverCertificateUntrusted }
        return .ferry(errorCode, url: url, underlying: cause)
    }

    /// The chain that the server has presented: from libcurl after a handshake, from OpenSSL if it was refused.
    private var presentedChain: RefusedChains.Chain {
        guard let easy else { return RefusedChains.Chain() }
        let presented = easy.presentedCertificates
        let refused = transfer?.engine.chains.take(easy.pointer) ?? RefusedChains.Chain()
        // libcurl keeps what a proxy or an earlier connection has presented.
        return refused.isEmpty ? RefusedChains.Chain(certificates: presented) : refused
    }

    // MARK: - Proxies and local sockets

    /// Returns the error of an attempt that ended at the proxy or at a local socket; `nil` if it got past them.
    private func routeFailure(_ code: Int32, _ text: String) -> URLError? {
        if code == CurlCode.interfaceFailed {
            return .ferry(.cannotConnectToHost, url: url, reason: .localEndpointUnavailable, text, curlCode: code)
        }
        if code == CurlCode.couldNotConnect, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(route.socketError) {
            let problem = String(cString: strerror(route.socketError))
            let text = "No socket could be opened on this machine: \(problem)"
            return .ferry(.cannotConnectToHost, url: url, reason: .curl, text, curlCode: code)
        }
        if let unixSocket = route.unixSocket, code == CurlCode.couldNotConnect {
            let text = "\(unixSocket.words) could not be connected to"
            return .ferry(.cannotConnectToHost, url: url, reason: .curl, text, curlCode: code)
        }
        let text = route.tunnel.problem ?? text
        guard let proxy = route.proxy, let fault = proxyFault(code, text, proxy) else { return nil }
        let message = "The proxy \(proxy.address) \(fault.what): \(text)"
        return .ferry(fault.code, url: url, reason: fault.reason, message, curlCode: code)
    }

    private typealias ProxyFault = (code: URLError.Code, reason: CurlSessionError.Code, what: String)

    private func proxyFault(_ code: Int32, _ text: String, _ proxy: ProxyServer) -> ProxyFault? {
        let head = route.tunnel.head
        switch code {
        // Through a proxy of HTTP, no other host is looked up.
        case CurlCode.couldNotResolveProxy,
            CurlCode.couldNotResolveHost where proxy.kind.isHTTP && route.isProxyCertain:
            return (.cannotFindHost, .proxyUnreachable, "could not be found")
        case CurlCode.couldNotConnect where head == nil && (route.isProxyCertain || text.contains(proxy.host)):
            return (.cannotConnectToHost, .proxyUnreachable, "could not be reached")
        case CurlCode.proxyFailed: return (.cannotConnectToHost, .proxyRefused, "did not connect")
        default: break
        }
        guard stage != .connected, proxy.kind.isHTTP, route.isProxyCertain || head != nil else { return nil }
        if head == nil, proxy.kind == .https {
            let verifyResult = easy?.long(CurlInfo.proxySSLVerifyResult) ?? 0
            let verdict = ErrorRule.Verdict(verifyResult: verifyResult, text: text)
            if let reason = TLSErrorRule.reason(for: code, verdict: verdict) {
                return (reason.code, reason.reason, "has no valid TLS connection")
            }
        }
        guard isTunnelling, CurlCode.endsOfTunnels.contains(code) else { return nil }
        return switch head?.status {
        case nil: (.cannotConnectToHost, .proxyRefused, "opened no tunnel")
        case 407: (.userAuthenticationRequired, .proxyAuthenticationRequired, "requires a credential")
        case .some(200...299): nil
        case .some(let status):
            (.cannotConnectToHost, .proxyRefused, "opened no tunnel and responded with \(status)")
        }
    }
}

extension NetworkOptions.UnixSocket {
    /// The name of the socket in errors.
    package var words: String {
        switch self {
        case .path(let path): "The Unix-domain socket \(PresentableText.path(path))"
        case .abstract(let name): "The abstract Unix-domain socket \(PresentableText.path(name))"
        }
    }
}
