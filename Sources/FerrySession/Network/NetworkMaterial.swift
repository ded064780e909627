/// `NetworkOptions`, checked once.
struct NetworkMaterial: Sendable {
    let options: NetworkOptions
    private let unixSockets: [String: NetworkOptions.UnixSocket]
    private let addresses: [String: String]
    /// Whether nothing is asked for about addresses, as in nearly all sessions.
    let isPlain: Bool

    init(_ options: NetworkOptions, runtime: CurlRuntime?) throws(CurlSessionError) {
        self.options = options
        for socket in options.unixSockets.values + [options.unixSocket].compactMap({ $0 }) {
            try Self.check(socket, runtime)
        }
        unixSockets = Dictionary(
            options.unixSockets.map { ($0.key.lowercased(), $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        var addresses: [String: String] = [:]
        for (key, values) in options.addresses { addresses[key.lowercased()] = try Self.list(values, for: key) }
        self.addresses = addresses
        isPlain = options == NetworkOptions()
        if let endpoint = options.localEndpoint { try Self.check(endpoint) }
        if let timeout = options.happyEyeballsTimeout, !(timeout > 0 && timeout <= 3600) {
            throw Self.invalid("The timeout of happy eyeballs is not between 0 and an hour: \(timeout)")
        }
    }

    func unixSocket(for origin: Origin) -> NetworkOptions.UnixSocket? {
        unixSockets[origin.host] ?? options.unixSocket
    }

    /// What `CURLOPT_RESOLVE` takes for a host and port; `nil` where the host is looked up.
    func resolution(of host: String, port: Int) -> String? {
        let host = host.lowercased()
        guard let list = addresses["\(host):\(port)"] ?? addresses[host] else { return nil }
        return "\(host):\(port):\(list)"
    }

    /// What `CURLOPT_INTERFACE` takes.
    var interface: String? {
        switch options.localEndpoint {
        case .interface(let name): "if!\(name)"
        case .address(let address): "host!\(address)"
        case nil: nil
        }
    }

    var happyEyeballsMilliseconds: Int? {
        options.happyEyeballsTimeout.map { max(1, Int(($0 * 1000).rounded())) }
    }

    private static func check(_ socket: NetworkOptions.UnixSocket, _ runtime: CurlRuntime?) throws(CurlSessionError) {
        let text =
            switch socket {
            case .path(let path): path
            case .abstract(let name): name
            }
        // sun_path has 108 bytes, one of them for the null byte behind a path or before a name.
        let longest = 107
        guard !text.isEmpty, text.utf8.count <= longest, !text.utf8.contains(0) else {
            throw invalid("No Unix-domain socket has the path or name \(text.debugDescription)")
        }
        if runtime?.supportsUnixSockets == false { throw invalid("This libcurl has no Unix-domain sockets") }
    }

    private static func list(_ values: [String], for key: String) throws(CurlSessionError) -> String {
        let parts = key.split(separator: ":", omittingEmptySubsequences: false)
        let isHost = parts.first.map { !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 != 0x2F && $0 != 0x40 } }
        let isPort = parts.count == 1 || (parts.count == 2 && Int(parts[1]).map((1...65_535).contains) == true)
        guard isHost == true, isPort else {
            throw invalid("Addresses are for a host or host:port, and not for \(key.debugDescription)")
        }
        guard !values.isEmpty else { throw invalid("There is no address for \(key)") }
        for value in values where IPAddress(value) == nil {
            throw invalid("The address for \(key) is not numeric: \(value.debugDescription)")
        }
        return values.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
    }

    private static func check(_ endpoint: NetworkOptions.LocalEndpoint) throws(CurlSessionError) {
        switch endpoint {
        case .interface(let name):
            let longest = 15
            let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
            guard !name.isEmpty, name.utf8.count <= longest, isName else {
                throw invalid("No interface has the name \(name.debugDescription)")
            }
        case .address(let address):
            guard IPAddress(address) != nil else {
                throw invalid("The local address is not numeric: \(address.debugDescription)")
            }
        }
    }

    private static func invalid(_ message: String) -> CurlSessionError {
        CurlSessionError(.invalidNetworkOptions, message)
    }
}
