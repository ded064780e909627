/// From the head of a response to its last byte.
extension Transfer {
    /// Decides what a response is: a redirection, the rest of an earlier one, or the answer.
    func didReceiveHead(_ head: ResponseHead) -> Bool {
        let httpVersion2 = 3
        reconnectionCount = 0
        if let easy, easy.long(CurlInfo.httpVersion) == httpVersion2, let origin = gateOrigin {
            isMultiplexed = true
            attempt.connection?.isMultiplexed = true
            engine.noteMultiplexed(origin)
        }
        attemptStatus = head.status
        // libcurl answers some challenges itself, on the same attempt: the answer before this one was none.
        if held?.isAsked == false { held = nil }
        engine.settings.cookies?.store(head.fields, for: request)
        if head.status == 417, canRepeatWithoutExpectation {
            mustRepeat = true
            return false
        }
        if let goesOn = judgeForCache(head) { return goesOn }
        if let problem = head.framingProblem {
            refuse(.malformed(problem))
            return false
        }
        let codings = contentCodings(of: head)
        guard codings.count <= engine.settings.decodingLimits.maximumCodings, let url = request.url else {
            ownFailure = tooLarge("The response has \(codings.count) content codings")
            return false
        }
        let received = ReceivedResponse(head, url: url, isDecoded: !codings.isEmpty)
        decoder = ContentDecoderChain(codings, limits: engine.settings.decodingLimits)
        if let next = redirection(for: received, head: head) {
            guard redirectCount < engine.settings.maximumRedirects else {
                ownFailure = .ferry(.httpTooManyRedirects, url: url, "too many HTTP redirects")
                return false
            }
            held = next
            beginStoring(head, isDecoded: decoder != nil, isRedirection: true)
            return true
        }
        if head.status == 401 || head.status == 407 { attempt.challengeRounds += 1 }
        if let challenge = challenge(for: head), let answer = received.value as? HTTPURLResponse {
            let mayAnswer = RepetitionRule.mayAnswerChallenge(rounds: attempt.challengeRounds)
            // libcurl answers every nonce that the server calls stale; ending the attempt is the only way to stop it.
            held = Held(response: answer, question: .challenge(challenge), isAbandoned: !mayAnswer)
            return mayAnswer
        }
        if !RepetitionRule.mayAnswerChallenge(rounds: attempt.challengeRounds) {
            attempt.mustWithholdCredential = true
            return false
        }
        noteAcceptedCredentials()
        if let offset = continuesAt { return didContinue(received, head, at: offset) }
        deliver(received)
        beginStoring(head, isDecoded: decoder != nil, isRedirection: false)
        return true
    }

    /// Whether a 417 is answered by the request without its expectation, as RFC 9110, section 10.1.1 wants.
    ///
    /// A stream has only one reading, so there the 417 is the answer.
    private var canRepeatWithoutExpectation: Bool {
        guard prepared?.expectsContinue == true else { return false }
        switch body {
        case .data, .file: return true
        case .none, .stream, .delegateStream: return false
        }
    }

    func redirection(for received: ReceivedResponse, head: ResponseHead) -> Held? {
        guard let location = head.location else { return nil }
        let settings = engine.settings
        guard
            let next = RedirectRule.redirect(
                request,
                status: head.status,
                location: location,
                allowsDowngrade: settings.allowsInsecureRedirects,
                sensitiveHeaders: settings.sensitiveHeaders
            )
        else { return nil }
        guard let answer = received.value as? HTTPURLResponse else { return nil }
        return Held(response: answer, question: .redirect(next.request, keepsBody: next.keepsBody))
    }

    func deliver(_ received: ReceivedResponse, isReplacement: Bool = false) {
        response = received
        // What was collected of another response is no part of this one.
        caching?.pending = nil
        bodyReceived = .zero
        wasSuspended = isSuspended
        expectedTotal = received.expectedLength
        validator = nil
        if decoder == nil { validatorSource = received }
        client?.transfer(didReceive: received, isReplacement: isReplacement)
        if client?.transferWantsResponseEarly == true { engine.makeEarly(received) }
    }

