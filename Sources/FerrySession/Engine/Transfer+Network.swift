/// Proxies and addresses: which way an attempt takes.
extension Transfer {
    /// The first libcurl that says when a connection stands, so that a tunnel's answers can be told from the server's.
    private static let tellsConnections = 0x07_50_00

    func configureNetwork(_ easy: EasyHandle, _ prepared: PreparedRequest) throws(URLError) {
        proxy = nil
        unixSocket = nil
        isConnected = false
        tunnelHead = nil
        tunnelParser = ResponseHeadParser()
        let origin = prepared.origin
        do throws(CurlSessionError) {
            let network = try engine.settings.network.get()
            unixSocket = network.unixSocket(for: origin)
            switch unixSocket {
            case .path(let path): easy.set(CurlOption.unixSocketPath, path)
            case .abstract(let name): easy.set(CurlOption.abstractUnixSocket, name)
            case nil: break
            }
            try configureProxy(easy, origin)
            if !network.isPlain { configureAddresses(easy, network, origin) }
        } catch {
            throw .ferry(.cannotConnectToHost, url: request.url, underlying: error)
        }
        watchTunnel(easy, origin)
        // Only a proxy is shown this field: libcurl never sends such a list to a server.
        if credential(isProxy: true) == nil {
            easy.setList(CurlOption.proxyHeader, prepared.proxyHeaders, isSecret: prepared.hasSecrets)
        }
        if engine.runtime.versionNumber < Self.tellsConnections { easy.set(CurlOption.suppressConnectHeaders, 1) }
    }

    private func configureProxy(_ easy: EasyHandle, _ origin: Origin) throws(CurlSessionError) {
        let route = unixSocket == nil ? try engine.settings.proxy.get().route(to: origin) : .direct
        isProxyCertain = false
        switch route {
        case .environment:
            if let value = EnvironmentProxy.value(for: origin, EnvironmentProxy.variable) {
                proxy = EnvironmentProxy.server(value)
            } else {
                // libcurl need not look again, and cannot find another one.
                easy.set(CurlOption.proxy, "")
            }
        case .direct:
            easy.set(CurlOption.proxy, "")
        case .server(let server):
            if server.kind == .https, !engine.runtime.supportsHTTPSProxies {
                throw CurlSessionError(.invalidProxy, "This libcurl has no proxies over TLS: \(server.address)")
            }
            proxy = server
            isProxyCertain = true
            easy.set(CurlOption.proxy, server.address)
            // The environment's exceptions are for the environment's proxies.
            easy.set(CurlOption.noProxy, "")
            if !server.kind.isHTTP, let user = server.user {
                easy.set(CurlOption.proxyUserName, user)
                easy.set(CurlOption.proxyPassword, server.password ?? "")
            }
        }
        guard proxy?.kind == .https, let tls = try? engine.settings.tls.get() else { return }
        if let authorities = tls.authorities { try? easy.require(CurlOption.proxyCAInfoBlob, authorities) }
        if !tls.usesSystemFolder { easy.clear(CurlOption.proxyCAPath) }
        // The TLS connection to the proxy carries credentials too.
        do throws(EasyHandle.Refusal) {
            if tls.version != 0 { try easy.require(CurlOption.proxySSLVersion, tls.version) }
            if !tls.cipherSuites.isEmpty { try easy.require(CurlOption.proxyCipherList, tls.cipherSuites) }
            if !tls.tls13CipherSuites.isEmpty { try easy.require(CurlOption.proxyTLS13Ciphers, tls.tls13CipherSuites) }
        } catch {
            throw CurlSessionError(
                .tlsUnsupported,
                "This libcurl's TLS library cannot restrict the versions or ciphers of the connection to a proxy",
                curlCode: Int(error.curlCode)
            )
        }
    }

    private func configureAddresses(_ easy: EasyHandle, _ network: NetworkMaterial, _ origin: Origin) {
        let hosts = [(origin.host, origin.port)] + (proxy.map { [($0.host, $0.port)] } ?? [])
        easy.setList(CurlOption.resolve, hosts.flatMap { network.resolutions(of: $0.0, port: $0.1) })
        if let interface = network.interface { easy.set(CurlOption.interface, interface) }
        if let milliseconds = network.happyEyeballsMilliseconds {
            easy.set(CurlOption.happyEyeballsTimeout, milliseconds)
        }
        switch network.options.ipVersion {
        case .any: break
        case .v4: easy.set(CurlOption.ipResolve, 1)
        case .v6: easy.set(CurlOption.ipResolve, 2)
        }
    }

    // MARK: - Tunnels

    /// Whether heads that come now are a proxy's answers to `CONNECT`, and no responses.
    var isTunnelling: Bool {
        !isConnected && prepared?.origin.scheme == "https" && engine.runtime.versionNumber >= Self.tellsConnections
    }

    /// Whether a 407 comes from the proxy: inside a tunnel and without a proxy it is a server's, and no challenge.
    var isForwarded: Bool { proxy?.kind.isHTTP == true && prepared?.origin.scheme == "http" }

    /// How many bytes of a proxy's response to `CONNECT` are discarded before the attempt ends.
    ///
    /// libcurl reads them one by one, without looking at anything else as long as more come.
    private static let mostTunnelSteps = 16_384

