/// Delivers the bytes of a response, from the network or from memory, to the task or to its file.
extension CallDriver {
    /// The number of coded bytes that may wait to be decoded before nothing more is received.
    private static let maximumBacklog = 262_144
    /// The number of a body's bytes that may wait for a slow reader before nothing more is received.
    private static let usualUnreadLimit = 1_048_576
    /// The same limit while many transfers are active, whose unread bytes would take much memory together.
    private static let smallUnreadLimit = 32_768
    /// The number of a local body's bytes that one turn delivers before the engine looks at its other transfers.
    private static let deliveredPerTurn = 4_194_304

    // MARK: - Decoding, in shares of the engine's turns

    /// Receives bytes from the network, and returns whether the attempt continues.
    func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let decoder else { return take(bytes) }
        decoder.append(bytes)
        let goesOn = decodeWaiting()
        if isPostponed, decoder.backlog > Self.maximumBacklog { transfer.setPause(.awaitsTurn, true) }
        return goesOn
    }

    /// Decodes until the input ends, the client is full or the call's share of the turn is used; returns whether the
    /// attempt continues.
    func decodeWaiting() -> Bool {
        guard let decoder, !isPostponed else { return true }
        let (start, share) = (MonotonicTime.now(), engine.allowance.share)
        defer { engine.allowance.spend(MonotonicTime.now().since(start)) }
        let end = start.advanced(by: share)
        while !transfer.pauses.contains(.clientIsFull) {
            guard share > .zero else {
                postpone()
                return true
            }
            let (count, stop) = decoder.fill(engine.scratch, until: end)
            guard count == 0 || take(UnsafeRawBufferPointer(rebasing: engine.scratch[..<count])) else { return false }
            switch stop {
            case .full: break
            case .needsInput: return true
            case .interrupted where transfer.pauses.contains(.clientIsFull): return true
            case .interrupted:
                if call.held?.noteShareUsed(share) == true { holdBack() } else { postpone() }
                return true
            case .failed(.damaged):
                call.incoming.failure = call.codingError(.damagedContentCoding, "is damaged")
                return false
            case .failed(.tooLarge):
                call.incoming.failure = call.tooLarge("The response unpacks to more than ContentDecodingLimits allow")
                return false
            }
        }
        return true
    }

    /// Asks what to do with a held response before more of it is received.
    private func holdBack() {
        setClientFull(true)
        // Other calls with the same request do not wait for the decision.
        endSharing(.unshareable)
        send(.heldBodyIsLarge)
    }

    /// Postpones the call until the other transfers have run.
    func postpone() {
        guard !isPostponed else { return }
        isPostponed = true
        engine.postpone(transfer)
    }

    /// Continues with what was received before, and leaves the engine to other transfers when the share is used again.
    func continuePostponed() {
        guard client != nil, isPostponed else { return }
        isPostponed = false
        transfer.attempt?.forgetPieces()
        guard decodeWaiting() else { return send(.bodyFailed) }
        transfer.setPause(.awaitsTurn, isPostponed && (decoder?.backlog ?? 0) > Self.maximumBacklog)
        goOn()
    }

    // MARK: - Delivering

    /// Delivers decoded bytes to their destination, and returns whether the attempt continues.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        share(bytes)
        if let isFull = call.held?.keep(bytes) {
            if isFull { holdBack() }
            return true
        }
        // A response that is not stored is of no use to a validation in the background.
        if cache.isRevalidation, cache.context?.pending == nil {
            call.incoming.failure = .ferryCancelled(url: call.request.url)
            return false
        }
        // A response that was held back may have no body.
        if call.incoming.skipsBody || bytes.isEmpty { return true }
        let before = call.rest.received
        call.rest.received.add(ByteCount(clamping: bytes.count))
        if let failure = deliver(bytes) {
            // An attempt that continues the body begins with these bytes.
            (call.rest.received, call.incoming.failure) = (before, failure)
            return false
        }
        if cache.context != nil { cache.collect(bytes) }
        return true
    }

    /// Delivers bytes, and returns the error if that is not possible.
    private func deliver(_ bytes: UnsafeRawBufferPointer) -> URLError? {
        let limit = IncomingResponse.unwantedBodyLimit
        if call.incoming.isUnwanted, call.rest.received > limit, client?.collectsBody == true {
            return bodyTooLarge("\(limit) bytes of an unfollowed redirect or unanswered challenge")
        }
        if let file {
            do throws(URLError) { try file.write(bytes) } catch { return error }
            client?.receive(.event(.wrote(ByteCount(clamping: bytes.count))))
            return nil
        }
        switch client?.receive(bytes, limit: unreadLimit) ?? .more {
        case .more: break
        case .wait:
            // Other calls with the same request do not wait for a slow reader.
            endSharing(.unshareable)
            setClientFull(true)
        case .noMemory:
            let text = "Not enough memory to hold the response"
            return .ferry(.dataLengthExceedsMaximum, url: call.request.url, text)
        case .tooLarge: return bodyTooLarge("CurlSession.Options.maximumBodySizeInMemory")
        }
        return nil
    }

    /// A paused stream of a shared connection does not save memory, since libcurl keeps what its window allows.
    private var unreadLimit: Int {
        let isStream = transfer.attempt?.isMultiplexed == true
        return engine.hasManyTransfers && !isStream ? Self.smallUnreadLimit : Self.usualUnreadLimit
    }

    private func bodyTooLarge(_ limit: String) -> URLError {
        let text = "The response's body is larger than \(limit)"
        return .ferry(.dataLengthExceedsMaximum, url: call.request.url, reason: .responseTooLarge, text)
    }

    /// Delivers a response as the final one; its body follows.
    func deliver(_ response: ReceivedResponse) {
        // The collected bytes of another response are not a part of this one.
        cache.dropPending()
        notePartialFile()
        client?.receive(.response(response))
        if client?.wantsPrebuiltResponse == true { group.prebuild(response) }
    }

    /// Notes in a durable session which response the file has, before any of its bytes is written.
    private func notePartialFile() {
        guard settings.durable != nil, let file else { return }
        let partial = call.validator.flatMap { validator in
            call.request.url.map { url in
                DurableRecord.Partial(
                    name: file.url.lastPathComponent,
                    url: url,
                    validator: validator,
                    total: call.rest.expectedTotal?.int64,
                    boot: SystemBoot.number
                )
            }
        }
        client?.receive(.writes(partial))
    }

    /// Delivers the body of a response that was held back.
    func replay(_ body: [UInt8], _ failure: URLError?) {
        setClientFull(false)
        engine.watch(transfer)
        guard body.withUnsafeBytes({ take($0) }) else { return send(.failed(nil)) }
        if let failure { return send(.failed(failure)) }
        guard decodeWaiting() else { return send(.failed(nil)) }
        send(.drained)
        liftPause()
    }

    /// Removes what has been received of the body.
    func restartBody() throws(URLError) {
        if let file {
            if file.isResumed {
                // The resume data may be used again, and must not find bytes of another body in its file.
                file.remove()
                self.file = DownloadFile(in: settings.temporaryDirectory, for: call.request.url)
            } else {
                try file.truncate()
            }
        }
        client?.receive(.discardsBody)
    }

    /// Moves what the client has of the body to a file, where the rest goes too; the call may be over already.
    func becomeDownload(for client: any CallClient) {
        let isWhole = call.stage == .finished
        guard self.file == nil, isWhole || self.client != nil else { return }
        do throws(URLError) {
            let folder = settings.temporaryDirectory
            let file = try client.becomeDownload(in: folder, for: call.request.url, isWhole: isWhole)
            cache.dropPending()
            guard !isWhole else { return }
            self.file = file
        } catch {
            send(.cancelled)
            return client.failToBecomeDownload(error)
        }
        readMore()
    }

    // MARK: - Responses that need no network

    func beginServing(_ local: LocalResponse) {
        endSharing(.unshareable)
        forgetResponse()
        cache.dropPending()
        switch local.source {
        case .cache: break
        case .otherCall:
            // The call that made the transfer stores the response, unless it is a download.
            cache.leave()
            transfer.attempt = nil
        case .interceptor:
            settings.cookies?.store(local.head.fields, for: call.request.base)
            transfer.attempt = nil
        }
        transfer.setPause(.local, false)
        reportRequest(bodyLength: .zero)
        client?.receive(local.transaction(of: call.request.base))
    }

    /// Delivers the stored response that a 304 has validated; a validation in the background needs no response.
    func serveValidated() {
        let local = cache.validated(at: transfer.attempt?.timing.start)
        guard cache.isRevalidation, local != nil else { return send(local.map { .serve($0) } ?? .failed(nil)) }
        let client = client
        send(.cancelled)
        client?.receive(.finished(nil, file: nil))
    }

    /// Delivers as much of a local body as the client has room for.
    func feed() {
        guard let body = localBody, call.held == nil else { return }
        var rest = Self.deliveredPerTurn
        while client != nil, localBody != nil, transfer.pauses.isDisjoint(with: [.suspended, .clientIsFull]) {
            body.next(scratch: engine.scratch) { piece in
                switch piece {
                case .bytes(let bytes):
                    rest -= bytes.count
                    if !take(bytes) { send(.failed(nil)) }
                case .end:
                    localBody = nil
                    call.incoming.hasEnded = true
                    send(.drained)
                case .damaged:
                    localBody = nil
                    let policy = settings.cachePolicy(of: call.request.base)
                    send(.storedBodyIsDamaged(mayAsk: cache.removeDamaged(policy)))
                }
            }
            guard rest <= 0, localBody != nil, !transfer.pauses.contains(.clientIsFull) else { continue }
            setClientFull(true)
            perform(.readMore)
        }
    }

    // MARK: - The cache

    func beginStoring(_ head: ResponseHead, isDecoded: Bool, isRedirect: Bool) {
        guard cache.isInUse, var attempt = cacheAttempt else { return }
        if let sent = transfer.attempt { attempt.credential = call.sentCredential(sent) }
        let length = call.rest.expectedTotal
        cache.beginStoring(head, isDecoded: isDecoded, isRedirect: isRedirect, expectedLength: length, attempt)
    }

    /// The facts about the attempt that the cache needs.
    var cacheAttempt: CacheUse.Attempt? { transfer.attempt.map { call.cacheAttempt($0, self) } }
}
