/// The scheme, host and port that credentials and connections belong to (RFC 6454, section 4).
struct Origin: Hashable, Sendable {
    let scheme: String
    /// The host in the form of ``URLHost/name``.
    let host: String
    let port: Int

    init(_ url: URL) {
        let text = url.absoluteString
        let written = Authority(text).map { String(text[$0.host]) } ?? ""
        self.init(
            scheme: url.scheme?.folded ?? "",
            // No request is sent to an invalid host, and its text cannot equal a normalized one.
            host: (try? URLHost(written))?.name ?? written.folded,
            port: url.port
        )
    }

    /// Creates an origin from parts in lower case; without a port, uses the default port of the scheme.
    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }
}