    /// Has the engine asked while libcurl discards the body of a proxy's response.
    func watchTunnel(_ easy: EasyHandle, _ origin: Origin) {
        guard origin.scheme == "https", proxy?.kind.isHTTP == true else { return }
        easy.watchProgress(context: Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether libcurl may go on with what it does for a tunnel.
    func mayGoOnTunnelling() -> Bool {
        guard !isConnected else { return true }
        attempt.tunnelSteps += 1
        return attempt.tunnelSteps <= Self.mostTunnelSteps
    }

    /// Takes a line of a proxy's response to `CONNECT`, and returns whether the attempt goes on.
    func didReceiveTunnelLine(_ line: UnsafeRawBufferPointer) -> Bool {
        attempt.tunnelSteps = 0
        switch tunnelParser.consume(line) {
        case .none: return true
        case .refused(.malformed(let text)), .refused(.tooLarge(let text)):
            attempt.tunnelProblem = text
            return false
        case .head(let head):
            tunnelHead = head
            guard head.status == 407 else { return true }
            attempt.tunnelChallengeRounds += 1
            // Where libcurl has answered a stale nonce, the credential is asked for again (RFC 7616, section 3.3).
            return RepetitionRule.mayAnswerChallenge(rounds: attempt.tunnelChallengeRounds)
        }
    }

    /// Asks for a credential where the proxy wants one before it opens a tunnel.
    func askForTunnel(_ failure: URLError) -> Bool {
        guard isTunnelling, let head = tunnelHead, head.status == 407, let url = request.url,
            let challenge = challenge(for: head),
            let response = CurlHTTPResponse(url: url, head: head, isDecoded: false)
        else { return false }
        held = Held(response: response, question: .challenge(challenge), failure: failure, isTunnel: true)
        isEnded = true
        askHeld()
        return true
    }

    // MARK: - Errors

    /// The error of an attempt that ended at the proxy or at a local socket; `nil` where it got past them.
    func routeFailure(_ code: Int32, _ text: String) -> URLError? {
        let (couldNotConnect, badLocalEnd): (Int32, Int32) = (7, 45)
        if code == badLocalEnd {
            let cause = CurlSessionError(.localEndpointUnavailable, text, curlCode: Int(code))
            return .ferry(.cannotConnectToHost, url: request.url, underlying: cause)
        }
        if let unixSocket, code == couldNotConnect {
            let cause = CurlSessionError(.curl, "\(unixSocket.words) could not be connected to", curlCode: Int(code))
            return .ferry(.cannotConnectToHost, url: request.url, underlying: cause)
        }
        let text = attempt.tunnelProblem ?? text
        guard let proxy, let fault = proxyFault(code, text, proxy) else { return nil }
        let cause = CurlSessionError(
            fault.reason,
            "The proxy \(proxy.address) \(fault.what): \(text)",
            curlCode: Int(code)
        )
        return .ferry(fault.code, url: request.url, underlying: cause)
    }

    private struct ProxyFault {
        var code: URLError.Code
        var reason: CurlSessionError.Code
        var what: String
    }

    private func proxyFault(_ code: Int32, _ text: String, _ proxy: ProxyServer) -> ProxyFault? {
        switch code {
        case 5:
            return ProxyFault(code: .cannotFindHost, reason: .proxyUnreachable, what: "could not be found")
        case 7 where isProxyCertain || text.contains(proxy.host):
            return ProxyFault(code: .cannotConnectToHost, reason: .proxyUnreachable, what: "could not be reached")
        case 97:
            return ProxyFault(code: .cannotConnectToHost, reason: .proxyRefused, what: "did not connect")
        default: break
        }
        guard !isConnected, proxy.kind.isHTTP, isProxyCertain || tunnelHead != nil else { return nil }
        if tunnelHead == nil, proxy.kind == .https,
            let reason = TLSErrorRule.reason(for: code, verdict: ErrorRule.Verdict(text: text))
        {
            return ProxyFault(code: reason.code, reason: reason.reason, what: "has no good TLS connection")
        }
        // The last two are what libcurl calls the end of an attempt that Ferry ends.
        let ended: Set<Int32> = [1, 8, 16, 52, 55, 56, 92, 23, 42]
        guard isTunnelling, ended.contains(code) else { return nil }
        guard let status = tunnelHead?.status else {
            return ProxyFault(code: .cannotConnectToHost, reason: .proxyRefused, what: "opened no tunnel")
        }
        if status == 407 {
            return ProxyFault(
                code: .userAuthenticationRequired,
                reason: .proxyAuthenticationRequired,
                what: "wants a credential"
            )
        }
        guard !(200...299).contains(status) else { return nil }
        return ProxyFault(
            code: .cannotConnectToHost,
            reason: .proxyRefused,
            what: "opened no tunnel and answered \(status)"
        )
    }
}

extension NetworkOptions.UnixSocket {
    /// What errors call it.
    var words: String {
        switch self {
        case .path(let path): "The Unix-domain socket \(path)"
        case .abstract(let name): "The abstract Unix-domain socket \(name)"
        }
    }
}
