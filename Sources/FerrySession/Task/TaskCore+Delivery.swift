/// Delivers events to the delegate or the completion handler.
extension TaskCore {
    /// An event with everything needed to deliver it, read under the lock.
    private struct Delivery {
        let event: TaskEvent
        let session: CurlSession
        let task: URLSessionTask
        let delegate: DelegateCasts
        let resultDelivery: ResultDelivery
        let tellsDelegate: Bool
        let driver: (any TaskDriver)?
        /// The number of the question to the delegate, if the event is one.
        var question = 0
        var data = Data()
        var counts = TransferCounts()
        var mustReadMore = false

        var downloadTask: URLSessionDownloadTask? { tellsDelegate ? task as? URLSessionDownloadTask : nil }
    }

    /// Delivers all events that can be delivered now; the caller must have claimed delivery with `claimDrain()`.
    func drain() {
        while let delivery = next() { deliver(delivery) }
    }

    /// Like ``drain()``, but delivers only one event and schedules the delivery of the next.
    func deliverOne() {
        guard let delivery = next() else { return }
        deliver(delivery)
        let hasMore = state.withLock { state in
            if !state.canDeliver { state.isDraining = false }
            return state.isDraining
        }
        if hasMore { scheduleDrain() }
    }

    private func next() -> Delivery? {
        state.withLock { state in
            guard state.canDeliver, let session = state.session, let task = state.task, let delegate = state.delegate
            else {
                state.isDraining = false
                return nil
            }
            var event = state.events.removeFirst()
            if case .completed = event, state.isClosed || state.refusal != nil {
                (event, state.error) = (.completed(state.refusal), state.refusal)
            }
            state.count(event)
            var delivery = Delivery(
                event: event,
                session: session,
                task: task,
                delegate: delegate,
                resultDelivery: state.resultDelivery,
                tellsDelegate: state.tellsDelegate,
                driver: state.driver
            )
            switch event {
            case .redirect, .needsBodyStream, .challenge, .response:
                state.questionCount += 1
                state.obstacle = .question(state.questionCount)
                delivery.question = state.questionCount
                if case .response(let response) = event { state.note(response) }
            case .data:
                delivery.data = state.buffer.takePiece()
                if state.tellsOwnDelegate { state.bodyForHandler.append(delivery.data) }
                state.counts.received.add(ByteCount(clamping: delivery.data.count))
                delivery.mustReadMore = state.isEngineWaiting
                state.isEngineWaiting = false
            case .becameDownload(let download):
                state.task = download
                state.weakTask = download
            case .completed(let error):
                state.lifecycle = .completed
                if let error { state.error = error }
                if case .data = state.resultDelivery {
                    delivery.data = state.tellsOwnDelegate ? state.bodyForHandler : state.buffer.takeData()
                    state.bodyForHandler = Data()
                }
            case .sent, .wrote, .rewound, .willRetry, .interim, .resumed, .downloaded, .willCache: break
            }
            delivery.counts = state.counts
            return delivery
        }
    }

    private func deliver(_ delivery: Delivery) {
        let (session, task, delegate, counts) = (delivery.session, delivery.task, delivery.delegate, delivery.counts)
        if case .completed(let error) = delivery.event { return complete(delivery, error) }
        progress.update(completed: counts.completed, total: counts.total)
        switch delivery.event {
        case .redirect(let response, let request): askRedirect(delivery, response, request)
        case .needsBodyStream: askBodyStream(delivery)
        case .challenge(let question): askCredential(delivery, question)
        case .response(let response): askDisposition(delivery, response)
        case .data:
            // The engine fills the next buffer while the delegate works on this one.
            if delivery.mustReadMore { delivery.driver?.perform(.readMore) }
            guard let task = task as? URLSessionDataTask, !delivery.data.isEmpty else { return }
            delegate.data?.urlSession(session, dataTask: task, didReceive: delivery.data)
        case .sent(let count, let expected):
            delegate.task?.urlSession(
                session,
                task: task,
                didSendBodyData: count.int64,
                totalBytesSent: counts.sent.int64,
                totalBytesExpectedToSend: expected.transferSize
            )
        case .wrote(let count):
            guard let task = delivery.downloadTask else { return }
            delegate.download?.urlSession(
                session,
                downloadTask: task,
                didWriteData: count.int64,
                totalBytesWritten: counts.received.int64,
                totalBytesExpectedToWrite: counts.expectedToReceive.transferSize
            )
        case .resumed(let offset, let total):
            guard let task = delivery.downloadTask else { return }
            delegate.download?.urlSession(
                session,
                downloadTask: task,
                didResumeAtOffset: offset.int64,
                expectedTotalBytes: total.transferSize
            )
        case .becameDownload(let download):
            let old = session.core.registry.withLock { $0.replace(download, identifier: identifier) }
            withExtendedLifetime(old) {}
            guard let task = task as? URLSessionDataTask else { return }
            delegate.data?.urlSession(session, dataTask: task, didBecome: download)
        case .downloaded(let file):
            guard delivery.resultDelivery.isDelegate else { return state.withLock { $0.finishedFile = file } }
            if let task = delivery.downloadTask {
                delegate.download?.urlSession(session, downloadTask: task, didFinishDownloadingTo: file.url)
            }
            file.remove()
        case .willCache(let candidate): Self.propose(candidate, session, task, delegate)
        case .willRetry(let retry): delegate.curl?.urlSession(session, task: task, willRetry: retry)
        case .interim(let response):
            delegate.curl?.urlSession(session, task: task, didReceiveInformationalResponse: response)
        case .rewound, .completed: break
        }
    }

