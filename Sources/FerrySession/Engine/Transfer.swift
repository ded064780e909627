internal import CFerry

/// One exchange: a request, the redirections it goes through, and its final response.
///
/// It has one attempt at a time, and that attempt one libcurl handle; redirections, new body streams and
/// continuations begin another. `@unchecked Sendable`: it is made by a task, handed to the engine with the first
/// command, and touched from then on by the thread that has the engine only.
final class Transfer: @unchecked Sendable {
    /// Where the bytes of a response go.
    enum Sink {
        case client
        case file(DownloadFile)
    }

    /// An answer that is held back until the delegate has said what is to come of it.
    struct Held {
        enum Question {
            case redirect(URLRequest, keepsBody: Bool)
            case challenge(AuthenticationChallenge)
        }

        var response: HTTPURLResponse
        var question: Question
        var body: [UInt8] = []
        var isAsked = false
        /// Its body is damaged or incomplete, which matters only if the redirection is not followed.
        var failure: URLError?
        /// It is a proxy's response to `CONNECT`, which is not the request's.
        var isTunnel = false
        /// The attempt was ended before the body came, so that the response cannot be delivered.
        var isAbandoned = false
    }

    /// How much of the body of a redirect that is not followed, or of a challenge that is not answered, is collected.
    static let unwantedBodyLimit = ByteCount(clamping: 16_777_216)

    /// How much of a held answer's body is kept before the delegate is asked.
    static let heldBodyLimit = 65_536

    let engine: TransferEngine
    var client: (any TransferClient)?
    var request: URLRequest {
        didSet { method = Self.method(of: request) }
    }
    /// The request's method, kept since asking the request takes long.
    private(set) var method: String
    var body: BodySource
    var clock: TransferClock
    var sink: Sink
    var priority = URLSessionTask.defaultPriority

    // Admission, kept by the engine.
    var gateOrigin: Origin?
    var holdsSlot = false
    var isWaitingForSlot = false
    /// Suspended before it could begin, and so to begin when it is resumed.
    var isParked = false

    // The attempt.
    var easy: EasyHandle?
    var reader: (any BodyReader)?
    var prepared: PreparedRequest?
    var parser = ResponseHeadParser()
    var response: ReceivedResponse?
    var decoder: ContentDecoderChain?
    var held: Held?
    /// The response is a redirect that is not followed, or a challenge that is not answered.
    var isUnwanted = false
    /// What the delegate gave for the server (`false`) and the proxy (`true`) of the current request.
    var credentials: [Bool: SchemeCredential] = [:]
    var authenticationFailures: [Bool: Int] = [:]
    var redirectCount = 0
    /// A redirection has led to another origin than the task's.
    var hasLeftOrigin = false
    /// The server has refused the expectation with 417, so the request goes again without it.
    var dropsExpectation = false
    var mustRepeat = false
    var attemptStart: Date?
    var attemptStatus: Int?
    /// When the attempt's first TLS handshake began.
    var handshakeStart: Date?
    /// Why the attempt is to fail, when it is not libcurl that knows.
    var ownFailure: URLError?
    var isResolving = false
    /// The attempt has succeeded, but the client has not taken all of it.
    var isEnded = false
    var isFinished = false

    // The connection's way.
    /// The attempt's proxy, where it is known; with the environment's, a host may still be excepted.
    var proxy: ProxyServer?
    var isProxyCertain = false
    var unixSocket: NetworkOptions.UnixSocket?
    /// Whether the attempt has a connection to the server, through a tunnel or without one.
    var isConnected = false
    /// The proxy's last answer to `CONNECT`.
    var tunnelHead: ResponseHead?
    var tunnelParser = ResponseHeadParser()

    /// What is known of the attempt that runs.
    var attempt = Attempt()

    // The connection's trust.
    /// What has been decided about a chain that the transfer waited for.
    var decidedTrust: (question: TrustQuestion, decision: TrustDecision)?
    /// Whether the attempt's connection needs a verdict before it carries the request.
    var judgesTrust = false
    /// The session's trust when the attempt began.
    var trust = SessionTrust.Current()
    /// The client certificate of the attempt's connection.
    var identity: TLSMaterial.Identity?
    /// Whether libcurl verifies the chain of the attempt's connection.
    var verifiesChain = true
    /// How many connections this attempt had opened when one was last judged.
    var connectionsSeen = 0
    /// The connection was never judged, and so carries nothing.
    var mustReconnect = false
    var reconnectionCount = 0

