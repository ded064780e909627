extension CurlSession {
    /// Which proxy a session's requests go through.
    ///
    /// ```swift
    /// var options = CurlSession.Options()
    /// options.proxy = .http("proxy.example", port: 3128, user: "ada", password: "secret", except: ["*.internal"])
    /// ```
    ///
    /// Requests for https go through an HTTP proxy's tunnel (`CONNECT`, RFC 9110, section 9.3.6), so that it sees their
    /// host and port alone. A user and a password are sent to an HTTP proxy when it asks for them, by the strongest
    /// scheme it offers, and to a SOCKS proxy at once; no server ever gets them.
    public struct Proxy: Sendable, Hashable, CustomStringConvertible {
        enum Choice: Sendable, Hashable {
            case environment
            case direct
            case server(ProxyServer)
        }

        let choice: Choice

        /// Hosts that are asked without a proxy.
        ///
        /// One is a host name or numeric address in any of its spellings, `*.example.com` or `.example.com` for all hosts
        /// below a domain (the second for the domain as well), a network such as `10.0.0.0/8`, or `*` for every host. A
        /// port behind a colon restricts it to that port.
        public var exceptions: [String] = []

        /// Whether hosts without a dot in their name are asked without a proxy; by default not.
        public var excludesSimpleHostNames = false

        /// What the environment says (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`), as libcurl reads it.
        ///
        /// A configuration's `connectionProxyDictionary` counts more.
        public static let environment = Proxy(choice: .environment)

        /// No proxy, whatever the configuration and the environment say.
        public static let none = Proxy(choice: .direct)

        /// An HTTP proxy.
        public static func http(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .http, host: host, port: port, user: user, password: password), exceptions)
        }

        /// An HTTP proxy that is itself reached over TLS.
        ///
        /// Its certificate is verified with the authorities of ``TLSOptions/certificateAuthorities``; pins and
        /// evaluators are for servers.
        public static func https(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .https, host: host, port: port, user: user, password: password), exceptions)
        }

        /// A SOCKS 5 proxy (RFC 1928); host names are looked up here.
        public static func socks5(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .socks5, host: host, port: port, user: user, password: password), exceptions)
        }

        /// A SOCKS 5 proxy (RFC 1928) that looks host names up itself.
        public static func socks5h(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .socks5h, host: host, port: port, user: user, password: password), exceptions)
        }

        /// The proxy of a URL such as `http://ada:secret@proxy.example:3128` or `socks5h://127.0.0.1:1080`.
        ///
        /// The schemes are http, https, socks4, socks4a, socks5 and socks5h; without a port it is 443 for https and 1080
        /// for the others, as in curl. Throws a ``CurlSessionError`` with the code `invalidProxy`.
        public init(_ url: URL) throws(CurlSessionError) {
            let server = try ProxyServer(url)
            try server.validate()
            self.init(server, [])
        }

        private init(choice: Choice) {
            self.choice = choice
        }

        private init(_ server: ProxyServer, _ exceptions: [String]) {
            choice = .server(server)
            self.exceptions = exceptions
        }

        /// The proxy without its password.
        public var description: String {
            switch choice {
            case .environment: "environment"
            case .direct: "none"
            case .server(let server): server.address
            }
        }
    }
}
