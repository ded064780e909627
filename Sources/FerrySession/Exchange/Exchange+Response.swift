/// A response from its head to its last byte.
extension Exchange {
    /// Decides what a response is, and returns whether the attempt goes on.
    func didReceiveHead(_ head: ResponseHead, of attempt: NetworkAttempt) -> Bool {
        repetition.reconnections = 0
        // The server has not switched protocols, so that nothing is sent after the request.
        if attempt.prepared.isUpgrade, head.status != 101 { (reader as? MadeBodyReader)?.finish() }
        // libcurl answers some challenges itself within the attempt; the response before this one does not count then.
        if incoming.question?.isAsked == false { incoming.question = nil }
        settings.cookies?.store(head.fields, for: request)
        holdOrigin(head)
        if head.status == 417, canRepeatWithoutExpectation(attempt) {
            incoming.again = .withoutExpectation
            return false
        }
        if let goesOn = compareWithCache(head, of: attempt) { return goesOn }
        if let problem = head.framingProblem {
            refuse(.malformed(problem))
            return false
        }
        let codings = contentCodings(of: head)
        guard codings.count <= settings.decodingLimits.maximumCodings, let url = request.url else {
            incoming.failure = tooLarge("The response has \(codings.count) content codings")
            return false
        }
        let received = ReceivedResponse(head, url: url, isDecoded: !codings.isEmpty)
        incoming.decoder = ContentDecoderChain(codings, limits: settings.decodingLimits)
        if let question = redirect(for: received, head: head) {
            guard redirects.count < settings.maximumRedirects else {
                incoming.failure = .ferryTooManyRedirects(url: url)
                return false
            }
            incoming.question = question
            beginSharing(head, isDecoded: incoming.decoder != nil)
            beginStoring(head, isDecoded: incoming.decoder != nil, isRedirect: true)
            return true
        }
        let mayAnswer = mayContinue(after: head, of: attempt)
        if let challenge = challenge(for: head, of: attempt), let response = received.value as? HTTPURLResponse {
            // libcurl answers each nonce that the server calls stale; only ending the attempt stops it.
            endSharing(.unshareable)
            let kind = PendingQuestion.Kind.challenge(challenge)
            incoming.question = PendingQuestion(response: response, kind: kind, isAbandoned: !mayAnswer)
            return mayAnswer
        }
        guard mayAnswer else {
            incoming.again = .withoutCredential
            return false
        }
        noteAcceptedCredentials()
        // A 416 says whether a body that is continued is complete.
        let isAboutRest = continuation.offset != nil && (head.status < 300 || head.status == 416)
        if !isAboutRest, let held = heldResponse(received, status: head.status) {
            incoming.question = held
            incoming.question?.head = head
            beginSharing(head, isDecoded: incoming.decoder != nil)
            return true
        }
        if let offset = continuation.offset { return didContinue(received, head, at: offset, in: attempt) }
        deliver(received)
        // The connection is not one of those for requests any more.
        if head.status == 101 { engine.giveUpSlot(transfer) }
        beginSharing(head, isDecoded: incoming.decoder != nil)
        beginStoring(head, isDecoded: incoming.decoder != nil, isRedirect: false)
        return true
    }

    /// Delays the requests to the origin if the response asks for that, and the session's limits allow it.
    private func holdOrigin(_ head: ResponseHead) {
        guard let limits = engine.settings.limits, let origin = transfer.origin else { return }
        if let delay = limits.delay(status: head.status, now: Date(), value: head.value) {
            engine.admission.noteRefusal(by: origin, status: head.status, seconds: delay)
        } else {
            engine.admission.noteService(by: origin)
        }
    }

    func reportInterimResponse(_ head: ResponseHead) {
        guard let client, client.exchangeWantsInterimResponses, let url = request.url else { return }
        guard let response = CurlHTTPResponse(url: url, head: head, isDecoded: false) else { return }
        client.exchange(didReceiveInterim: response)
    }

    /// Notes why the attempt fails, since the response's head is not accepted.
    func refuse(_ refusal: ResponseHeadParser.Refusal) {
        let url = request.url
        incoming.failure =
            switch refusal {
            case .malformed(let text): .ferry(.cannotParseResponse, url: url, reason: .malformedResponse, text)
            case .tooLarge(let text): .ferry(.dataLengthExceedsMaximum, url: url, reason: .responseTooLarge, text)
            }
    }

    /// Whether a 417 leads to a request without its expectation (RFC 9110, section 10.1.1), as libcurl sends it too.
    private func canRepeatWithoutExpectation(_ attempt: NetworkAttempt) -> Bool {
        !body.isNone && attempt.prepared.expectsContinue
    }

