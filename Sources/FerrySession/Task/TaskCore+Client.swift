/// Receives the reports of a task's call, on the engine's thread.
extension TaskCore: CallClient {
    var collectsBody: Bool { state.withLock { if case .data = $0.resultDelivery { true } else { false } } }
    var deliversAtEnd: Bool {
        state.withLock { state in
            switch state.resultDelivery {
            case .data: !state.tellsOwnDelegate
            case .download: true
            case .delegate: state.isDownload || state.delegateCollects
            case .stream: false
            }
        }
    }

    var isSuspended: Bool { state.withLock { $0.isSuspended } }
    var wantsPrebuiltResponse: Bool { state.withLock { !$0.resultDelivery.isAsync && $0.delegate?.received == nil } }
    var wantsInterimResponses: Bool { state.withLock { $0.delegate?.curl != nil } }

    func receive(_ report: CallReport) {
        switch report {
        case .sends(let request, let bodyLength):
            state.withLock { ($0.currentRequest, $0.counts.expectedToSend) = (request, bodyLength) }
        case .event(let event): post(event)
        case .response(let response): didReceive(response)
        case .refused(let response): state.withLock { if $0.lifecycle == .active { $0.note(response) } }
        case .writes(let partial): noteDurably { $0.partial = partial }
        case .redirect(let response, let request, let body): willRedirect(response, to: request, body)
        case .retries(let retry): willRetry(retry)
        case .notRetried(let reason): state.withLock { $0.metrics.retryRefusal = reason }
        case .discardsBody: discardBody()
        case .exceedsDeadline: stopWaitingForDelegate()
        case .becameDownload(let count, let finished): didBecomeDownload(count, finished)
        case .stores(let candidate):
            let isAsked = state.withLock { $0.tellsDelegate && $0.delegate?.data != nil }
            if isAsked { post(.willCache(candidate)) } else { candidate.store() }
        case .cancelled(let resumeData): didCancel(resumeData)
        case .finished(let error, let file): didFinish(error, file)
        }
    }

    func receive(_ transaction: TaskMetrics.Transaction) {
        state.withLock { state in
            state.metrics.note(transaction)
            state.measure()
        }
    }