    // Pauses.
    var isSuspended = false
    var isClientFull = false
    var isBodyStarved = false
    var appliedPause = CurlPause.none
    /// Over HTTP/2, where others use the connection too.
    var isMultiplexed = false
    /// The body's bytes that libcurl has handed over in this attempt.
    var attemptReceived = ByteCount.zero
    /// What libcurl hands over now is not wanted.
    var isDiscarding = false
    /// The stream has been given up while it was paused.
    var isDetached = false

    // Continuation, after a suspension or with resume data.
    var bodyReceived = ByteCount.zero
    var wasSuspended = false
    /// The response whose validator nobody has asked for yet: few are continued.
    var validatorSource: ReceivedResponse?
    private var knownValidator: String?
    var continuesAt: ByteCount?
    /// Whether the attempt continues an earlier task's download, whose response this task has never had.
    var isResuming = false
    var expectedTotal: ByteCount?
    /// The server's range is of no use, so the whole is asked for.
    var mustStartOver = false
    var ignoresBody = false
    let originalURL: URL?

    // The cache.
    /// Whether the task reads and fills the cache.
    var usesCache = false
    /// It only asks whether a stored response still holds.
    var isRevalidation = false
    /// What is stored has been found to be of no use.
    var ignoresCache = false
    var caching: CacheExchange?
    /// The cache was empty, and has not been asked.
    var isCacheUnasked = false
    /// What is being delivered from the cache.
    var cachedBody: CacheBodyReader?
    /// When the attempt began, for the age of its answer.
    var sentAt: Date?

    init(
        engine: TransferEngine,
        client: (any TransferClient)?,
        request: URLRequest,
        body: BodySource,
        toFile: Bool,
        limits: TransferClock.Limits
    ) {
        self.engine = engine
        self.client = client
        self.request = request
        method = Self.method(of: request)
        self.body = body
        originalURL = request.url
        clock = TransferClock(limits: limits)
        sink =
            toFile
            ? .file(DownloadFile(directory: engine.settings.temporaryDirectory, requestURL: request.url)) : .client
    }

    /// Continues an earlier download: `file` holds what came of it.
    convenience init(
        engine: TransferEngine,
        client: any TransferClient,
        resuming data: ResumeData,
        file: DownloadFile,
        limits: TransferClock.Limits
    ) {
        let request = data.request
        self.init(engine: engine, client: client, request: request, body: .none, toFile: true, limits: limits)
        sink = .file(file)
        // The record has been checked where it was read.
        let offset = ByteCount(data.offset) ?? .zero
        bodyReceived = offset
        validator = data.validator
        expectedTotal = data.expectedTotal.flatMap { ByteCount($0) }
        continuesAt = offset
        isResuming = true
    }

    /// What the rest of the response is asked for with, if it can be.
    var validator: String? {
        get {
            if let response = validatorSource?.value {
                validatorSource = nil
                knownValidator = (response as? HTTPURLResponse).flatMap {
                    ContinuationRule.validator(for: $0, request: request)
                }
            }
            return knownValidator
        }
        set { (validatorSource, knownValidator) = (nil, newValue) }
    }

    var hasEasy: Bool { easy != nil }

    func takeEasy() -> EasyHandle? {
        defer { easy = nil }
        return easy
    }

    /// Checks the request, and asks for a body stream where one is wanted.
    ///
    /// Answers the origin when it can begin.
    func prepare() -> Origin? {
        guard let client else { return nil }
        if case .delegateStream = body, !hasUnreadStream {
            client.transferNeedsBodyStream()
            return nil
        }
        do throws(URLError) {
            let context = PreparedRequest.Context(
                hasBody: hasBody,
                isBodyGiven: !body.isEmpty,
                isStreamed: isStreamed,
                hasLeftOrigin: hasLeftOrigin,
                dropsExpectation: dropsExpectation,
                hasCredential: credentials[false] != nil
            )
            let prepared = try PreparedRequest(request, settings: engine.settings, context: context)
            self.prepared = prepared
            return prepared.origin
        } catch {
            fail(error)
            return nil
        }
    }

    private static func method(of request: URLRequest) -> String { request.httpMethod ?? "GET" }

