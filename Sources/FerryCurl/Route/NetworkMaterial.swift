/// The options of `NetworkOptions`, checked and converted once.
package struct NetworkMaterial: Sendable {
    package let options: NetworkOptions
    private let unixSockets: [String: NetworkOptions.UnixSocket]
    private let addresses: [String: String]
    /// The resolver that is asked for names over HTTPS; `nil` for the system's.
    let resolver: DNSOverHTTPS?
    /// Whether no option is set, as in nearly all sessions.
    package let isPlain: Bool

    package init(
        _ options: NetworkOptions,
        resolver: URL? = nil,
        runtime: CurlRuntime?
    ) throws(CurlSessionError) {
        self.options = options
        self.resolver = try resolver.map { value throws(CurlSessionError) in
            try DNSOverHTTPS(value, runtime: runtime)
        }
        for socket in options.unixSockets.values + [options.unixSocket].compactMap({ $0 }) {
            try Self.check(socket, runtime)
        }
        unixSockets = try Self.byHost(options.unixSockets, key: Self.host)
        let lists = try Self.byHost(options.addresses, key: Self.hostAndPort)
        var addresses: [String: String] = [:]
        for (key, values) in lists { addresses[key] = try Self.list(values, for: key) }
        self.addresses = addresses
        isPlain = options == NetworkOptions() && resolver == nil
        if let endpoint = options.localEndpoint { try Self.check(endpoint) }
        if let timeout = options.happyEyeballsTimeout, !(timeout > 0 && timeout <= 3600) {
            throw Self.invalid("happyEyeballsTimeout is not between 0 and 3600 seconds: \(timeout)")
        }
    }

    package func unixSocket(for origin: Origin) -> NetworkOptions.UnixSocket? {
        unixSockets[origin.host] ?? options.unixSocket
    }

    /// Returns the values of `CURLOPT_RESOLVE` for a host, in the form of ``URLHost/name``, and port.
    ///
    /// The array is empty if the host is looked up. libcurl treats a name with the root's dot as a different one.
    func resolutions(of host: String, port: Int) -> [String] {
        guard let list = addresses["\(host):\(port)"] ?? addresses[host] else { return [] }
        return [host, host + "."].map { "\($0):\(port):\(list)" }
    }

    /// Whether the system looks up the host of the resolver's URL or of a proxy on the way to it.
    var asksSystemForResolver: Bool {
        guard let origin = resolver?.origin else { return false }
        if EnvironmentProxy.value(for: origin, EnvironmentProxy.variable) != nil { return true }
        return resolver?.isNumeric == false && resolutions(of: origin.host, port: origin.port).isEmpty
    }

    /// The value of `CURLOPT_INTERFACE`.
    package var interface: String? {
        switch options.localEndpoint {
        case .interface(let name): "if!\(name)"
        case .address(let address): "host!\(address)"
        case nil: nil
        }
    }

    var happyEyeballsMilliseconds: Int? { options.happyEyeballsTimeout.map { max(1, Int(($0 * 1000).rounded())) } }

    private static func check(_ socket: NetworkOptions.UnixSocket, _ runtime: CurlRuntime?) throws(CurlSessionError) {
        let text =
            switch socket {
            case .path(let path): path
            case .abstract(let name): name
            }
        // sun_path has 108 bytes, including the null byte after a path or before a name.
        guard (1...107).contains(text.utf8.count), !text.utf8.contains(0) else {
            let shown = PresentableText.path(text).debugDescription
            throw invalid("The path or name of the Unix-domain socket is not valid: \(shown)")
        }
        if runtime?.supportsUnixSockets == false { throw invalid("This libcurl does not support Unix-domain sockets") }
    }

    /// Returns the dictionary with normalized keys; two spellings of one key are refused as ambiguous.
    private static func byHost<Value>(
        _ values: [String: Value],
        key: (String) throws(CurlSessionError) -> String
    ) throws(CurlSessionError) -> [String: Value] {
        var spellings: [String: String] = [:]
        var result: [String: Value] = [:]
        for (spelling, value) in values {
            let key = try key(spelling)
            if let other = spellings.updateValue(spelling, forKey: key) {
                throw URLHost.ambiguous(spelling, other, .invalidNetworkOptions)
            }
            result[key] = value
        }
        return result
    }

    private static func host(_ text: String) throws(CurlSessionError) -> String {
        let name = try URLHost(text, of: text, .invalidNetworkOptions).name
        // A pattern would never be looked up, and the request would take another route.
        guard !name.contains("*") else { throw invalid("A key must name one host, not \(URLHost.quoted(text))") }
        return name
    }

    /// Returns the normalized form of `host` or `host:port`.
    private static func hostAndPort(_ key: String) throws(CurlSessionError) -> String {
        let parts = key.split(separator: ":", omittingEmptySubsequences: false)
        let port = parts.count == 2 ? Int(parts[1]) : nil
        // libcurl's option ends the host at the first colon, so it does not support IPv6 addresses.
        guard let name = parts.first, parts.count == 1 || port.map((1...65_535).contains) == true else {
            throw invalid("A key of addresses must be a host or host:port, not \(URLHost.quoted(key))")
        }
        let host = try host(String(name))
        return port.map { "\(host):\($0)" } ?? host
    }

    private static func list(_ values: [String], for key: String) throws(CurlSessionError) -> String {
        guard !values.isEmpty else { throw invalid("There is no address for \(URLHost.quoted(key))") }
        for value in values where IPAddress(value) == nil {
            throw invalid("The address for \(URLHost.quoted(key)) is not numeric: \(URLHost.quoted(value))")
        }
        return values.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
    }

    private static func check(_ endpoint: NetworkOptions.LocalEndpoint) throws(CurlSessionError) {
        switch endpoint {
        case .interface(let name):
            let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
            guard (1...15).contains(name.utf8.count), isName else {
                let shown = PresentableText.path(name).debugDescription
                throw invalid("The name of the network interface is not valid: \(shown)")
            }
        case .address(let address):
            if IPAddress(address) == nil {
                throw invalid("The local address is not numeric: \(URLHost.quoted(address))")
            }
        }
    }

    private static func invalid(_ message: String) -> CurlSessionError {
        CurlSessionError(.invalidNetworkOptions, message)
    }
}