    func redirect(for received: ReceivedResponse, head: ResponseHead) -> PendingQuestion? {
        guard let location = head.location else { return nil }
        let next = RedirectRule.redirect(
            requestToRedirect,
            status: head.status,
            location: location,
            allowsDowngrade: settings.allowsInsecureRedirects,
            sensitiveHeaders: settings.sensitiveHeaders
        )
        guard let next, let response = received.value as? HTTPURLResponse else { return nil }
        return PendingQuestion(response: response, kind: .redirect(next.request, keepsBody: next.keepsBody))
    }

    /// Delivers a response as the final one; its body follows.
    func deliver(_ received: ReceivedResponse) {
        response = received
        // What was collected of another response is not a part of this one.
        caching.context?.pending = nil
        bodyReceived = .zero
        continuation.wasSuspended = isSuspended
        continuation.expectedTotal = received.expectedLength
        continuation.useValidator(of: incoming.decoder == nil ? received : nil)
        notePartialFile()
        client?.exchange(didReceive: received)
        if client?.exchangeWantsPrebuiltResponse == true { group.prebuild(received) }
    }

    /// Notes in a durable session which response the file has, before any of its bytes is written.
    private func notePartialFile() {
        guard settings.isDurable, case .file(let file) = destination else { return }
        let partial = validator.flatMap { validator in
            request.url.map { url in
                DurableRecord.Partial(
                    name: file.url.lastPathComponent,
                    url: url,
                    validator: validator,
                    total: continuation.expectedTotal?.int64,
                    boot: SystemBoot.number
                )
            }
        }
        client?.exchange(willWrite: partial)
    }

    /// Returns the content codings to undo; none where there is no body, or only a part of one.
    private func contentCodings(of head: ResponseHead) -> [ContentCoding] {
        guard settings.decodesContent, let value = head.listValue("Content-Encoding") else { return [] }
        guard ![101, 204, 206, 304].contains(head.status), method != "HEAD" else { return [] }
        return ContentCoding.parse(value) ?? []
    }

    // MARK: - The body

    /// Delivers decoded bytes to their destination, and returns whether the attempt goes on.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        share(bytes)
        if incoming.question != nil { return keepForQuestion(bytes) }
        if incoming.skipsBody { return true }
        let before = bodyReceived
        bodyReceived.add(ByteCount(clamping: bytes.count))
        guard deliverBody(bytes) else {
            // An attempt that continues the body begins with the bytes that were not delivered.
            bodyReceived = before
            return false
        }
        if caching.context != nil { collectForCache(bytes) }
        return true
    }

    private func deliverBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let limit = IncomingResponse.unwantedBodyLimit
        if incoming.isUnwanted, bodyReceived > limit, client?.exchangeCollectsBody == true {
            incoming.failure = bodyTooLarge("\(limit) bytes of an unfollowed redirect or unanswered challenge")
            return false
        }
        switch destination {
        case .client:
            switch client?.exchange(didReceive: bytes) ?? .more {
            case .more: break
            case .wait:
                // The others do not wait for a reader that takes long.
                endSharing(.unshareable)
                setClientFull(true)
            case .noMemory:
                let text = "There is no memory for the response"
                incoming.failure = .ferry(.dataLengthExceedsMaximum, url: request.url, text)
                return false
            case .tooLarge:
                incoming.failure = bodyTooLarge("CurlSession.Options.maximumBodySizeInMemory")
                return false
            }
        case .file(let file):
            do throws(URLError) {
                try file.write(bytes)
            } catch {
                incoming.failure = error
                return false
            }
            client?.exchange(didWrite: ByteCount(clamping: bytes.count))
        }
        return true
    }

    /// Keeps the beginning of a body while it is not known whether the response is delivered.
    private func keepForQuestion(_ bytes: UnsafeRawBufferPointer) -> Bool {
        incoming.question?.body.append(contentsOf: bytes)
        if let question = incoming.question, question.body.count >= PendingQuestion.bodyLimit {
            setClientFull(true)
            // The others do not wait for the decision.
            endSharing(.unshareable)
            askQuestion()
        }
        return true
    }

    // MARK: - Errors

    private func bodyTooLarge(_ limit: String) -> URLError {
        let text = "The response's body is larger than \(limit)"
        return .ferry(.dataLengthExceedsMaximum, url: request.url, reason: .responseTooLarge, text)
    }

    func tooLarge(_ text: String) -> URLError {
        .ferry(.cannotDecodeContentData, url: request.url, reason: .responseTooLarge, text)
    }

    func damagedCoding(_ what: String) -> URLError {
        let text = "The response's content coding \(what)"
        return .ferry(.cannotDecodeContentData, url: request.url, reason: .damagedContentCoding, text)
    }
}