    private func didReceive(_ response: ReceivedResponse) {
        change { state in
            guard state.lifecycle == .active else { return false }
            if state.tellsResponse {
                state.append(.response(response))
                return state.claimDrain()
            }
            state.note(response)
            // Limits what is reserved in advance: a server may announce more than it sends.
            let most: Int64 = 67_108_864
            if case .data = state.resultDelivery, let length = response.expectedLength, length > .zero {
                _ = state.buffer.reserve(Int(min(length.int64, most)))
            }
            return false
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Flow {
        var unflushed: (ByteStream, DelegateDispatcher)?
        var passing: (ByteStream, DelegateDispatcher?)?
        let (flow, mustDrain, update) = state.withLock { state -> (Flow, Bool, TransferCounts?) in
            guard state.lifecycle == .active else { return (.more, false, nil) }
            if case .stream(let stream, _) = state.resultDelivery {
                state.counts.received.add(ByteCount(clamping: bytes.count))
                guard let (flow, mustFlush) = stream.append(bytes, limit: limit) else {
                    passing = (stream, state.session?.dispatcher)
                    return (.more, false, state.counts)
                }
                if flow == .wait { state.isEngineWaiting = true }
                if mustFlush, let session = state.session { unflushed = (stream, session.dispatcher) }
                return (flow, false, state.counts)
            }
            if case .data = state.resultDelivery,
                state.buffer.count + state.bodyForHandler.count > state.maximumBodySize - bytes.count
            {
                return (.tooLarge, false, nil)
            }
            guard state.buffer.append(bytes) else { return (.noMemory, false, nil) }
            if case .data = state.resultDelivery, !state.tellsOwnDelegate {
                state.counts.received.add(ByteCount(clamping: bytes.count))
                return (.more, false, state.counts)
            }
            state.append(.data)
            let isFull = state.buffer.count >= limit
            if isFull { state.isEngineWaiting = true }
            return (isFull ? .wait : .more, state.claimDrain(), nil)
        }
        if let (stream, dispatcher) = unflushed { dispatcher.flushAtEndOfTurn(stream) }
        if let (stream, dispatcher) = passing, stream.passOn(bytes) { dispatcher?.flushAtEndOfTurn(stream) }
        if let update { progress.update(completed: update.completed, total: update.total) }
        if mustDrain { scheduleDrain() }
        return flow
    }

    private func didCancel(_ resumeData: Data?) {
        change { state in
            // The error is set already, unless the task was cancelled to produce resume data.
            let cancelled = state.error as? URLError ?? .ferryCancelled(url: state.originalRequest?.url)
            // Neither a protocol class nor the search for one uses the partial file.
            let isUnused = state.resumeDataHandler != nil && !(state.driver is CallDriver) && state.redirectCount == 0
            let unused = isUnused ? state.resumeData?.encoded() : nil
            let data = resumeData ?? state.resumeDataOfFailure ?? unused
            let error = data.map(cancelled.withResumeData) ?? cancelled
            state.resumeDataOfFailure = nil
            state.error = error
            state.events = [.completed(error)]
            return state.claimDrain()
        }
    }

    private func willRetry(_ retry: TaskMetrics.Retry) {
        let hasListener = state.withLock { state in
            state.metrics.note(retry)
            return state.delegate?.curl != nil
        }
        if hasListener { post(.willRetry(retry)) }
    }

    private func stopWaitingForDelegate() {
        let undelivered = state.withLock { state -> [TaskEvent] in
            let asks = state.events.contains {
                switch $0 {
                case .redirect, .challenge, .needsBodyStream, .response: true
                default: false
                }
            }
            guard state.lifecycle == .active, asks || state.obstacle != nil else { return [] }
            state.obstacle = nil
            return state.takeUndelivered()
        }
        undelivered.discardFiles()
    }

    private func discardBody() {
        state.withLock { state in
            // An event of the earlier body would take bytes of the next one.
            state.events.removeAll {
                switch $0 {
                case .data, .wrote, .resumed: true
                default: false
                }
            }
            state.buffer = ByteBuffer()
            state.isEngineWaiting = false
            state.counts.received = .zero
        }
    }

    private func willRedirect(_ response: HTTPURLResponse, to request: URLRequest, _ body: BodySource?) {
        // A redirect back to the origin does not reset `hasLeftOrigin`, since another origin has chosen that URL.
        let leavesOrigin = response.url.map { Origin($0) } != request.url.map { Origin($0) }
        let old = state.withLock { state in
            defer { state.redirectedBody = body }
            state.redirectCount += 1
            if leavesOrigin { state.hasLeftOrigin = true }
            return state.redirectedBody
        }
        // A stream is the user's object, and is released outside the lock.
        withExtendedLifetime(old) {}
        post(.redirect(response, request))
    }

    func takeBuffer() -> Data {
        state.withLock { state in
            state.events.removeAll { if case .data = $0 { true } else { false } }
            return state.buffer.takeData()
        }
    }

    private func didBecomeDownload(_ count: ByteCount, _ file: DownloadFile?) {
        let priority = priority
        let task = CurlDownloadTask(core: self)
        task.priority = priority
        let (mustDrain, isTaken) = state.withLock { state -> (Bool, Bool) in
            guard state.lifecycle == .active else { return (false, false) }
            var events: [TaskEvent] = [.becameDownload(task)]
            if count > .zero { events.append(.wrote(count)) }
            let isTaken = !state.hasFailed
            if let file, isTaken { events.append(.downloaded(file)) }
            state.events.insert(contentsOf: events, at: 0)
            state.isDownload = true
            state.obstacle = nil
            return (state.claimDrain(), isTaken)
        }
        if !isTaken { file?.remove() }
        if mustDrain { scheduleDrain() }
    }

    private func didFinish(_ error: (any Error)?, _ file: DownloadFile?) {
        let (isWanted, keepsResumeData, mustDrain) = state.withLock { state -> (Bool, Bool, Bool) in
            guard state.lifecycle == .active else {
                // The transfer has failed while it was being cancelled with resume data.
                guard state.resumeDataHandler != nil, let data = ResumeData.data(of: error) else {
                    return (false, false, false)
                }
                state.resumeDataOfFailure = data
                return (false, true, false)
            }
            state.events.removeAll { if case .completed = $0 { true } else { false } }
            if let file { state.append(.downloaded(file)) }
            state.append(.completed(error))
            return (true, false, state.claimDrain())
        }
        guard isWanted else {
            file?.remove()
            if !keepsResumeData { ResumeData.discard(error) }
            return
        }
        if mustDrain { scheduleDrain() }
    }
}
