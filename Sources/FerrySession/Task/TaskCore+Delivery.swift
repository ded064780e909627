/// Delivers events to the delegate or the completion handler.
extension TaskCore {
    /// An event with everything needed to deliver it, read under the lock.
    private struct Delivery {
        var event: TaskEvent
        var session: CurlSession
        var task: URLSessionTask
        var delegate: DelegateCasts
        var resultDelivery: ResultDelivery
        /// Whether the delegate receives the events of a download.
        var tellsDelegate: Bool
        var driver: (any TaskDriver)?
        var question: Int?
        var data = Data()
        var sent = ByteCount.zero
        var received = ByteCount.zero
        var expectedToReceive: ByteCount?
        var counts = ProgressCounts(completed: .zero, total: .zero)
        var mustReadMore = false
    }

    /// Delivers all events that can be delivered now; the caller must have claimed delivery with `claimDrain()`.
    func drain() {
        while let delivery = next() { deliver(delivery) }
    }

    /// Delivers one event and schedules the delivery of the next; the caller must have claimed delivery with
    /// `claimDrain()`.
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
            guard state.canDeliver, let session = state.session, let task = state.task else {
                state.isDraining = false
                return nil
            }
            let event = state.events.removeFirst()
            state.count(event)
            var delivery = Delivery(
                event: event,
                session: session,
                task: task,
                delegate: state.ownDelegate ?? session.casts,
                resultDelivery: state.resultDelivery,
                tellsDelegate: state.resultDelivery.isDelegate || state.tellsOwnDelegate,
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
                state.bytesReceived.add(ByteCount(clamping: delivery.data.count))
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
            case .sent, .wrote, .rewound, .resumed, .downloaded, .willCache:
                break
            }
            delivery.sent = state.bytesSent
            delivery.received = state.bytesReceived
            delivery.expectedToReceive = state.bytesExpectedToReceive
            delivery.counts = state.counts
            return delivery
        }
    }

    private func deliver(_ delivery: Delivery) {
        if case .completed = delivery.event {
        } else {
            progress.update(completed: delivery.counts.completed, total: delivery.counts.total)
        }
        let (session, task) = (delivery.session, delivery.task)
        switch delivery.event {
        case .redirect(let response, let request):
            askRedirect(delivery, response, request)
        case .needsBodyStream:
            askBodyStream(delivery)
        case .challenge(let question):
            askCredential(delivery, question)
        case .response(let response):
            askDisposition(delivery, response)
        case .data:
            // The engine fills the next buffer while the delegate works on this one.
            if delivery.mustReadMore { delivery.driver?.perform(.readMore) }
            guard let task = task as? URLSessionDataTask, !delivery.data.isEmpty else { return }
            delivery.delegate.data?.urlSession(session, dataTask: task, didReceive: delivery.data)
        case .sent(let count, let expected):
            delivery.delegate.task?.urlSession(
                session,
                task: task,
                didSendBodyData: count.int64,
                totalBytesSent: delivery.sent.int64,
                totalBytesExpectedToSend: expected.transferSize
            )
        case .wrote(let count):
            guard delivery.tellsDelegate, let task = task as? URLSessionDownloadTask else { return }
            delivery.delegate.download?.urlSession(
                session,
                downloadTask: task,
                didWriteData: count.int64,
                totalBytesWritten: delivery.received.int64,
                totalBytesExpectedToWrite: delivery.expectedToReceive.transferSize
            )
        case .resumed(let offset, let total):
            guard delivery.tellsDelegate, let task = task as? URLSessionDownloadTask else { return }
            delivery.delegate.download?.urlSession(
                session,
                downloadTask: task,
                didResumeAtOffset: offset.int64,
                expectedTotalBytes: total.transferSize
            )
        case .becameDownload(let download):
            let old = session.registry.withLock { $0.replace(download, identifier: identifier) }
            withExtendedLifetime(old) {}
            guard let task = task as? URLSessionDataTask else { return }
            delivery.delegate.data?.urlSession(session, dataTask: task, didBecome: download)
        case .downloaded(let file):
            deliverFile(delivery, file)
        case .rewound:
            break
        case .willCache(let candidate):
            propose(delivery, candidate)
        case .completed(let error):
            complete(delivery, error)
        }
    }

    // MARK: - Questions to the delegate

    /// Accepts the answer to the question `number`; late and repeated answers are ignored.
    private func answered(_ number: Int?, _ isEnding: Bool = true) -> (isValid: Bool, mustDrain: Bool) {
        state.withLock { state in
            guard let number, state.obstacle == .question(number) else { return (false, false) }
            // Conversion to a download holds back further events until the engine has finished it.
            state.obstacle = isEnding ? nil : .conversion
            return (true, state.claimDrain())
        }
    }

    private func askRedirect(_ delivery: Delivery, _ response: HTTPURLResponse, _ request: URLRequest) {
        let answer: @Sendable (URLRequest?) -> Void = { [self] next in
            let (isValid, mustDrain) = answered(delivery.question)
            guard isValid else { return }
            if let driver = delivery.driver { followRedirect(response, to: next, driver) }
            if mustDrain { scheduleDrain() }
        }
        guard let delegate = delivery.delegate.task else { return answer(request) }
        delegate.urlSession(
            delivery.session,
            task: delivery.task,
            willPerformHTTPRedirection: response,
            newRequest: request,
            completionHandler: answer
        )
    }

    /// Asks the task's delegate, then the session's, then uses the stored credential.
    private func askCredential(_ delivery: Delivery, _ question: AuthenticationQuestion) {
        let answer: ChallengeSender.Answer = { [self] disposition, credential in
            let (isValid, mustDrain) = answered(delivery.question)
            guard isValid else { return }
            let used = disposition == .performDefaultHandling ? question.proposed : credential
            delivery.driver?.perform(.authenticate(disposition, used))
            if mustDrain { scheduleDrain() }
        }
        let (session, task) = (delivery.session, delivery.task)
        let delegate = session.delegate
        let askSession: ChallengeSender.Answer = { disposition, credential in
            guard disposition == .performDefaultHandling, let delegate else { return answer(disposition, credential) }
            delegate.urlSession(session, didReceive: question.challenge(answer), completionHandler: answer)
        }
        guard let delegate = delivery.delegate.task else { return askSession(.performDefaultHandling, nil) }
        delegate.urlSession(
            session,
            task: task,
            didReceive: question.challenge(askSession),
            completionHandler: askSession
        )
    }

    private func askBodyStream(_ delivery: Delivery) {
        let answer: @Sendable (InputStream?) -> Void = { [self] stream in
            let (isValid, mustDrain) = answered(delivery.question)
            guard isValid else { return }
            // The request's own stream is used once: the first answer consumes it, whichever stream the delegate
            // provides.
            let own = requestStream()
            let box = (stream ?? own).map(StreamBox.init)
            delivery.driver?.perform(.bodyStream(box))
            if mustDrain { scheduleDrain() }
        }
        guard let delegate = delivery.delegate.task else { return answer(nil) }
        delegate.urlSession(delivery.session, task: delivery.task, needNewBodyStream: answer)
    }

    /// Returns the stream of a streamed upload's request, on the first call only.
    private func requestStream() -> InputStream? {
        state.withLock { state -> StreamBox? in
            guard case .delegateStream = state.body else { return nil }
            state.body = .none
            return StreamBox(optional: state.originalRequest?.httpBodyStream)
        }?.stream
    }

    private func askDisposition(_ delivery: Delivery, _ response: ReceivedResponse) {
        if case .stream(let stream) = delivery.resultDelivery {
            _ = answered(delivery.question)
            return stream.respond(response)
        }
        guard let delegate = delivery.delegate.data, let task = delivery.task as? URLSessionDataTask else {
            _ = answered(delivery.question)
            return
        }
        delegate.urlSession(delivery.session, dataTask: task, didReceive: response.value) { [self] disposition in
            // `cancel()` discards the queued events itself; answering first could deliver one of them.
            if disposition == .cancel { return isAwaiting(delivery.question) ? cancel() : () }
            // Tasks with a handler or an `async` function do not become downloads, since those expect the data.
            let becomesDownload =
                disposition.rawValue == Self.becomeDownload && delivery.resultDelivery.isDelegate && mayBecomeDownload()
            let (isValid, mustDrain) = answered(delivery.question, !becomesDownload)
            guard isValid else { return }
            if becomesDownload, let driver = delivery.driver {
                return driver.perform(.becomeDownload(self))
            }
            if mustDrain { scheduleDrain() }
        }
    }

    private func isAwaiting(_ number: Int?) -> Bool {
        state.withLock { state in number.map { state.obstacle == .question($0) } ?? false }
    }

    /// `ResponseDisposition.becomeDownload`, which FoundationNetworking deprecates because it does not support it.
    private static let becomeDownload = 2

    /// Whether the task may become a download, which it may not once it has failed.
    private func mayBecomeDownload() -> Bool {
        state.withLock { !$0.hasFailed }
    }

    /// Asks the delegate what to store; the task does not wait for the answer.
    private func propose(_ delivery: Delivery, _ candidate: CacheCandidate) {
        guard let delegate = delivery.delegate.data, let task = delivery.task as? URLSessionDataTask,
            let proposal = candidate.proposal()
        else { return candidate.store() }
        delegate.urlSession(delivery.session, dataTask: task, willCacheResponse: proposal) { answer in
            candidate.store(answer, insteadOf: proposal)
        }
    }

    // MARK: - Completion

    private func deliverFile(_ delivery: Delivery, _ file: DownloadFile) {
        switch delivery.resultDelivery {
        case .delegate:
            if let task = delivery.task as? URLSessionDownloadTask {
                delivery.delegate.download?.urlSession(
                    delivery.session,
                    downloadTask: task,
                    didFinishDownloadingTo: file.url
                )
            }
            file.remove()
        case .data, .download, .stream:
            state.withLock { $0.finishedFile = file }
        }
    }

    private func complete(_ delivery: Delivery, _ error: (any Error)?) {
        if error == nil { progress.finish(completed: delivery.counts.completed) }
        let (response, file, resumeDataHandler) = state.withLock { state in
            (state.response, state.finishedFile, state.resumeDataHandler)
        }
        resumeDataHandler?.call((error as? URLError)?.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        if let delegate = delivery.delegate.metrics {
            let metrics = state.withLock { $0.metrics }
            delegate.urlSession(delivery.session, task: delivery.task, didFinishCollecting: metrics)
        }
        switch delivery.resultDelivery {
        case .delegate:
            delivery.delegate.task?.urlSession(delivery.session, task: delivery.task, didCompleteWithError: error)
        case .data(let handler, _):
            handler(error == nil ? delivery.data : nil, response, error)
        case .download(let handler, let isAsync):
            handler(error == nil ? file?.url : nil, response, error)
            if !isAsync || error != nil { file?.remove() }
        case .stream(let stream):
            stream.finish(error)
        }
        release()
        delivery.session.forget(identifier)
    }

    /// Releases everything that a finished task no longer needs.
    private func release() {
        let kept = state.withLock { state in
            let kept = (state.session, state.task, state.ownDelegate, state.driver)
            // As in URLSession, a task retains its own delegate until it is complete.
            (state.session, state.task, state.ownDelegate, state.driver) = (nil, nil, nil, nil)
            state.finishedFile = nil
            state.resumeDataHandler = nil
            state.isDraining = false
            return kept
        }
        withExtendedLifetime(kept) {}
    }
}
