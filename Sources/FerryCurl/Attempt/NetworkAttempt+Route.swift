/// The way to the server: proxies, tunnels, local sockets and addresses.
extension NetworkAttempt {
    package struct Route {
        /// The proxy, where it is known; for the environment's proxy libcurl may still except a host.
        package var proxy: ProxyServer?
        /// Whether the proxy is the one of the session's options, which libcurl uses in any case.
        package var isProxyCertain = false
        package var unixSocket: NetworkOptions.UnixSocket?
        /// The error's number if a socket could not be opened.
        package var socketError: Int32 = 0
        package var tunnel = Tunnel()
    }

    /// The state of a tunnel that a proxy opens.
    package struct Tunnel {
        package var parser = ResponseHeadParser()
        /// The proxy's last response to `CONNECT`.
        package var head: ResponseHead?
        /// The reason why that response is not accepted.
        package var problem: String?
        /// The responses that have asked for a credential.
        package var challengeRounds = ChallengeRounds()
        /// The number of steps that libcurl has made in the engine's current turn; it reads a byte in each.
        package var steps = 0
        /// The time when that turn began.
        package var turn = MonotonicTime(nanoseconds: 0)

        /// The number of bytes of a proxy's response to `CONNECT` that are read in one turn in any case.
        ///
        /// libcurl reads them one by one, and serves no other transfer as long as more come. A proxy's page about a
        /// refused credential may be longer. Further bytes use the turn's allowance, which all transfers share; when
        /// that is used up, the attempt ends.
        static let freeSteps = 8_192
        /// The time that a step takes at least.
        static let costOfStep = TimeSpan(nanoseconds: 500)

        /// Forgets the proxy's response on an earlier connection.
        mutating func forgetResponse() { (parser, head, problem) = (ResponseHeadParser(), nil, nil) }
    }

    /// Chooses the way to the server.
    func setUpRoute(_ easy: EasyHandle, _ engine: TransferEngine) throws(URLError) {
        let origin = prepared.origin
        do throws(CurlSessionError) {
            let network = try engine.settings.network.get()
            route.unixSocket = network.unixSocket(for: origin)
            switch route.unixSocket {
            case .path(let path): easy.set(CurlOption.unixSocketPath, path)
            case .abstract(let name): easy.set(CurlOption.abstractUnixSocket, name)
            case nil: break
            }
            try setUpProxy(easy, engine)
            setUpVersionOfRoute(easy)
            let isLoopback = !engine.runtime.knowsLocalhostNames && origin.host.hasSuffix(".localhost")
            if version.choice == .http3Only, route.isProxyCertain || route.unixSocket != nil {
                let text = "HTTP/3 cannot be used through a proxy or a Unix-domain socket"
                throw CurlSessionError(.httpVersionUnsupported, text)
            }
            if isLoopback || !network.isPlain { setUpAddresses(easy, network, isLoopback: isLoopback) }
        } catch {
            throw .ferry(.cannotConnectToHost, url: url, underlying: error)
        }
        // libcurl asks during a tunnel whether it may continue, also while it discards the body of a response.
        if prepared.isUpgrade || version.choice == .priorKnowledge { easy.set(CurlOption.httpProxyTunnel, 1) }
        if usesTunnel { easy.watchProgress() }
    }

    private func setUpProxy(_ easy: EasyHandle, _ engine: TransferEngine) throws(CurlSessionError) {
        let origin = prepared.origin
        switch route.unixSocket == nil ? try engine.settings.proxy.get().route(to: origin) : .direct {
        case .environment:
            if let value = EnvironmentProxy.value(for: origin, EnvironmentProxy.variable) {
                route.proxy = EnvironmentProxy.server(value)
            } else {
                // Otherwise libcurl would look for a proxy again, and might find another one.
                easy.set(CurlOption.proxy, "")
            }
        case .direct: easy.set(CurlOption.proxy, "")
        case .server(let server):
            if server.kind == .https, !engine.runtime.supportsHTTPSProxies {
                throw CurlSessionError(.invalidProxy, "This libcurl has no proxies over TLS: \(server.address)")
            }
            route.proxy = server
            route.isProxyCertain = true
            easy.set(CurlOption.proxy, server.address)
            // The environment's exceptions are for the environment's proxies.
            easy.set(CurlOption.noProxy, "")
            if !server.kind.isHTTP, let user = server.user {
                easy.set(CurlOption.proxyUserName, user)
                easy.set(CurlOption.proxyPassword, server.password ?? "")
            }
        }
        if route.proxy?.kind == .https {
            easy.watchHandshake(engine.chains)
            try setUpProxyTLS(easy, try engine.settings.tls.get())
        }
    }

