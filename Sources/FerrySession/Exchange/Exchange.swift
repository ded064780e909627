/// Everything a task does for one request: the attempts it takes, and the response that it ends with.
///
/// An exchange has one attempt at a time: a `NetworkAttempt`, or a stored response that the cache serves. Redirects,
/// challenges, new body streams and continuations begin another. What lasts for one attempt is in ``attempt`` and
/// ``incoming``, which are new for each attempt.
///
/// `@unchecked Sendable`: a task makes it and hands it to the engine with the first command; from then on only the
/// thread that has the engine touches it.
final class Exchange: @unchecked Sendable {
    /// Where the bytes of a response go.
    enum Destination {
        case client
        case file(DownloadFile)
    }

    struct Redirects {
        /// The request that the task was made with.
        let original: URLRequest
        let originalURL: URL?
        var count = 0
        /// Whether one has led to another origin than the task's.
        var hasLeftOrigin = false
    }

    /// The credentials that the delegate provided for the current request.
    struct Authentication {
        struct Party {
            var credential: SchemeCredential?
            /// Whether other tasks may use the credential once it is accepted.
            var isKept = false
            /// How many credentials were given.
            var failures = 0
            /// The realm that the last one was given for, and how many in a row were.
            var realm: String?
            var failuresInRealm = 0
            /// The ``ExchangeGroup/credentialsGeneration`` in which the credential was provided.
            var generation = 0
            /// Where the credential was asked for.
            var place: CredentialPlace?
            /// The credentials that were sent and refused, which are not sent again.
            var refused: Set<SchemeCredential> = []
            /// The response that the first one was asked for, if its whole body is known.
            var firstQuestion: PendingQuestion?
            /// Whether it has not asked for a credential.
            var isUnused: Bool { credential == nil && failures == 0 }

            /// How many credentials were given for a realm since another one asked.
            func failures(in realm: String?) -> Int { realm == self.realm ? failuresInRealm : 0 }
        }

        var server = Party()
        var proxy = Party()
    }

    /// How the request is sent again, in the same way until a response comes.
    struct Repetition {
        /// Whether the server has refused the expectation with 417, so that the request is sent without it.
        var dropsExpectation = false
        /// How many times in a row another connection, or a new body, has been looked for.
        var reconnections = 0
    }

    /// What the engine knows of the exchange.
    let transfer: Transfer
    /// What it has in common with the other exchanges of its session.
    let group: ExchangeGroup
    /// The task; `nil` as soon as the exchange is over.
    var client: (any ExchangeClient)? {
        didSet { if client == nil { transfer.receiver = nil } }
    }
    var request: URLRequest {
        didSet { (method, interceptedFields) = (request.httpMethod ?? "GET", []) }
    }
    /// The header fields that interceptors have set, which replace those of the request.
    private(set) var interceptedFields: [HeaderField] = []
    /// The request's method, kept because reading it from the request takes long.
    private(set) var method: String
    var body: BodySource
    /// The questions to the delegate for a stream.
    private(set) var streamQuestions = StreamQuestions()
    var destination: Destination

    var redirects: Redirects
    var authentication = Authentication()
    var repetition = Repetition()

    var incoming = IncomingResponse()
    var response: ReceivedResponse?
    /// The bytes of the body that have been delivered.
    var bodyReceived = ByteCount.zero
    var continuation = Continuation()
    var caching = CacheUse()
    /// What is known about its attempts, if there may be several.
    var recovery: Recovery?

    init(
        _ engine: TransferEngine,
        _ group: ExchangeGroup,
        _ request: URLRequest,
        body: BodySource,
        toFile: Bool,
        client: any ExchangeClient,
        limits: TransferClock.Limits
    ) {
        transfer = Transfer(engine, limits: limits)
        self.group = group
        self.client = client
        self.request = request
        method = request.httpMethod ?? "GET"
        self.body = body
        redirects = Redirects(original: request, originalURL: request.url)
        let folder = group.settings.temporaryDirectory
        destination = toFile ? .file(DownloadFile(directory: folder, requestURL: request.url)) : .client
    }

    /// Continues an earlier download: `file` has its first part.
    convenience init(
        _ engine: TransferEngine,
        _ group: ExchangeGroup,
        resuming data: ResumeData,
        file: DownloadFile,
        client: any ExchangeClient,
        limits: TransferClock.Limits
    ) {
        self.init(engine, group, data.request, body: .none, toFile: true, client: client, limits: limits)
        destination = .file(file)
        // The record was checked where it was read.
        let offset = ByteCount(data.offset) ?? .zero
        bodyReceived = offset
        continuation = Continuation(data, at: offset)
    }

    /// The validator that makes sure that the rest of the body belongs to the same entity.
    var validator: String? { continuation.validator(for: sentRequest) }
    /// The request with the fields of the interceptors.
    var sentRequest: URLRequest { request.setting(interceptedFields) }

    /// Uses a request that interceptors have changed.
    func use(_ adapted: AdaptedRequest) {
        if adapted.isBaseChanged { request = adapted.base }
        interceptedFields = adapted.fields
    }

    // MARK: - An attempt begins

    /// Makes a new attempt and returns its origin; `nil` if the request is not valid, or a new body stream is needed.
    func prepare() -> Origin? {
        guard let client else { return nil }
        if case .delegateStream = body, !hasUnreadStream {
            askForBodyStream(client)
            return nil
        }
        do throws(URLError) {
            let prepared = try PreparedRequest(
                request,
                setting: interceptedFields,
                settings: settings,
                context: preparationContext
            )
            attempt = NetworkAttempt(prepared, url: request.url)
            if continuation.offset == nil { response = nil }
            return prepared.origin
        } catch {
            fail(error)
            return nil
        }
    }

