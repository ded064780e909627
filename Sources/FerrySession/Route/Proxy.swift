extension CurlSession {
    /// The proxy of a session's requests.
    ///
    /// ```swift
    /// var options = CurlSession.Options()
    /// options.proxy = .http(
    ///     "proxy.example",
    ///     port: 3128,
    ///     user: "ada",
    ///     password: "secret",
    ///     except: ["*.internal"]
    /// )
    /// ```
    ///
    /// Requests for https use a tunnel of an HTTP proxy (`CONNECT`, RFC 9110, section 9.3.6), so the proxy sees only
    /// their host and port. User and password are sent to an HTTP proxy when it asks for them, with the strongest
    /// scheme it offers, and to a SOCKS proxy immediately; they are never sent to a server. If a function gets a host,
    /// port, user or password that is not valid, the session's tasks fail with the reason `invalidProxy`.
    public struct Proxy: Sendable, Hashable, CustomStringConvertible {
        let route: ProxyTable.Route

        /// The hosts to which requests are sent without a proxy.
        ///
        /// An exception is a host name or numeric address in any spelling, `*.example.com` or `.example.com` for all
        /// hosts below a domain (the second also for the domain itself), a network such as `10.0.0.0/8`, or `*` for
        /// every host. A port after a colon restricts the exception to that port.
        public var exceptions: [String] = []

        /// A Boolean value that indicates whether no proxy is used for host names without a dot.
        ///
        /// The default is `false`.
        public var excludesSimpleHostNames = false

        /// Whether an HTTP proxy gets the credential with the first request, with Basic, before it asks.
        package var sendsCredentialFirst = false

        /// The proxy given by the environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`), as libcurl reads
        /// it.
        ///
        /// A configuration's `connectionProxyDictionary` takes precedence.
        public static let environment = Proxy(route: .environment)

        /// No proxy, regardless of the configuration and the environment.
        public static let none = Proxy(route: .direct)

        /// Returns an HTTP proxy.
        public static func http(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .http, host: host, port: port, user: user, password: password), exceptions)
        }

        /// Returns an HTTP proxy that is reached over TLS.
        ///
        /// Its certificate is verified with the authorities of ``TLSOptions/certificateAuthorities``; pins and
        /// evaluators apply only to servers.
        public static func https(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .https, host: host, port: port, user: user, password: password), exceptions)
        }

        /// Returns a SOCKS 5 proxy (RFC 1928); host names are looked up locally.
        public static func socks5(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .socks5, host: host, port: port, user: user, password: password), exceptions)
        }

        /// Returns a SOCKS 5 proxy (RFC 1928) that looks up host names itself.
        public static func socks5h(
            _ host: String,
            port: Int,
            user: String? = nil,
            password: String? = nil,
            except exceptions: [String] = []
        ) -> Proxy {
            Proxy(ProxyServer(kind: .socks5h, host: host, port: port, user: user, password: password), exceptions)
        }

        /// Makes a proxy from a URL such as `http://ada:secret@proxy.example:3128` or `socks5h://127.0.0.1:1080`.
        ///
        /// The schemes are http, https, socks4, socks4a, socks5 and socks5h. The default port is 443 for https and 1080
        /// for the others, as in curl.
        ///
        /// - Throws: A ``CurlSessionError`` with the code `invalidProxy`.
        public init(_ url: URL) throws(CurlSessionError) {
            let server = try ProxyServer(url)
            try server.validate()
            route = .server(server)
        }

        private init(route: ProxyTable.Route) { self.route = route }

        private init(_ server: ProxyServer, _ exceptions: [String]) {
            route = .server(server)
            self.exceptions = exceptions
        }

        /// The credential that is sent as if the proxy had accepted it before.
        var knownCredentials: [CredentialUse: SchemeCredential] {
            guard sendsCredentialFirst, case .server(let server) = route, let user = server.user else { return [:] }
            let credential = SchemeCredential(scheme: .basic, user: user, password: server.password ?? "")
            return [CredentialUse(place: .proxy(server.address)): credential]
        }

        /// A description of the proxy without its user and password.
        public var description: String {
            switch route {
            case .environment: "environment"
            case .direct: "none"
            case .server(let server): server.address
            }
        }
    }
}

extension ProxyTable {
    /// Reads the option, and the dictionary if the option is the environment.
    init(_ proxy: CurlSession.Proxy, dictionary: [AnyHashable: Any]?) throws(CurlSessionError) {
        try self.init(
            proxy.route,
            except: proxy.exceptions,
            excludesSimpleHostNames: proxy.excludesSimpleHostNames,
            dictionary: dictionary
        )
    }
}
