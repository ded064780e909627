/// Scheme, host and port: what credentials and connections belong to (RFC 6454, section 4).
struct Origin: Hashable, Sendable {
    let scheme: String
    let host: String
    let port: Int

    init(_ url: URL) {
        self.init(
            scheme: url.scheme?.folded ?? "",
            host: url.host(percentEncoded: true)?.folded ?? "",
            port: url.port
        )
    }

    /// Takes what is known of a URL, in lower case; the scheme's port stands in for one that is missing.
    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }
}
