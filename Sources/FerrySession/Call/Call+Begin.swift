/// The beginning of an attempt: from the request to its admission, or to a response that needs no network.
extension Call {
    mutating func emit(_ step: CallStep) { steps.append(step) }
    mutating func tell(_ event: TaskEvent) { emit(.report(.event(event))) }

    /// Begins an attempt, unless the task is suspended.
    mutating func begin(_ world: some CallSurroundings) {
        (incoming, held) = (IncomingResponse(), nil)
        streamQuestions.withdraw()
        stage = isSuspended ? .parked : .idle
        // Postponed bytes must not be delivered as bytes of the next response, also if the task is suspended.
        emit(.forgetResponse)
        guard !isSuspended else { return }
        if world.isCallOver { return expire(.call, world) }
        useTLS()
        if attempts?.isAdapted == false, let interceptors = attempts?.settings.interceptors {
            return adapt(interceptors, world)
        }
        prepare(world)
    }

    /// Uses TLS for a host that is only used over TLS (RFC 6797, section 8.3).
    private mutating func useTLS() {
        guard let hsts = settings.hsts else { return }
        if let url = request.url.flatMap(hsts.upgraded) { request.use(url) }
        if let url = attempts?.base.url.flatMap(hsts.upgraded) { attempts?.base.url = url }
        // Otherwise the request would count as one to another origin, and get no credentials.
        if let url = attempts?.originalURL.flatMap(hsts.upgraded) { attempts?.originalURL = url }
    }

    private mutating func adapt(_ interceptors: RequestInterceptors, _ world: some CallSurroundings) {
        guard let question = attempts?.ask(), let attempts else { return }
        stage = .adapting
        let (base, attempt) = (attempts.base, attempts.requestAttempt(redirects))
        let (context, body, settings) = (preparationContext(world), content, settings)
        emit(
            .ask(question) {
                await interceptors.answer(base, attempt) { request in
                    let prepared = try PreparedRequest(request, settings: settings, context: context)
                    return request.url.map { SignableRequest(prepared, url: $0, body: body) }
                }
            }
        )
    }

    private mutating func prepare(_ world: some CallSurroundings) {
        if case .delegateStream = content, !world.hasUnreadStream {
            stage = .waitingForStream
            return askForBodyStream()
        }
        stage = .preparing
        let prepared: PreparedRequest
        do throws(URLError) {
            let (base, fields, context) = (request.base, request.fields, preparationContext(world))
            prepared = try PreparedRequest(base, setting: fields, settings: settings, context: context)
        } catch {
            return failBeforeSending(error, world)
        }
        emit(.attempt(NetworkAttempt(prepared, url: request.url)))
        let origin = prepared.origin
        self.origin = origin
        if rest.offset == nil { response = nil }
        if let budget = attempts?.noteRequest(to: origin) { emit(.noteRequest(budget)) }
        noteUnsafeRequest()
        if origin.scheme == "https" { emit(.verify(origin)) } else { lookUp(world) }
    }

    mutating func askForBodyStream() {
        streamQuestions.ask()
        tell(.needsBodyStream)
    }

    /// Asks the cache, unless the task was suspended meanwhile.
    mutating func lookUp(_ world: some CallSurroundings) {
        if isSuspended {
            stage = .parked
        } else if rest.offset != nil {
            // The call has delivered the beginning of the response, so the rest must come from the server.
            didLookUp(.network, world)
        } else {
            emit(.lookUp)
        }
    }

    mutating func goOn(from awaited: Stage, _ world: some CallSurroundings) {
        guard stage == awaited else { return }
        emit(.endWait)
        begin(world)
    }

    mutating func didLookUp(_ answer: CacheAnswer, _ world: some CallSurroundings) {
        guard stage == .preparing else { return }
        switch answer {
        case .network: if settings.options.coalescesIdenticalRequests { join(world) } else { admit(world) }
        case .response(let local): serve(local, world)
        case .failure(let error): fail(error, world)
        }
    }

    /// Waits for an identical request that is in flight, unless the response to this one is for this call alone.
    private mutating func join(_ world: some CallSurroundings) {
        guard request.method == "GET", content.isNone, rest.offset == nil, !rest.isResuming, credentials.areUnused
        else {
            emit(.endSharing(.unshareable))
            return admit(world)
        }
        emit(.join)
    }

    mutating func admit(_ world: some CallSurroundings) {
        guard let origin else { return }
        if let error = circuit.refusal(of: origin, url: request.url, at: world.now) {
            return failBeforeSending(error, world)
        }
        stage = .attempting
        emit(.admit(to: origin, isNamedByTask: !redirects.hasLeftOrigin))
    }