    /// Whether a body is sent, be it an empty one: RFC 9110, section 8.6 wants `Content-Length: 0` where the method
    /// expects content.
    private var hasBody: Bool {
        if method == "HEAD" { return false }
        return !body.isNone || method == "POST" || method == "PUT" || method == "PATCH"
    }

    var isStreamed: Bool {
        if case .stream = body { true } else { false }
    }

    // MARK: - An attempt begins

    /// Sets a handle up for the attempt, or fails the exchange.
    func configure(_ easy: EasyHandle) -> Bool {
        guard let prepared else { return false }
        self.easy = easy
        parser = ResponseHeadParser()
        response = continuesAt == nil ? nil : response
        decoder = nil
        appliedPause = CurlPause.none
        isMultiplexed = false
        attemptReceived = .zero
        attempt = Attempt()
        isEnded = false
        isClientFull = false
        ownFailure = nil
        mustStartOver = false
        ignoresBody = false
        attemptStart = Date()
        sentAt = attemptStart
        attemptStatus = nil
        handshakeStart = nil

        easy.prepare(context: Unmanaged.passUnretained(self).toOpaque(), connections: engine.connections)
        if reconnectionCount > 0 { easy.set(CurlOption.freshConnect, 1) }
        easy.set(CurlOption.url, prepared.url)
        let httpAndHTTPS = 3
        easy.set(CurlOption.protocols, httpAndHTTPS)
        easy.set(CurlOption.pathAsIs, 1)
        easy.set(CurlOption.contentDecoding, 0)
        easy.set(CurlOption.tcpKeepAlive, 1)
        // The deadlines are the engine's; libcurl's own would end a slow connection after five minutes.
        easy.set(CurlOption.connectTimeoutMilliseconds, Int(Int32.max))
        let http2OverTLS = 4
        easy.set(CurlOption.httpVersion, http2OverTLS)
        if prepared.origin.scheme == "https" { easy.set(CurlOption.pipeWait, 1) }
        // Only what a response fills of it becomes real memory.
        easy.set(CurlOption.bufferSize, 524_288)
        easy.setList(CurlOption.httpHeader, headers(prepared), isSecret: prepared.hasSecrets)
        do throws(URLError) {
            try configureNetwork(easy, prepared)
            configureCredentials(easy)
            try configureTLS(easy, prepared.origin)
            try configureBody(easy, prepared)
        } catch {
            fail(error)
            return false
        }
        return true
    }

    private func configureBody(_ easy: EasyHandle, _ prepared: PreparedRequest) throws(URLError) {
        guard hasBody else {
            if method == "HEAD" {
                easy.set(CurlOption.noBody, 1)
            } else {
                easy.set(CurlOption.httpGet, 1)
                if method != "GET" { easy.set(CurlOption.customRequest, method) }
            }
            tellRequest(bodyLength: .zero)
            return
        }
        let reader = try makeReader(announcedLength: prepared.announcedLength)
        self.reader = reader
        isBodyStarved = false
        easy.set(CurlOption.upload, 1)
        easy.set(CurlOption.customRequest, method)
        easy.set(CurlOption.bodySize, offset: reader.length.transferSize)
        let large = 1_048_576
        if reader.length?.int64 ?? Int64(large) >= large { easy.set(CurlOption.uploadBufferSize, large) }
        tellRequest(bodyLength: reader.length)
    }

    /// Tells the client with which request the attempt goes out.
    func tellRequest(bodyLength: ByteCount?) {
        let fields = engine.settings.additionalHeaders(hasLeftOrigin: hasLeftOrigin)
        client?.transfer(willSend: request, adding: fields, bodyLength: bodyLength)
    }

    /// Whether an earlier attempt has ended before anything of the body's stream was read.
    private var hasUnreadStream: Bool { reader is StreamPump && reader?.rewind() == true }

    private func makeReader(announcedLength: Int64?) throws(URLError) -> any BodyReader {
        if case .delegateStream = body, let reader, hasUnreadStream { return reader }
        reader?.close()
        switch body {
        case .none, .delegateStream: return DataReader(Data())
        case .data(let data): return DataReader(data)
        case .file(let url): return try FileReader(url)
        case .stream(let box):
            // A stream is read once; for a second reading the delegate is asked.
            body = .delegateStream
            return StreamPump(box, length: announcedLength.flatMap { ByteCount($0) }, url: request.url) { [self] in
                engine.submit(.bodyAvailable(self))
            }
        }
    }
}
