/// The settings of an engine and of the connections that it opens.
package struct EngineSettings: Sendable {
    package var maximumConnectionsPerHost = 64
    package var downloadLimit: BandwidthLimit?
    package var uploadLimit: BandwidthLimit?
    package var limits: RequestLimits?
    package var httpVersions = HTTPVersions.automatic
    /// Whether requests share connections of HTTP/3 also where libcurl may lose them.
    package var sharesHTTP3 = false
    /// The material of TLS connections, or why it cannot be used.
    package let tls: Result<TLSMaterial, CurlSessionError>
    /// The proxies of requests, or why they cannot be used.
    package let proxy: Result<ProxyTable, CurlSessionError>
    /// The addresses and interfaces of connections, or why they cannot be used.
    package let network: Result<NetworkMaterial, CurlSessionError>
    /// Whether the start of a transfer reads no disk and runs no user code.
    package var isSelfContained = false

    package init(
        tls: Result<TLSMaterial, CurlSessionError>,
        proxy: Result<ProxyTable, CurlSessionError>,
        network: Result<NetworkMaterial, CurlSessionError>
    ) {
        (self.tls, self.proxy, self.network) = (tls, proxy, network)
    }

    /// The number of connections, used or idle, above which idle ones are closed: at most a quarter of the descriptors.
    var keptConnections: Int {
        var limit = rlimit(rlim_cur: .max, rlim_max: .max)
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        return min(2 * min(max(8, maximumConnectionsPerHost), 500), max(1, Int(clamping: limit.rlim_cur / 4)))
    }

    /// Returns whether requests to an origin are sent to its host, whose name is looked up.
    ///
    /// A proxy of the environment counts also for hosts that the environment excepts. The result is `false` for invalid
    /// options, with which a task fails, and for a resolver of the options, since the system must not be asked.
    package func looksUpHost(of origin: Origin) -> Bool {
        guard let network = try? self.network.get(), let proxy = try? self.proxy.get() else { return false }
        guard network.resolver == nil, network.unixSocket(for: origin) == nil,
            network.resolutions(of: origin.host, port: origin.port).isEmpty
        else { return false }
        if URLHost.isLocalhost(origin.host) { return false }
        return switch proxy.route(to: origin) {
        case .direct: true
        case .server: false
        case .environment: EnvironmentProxy.value(for: origin, EnvironmentProxy.variable) == nil
        }
    }
}
