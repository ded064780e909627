/// A proxy's protocol, address and credential.
struct ProxyServer: Sendable, Hashable {
    enum Kind: String, Sendable {
        case http
        case https
        case socks4
        case socks4a
        case socks5
        case socks5h

        /// Whether the proxy accepts requests and `CONNECT`, and does not just relay connections.
        var isHTTP: Bool { self == .http || self == .https }
    }

    let kind: Kind
    /// The host in the form of ``URLHost/name``, or as given if it is not valid.
    let host: String
    let port: Int
    let user: String?
    let password: String?

    init(kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = (try? URLHost(host))?.name ?? host
        self.port = port
        self.user = user
        self.password = password
    }

    init(_ url: URL) throws(CurlSessionError) {
        guard let kind = Kind(rawValue: url.scheme?.lowercased() ?? "") else {
            throw CurlSessionError(
                .invalidProxy,
                "The scheme of the proxy's URL is not http, https, socks4, socks4a, socks5 or socks5h"
            )
        }
        self.init(
            kind: kind,
            host: url.host(percentEncoded: true) ?? "",
            port: url.port ?? (kind == .https ? 443 : 1080),
            user: url.user(percentEncoded: false),
            password: url.password(percentEncoded: false)
        )
    }

    /// The proxy's URL for libcurl and errors, without user and password.
    var address: String {
        "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    func validate() throws(CurlSessionError) {
        do throws(URLHost.Invalid) {
            _ = try URLHost(host)
        } catch {
            // The text is left out, because an invalid host may be a URL with a password.
            throw CurlSessionError(.invalidProxy, "The proxy's host \(error)")
        }
        guard (1...65_535).contains(port) else {
            throw CurlSessionError(.invalidProxy, "The proxy's port is out of range: \(port)")
        }
        guard [user, password].allSatisfy({ $0?.utf8.contains(0) != true }) else {
            throw CurlSessionError(.invalidProxy, "The proxy's user or password has a null byte")
        }
    }
}
