/// Everything that is decided about one request of a task: the attempts it takes, and the response that it ends with.
///
/// A call is a value without side effects: ``handle(_:in:into:)`` takes an event and appends the steps that follow,
/// which a ``CallDriver`` performs. It has one attempt at a time, over the network or with a response that needs none.
/// Redirects, challenges, new body streams, retries and continuations begin another.
///
/// | stage | leaves it by |
/// | --- | --- |
/// | `idle` | `begin` |
/// | `parked` | `resumed` |
/// | `adapting` | `answered` |
/// | `waitingForStream` | `bodyStream` |
/// | `preparing` | `verified`, `lookedUp`, `isFirst`, `mustWaitForIdenticalRequest` |
/// | `waitingForIdenticalRequest` | `otherEnded` |
/// | `attempting` | `attemptEnded`, `mayDetach`, and whatever ends the attempt |
/// | `waitingForTrust` | `trustDecided` |
/// | `delaying` | `delayed` |
/// | `detached` | `mayMove` |
/// | `finished` | nothing |
///
/// Beside the stage, a response may be held back (``held``) and a failure may be decided about (``attempts``), before
/// or after the end of the attempt. A cancellation also ends each stage, and a deadline each but `parked`.
struct Call {
    enum Stage: Hashable, Sendable {
        /// The call has not begun, or user code decides what follows an attempt.
        case idle
        /// It was suspended before its attempt could begin.
        case parked
        case adapting
        case waitingForStream
        /// It takes the steps before the request can be sent.
        case preparing
        /// It waits for the response to an identical request.
        case waitingForIdenticalRequest
        /// An attempt has been admitted, or a response that needs none is delivered.
        case attempting
        case waitingForTrust
        /// It waits between an attempt that has failed and the next one.
        case delaying
        /// Its stream was given up while it was paused; the rest is asked for when nothing pauses it any more.
        case detached
        case finished
    }

    let settings: CurlSessionSettings
    /// Whether the body goes to a file.
    let isDownload: Bool
    var stage = Stage.idle
    var isSuspended = false
    var request: CallRequest
    var content: BodySource
    var redirects: Redirects
    var credentials = Credentials()
    var incoming = IncomingResponse()
    /// The redirect, challenge or failure that is decided about.
    var held: HeldResponse?
    var response: ReceivedResponse?
    var rest: BodyRest
    /// The attempts of the call, if there may be several.
    var attempts: Attempts?
    var circuit = CircuitUse(nil)
    /// The questions to the delegate for a stream.
    var streamQuestions = StreamQuestions()
    var origin: Origin?
    /// Whether the server has refused the expectation with 417, so that the request is sent without it.
    var dropsExpectation = false
    /// The number of times in a row that the call has looked for another connection, or a new body.
    var reconnections = 0
    var steps: [CallStep] = []

    init(
        _ request: URLRequest,
        body: BodySource,
        isDownload: Bool,
        settings: CurlSessionSettings,
        redirects: Redirects? = nil,
        rest: BodyRest = BodyRest()
    ) {
        self.settings = settings
        self.isDownload = isDownload
        self.request = CallRequest(request)
        content = body
        self.redirects = redirects ?? Redirects(original: request)
        self.rest = rest
    }

    /// Allows several attempts, by a policy or interceptors; `adapted` is the first one's request, if it is known.
    mutating func recover(by attempts: Attempts, adapted: AdaptedRequest? = nil) {
        self.attempts = attempts
        if attempts.settings.retry?.addsIdempotencyKey == true { request.base = attempts.base }
        if let adapted { adopt(adapted) }
    }

