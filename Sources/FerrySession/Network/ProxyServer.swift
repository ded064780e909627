/// A proxy's address, its protocol, and who is allowed to use it.
struct ProxyServer: Sendable, Hashable {
    enum Kind: String, Sendable {
        case http
        case https
        case socks4
        case socks4a
        case socks5
        case socks5h

        /// Whether it takes requests and `CONNECT`, and not connections alone.
        var isHTTP: Bool { self == .http || self == .https }
    }

    let kind: Kind
    /// The host in the form of ``URLHost/name``, or as it was given where it is none.
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
                "The proxy's URL has another scheme than http, https, socks4, socks4a, socks5 and socks5h"
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

    /// What libcurl and errors call it; user and password are no part of it.
    var address: String {
        "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    func validate() throws(CurlSessionError) {
        do throws(URLHost.Invalid) {
            _ = try URLHost(host)
        } catch {
            // What is no host may be a URL with a password in it.
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
