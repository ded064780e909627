/// A configuration's `connectionProxyDictionary`, with the keys of CFNetwork (`HTTPEnable`, `HTTPProxy` and so on).
///
/// Linux has no constants for the keys, so both their values and their names (`kCFNetworkProxiesHTTPEnable`) are
/// accepted.
struct ProxyDictionary {
    private let entries: [String: Any]

    init(_ dictionary: [AnyHashable: Any]) {
        var entries: [String: Any] = [:]
        for (key, value) in dictionary {
            let name = "\(key.base)"
            let prefix = "kCFNetworkProxies"
            entries[name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name] = value
        }
        self.entries = entries
    }

    /// Returns the proxy whose keys have a prefix, or `nil` if it is not enabled.
    func server(_ kind: ProxyServer.Kind, prefix: String, port: Int) throws(CurlSessionError) -> ProxyServer? {
        guard isOn("\(prefix)Enable") else { return nil }
        guard let host = text("\(prefix)Proxy"), !host.isEmpty else {
            throw CurlSessionError(
                .invalidProxy,
                "connectionProxyDictionary has \(prefix)Enable, but no host in \(prefix)Proxy"
            )
        }
        let number = entries["\(prefix)Port"]
        guard let port = number == nil ? port : integer("\(prefix)Port") else {
            throw CurlSessionError(.invalidProxy, "connectionProxyDictionary has no number in \(prefix)Port")
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

    var exceptions: [String] { entries["ExceptionsList"] as? [String] ?? [] }

    var excludesSimpleHostNames: Bool { isOn("ExcludeSimpleHostnames") }

    /// Refuses automatic configuration, which runs scripts: ignoring it would silently send requests without a proxy.
    func refuseScripts() throws(CurlSessionError) {
        for key in ["ProxyAutoConfigEnable", "ProxyAutoDiscoveryEnable"] where isOn(key) {
            throw CurlSessionError(.invalidProxy, "connectionProxyDictionary has \(key), which is not supported")
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
