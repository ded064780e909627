/// The resolver that is asked for addresses over HTTPS (RFC 8484), as libcurl gets it, after validation.
struct DNSOverHTTPS: Sendable {
    let url: String
    let origin: Origin
    /// Whether the URL has a numeric address.
    let isNumeric: Bool

    init(_ resolver: URL, runtime: CurlRuntime?) throws(CurlSessionError) {
        func invalid(_ problem: String) -> CurlSessionError {
            let shown = resolver.presentableText.debugDescription
            return CurlSessionError(.invalidNetworkOptions, "The URL of the resolver \(problem): \(shown)")
        }
        url = resolver.absoluteString
        origin = Origin(resolver)
        guard origin.scheme == "https" else { throw invalid("does not begin with https://") }
        guard let host = try? URLHost(origin.host), !host.name.isEmpty else { throw invalid("has no valid host") }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw invalid("is not in ASCII") }
        guard (1...65_535).contains(origin.port) else { throw invalid("has no valid port") }
        guard resolver.user == nil, resolver.password == nil else { throw invalid("has a user") }
        if let runtime, runtime.tlsBackend == nil {
            throw CurlSessionError(
                .invalidNetworkOptions,
                "DNS over HTTPS needs TLS, which \(runtime) does not have"
            )
        }
        isNumeric = host.kind != .name || URLHost.isLocalhost(host.name)
    }
}

/// Names that a resolver is asked for over HTTPS.
extension NetworkAttempt {
    /// The time after which libcurl ends an attempt that may wait for the system's resolver, in milliseconds.
    private static let maximumLookup = 300_000

    /// Makes libcurl ask the session's resolver for names.
    func setUpResolver(_ easy: EasyHandle, _ engine: TransferEngine) throws(URLError) {
        guard route.unixSocket == nil, let network = try? engine.settings.network.get(), let resolver = network.resolver
        else { return }
        do throws(CurlSessionError) {
            let tls = try engine.settings.tls.get()
            do throws(CurlSessionError) {
                try easy.require(CurlOption.resolverURL, resolver.url)
            } catch {
                let text = "DNS over HTTPS is missing: \(engine.runtime) was built without it"
                throw CurlSessionError(.invalidNetworkOptions, text, curlCode: error.curlCode)
            }
            try easy.require(CurlOption.resolverVerifyPeer, tls.verifiesResolver ? 1 : 0)
            try easy.require(CurlOption.resolverVerifyHost, tls.verifiesResolver ? 2 : 0)
            try easy.require(CurlOption.resolverVerifyStatus, tls.requiresStapledStatus ? 1 : 0)
            // libcurl's requests to the resolver inherit the options; a request with TLS has them already.
            if prepared.origin.scheme != "https" {
                try tls.setAuthorities(of: easy)
                easy.watchHandshake(engine.chains)
            }
        } catch {
            throw .ferry(.cannotConnectToHost, url: url, underlying: error)
        }
        // The handle of an attempt that is abandoned during the system's lookup stays until libcurl ends it.
        if network.asksSystemForResolver { easy.set(CurlOption.connectTimeoutMilliseconds, Self.maximumLookup) }
    }

    /// Returns the error of an attempt if the resolver has no address for its host, or `nil` if the system was asked.
    func resolverFailure(_ code: Int32, _ text: String) -> URLError? {
        guard code == CurlCode.couldNotResolveHost || code == CurlCode.couldNotResolveProxy,
            let engine = transfer?.engine, route.unixSocket == nil,
            let resolver = (try? engine.settings.network.get())?.resolver
        else { return nil }
        let name = code == CurlCode.couldNotResolveProxy ? route.proxy?.name ?? "the proxy" : prepared.origin.host
        let refused = timing.start.flatMap(engine.chains.refusedResolver)
        let why = refused.map { ": its certificate was refused (subject: \($0))" } ?? ": \(text)"
        let message = "The resolver \(resolver.origin.host) has returned no address for \(name)\(why)"
        return .ferry(.cannotFindHost, url: url, reason: .resolverFailed, message, curlCode: code)
    }
}
