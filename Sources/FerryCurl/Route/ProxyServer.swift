/// A proxy's protocol, address and credential.
package struct ProxyServer: Sendable, Hashable {
    package enum Kind: String, Sendable {
        case http, https, socks4, socks4a, socks5, socks5h

        /// Whether the proxy accepts requests and `CONNECT`, and does not just relay connections.
        var isHTTP: Bool { self == .http || self == .https }
    }

    package let kind: Kind
    /// The host in the form of ``URLHost/exactName``, or as given if it is not valid.
    package let host: String
    package let port: Int
    package let user: String?
    package let password: String?

    package init(kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
        self.kind = kind
        self.host = (try? URLHost(host))?.exactName ?? host
        (self.port, self.user, self.password) = (port, user, password)
    }

    package init(_ url: URL) throws(CurlSessionError) {
        guard let kind = Kind(rawValue: url.scheme?.lowercased() ?? "") else {
            throw .invalidProxy("The scheme of the proxy's URL is not http, https, socks4, socks4a, socks5 or socks5h")
        }
        self.init(
            kind: kind,
            host: url.host(percentEncoded: true) ?? "",
            port: url.port ?? (kind == .https ? 443 : 1080),
            user: url.user(percentEncoded: false),
            password: url.password(percentEncoded: false)
        )
    }

    /// The host in the form of ``URLHost/name``.
    package var name: String { host.hasSuffix(".") ? String(host.dropLast()) : host }

    /// The proxy's URL for libcurl and errors, without user and password.
    package var address: String { "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    package func validate() throws(CurlSessionError) {
        do throws(URLHost.Invalid) {
            _ = try URLHost(host)
        } catch {
            // The text is left out, because an invalid host may be a URL with a password.
            throw .invalidProxy("The proxy's host \(error)")
        }
        guard (1...65_535).contains(port) else { throw .invalidProxy("The proxy's port is out of range: \(address)") }
        guard SchemeCredential.isValid(user: user ?? "", password: password ?? "") else {
            throw .invalidProxy("The proxy's user has a control character, or its password a null byte")
        }
    }
}

extension ProxyServer: CustomStringConvertible, CustomReflectable {
    package var description: String { address }
    /// The address, since `dump` would print the password.
    package var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}

extension CurlSessionError {
    package static func invalidProxy(_ message: String) -> Self { Self(.invalidProxy, message) }
}

/// Reads the proxy from the environment so that errors and challenges can name it; libcurl chooses it independently.
package enum EnvironmentProxy {
    /// Returns the value of the first variable that is set for requests to an origin.
    package static func value(for origin: Origin, _ variable: (String) -> String?) -> String? {
        // HTTP_PROXY in capitals is not read, because in a CGI program it may be a request's Proxy field.
        let names = origin.scheme == "https" ? namesForTLS : plainNames
        return names.lazy.compactMap(variable).first { !$0.isEmpty }
    }

    private static let plainNames = ["http_proxy", "all_proxy", "ALL_PROXY"]
    private static let namesForTLS = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// Returns the proxy that a variable's value names, as libcurl reads it: with one to three slashes after a scheme.
    package static func server(_ value: String) -> ProxyServer? {
        var text = "http://" + value
        if let (scheme, rest) = value[...].utf8.cut(at: ":"), rest.first == UInt8(ascii: "/") {
            text = "\(scheme.string)://\(rest.drop { $0 == UInt8(ascii: "/") }.string)"
        }
        return URL(string: text).flatMap { try? ProxyServer($0) }
    }

    package static func variable(_ name: String) -> String? {
        // Passing the string to `getenv` directly would copy it to an array first.
        name.withCString { getenv($0).map { String(cString: $0) } }
    }
}