    /// What the exchange so far means for its next request.
    var preparationContext: PreparationContext {
        PreparationContext(
            hasBody: hasBody,
            isBodyGiven: !body.isEmpty,
            contentCoding: madeBody?.contentCoding,
            isStreamed: isStreamed,
            isUpgrade: body.isUpgrade,
            hasLeftOrigin: redirects.hasLeftOrigin,
            dropsExpectation: repetition.dropsExpectation,
            hasCredential: authentication.server.credential != nil
        )
    }

    /// Whether a body is sent, even an empty one, where the method expects content (RFC 9110, section 8.6).
    var hasBody: Bool {
        method != "HEAD" && (!body.isNone || method == "POST" || method == "PUT" || method == "PATCH")
    }

    var isStreamed: Bool {
        switch body {
        case .stream, .made: true
        case .none, .data, .file, .delegateStream: false
        }
    }
    /// The body that is made while it is sent, perhaps by a reader that an earlier attempt has not used.
    private var madeBody: MadeBody? {
        switch body {
        case .made(let made): made
        case .delegateStream: hasUnreadStream ? (reader as? MadeBodyReader)?.body : nil
        case .none, .data, .file, .stream: nil
        }
    }
    /// Whether an earlier attempt has ended before anything of the body's stream was read.
    var hasUnreadStream: Bool { (reader is StreamPump || reader is MadeBodyReader) && reader?.rewind() == true }

    func askForBodyStream(_ client: any ExchangeClient) {
        streamQuestions.ask()
        client.exchangeNeedsBodyStream()
    }

    /// Returns whether an answer is the one that the exchange waits for.
    func acceptsBodyStream() -> Bool { streamQuestions.noteAnswer() }

    /// Ignores the answers to the questions so far, since the exchange goes on in another way.
    func withdrawStreamQuestions() { streamQuestions.withdraw() }

    func makeReader(announcedLength: Int64?) throws(URLError) -> any BodyReader {
        if case .delegateStream = body, let reader, hasUnreadStream { return reader }
        reader?.close()
        switch body {
        case .none, .delegateStream: return DataReader(Data())
        case .data(let data): return DataReader(data)
        case .file(let url): return try FileReader(url)
        case .stream(let box):
            // A stream can be read once; for another reading the delegate is asked for a new one.
            body = .delegateStream
            let length = announcedLength.flatMap { ByteCount($0) }
            return StreamPump(box, length: length, url: request.url) { [self] in wakeForBody() }
        case .made(let made):
            if !made.isReplayable { body = .delegateStream }
            let length = made.length(announced: announcedLength)
            return MadeBodyReader(made, length: length, url: request.url) { [self] in wakeForBody() }
        }
    }

    private func wakeForBody() { engine.submit(.run { [self] in bodyAvailable() }) }

    func reportRequest(bodyLength: ByteCount?) {
        let fields = settings.additionalHeaders(hasLeftOrigin: redirects.hasLeftOrigin)
        client?.exchange(willSend: request, setting: interceptedFields, adding: fields, bodyLength: bodyLength)
    }
}

/// The response of the current attempt, from the network or from the cache; each attempt begins with a new one.
struct IncomingResponse {
    /// The redirect or challenge that the delegate decides about.
    var question: PendingQuestion?
    var decoder: ContentDecoderChain?
    /// Whether the rest of what was received waits for a later turn of the engine.
    var isPostponed = false
    /// Why the attempt fails, where Ferry and not libcurl found the reason.
    var failure: URLError?
    /// The error of the user's code that makes the request's body.
    var bodyError: (any Error)?
    /// Whether the response is a redirect that is not followed, or a challenge that is not answered.
    var isUnwanted = false
    /// Whether the body is skipped, since the file is complete already.
    var skipsBody = false
    /// Whether the attempt has succeeded; the client may not have taken all of the body yet.
    var hasEnded = false
    /// How the request is sent again, if the attempt was ended for that.
    var again: AttemptEnd.Again?
    /// How much of an unwanted response's body is collected.
    static let unwantedBodyLimit = ByteCount(clamping: 16_777_216)
}

/// A response that is held back until it is decided what becomes of it.
struct PendingQuestion {
    enum Kind {
        case redirect(URLRequest, keepsBody: Bool)
        case challenge(AuthenticationChallenge)
        /// The response has a status with which the request may be sent again.
        case failure
    }

    var response: HTTPURLResponse
    var kind: Kind
    /// The beginning of the response's body, which is delivered if the response turns out to be the final one.
    var body: [UInt8] = []
    var isAsked = false
    /// The head of a response that the cache may store, if it is delivered.
    var head: ResponseHead?
    /// Why the body is damaged or incomplete, which matters only if the response is delivered.
    var failure: URLError?
    /// Whether the response is a proxy's to `CONNECT`, and not one to the request.
    var isTunnel = false
    /// Whether the attempt was ended before the body came, so that the response cannot be delivered.
    var isAbandoned = false
    /// How much of the body is kept before the delegate is asked.
    static let bodyLimit = 65_536
    /// The shares of turns that decoding the body has used.
    private(set) var timeUsed = TimeSpan.zero

    /// Notes that the exchange has used its share of a turn; returns whether the delegate must be asked now.
    mutating func noteShareUsed(_ share: TimeSpan) -> Bool {
        timeUsed += share
        return timeUsed > TurnAllowance.ofAll
    }
}
