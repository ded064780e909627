/// The route of requests to each origin, from the proxy option or the configuration's dictionary.
package struct ProxyTable: Sendable, Hashable {
    /// The way in which a request reaches its server.
    package enum Route: Sendable, Hashable {
        /// The route that libcurl reads from the environment.
        case environment
        case direct
        case server(ProxyServer)
    }

    private var http = Route.environment
    private var https = Route.environment
    private var exceptions: [ProxyException] = []
    private var excludesSimpleHostNames = false

    /// Makes a table of one route, and reads a configuration's `connectionProxyDictionary` if the route is the
    /// environment.
    ///
    /// `excludesSimpleHostNames` is whether host names without a dot are among the exceptions.
    package init(
        _ route: Route,
        except exceptions: [String],
        excludesSimpleHostNames: Bool,
        dictionary: [AnyHashable: Any]?
    ) throws(CurlSessionError) {
        self.exceptions = exceptions.map(ProxyException.init)
        self.excludesSimpleHostNames = excludesSimpleHostNames
        (http, https) = (route, route)
        switch route {
        case .direct: return
        case .server(let server): try server.validate()
        case .environment:
            guard let dictionary else { return }
            let entries = ProxyDictionary(dictionary)
            try entries.refuseScripts()
            let socks = try entries.server(.socks5h, prefix: "SOCKS", port: 1080)
            http = try (entries.server(.http, prefix: "HTTP", port: 80) ?? socks).map(Route.server) ?? .direct
            https = try (entries.server(.http, prefix: "HTTPS", port: 443) ?? socks).map(Route.server) ?? .direct
            self.exceptions += entries.exceptions.map(ProxyException.init)
            self.excludesSimpleHostNames = excludesSimpleHostNames || entries.excludesSimpleHostNames
        }
    }

    package func route(to origin: Origin) -> Route {
        if excludesSimpleHostNames, ProxyException.isSimple(origin.host) { return .direct }
        let isExcepted = exceptions.contains { $0.matches(host: origin.host, port: origin.port) }
        return isExcepted ? .direct : origin.scheme == "https" ? https : http
    }
}

/// A configuration's `connectionProxyDictionary`, with the keys of CFNetwork (`HTTPEnable`, `HTTPProxy` and so on).
///
/// Linux has no constants for the keys, so the constants' names (`kCFNetworkProxiesHTTPEnable`) are accepted too.
package struct ProxyDictionary {
    private let entries: [String: Any]

    package init(_ dictionary: [AnyHashable: Any]) {
        let prefix = "kCFNetworkProxies"
        entries = dictionary.reduce(into: [:]) { entries, entry in
            let name = "\(entry.key.base)"
            entries[name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name] = entry.value
        }
    }

    /// Returns the proxy whose keys have a prefix, or `nil` if it is not enabled.
    package func server(_ kind: ProxyServer.Kind, prefix: String, port: Int) throws(CurlSessionError) -> ProxyServer? {
        guard isOn("\(prefix)Enable") else { return nil }
        guard let host = text("\(prefix)Proxy"), !host.isEmpty else {
            throw .invalidProxy("connectionProxyDictionary has \(prefix)Enable, but no host in \(prefix)Proxy")
        }
        let number = entries["\(prefix)Port"]
        guard let port = number == nil ? port : integer("\(prefix)Port") else {
            throw .invalidProxy("connectionProxyDictionary has no number in \(prefix)Port")
        }
        let server = ProxyServer(
            kind: kind,
            host: host,
            port: port,
            user: text("\(prefix)User") ?? text("kCFStreamProperty\(prefix)User") ?? text("kCFProxyUsernameKey"),
            password: text("\(prefix)Password") ?? text("kCFStreamProperty\(prefix)Password")
                ?? text("kCFProxyPasswordKey")
        )
        try server.validate()
        return server
    }

    package var exceptions: [String] { entries["ExceptionsList"] as? [String] ?? [] }
    package var excludesSimpleHostNames: Bool { isOn("ExcludeSimpleHostnames") }

    /// Refuses automatic configuration, which runs scripts: ignoring it would silently send requests without a proxy.
    func refuseScripts() throws(CurlSessionError) {
        for key in ["ProxyAutoConfigEnable", "ProxyAutoDiscoveryEnable"] where isOn(key) {
            throw .invalidProxy("connectionProxyDictionary has \(key), which is not supported")
        }
    }

    private func isOn(_ key: String) -> Bool {
        switch entries[key] {
        case let flag as Bool: flag
        case let text as String: ["1", "true", "yes"].contains(text.lowercased())
        default: integer(key).map { $0 != 0 } ?? false
        }
    }

    private func text(_ key: String) -> String? {
        entries[key].flatMap { $0 as? String ?? ($0 as? Substring).map(String.init) }
    }

    private func integer(_ key: String) -> Int? {
        switch entries[key] {
        case let number as any BinaryInteger: Int(exactly: number)
        case let number as NSNumber: number.intValue
        case let text as String: Int(text)
        default: nil
        }
    }
}
