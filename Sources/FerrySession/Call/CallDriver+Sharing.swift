/// One transfer for requests that are identical, where the session's options allow that.
extension CallDriver {
    /// Waits for an identical request that is in flight, and returns whether there is one.
    ///
    /// If there is none, others may wait for this one.
    func mustWaitForIdenticalRequest() -> Bool {
        if let shared {
            // The request is sent again on a new connection. Cookies and interceptors may have changed it.
            if sharingKey != shared.key { endSharing(.unshareable) }
            return false
        }
        guard let key = sharingKey else { return false }
        guard let other = group.sharedTransfers[key] else {
            let transfer = SharedTransfer(key)
            shared = transfer
            group.sharedTransfers[key] = transfer
            return false
        }
        other.add(self)
        engine.wait(transfer)
        transfer.clock.pauseInactivity(true, at: .now())
        return true
    }

    /// The properties that identical requests share; `nil` if the response is for this call alone.
    private var sharingKey: SharedTransfer.Key? {
        guard !isUnshareable, !cache.isRevalidation, !cache.isConditional, transfer.downloadLimits.task == nil,
            let prepared = transfer.attempt?.prepared
        else { return nil }
        return SharedTransfer.Key(
            origin: prepared.origin,
            url: prepared.url,
            lines: (prepared.fields.map(\.line).sorted() + prepared.proxyFields.map(\.line)).map { Array($0.utf8) },
            cachePolicy: settings.cachePolicy(of: call.request.base).rawValue,
            inactivity: transfer.clock.limits.inactivity,
            priority: transfer.priority,
            hasLeftOrigin: call.redirects.hasLeftOrigin,
            trustRevision: engine.trust.current.revision,
            handlesCookies: call.request.base.httpShouldHandleCookies,
            mainDocumentURL: call.request.base.mainDocumentURL
        )
    }

    // MARK: - The call that others wait for

    /// Notes a response that the waiting calls can use when it is complete.
    func beginSharing(_ head: ResponseHead, isDecoded: Bool) {
        guard let shared else { return }
        let length = head.value("Content-Length").flatMap { ByteCount(digits: $0) } ?? .zero
        if length.int64 > Int64(SharedTransfer.maximumBodySize) { return endSharing(.unshareable) }
        shared.begin(head, isDecoded: isDecoded)
    }

    /// Keeps bytes of the body for the others.
    func share(_ bytes: UnsafeRawBufferPointer) {
        if shared?.append(bytes) == false { endSharing(.unshareable) }
    }

    /// Passes the complete response to the others.
    func shareResponse() {
        guard let shared else { return }
        let response = shared.response(trailers: transfer.attempt?.trailers ?? [])
        endSharing(response.map { .response($0) } ?? .unshareable)
    }

    /// Ends the wait of the others.
    func endSharing(_ end: SharedTransfer.End) {
        guard let shared else { return }
        self.shared = nil
        if group.sharedTransfers[shared.key] === shared { group.sharedTransfers[shared.key] = nil }
        let waiting = shared.takeWaiting()
        // As a command, since libcurl may be delivering bytes just now.
        guard !waiting.isEmpty else { return }
        engine.submit(.run { for driver in waiting { driver.sharedTransferEnded(end) } })
    }

    // MARK: - The calls that wait

    /// Continues when the transfer that the call has waited for has ended.
    private func sharedTransferEnded(_ end: SharedTransfer.End) {
        guard client != nil, call.stage == .waitingForIdenticalRequest else { return }
        transfer.clock.pauseInactivity(false, at: .now())
        if case .unshareable = end { isUnshareable = true }
        send(.otherEnded(end))
    }
}
