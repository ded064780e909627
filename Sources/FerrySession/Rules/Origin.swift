/// Scheme, host and port: what credentials and connections belong to (RFC 6454, section 4).
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
            // No request is sent to what is no host, and its text equals the form of none.
            host: (try? URLHost(written))?.name ?? written.folded,
            port: url.port
        )
    }

    /// Takes what is known of a URL, in lower case; the scheme's port is used where the URL has none.
    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }
}