    // MARK: - Questions to the delegate

    /// Accepts the answer to a question and acts on it, unless it is late or repeated; then delivers further events.
    private func accept(_ question: Int, holdingBack obstacle: Obstacle? = nil, _ act: () -> Void = {}) {
        let (isValid, mustDrain) = state.withLock { state in
            guard state.obstacle == .question(question) else { return (false, false) }
            state.obstacle = obstacle
            return (true, state.claimDrain())
        }
        if isValid { act() }
        if mustDrain { scheduleDrain() }
    }

    /// Asks the session's delegate on its queue, as long as the question has no answer.
    private func askNext(_ delivery: Delivery, _ ask: @escaping @Sendable () -> Void) {
        delivery.session.core.dispatcher.call { [self] in
            if state.withLock({ $0.obstacle == .question(delivery.question) }) { ask() }
        }
    }

    /// Asks the task's delegate, and if that follows the redirect to the same URL, the session's too.
    private func askRedirect(_ delivery: Delivery, _ response: HTTPURLResponse, _ request: URLRequest) {
        let (session, task) = (delivery.session, delivery.task)
        typealias Answer = @Sendable (URLRequest?) -> Void
        let answer: Answer = { [self] next in
            accept(delivery.question) {
                if let driver = delivery.driver { followRedirect(response, to: next, driver) }
            }
        }
        let ask = { @Sendable (casts: DelegateCasts, request: URLRequest, answer: @escaping Answer) in
            guard let delegate = casts.task else { return answer(request) }
            delegate.urlSession(
                session,
                task: task,
                willPerformHTTPRedirection: response,
                newRequest: request,
                completionHandler: answer
            )
        }
        ask(delivery.delegate, request) { [self] next in
            guard let next, next.url == request.url, let casts = delivery.delegate.session else { return answer(next) }
            askNext(delivery) { ask(casts, next, answer) }
        }
    }

    /// Asks the task's delegate, then the session's, then uses the stored credential.
    private func askCredential(_ delivery: Delivery, _ question: AuthenticationQuestion) {
        let (session, task) = (delivery.session, delivery.task)
        let answer: ChallengeSender.Answer = { [self] disposition, credential in
            let used = disposition == .performDefaultHandling ? question.proposed : credential
            accept(delivery.question) { delivery.driver?.perform(.authenticate(disposition, used)) }
        }
        let delegate = session.delegate
        let askSession: ChallengeSender.Answer = { [self] disposition, credential in
            guard disposition == .performDefaultHandling, let delegate else { return answer(disposition, credential) }
            askNext(delivery) {
                delegate.urlSession(session, didReceive: question.challenge(answer), completionHandler: answer)
            }
        }
        guard let delegate = delivery.delegate.task else { return askSession(.performDefaultHandling, nil) }
        let challenge = question.challenge(askSession)
        delegate.urlSession(session, task: task, didReceive: challenge, completionHandler: askSession)
    }

    private func askBodyStream(_ delivery: Delivery) {
        let answer: @Sendable (InputStream?) -> Void = { [self] stream in
            accept(delivery.question) {
                // The first answer consumes the request's own stream, whichever stream the delegate provides.
                let own = requestStream()
                delivery.driver?.perform(.bodyStream((stream ?? own).map(StreamBox.init)))
            }
        }
        let (session, task) = (delivery.session, delivery.task)
        guard let delegate = delivery.delegate.task else { return answer(nil) }
        delegate.urlSession(session, task: task) { [self] stream in
            guard stream == nil, let next = delivery.delegate.session?.task else { return answer(stream) }
            askNext(delivery) { next.urlSession(session, task: task, needNewBodyStream: answer) }
        }
    }

    /// Returns the stream of a streamed upload's request, on the first call only.
    private func requestStream() -> InputStream? {
        state.withLock { state -> StreamBox? in
            guard case .delegateStream = state.body else { return nil }
            state.body = .none
            return (state.originalRequest?.httpBodyStream).map(StreamBox.init)
        }?.stream
    }

