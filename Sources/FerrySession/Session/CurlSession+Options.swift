extension CurlSession {
    /// What URLSession has no place for.
    public struct Options: Sendable {
        /// How long a connection may take to stand, in seconds: look-up, handshakes and all.
        ///
        /// By default there is no such limit of its own: the request's `timeoutInterval` holds.
        public var connectTimeout: TimeInterval?

        /// How many requests an origin is sent at a time while it has no HTTP/2, each on a connection of its own.
        ///
        /// By default the configuration's `httpMaximumConnectionsPerHost`, except for 6, which is what a configuration has
        /// that nobody has changed: with a latency of 10 ms six connections reach a tenth of what 64 do, so 64 take their
        /// place. Whoever wants six says so here.
        public var maximumConnectionsPerHost: Int?

        /// How TLS connections are made and judged.
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

        /// The proxy that requests go through.
        ///
        /// By default the configuration's `connectionProxyDictionary` decides where there is one, else the environment.
        public var proxy = Proxy.environment

        /// How hosts are reached: sockets, addresses and interfaces.
        public var network = NetworkOptions()

        /// The folder of temporary files; by default the process's.
        public var temporaryDirectory: URL?

        /// How many redirections one task follows; by default 20, as in URLSession.
        public var maximumRedirects = 20

        /// Whether https may lead to http; by default not.
        public var allowsInsecureRedirects = false

        /// Names of headers, beside `Authorization`, `Cookie` and `Proxy-Authorization`, that no redirection takes to
        /// another origin.
        public var sensitiveHeaders: Set<String> = []

        /// Whether responses are decoded from the content codings the session asks for; by default they are.
        public var decodesContent = true

        /// How many bytes of a body a data or upload task with a completion handler, or an `async` function, collects in
        /// memory; by default 2 GiB.
        ///
        /// A larger body fails with `dataLengthExceedsMaximum`. Delegates, streams and downloads have no such limit.
        public var maximumBodySizeInMemory = 2_147_483_648

        /// How far content codings may unpack.
        public var decodingLimits = ContentDecodingLimits()

        /// Where responses are stored; by default in memory, as much as the configuration's `urlCache` may keep there.
        ///
        /// Without this and with a `urlCache` of `nil` nothing is stored.
        public var cache: HTTPCache?

        /// The default options.
        public init() {}
    }
}