    /// Returns why the request must not be sent now that its turn has come.
    mutating func refusalAfterWait(at now: MonotonicTime) -> URLError? {
        origin.flatMap { circuit.refusalAfterWait(of: $0, url: request.url, at: now) }
    }

    /// Prevents later requests from waiting for earlier ones to the origin, whose responses a request with this method
    /// may change.
    mutating func noteUnsafeRequest() {
        if let origin, settings.options.coalescesIdenticalRequests, !RepetitionRule.isSafe(request.method) {
            emit(.noteUnsafeRequest(origin))
        }
    }

    // MARK: - Suspension

    mutating func suspend(_ world: some CallSurroundings) {
        isSuspended = true
        // The suspension may last for any time, so another request may try the server.
        circuit.note(.unknown, at: world.now)
        rest.noteSuspension()
        emit(.endSharing(.abandoned))
    }

    mutating func resume(_ world: some CallSurroundings) {
        isSuspended = false
        // Other tasks may use the slot while a decision about a failed attempt is pending, or a WebSocket is open.
        if attempts?.isDeciding != true, response?.statusCode != 101 { emit(.retakeSlot) }
        if stage == .parked || (stage == .attempting && world.isParkedInQueue) { return begin(world) }
        // The time until the delegate's answer does not count.
        if held?.isAsked != true || held?.isForInterceptors == true { emit(.startClock) }
    }

    /// Abandons a paused stream, if the rest of the same body can be requested later.
    mutating func detachIfPossible(_ world: some CallSurroundings) {
        guard stage == .attempting, validator != nil, response != nil, held == nil, rest.offset == nil,
            let total = rest.expectedTotal, total > rest.received
        else { return }
        rest.request(usesSuspension: false)
        endAttempt(world)
        stage = .detached
    }

    // MARK: - Interceptors

    mutating func interceptorsAnswered(_ question: Int, _ answer: InterceptorAnswer, _ world: some CallSurroundings) {
        guard attempts?.accept(question) == true else { return }
        emit(.endWait)
        // While interceptors decide about a response, its attempt may still run.
        if stage == .adapting { stage = .idle }
        switch answer {
        case .request(let request):
            adopt(AdaptedRequest(replacing: request))
            begin(world)
        case .response(let request, let response):
            adopt(AdaptedRequest(replacing: request))
            serve(.intercepted(response), world)
        case .attemptFailure(let request, let error):
            adopt(AdaptedRequest(replacing: request))
            recover(from: error, wasSent: false, world)
        case .failure(let error): end(with: error, world)
        case .decision(let decision): follow(decision, world)
        case .conclusion(let response): conclude(with: response, world)
        }
    }

    /// Uses the request that the interceptors have made from the task's request.
    mutating func adopt(_ adapted: AdaptedRequest) {
        attempts?.isAdapted = true
        if request.url?.hasSameOrigin(as: adapted.url) == false {
            credentials.forgetServer()
        }
        guard redirects.hasLeftOrigin, let base = attempts?.base else { return request.use(adapted) }
        var safe = adapted.urlRequest
        for name in safe.allHTTPHeaderFields?.keys.map({ $0 }) ?? [] where settings.isSecret(name.folded) {
            safe.setValue(base.value(forHTTPHeaderField: name), forHTTPHeaderField: name)
        }
        request.base = safe
    }

    // MARK: - Identical requests

    mutating func otherEnded(_ end: SharedTransfer.End, _ world: some CallSurroundings) {
        guard stage == .waitingForIdenticalRequest else { return }
        emit(.endWait)
        stage = isSuspended ? .parked : .idle
        guard !isSuspended else { return }
        switch end {
        case .response(let local): serve(local, world)
        case .failure(let error, let wasSent): recover(from: error, wasSent: wasSent, world)
        case .unshareable, .abandoned: begin(world)
        }
    }

    // MARK: - The attempt's facts

    /// The facts about the call that its next request depends on.
    func preparationContext(_ world: some CallSurroundings) -> PreparationContext {
        let made: MadeBody? =
            switch content {
            case .made(let made): made
            case .delegateStream: world.unreadBody
            case .none, .data, .file, .stream: nil
            }
        return PreparationContext(
            hasBody: hasBody,
            isBodyGiven: !content.isEmpty,
            contentCoding: made?.contentCoding,
            isStreamed: content.isStreamed,
            isUpgrade: content.isUpgrade,
            hasLeftOrigin: redirects.hasLeftOrigin,
            dropsExpectation: dropsExpectation,
            hasCredential: credentials.server.credential != nil
        )
    }

    /// Whether a body is sent, even an empty one, where the method expects content (RFC 9110, section 8.6).
    var hasBody: Bool { content.isSent(with: request.method) }

    /// The validator that makes sure that the rest of the body belongs to the same entity.
    var validator: String? {
        mutating get { rest.validator(for: request) }
    }
}