    /// Sets up the TLS connection to the proxy, which carries credentials too.
    private func setUpProxyTLS(_ easy: EasyHandle, _ tls: TLSMaterial) throws(CurlSessionError) {
        try tls.setAuthorities(of: easy, forProxy: true)
        // The certificates of a resumed TLS session are not verified again.
        if tls.revocationLists != nil { try easy.require(CurlOption.sessionCache, 0) }
        try easy.require(CurlOption.proxySSLVersion, tls.version)
        if !tls.cipherSuites.isEmpty { try easy.require(CurlOption.proxyCipherList, tls.cipherSuites) }
        if !tls.tls13CipherSuites.isEmpty { try easy.require(CurlOption.proxyTLS13Ciphers, tls.tls13CipherSuites) }
    }

    private func setUpAddresses(_ easy: EasyHandle, _ network: NetworkMaterial, isLoopback: Bool) {
        let origin = prepared.origin
        var hosts = [(origin.host, origin.port)]
        if let proxy = route.proxy { hosts.append((proxy.name, proxy.port)) }
        if let resolver = network.resolver?.origin { hosts.append((resolver.host, resolver.port)) }
        // RFC 6761, section 6.3. The options come last, since a later line replaces an earlier one.
        let loopback = isLoopback ? ["\(origin.host):\(origin.port):127.0.0.1,[::1]"] : []
        easy.setList(CurlOption.resolve, loopback + hosts.flatMap { network.resolutions(of: $0.0, port: $0.1) })
        if let interface = network.interface { easy.set(CurlOption.interface, interface) }
        if let time = network.happyEyeballsMilliseconds { easy.set(CurlOption.happyEyeballsTimeout, time) }
        switch network.options.ipVersion {
        case .any: break
        case .v4: easy.set(CurlOption.ipResolve, 1)
        case .v6: easy.set(CurlOption.ipResolve, 2)
        }
    }

    /// Notes where a request without TLS goes: libcurl may have excepted the host from the environment's proxy.
    func noteRemote(_ remote: Connection.Endpoint) {
        guard !route.isProxyCertain, prepared.origin.scheme == "http", let proxy = route.proxy else { return }
        let address = IPAddress(proxy.host)
        let isOther = address.map { $0 != IPAddress(String(cString: remote.address)) } ?? false
        if remote.port != proxy.port || isOther { route.proxy = nil }
    }

    // MARK: - Tunnels

    /// Whether response heads that come now are a proxy's to `CONNECT`, and not the server's.
    package var isTunnelling: Bool { stage != .connected && tunnels }
    /// Whether a 407 comes from the proxy; inside a tunnel and without a proxy it is the server's, and not a challenge.
    package var isForwarded: Bool { route.proxy?.kind.isHTTP == true && !tunnels }
    /// Whether the request goes through a tunnel that an HTTP proxy opens.
    var usesTunnel: Bool { route.proxy?.kind.isHTTP == true && tunnels }
    /// Whether an HTTP proxy opens a tunnel to the server (for WebSockets RFC 6455, section 4.1).
    private var tunnels: Bool {
        prepared.origin.scheme == "https" || prepared.isUpgrade || version.choice == .priorKnowledge
    }

    /// Whether libcurl may continue with a tunnel; a lookup is not ended, since taking the handle back would block.
    func mayContinueTunnel() -> Bool {
        guard stage == .connecting, let engine = transfer?.engine else { return true }
        // Each turn is at least one step, also while the proxy is silent.
        if engine.turnStart != route.tunnel.turn { (route.tunnel.turn, route.tunnel.steps) = (engine.turnStart, 0) }
        route.tunnel.steps += 1
        engine.allowance.spend(Tunnel.costOfStep)
        guard route.tunnel.steps > Tunnel.freeSteps, !engine.allowance.takeTunnelByte() else { return true }
        route.tunnel.problem = route.tunnel.problem ?? "its response to CONNECT is too long"
        return false
    }

    /// Reads a line of a proxy's response to `CONNECT`, and returns whether the attempt continues.
    func didReceiveTunnelLine(_ line: UnsafeRawBufferPointer) -> Bool {
        // Each line moves the deadline of inactivity.
        liftConnectLimit()
        switch route.tunnel.parser.consume(line) {
        case .none, .interim: return true
        case .refused(.malformed(let text)), .refused(.tooLarge(let text)):
            route.tunnel.problem = text
            return false
        case .head(let head):
            route.tunnel.head = head
            guard head.status == 407 else { return true }
            return route.tunnel.challengeRounds.mayContinue(head, scheme: credentials.proxy?.scheme)
        }
    }
}