    private func askDisposition(_ delivery: Delivery, _ response: ReceivedResponse) {
        // A delivery is large, so the closures have only these parts of it.
        let (question, driver) = (delivery.question, delivery.driver)
        let isForDelegate = delivery.resultDelivery.isDelegate
        if case .stream(let stream, let refusal) = delivery.resultDelivery {
            if let error = refusal?(response.value) { state.withLock { $0.refusal = error } }
            accept(question)
            return stream.respond(response)
        }
        guard let delegate = delivery.delegate.data, let task = delivery.task as? URLSessionDataTask else {
            return accept(question)
        }
        let answer: @Sendable (URLSession.ResponseDisposition) -> Void = { [self] disposition in
            // `cancel()` discards the queued events itself; answering first could deliver one of them.
            if disposition == .cancel {
                if state.withLock({ $0.obstacle == .question(question) }) { cancel() }
                return
            }
            // FoundationNetworking deprecates `becomeDownload`, because it does not support it.
            let becomeDownload = 2
            // A handler or an `async` function expects the data, and a task that has failed stays what it is.
            guard disposition.rawValue == becomeDownload, isForDelegate, !state.withLock({ $0.hasFailed })
            else { return accept(question) }
            // Conversion to a download holds back further events until the engine has finished it.
            accept(question, holdingBack: .conversion) { driver?.perform(.becomeDownload(self)) }
        }
        let session = delivery.session
        if let delegate = delivery.delegate.received {
            delegate.urlSession(session, dataTask: task, didReceive: response, completionHandler: answer)
        } else {
            delegate.urlSession(session, dataTask: task, didReceive: response.value, completionHandler: answer)
        }
    }

    /// Asks the delegate what to store; the task does not wait for the answer.
    private static func propose(
        _ candidate: CacheCandidate,
        _ session: CurlSession,
        _ task: URLSessionTask,
        _ delegate: DelegateCasts
    ) {
        guard let delegate = delegate.data, let task = task as? URLSessionDataTask, let proposal = candidate.proposal()
        else { return candidate.store() }
        delegate.urlSession(session, dataTask: task, willCacheResponse: proposal) { answer in
            candidate.store(answer, insteadOf: proposal)
        }
    }

    /// Returns a function that asks the delegate what to store, also after the end of the task.
    func makeStoring() -> @Sendable (CacheCandidate) -> Void {
        let (session, task, delegate) = state.withLock { state in
            (state.session, state.task, state.tellsDelegate ? state.delegate : nil)
        }
        guard let session, let task, let delegate, delegate.data != nil else { return { $0.store() } }
        return { candidate in session.delegateQueue.deliver { Self.propose(candidate, session, task, delegate) } }
    }

    // MARK: - Completion

    private func complete(_ delivery: Delivery, _ error: (any Error)?) {
        let (session, task) = (delivery.session, delivery.task)
        if error == nil { progress.finish(completed: delivery.counts.completed) }
        let (response, file, resumeDataHandler, body, metrics) = state.withLock { state in
            state.measure()
            return (state.response, state.finishedFile, state.resumeDataHandler, state.body, state.metrics)
        }
        // Before the program receives the end, a body that was never read is closed for its writer.
        if case .made(let body) = body { body.abandon() }
        resumeDataHandler?(ResumeData.data(of: error))
        delivery.delegate.curl?.urlSession(session, task: task, didFinishCollecting: metrics)
        switch delivery.resultDelivery {
        case .delegate:
            let delegate = delivery.delegate
            let isPassedOn = delegate.leavesBody(ofDownload: task is URLSessionDownloadTask)
            // FoundationNetworking's default method passes the end on too, as long as the task has its own delegate.
            if isPassedOn { setDelegate(nil) }
            delegate.task?.urlSession(session, task: task, didCompleteWithError: error)
            if isPassedOn {
                delegate.session?.task?.urlSession(session, task: task, didCompleteWithError: error)
            } else if delegate.session != nil {
                session.taskObserver?.session(session, ownDelegateDidEnd: task, error: error)
            }
        case .data(let handler, _): handler(error == nil ? delivery.data : nil, response, error)
        case .download(let handler, let isAsync):
            handler(error == nil ? file?.url : nil, response, error)
            if !isAsync || error != nil { file?.remove() }
        case .stream(let stream, let refusal):
            if refusal != nil { delivery.delegate.task?.urlSession(session, task: task, didCompleteWithError: error) }
            stream.finish(error)
        }
        if !release() { session.core.endDurableTask(identifier, error) }
        session.core.forget(identifier)
    }

    /// Releases everything that a finished task no longer needs; returns whether the delegate ends its durable record.
    private func release() -> Bool {
        let (kept, keepsRecord) = state.withLock { state in
            let delegates = (state.ownDelegate, state.sessionDelegate)
            let bodies = (state.body, state.redirectedBody)
            // The handlers may retain the task.
            let handlers = (state.resultDelivery, state.resumeDataHandler)
            let kept = (state.session, state.sessionCore, state.task, delegates, state.driver, bodies, handlers)
            // As in URLSession, a task retains its own delegate until it is complete.
            (state.session, state.sessionCore, state.task, state.driver) = (nil, nil, nil, nil)
            (state.ownDelegate, state.sessionDelegate) = (nil, nil)
            state.finishedFile = nil
            (state.body, state.redirectedBody) = (.none, nil)
            (state.resultDelivery, state.resumeDataHandler) = (.delegate, nil)
            state.isDraining = false
            return (kept, state.keepsDurableRecord)
        }
        withExtendedLifetime(kept) {}
        return keepsRecord
    }
}
