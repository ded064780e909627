/// The route of requests to each origin, from the proxy option or the configuration's dictionary.
struct ProxyTable: Sendable, Hashable {
    enum Route: Sendable, Hashable {
        /// libcurl reads the environment.
        case environment
        case direct
        case server(ProxyServer)
    }

    private var http = Route.environment
    private var https = Route.environment
    private var exceptions: [ProxyException] = []
    private var excludesSimpleHostNames = false

    /// Reads the option, and the dictionary if the option is the environment.
    init(_ proxy: CurlSession.Proxy, dictionary: [AnyHashable: Any]?) throws(CurlSessionError) {
        exceptions = proxy.exceptions.map(ProxyException.init)
        excludesSimpleHostNames = proxy.excludesSimpleHostNames
        switch proxy.choice {
        case .environment:
            guard let dictionary else { return }
            let entries = ProxyDictionary(dictionary)
            try entries.refuseScripts()
            let socks = try entries.server(.socks5h, prefix: "SOCKS", port: 1080)
            http = try (entries.server(.http, prefix: "HTTP", port: 80) ?? socks).map(Route.server) ?? .direct
            https = try (entries.server(.http, prefix: "HTTPS", port: 443) ?? socks).map(Route.server) ?? .direct
            exceptions += entries.exceptions.map(ProxyException.init)
            excludesSimpleHostNames = excludesSimpleHostNames || entries.excludesSimpleHostNames
        case .direct:
            (http, https) = (.direct, .direct)
        case .server(let server):
            try server.validate()
            (http, https) = (.server(server), .server(server))
        }
    }

    func route(to origin: Origin) -> Route {
        let route = origin.scheme == "https" ? https : http
        if excludesSimpleHostNames, ProxyException.isSimple(origin.host) { return .direct }
        let isExcepted = exceptions.contains { $0.matches(host: origin.host, port: origin.port) }
        return isExcepted ? .direct : route
    }
}