    /// Content codings to undo; none where there is no body, or only a part of one.
    private func contentCodings(of head: ResponseHead) -> [ContentCoding] {
        guard engine.settings.decodesContent, let value = head.value("Content-Encoding") else { return [] }
        guard head.status != 206, head.status != 204, head.status != 304, request.httpMethod != "HEAD" else {
            return []
        }
        return ContentCoding.parse(value) ?? []
    }

    // MARK: - The body

    /// Takes bytes as they come from the network.
    ///
    /// Answers `false` when the attempt is to end.
    func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let decoder else { return take(bytes) }
        decoder.append(bytes)
        return decodeWaiting()
    }

    /// How much one turn decodes before the engine looks at its other transfers.
    private static let decodedPerTurn = 4_194_304

    /// Decodes until the input ends or the client is full.
    func decodeWaiting() -> Bool {
        guard let decoder else { return true }
        let scratch = engine.scratch
        var rest = Self.decodedPerTurn
        while !isClientFull {
            do throws(ContentDecoder.Failure) {
                switch try decoder.read(into: scratch) {
                case .needsInput: return true
                case .interrupted: rest -= ContentDecoderChain.workOfOneCall
                case .output(let count):
                    guard take(UnsafeRawBufferPointer(rebasing: scratch[..<count])) else { return false }
                    rest -= count
                }
            } catch {
                switch error {
                case .damaged: ownFailure = damagedCoding("is damaged")
                case .tooLarge: ownFailure = tooLarge("The response unpacks to more than ContentDecodingLimits allow")
                }
                return false
            }
            guard rest <= 0, !isClientFull else { continue }
            // A few bytes can unpack to gigabytes: the engine comes back to them.
            setClientFull(true)
            engine.submit(.readMore(self))
        }
        return true
    }

    private func bodyTooLarge(_ limit: String) -> URLError {
        let error = CurlSessionError(.responseTooLarge, "The response's body is larger than \(limit)")
        return .ferry(.dataLengthExceedsMaximum, url: request.url, underlying: error)
    }

    private func tooLarge(_ text: String) -> URLError {
        let error = CurlSessionError(.responseTooLarge, text)
        return .ferry(.cannotDecodeContentData, url: request.url, underlying: error)
    }

    func damagedCoding(_ what: String) -> URLError {
        let error = CurlSessionError(.damagedContentCoding, "The response's content coding \(what)")
        return .ferry(.cannotDecodeContentData, url: request.url, underlying: error)
    }

    /// Hands decoded bytes to where they belong.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if held != nil { return hold(bytes) }
        if ignoresBody { return true }
        bodyReceived.add(ByteCount(clamping: bytes.count))
        if isUnwanted, bodyReceived > Self.unwantedBodyLimit, client?.transferCollectsBody == true {
            ownFailure = bodyTooLarge(
                "\(Self.unwantedBodyLimit) bytes of an unfollowed redirect or unanswered challenge"
            )
            return false
        }
        if caching != nil { collectForCache(bytes) }
        switch sink {
        case .client:
            switch client?.transfer(didReceive: bytes) ?? .more {
            case .more: break
            case .wait: setClientFull(true)
            case .noMemory:
                ownFailure = .ferry(.dataLengthExceedsMaximum, url: request.url, "There is no memory for the response")
                return false
            case .tooLarge:
                ownFailure = bodyTooLarge("CurlSession.Options.maximumBodySizeInMemory")
                return false
            }
        case .file(let file):
            do throws(URLError) {
                try file.write(bytes)
            } catch {
                ownFailure = error
                return false
            }
            client?.transfer(didWrite: ByteCount(clamping: bytes.count))
        }
        return true
    }

    private func hold(_ bytes: UnsafeRawBufferPointer) -> Bool {
        held?.body.append(contentsOf: bytes)
        if let held, held.body.count >= Self.heldBodyLimit {
            setClientFull(true)
            askHeld()
        }
        return true
    }

    func setClientFull(_ isFull: Bool) {
        isClientFull = isFull
        clock.pauseInactivity(isFull || isBodyStarved, at: .now())
    }
}
