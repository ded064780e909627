extension CurlSession {
    /// The options of a session for which URLSession has no properties.
    public struct Options: Sendable {
        /// The time limit for establishing a connection, in seconds: lookup, a proxy's tunnel and the TLS handshake.
        ///
        /// `nil`, the default, zero and negative numbers set no limit other than the request's `timeoutInterval`.
        /// Requests that exceed the limit fail with `timedOut`.
        public var connectTimeout: TimeInterval?

        /// The maximum number of connections to an origin that uses HTTP/1.1, each with one request at a time.
        ///
        /// `nil`, the default, uses the configuration's `httpMaximumConnectionsPerHost`, except that its default of 6
        /// is replaced by 64: with a latency of 10 ms, six connections have a tenth of the throughput of 64. To use six
        /// connections, set this option to 6.
        ///
        /// Connections are kept for later requests. If a session has more than twice this number (but at least 16, and
        /// at most 1,000 or a quarter of the descriptors that the process may open) to all servers together, the one
        /// that has been idle for longest is closed.
        public var maximumConnectionsPerHost: Int?

        /// The limit on the bytes per second of the bodies of all responses together; `nil`, the default, for none.
        ///
        /// With a limit, all requests of the session use HTTP/1.1, unless ``httpVersions`` excludes it.
        ///
        /// A task can have a limit of its own besides: see `URLSessionTask.downloadLimit`.
        public var downloadLimit: BandwidthLimit?

        /// The limit on the bytes per second of the bodies of all requests together; `nil`, the default, for none.
        ///
        /// A task can have a limit of its own besides: see `URLSessionTask.uploadLimit`.
        public var uploadLimit: BandwidthLimit?

        /// The limits on the requests in flight to all servers, and on the rate of those to each origin; `nil`, the
        /// default, for none.
        public var limits: RequestLimits?

        /// A Boolean value that indicates whether GET requests that are identical and in flight at the same time are
        /// one transfer, whose response all of their tasks receive; `false` by default.
        ///
        /// Requests are identical if their URLs, header fields, cache policies, timeouts and priorities are equal. Each
        /// task keeps its own delegate, redirects, retries and cancellation; if the first one is cancelled or
        /// suspended, the next one sends its request. The others receive the response when it is complete. Where that
        /// is not possible, each task sends its request: for bodies of more than 1 MiB, and after a challenge. A
        /// request that validates a stored response is always sent. A request waits for none that began before a
        /// request with another method to the same origin, such as a POST.
        public var coalescesIdenticalRequests = false

        /// The certificates, versions and ciphers of TLS connections.
        public var tls = TLSOptions()

        /// The versions of HTTP that requests use.
        ///
        /// The default, ``HTTPVersions/automatic``, is HTTP/2 over TLS if the server has it, and HTTP/1.1 otherwise. A
        /// request that cannot use a version of the option fails at once with `cannotConnectToHost`, and its cause has
        /// the code ``CurlSessionError/Code/httpVersionUnsupported``.
        public var httpVersions = HTTPVersions.automatic

        /// Whether requests share connections of HTTP/3 with every libcurl, for tests that need no reliable one.
        package var sharesHTTP3 = false

        /// The hosts that are only used over TLS (RFC 6797).
        ///
        /// The default is those that have asked for it, for sessions with a cookie storage.
        public var hsts = HSTS.automatic

        /// The proxy of the session's requests.
        ///
        /// The default uses the configuration's `connectionProxyDictionary`, or else the proxy of the environment.
        public var proxy = Proxy.environment

        /// The sockets, addresses and interfaces that connections use.
        public var network = NetworkOptions()

        /// The URL of the resolver that is asked for the addresses of hosts over HTTPS (RFC 8484), such as
        /// `https://dns.example/dns-query`; `nil`, the default, for the system's resolver.
        ///
        /// If the host of the URL is a name, the system looks that up, unless ``NetworkOptions/addresses`` has it. If
        /// the URL has a user or a password, or cannot be used, every task of the session fails with a
        /// ``CurlSessionError`` with the code `invalidNetworkOptions`.
        ///
        /// The resolver alone is asked: if it has no address, cannot be reached or is not trusted, the task fails with
        /// `cannotFindHost` and the reason `resolverFailed`, and the system's resolver is not asked. Numeric addresses,
        /// `localhost`, the names below it and the hosts of ``NetworkOptions/addresses`` are not looked up. The names
        /// of proxies are looked up, but not the names of hosts that a proxy looks up itself.
        ///
        /// libcurl makes the requests to the resolver. They have no field, cookie or credential of a task's request,
        /// and go directly to the resolver or through the proxy of the environment, never through one of the session's
        /// options; an interface or a local address of the options does not apply to them either.
        ///
        /// The resolver's certificate must be valid for the host of its URL, and lead to one of
        /// ``TLSOptions/certificateAuthorities``; ``TLSOptions/revocationLists`` and
        /// ``TLSOptions/requiresStapledStatus`` apply too. Only ``TLSOptions/dangerouslyDisablesVerification`` turns
        /// that off. Public-key pins, trust evaluators and policies do not apply to the resolver, and it gets no client
        /// certificate.
        public var dnsOverHTTPS: URL?

        /// The folder for the files of downloads, also partial ones.
        ///
        /// `nil`, the default, uses the system's folder for temporary files, which may be emptied at a restart.
        public var temporaryDirectory: URL?

        /// The folder in which downloads and uploads are kept for the next process; `nil`, the default, for none.
        ///
        /// The files of downloads are then in it, and ``temporaryDirectory`` has no effect. If the folder cannot be
        /// used, or another session has it, the downloads and the uploads of files fail with the reason
        /// ``CurlSessionError/Code/durabilityUnavailable``.
        public var durability: Durability?

        /// The maximum number of redirects that a task follows.
        ///
        /// The default is 20, as in URLSession. The next redirect fails with `httpTooManyRedirects`.
        public var maximumRedirects = 20

        /// A Boolean value that indicates whether redirects from https to http are followed; `false` by default.
        public var allowsInsecureRedirects = false

        /// The names of header fields that are not sent to another origin on a redirect, in addition to
        /// `Authorization`, `Cookie` and `Proxy-Authorization`.
        public var sensitiveHeaders: Set<String> = []

        /// The names of header fields that are not sent unless a request or the configuration has them, although the
        /// session or libcurl would add them: `Accept`, `Accept-Encoding`, `Content-Type` and `User-Agent`.
        ///
        /// Other fields are not added in any case, or are required by HTTP. The default is an empty set.
        public var omittedHeaders: Set<String> = []

        /// A Boolean value that indicates whether the session asks for and decodes content codings; `true` by default.
        public var decodesContent = true

        /// The maximum size, in bytes, of a body that is collected in memory for a completion handler or an `async`
        /// function of a data or upload task, or by a manager whose serializer has no `maximumBodySize`.
        ///
        /// The default is 2 GiB. A larger body fails with `dataLengthExceedsMaximum`, and a manager's call with
        /// `responseTooLarge`. Delegates, streams and downloads have no such limit.
        public var maximumBodySizeInMemory = 2_147_483_648

        /// The limits on the size of decoded content.
        public var decodingLimits = ContentDecodingLimits()

        /// The cache for responses.
        ///
        /// `nil`, the default, makes a cache in memory with the `memoryCapacity` of the configuration's `urlCache`, or
        /// no cache if `urlCache` is `nil`.
        public var cache: HTTPCache?

        /// The policy that decides which requests are sent again by themselves after a failure.
        ///
        /// `nil`, the default, sends no request again, except an idempotent one whose connection was kept from an
        /// earlier request and closed before a byte of the response, or that an HTTP/2 server refused before it
        /// responded. ``RetryPolicy/standard`` is a good policy for most uses. A task can have another one: see
        /// `URLSessionTask.retryPolicy`.
        public var retryPolicy: RetryPolicy?

        /// The interceptors of all tasks, in the order in which they are asked.
        public var interceptors: [any RequestInterceptor] = []

        /// The time limit, in seconds, for a task from its first `resume()` to its end.
        ///
        /// It covers everything until the whole response has arrived: the wait for a connection, interceptors, lookups,
        /// all attempts and the delays between them, and questions to the delegate. Only the time during which the task
        /// is suspended is excluded. `nil`, the default, and infinity set no limit; with zero or a negative number, no
        /// time is left, and nothing is sent. A task that exceeds the limit fails with `timedOut`, and its cause has
        /// the code ``CurlSessionError/Code/deadlineExceeded``.
        public var deadline: TimeInterval?

        /// The circuit breaker of tasks that have none of their own; `nil`, the default, for none.
        public var circuitBreaker: CircuitBreaker?

        /// Creates the default options, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }
}
