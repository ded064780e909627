/// One transfer for requests that are identical, where the session's options allow that.
extension Exchange {
    /// Waits for an identical request that is in flight, and returns whether there is one.
    ///
    /// If there is none, others may wait for this one.
    func mustWaitForIdenticalRequest() -> Bool {
        guard settings.coalescesIdenticalRequests else { return false }
        if let shared = caching.shared {
            // On a new connection; cookies and interceptors may have changed the request since the others began to
            // wait.
            if sharingKey != shared.key { endSharing(.unshareable) }
            return false
        }
        guard let key = sharingKey else { return false }
        guard let transfer = group.sharedTransfers.transfer(with: key) else {
            caching.shared = group.sharedTransfers.open(key)
            return false
        }
        transfer.add(self)
        engine.wait(self.transfer)
        phase = .waitingForIdenticalRequest
        clock.pauseInactivity(true, at: .now())
        return true
    }

    /// What identical requests have in common; `nil` if the response to this one is for this exchange alone.
    private var sharingKey: SharedTransfer.Key? {
        guard method == "GET", body.isNone, continuation.offset == nil, !continuation.isResuming,
            !caching.isUnshareable, !caching.isRevalidation, caching.context?.conditions.isEmpty ?? true,
            transfer.downloadLimits.task == nil, authentication.server.isUnused, authentication.proxy.isUnused,
            let prepared = attempt?.prepared
        else { return nil }
        return SharedTransfer.Key(
            origin: prepared.origin,
            url: prepared.url,
            lines: prepared.fields.map(\.line).sorted() + prepared.proxyFields.map(\.line),
            cachePolicy: cachePolicy.rawValue,
            inactivity: clock.limits.inactivity,
            priority: transfer.priority,
            hasLeftOrigin: redirects.hasLeftOrigin,
            trustRevision: engine.trust.current.revision,
            handlesCookies: request.httpShouldHandleCookies,
            mainDocumentURL: request.mainDocumentURL
        )
    }

    /// Prevents later requests from waiting for earlier ones, since a request with this method may change what it
    /// returns.
    func noteUnsafeRequest(to origin: Origin) {
        guard settings.coalescesIdenticalRequests, !RepetitionRule.isSafe(method) else { return }
        group.sharedTransfers.close(origin)
    }

    // MARK: - The exchange that others wait for

    /// Notes a response that the others can have when it is complete.
    func beginSharing(_ head: ResponseHead, isDecoded: Bool) {
        guard let transfer = caching.shared else { return }
        let length = head.value("Content-Length").flatMap { ByteCount(digits: $0) } ?? .zero
        if length.int64 > Int64(SharedTransfer.largestBody) { return endSharing(.unshareable) }
        transfer.begin(head, isDecoded: isDecoded)
    }

    /// Keeps bytes of the body for the others.
    func share(_ bytes: UnsafeRawBufferPointer) {
        if caching.shared?.append(bytes) == false { endSharing(.unshareable) }
    }

    /// Passes the complete response to the others.
    func shareResponse() {
        guard let transfer = caching.shared else { return }
        let response = transfer.response(trailers: attempt?.trailers ?? [])
        endSharing(response.map { .response($0) } ?? .unshareable)
    }

    /// Ends the wait of the others before what follows the end of the attempt.
    ///
    /// Each of them goes on by itself then, since the next attempt may send another request. They go on waiting for a
    /// response that is being delivered, and for the same request on a new connection.
    func endSharing(before next: AttemptEnd.Next, _ error: URLError?, wasSent: Bool) {
        switch next {
        case .finish, .waitForTrust, .again(.onNewConnection): break
        case .ask where error == nil && incoming.decoder.map { $0.isDrained && $0.mayEnd } ?? true: shareResponse()
        case .fail(.transport), .fail(.noResponse):
            endSharing(error.map { .failure($0, wasSent: wasSent) } ?? .unshareable)
        case .ask, .askForTunnel, .again, .fail(.own), .serveValidated, .serveStale: endSharing(.unshareable)
        }
    }

    /// Ends the wait of the others.
    func endSharing(_ end: SharedTransfer.End) {
        guard let transfer = caching.shared else { return }
        caching.shared = nil
        group.sharedTransfers.close(transfer)
        let waiting = transfer.takeWaiting()
        // As a command, since libcurl may be delivering bytes just now.
        guard !waiting.isEmpty else { return }
        engine.submit(.run { for exchange in waiting { exchange.sharedTransferEnded(end) } })
    }

    // MARK: - The exchanges that wait

    /// Goes on after the transfer that the exchange has waited for.
    func sharedTransferEnded(_ end: SharedTransfer.End) {
        guard client != nil, phase == .waitingForIdenticalRequest, engine.endWait(transfer) else { return }
        phase = .idle
        clock.pauseInactivity(false, at: .now())
        guard !isSuspended else {
            phase = .parked
            return
        }
        switch end {
        case .response(let response): serve(response)
        case .failure(let error, let wasSent): recover(from: error, wasSent: wasSent)
        case .unshareable:
            caching.isUnshareable = true
            start()
        case .abandoned: start()
        }
    }

    /// Delivers the response to an identical request as one from the network would be.
    private func serve(_ shared: SharedResponse) {
        attempt = nil
        guard let url = request.url else { return failAttempt() }
        let received = ReceivedResponse(shared.head, url: url, isDecoded: shared.isDecoded)
        received.add(shared.trailers)
        beginServing(.shared(request, status: shared.head.status))
        // The first exchange stores it, unless it is a download.
        caching.context = nil
        let question = redirect(for: received, head: shared.head) ?? heldResponse(received, status: shared.head.status)
        if let question { return serve(question, body: shared.body) }
        deliver(received, body: .data(shared.body))
    }
}
