extension CurlSession {
    /// The options of a session that URLSession has no properties for.
    public struct Options: Sendable {
        /// The time limit for establishing a connection, in seconds, from the lookup of the host to the end of the TLS
        /// handshake.
        ///
        /// By default there is none but the request's `timeoutInterval`. Requests that exceed it fail with `timedOut`.
        public var connectTimeout: TimeInterval?

        /// The maximum number of connections to an origin that does not use HTTP/2, each with one request at a time.
        ///
        /// `nil`, the default, uses the configuration's `httpMaximumConnectionsPerHost`, except that 64 takes the place of
        /// its default of 6: with a latency of 10 ms, six connections have a tenth of the throughput of 64. Set 6 here to
        /// have six.
        public var maximumConnectionsPerHost: Int?

        /// The certificates, versions and ciphers of TLS connections.
        public var tls = TLSOptions()

        /// A PEM file with the certificate authorities to trust instead of the system's.
        ///
        /// It is ``TLSOptions/certificateAuthorities`` with one file.
        public var certificateAuthorityFile: URL? {
            get {
                guard case .only(let sources) = tls.certificateAuthorities, sources.count == 1,
                    case .pemFile(let url) = sources.first
                else { return nil }
                return url
            }
            set { tls.certificateAuthorities = newValue.map { .only([.pemFile($0)]) } ?? .system }
        }

        /// The proxy of the session's requests.
        ///
        /// By default it is that of the configuration's `connectionProxyDictionary`, else that of the environment.
        public var proxy = Proxy.environment

        /// The sockets, addresses and interfaces that connections use.
        public var network = NetworkOptions()

        /// The folder for temporary files; `nil`, the default, is that of the process.
        public var temporaryDirectory: URL?

        /// The maximum number of redirects that a task follows; 20 by default, as in URLSession.
        ///
        /// Another redirect fails with `httpTooManyRedirects`.
        public var maximumRedirects = 20

        /// A Boolean value that indicates whether redirects from https to http are followed; `false` by default.
        public var allowsInsecureRedirects = false

        /// The names of header fields that redirects do not send to another origin, in addition to `Authorization`, `Cookie`
        /// and `Proxy-Authorization`.
        public var sensitiveHeaders: Set<String> = []

        /// A Boolean value that indicates whether the session asks for content codings and decodes them; `true` by default.
        public var decodesContent = true

        /// The maximum size, in bytes, of a body that is collected in memory for a completion handler or an `async` function
        /// of a data or upload task; 2 GiB by default.
        ///
        /// A larger body fails with `dataLengthExceedsMaximum`. Delegates, streams and downloads have no such limit.
        public var maximumBodySizeInMemory = 2_147_483_648

        /// The limits for the size of decoded content.
        public var decodingLimits = ContentDecodingLimits()

        /// The cache of responses.
        ///
        /// `nil`, the default, makes one in memory with the `memoryCapacity` of the configuration's `urlCache`, or none where
        /// that is `nil`.
        public var cache: HTTPCache?

        /// The default options.
        public init() {}
    }
}