    /// Appends the steps that follow an event.
    mutating func handle(_ event: CallEvent, in world: some CallSurroundings, into all: inout [CallStep]) {
        guard stage != .finished else { return }
        swap(&steps, &all)
        defer { swap(&steps, &all) }
        switch event {
        case .begin: begin(world)
        case .suspended: suspend(world)
        case .resumed: resume(world)
        case .mayMove: if stage == .detached, world.mayReceive { begin(world) }
        case .answered(let question, let answer): interceptorsAnswered(question, answer, world)
        case .verified: if stage == .preparing { lookUp(world) }
        case .lookedUp(let answer): didLookUp(answer, world)
        case .mustWaitForIdenticalRequest: stage = .waitingForIdenticalRequest
        case .isFirst: admit(world)
        case .otherEnded(let end): otherEnded(end, world)
        case .delayed: goOn(from: .delaying, world)
        case .trustDecided: goOn(from: .waitingForTrust, world)
        case .head(let facts): didReceiveHead(facts, world)
        case .heldBodyIsLarge: askAboutHeld(world)
        case .mayDetach: detachIfPossible(world)
        case .attemptEnded(let end): attemptEnded(end, world)
        case .drained: finishIfDrained(world)
        case .bodyFailed: failBody(world)
        case .serve(let local): serve(local, world)
        case .storedBodyIsDamaged(let mayAsk): recoverFromDamage(mayAsk: mayAsk, world)
        case .deadline(let deadline): expire(deadline, world)
        case .failed(let error): failBeforeSending(error ?? attemptError, world)
        case .redirected(let next): answerRedirect(next, world)
        case .authenticated(let disposition, let credential): answerChallenge(disposition, credential, world)
        case .bodyStream(let box): answerBodyStream(box, world)
        case .considersResponse: considerResponse(world)
        case .cancelled: cancel(world)
        }
    }

    // MARK: - What the driver notes while bytes move

    /// Forgets a challenge that libcurl answers itself with a further request; returns whether there was one.
    mutating func forgetUnaskedHeld() -> Bool {
        guard held?.isAsked == false else { return false }
        held = nil
        return true
    }

    /// Whether a response was delivered that has a body whose length is not known before its end.
    var hasOpenEnd: Bool {
        guard let response, request.method != "HEAD" else { return false }
        return response.expectedLength == nil && response.statusCode != 204 && response.statusCode != 304
    }

    /// Notes the error that ends the attempt, since the received part of the body cannot be removed.
    mutating func noteFailureOfRestart(_ error: URLError) {
        incoming.next = nil
        stop(error)
    }

    /// Notes that the body is being read, so that the delegate is asked for another if it can be read only once.
    mutating func noteBodyIsRead() {
        switch content {
        case .stream: content = .delegateStream
        case .made(let made) where !made.isReplayable: content = .delegateStream
        case .none, .data, .file, .made, .delegateStream: break
        }
    }

    /// Chooses what the current attempt sends besides its prepared request.
    mutating func setUp(
        _ prepared: PreparedRequest,
        conditions: [RequestField],
        in world: some CallSurroundings
    ) -> AttemptSetup {
        let accepted = CredentialPair(
            server: accepted(isProxy: false, world),
            proxy: accepted(isProxy: true, world)
        )
        credentials.forgetProxy(unless: world.proxyPlace)
        let (fields, commonCount) = fields(of: prepared, conditions)
        let sent = credentials.choose(hasBody: prepared.hasBody, accepted: accepted)
        var setup = AttemptSetup(fields: fields, commonCount: commonCount)
        (setup.credentials, setup.identity) = (sent, credentials.known)
        setup.usesNewConnection = reconnections > 0
        return setup
    }

    /// Returns the fields of an attempt, with those that ask for the rest of a body, and the number of fields at the
    /// end that are not the request's own.
    private mutating func fields(of prepared: PreparedRequest, _ conditions: [RequestField]) -> ([RequestField], Int) {
        guard let offset = rest.offset, let validator else {
            return (conditions.isEmpty ? prepared.fields : conditions + prepared.fields, prepared.commonCount)
        }
        var fields = prepared.fields.filter { !$0.name.isEqualIgnoringCase("accept-encoding") }
        fields.append(RequestField("Range", "bytes=\(offset)-"))
        fields.append(RequestField("If-Range", validator))
        fields.append(RequestField("Accept-Encoding", "identity"))
        return (fields, 0)
    }

    /// Returns the resume data of a partial file, if it can be continued.
    mutating func resumeData(for file: URL) -> ResumeData? {
        // A held response is about the body that the file has, or answers a request for the rest.
        guard let validator, rest.received > .zero, held == nil || rest.offset != nil,
            redirects.original.httpMethod ?? "GET" == "GET", let url = request.url,
            let original = redirects.original.url
        else { return nil }
        var data = ResumeData(
            url: url,
            originalURL: original,
            // Redirects are followed again; what interceptors have added is made again, and may be secret.
            headers: redirects.original.allHTTPHeaderFields ?? [:],
            file: file,
            offset: rest.received.int64,
            expectedTotal: rest.expectedTotal?.int64,
            validator: validator
        )
        if !redirects.original.httpShouldHandleCookies { data.handlesCookies = false }
        let timeout = redirects.original.timeoutInterval
        if timeout != URLRequest(url: url).timeoutInterval { data.timeout = timeout.asKept }
        return data
    }
}
