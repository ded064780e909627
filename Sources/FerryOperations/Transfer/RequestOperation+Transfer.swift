/// One transfer of an operation, from its start or resumption to the next pause or the end.
///
/// It retains the operation while it runs. The operation ignores the events of earlier transfers.
final class OperationTransfer: BodySink {
    private let operation: RequestOperation
    private let relay = CancellationRelay()
    private let session = Mutex<SessionManager?>(nil)

    init(_ operation: RequestOperation) { self.operation = operation }

    /// Attaches the task and starts it, or cancels it if that was already requested; retains the manager of its
    /// session.
    func start(_ task: URLSessionTask, in manager: SessionManager) {
        session.withLock { $0 = manager }
        if relay.attach(task) { manager.start(task) }
    }

    /// Cancels the task, immediately or when it is attached.
    func cancel() { relay.cancel() }

    func receive(_ response: URLResponse, of task: URLSessionTask) { operation.transfer(self, didReceive: response) }

    func receive(_ data: Data, of task: URLSessionTask) { operation.transfer(self, didReceive: data) }

    /// Passes on the end of the task.
    func finish(_ response: TaskResponse<Never>) {
        operation.record.withLock { record in
            guard record.transfer === self else { return }
            record.lastRequest = response.request
            record.metrics = response.metrics
        }
        operation.transfer(self, didFinishWith: response.error)
    }
}

/// The transfers of an operation; everything but the end of a transfer runs on the manager's serial operation queue.
extension RequestOperation {
    private typealias Plan = (
        transfer: OperationTransfer, settings: OperationSettings, byteCount: Int64, isStreamSpent: Bool
    )

    /// Begins a transfer, unless the operation has been paused or cancelled in the meantime.
    func beginTransfer() {
        let plan = record.withLock { record -> Plan? in
            guard record.machine.state == .executing, !record.machine.isEnding, record.transfer == nil else {
                return nil
            }
            let transfer = OperationTransfer(self)
            record.transfer = transfer
            let isStreamSpent = record.request.httpBodyStream != nil && record.hasUsedBodyStream
            if record.progress == nil {
                // The closures are read for each event: a manager's verb returns an operation that may be running.
                let handler: ProgressHandler = { [weak self] in self?.downloadProgress?($0) }
                record.progress = ProgressReporter(handler: handler, queue: manager.progressQueue)
            }
            return (transfer, record.settings, record.body.byteCount, isStreamSpent)
        }
        guard let plan else { return }
        do {
            try openOutput(plan)
            try send(plan)
        } catch {
            fail(plan.transfer, NetworkError(requestSerialization: error, request: request))
        }
    }

    private func openOutput(_ plan: Plan) throws {
        if let output = plan.settings.output { return try open(output, holding: plan.byteCount) }
        // Without a stream, the part of the body that is not in memory is lost.
        record.withLock { if $0.body.collected == nil { $0.body.forget() } }
    }

    private func open(_ output: OperationOutput, holding byteCount: Int64) throws {
        let held = try output.open(holding: byteCount, after: record.withLock { $0.body.streamStart })
        let end = output.byteCount
        record.withLock { record in
            if held != byteCount { record.body.forget() }
            if held == 0 { record.body.streamStart = end }
        }
    }

    /// Opens a stream that was set after the start, before any of the body has arrived.
    private func openIfLate(_ output: OperationOutput?) throws {
        guard let output, output.stream.streamStatus == .notOpen, byteCount == 0 else { return }
        try open(output, holding: 0)
    }

    private func send(_ plan: Plan) throws {
        let session = try manager.manager(applying: plan.settings.securityPolicy, to: request)
        var (next, isWhole) = record.withLock { record in
            let next = record.body.nextRequest(record.request)
            return (next, record.body.offset == nil)
        }
        if isWhole {
            try plan.settings.output?.takeBack(byteCount)
            record.withLock { $0.body.forget() }
        }
        if plan.isStreamSpent { next.httpBodyStream = try freshBodyStream(plan.settings) }
        let recovery = plan.settings.recovery
        if let refusal = recovery.refusal(by: session.session) { throw refusal }
        // `session` may be the manager of a policy, which lacks a subclass's override.
        next = try manager.adapt(next)
        let task = session.streamingTask(
            next,
            bodyStream: plan.settings.newBodyStream,
            sink: plan.transfer,
            hooks: { self.record.withLock { $0.settings.hooks(for: $0.request.url) } },
            uploadProgress: { self.uploadProgress?($0) },
            finish: plan.transfer.finish
        )
        recovery.apply(to: task)
        if next.httpBodyStream != nil { record.withLock { $0.hasUsedBodyStream = true } }
        plan.transfer.start(task, in: session)
    }

    /// Returns the stream for a request that is sent again.
    private func freshBodyStream(_ settings: OperationSettings) throws -> InputStream {
        if let stream = settings.newBodyStream?() { return stream }
        if let stream = inputStream?.replayed ?? (inputStream as? MultipartInputStream)?.unreadStream { return stream }
        throw NetworkError(
            .bodyStreamExhausted,
            message: "The body stream was needed again, after a pause or in a copy, and no new one is available",
            failingURL: request.url
        )
    }

    // MARK: - Receiving

    func transfer(_ transfer: OperationTransfer, didReceive response: URLResponse) {
        let taken = record.withLock { record -> (ReceivedBody.Verdict, Int64, OperationOutput?)? in
            guard record.transfer === transfer else { return nil }
            let before = record.body.byteCount
            // The request of the user: the one that was sent may be for a part.
            let verdict = record.body.take(response, request: record.request)
            return (verdict, before, record.settings.output)
        }
        guard let (verdict, before, output) = taken else { return }
        do {
            if verdict == .begins || verdict == .mustStartOver { try output?.takeBack(before) }
            if verdict == .begins { try openIfLate(output) }
        } catch {
            return fail(transfer, NetworkError(transport: error, request: request, response: response))
        }
        report()
        switch verdict {
        case .begins:
            if let limit = maximumBodySize, output == nil, let length = response.bodyLength, length > limit,
                response.hasBody(after: request)
            {
                refuse(transfer, limit, response)
            }
        case .continues: break
        case .isComplete:
            guard record.withLock({ $0.endTransfer(transfer, error: nil) }) else { return }
            transfer.cancel()
            parseAndConclude()
        case .mustStartOver:
            let isMine = record.withLock { record in
                defer { if record.transfer === transfer { record.transfer = nil } }
                return record.transfer === transfer
            }
            transfer.cancel()
            if isMine { beginTransfer() }
        }
    }

    /// Handles a chunk of the body.
    func transfer(_ transfer: OperationTransfer, didReceive data: Data) {
        let taken = record.withLock { record -> (Int64, OperationOutput?)? in
            guard record.transfer === transfer else { return nil }
            if record.settings.output == nil { record.body.append(data) }
            return (record.body.byteCount, record.settings.output)
        }
        guard let (count, output) = taken else { return }
        guard let output else {
            report()
            if let limit = maximumBodySize, count > limit { refuse(transfer, limit, response) }
            return
        }
        do {
            try openIfLate(output)
            try output.write(data)
            // Counted even if the operation has been paused in the meantime, because the stream contains it.
            record.withLock { $0.body.count(data) }
            report()
        } catch {
            fail(transfer, NetworkError(transport: error, request: request, response: response))
        }
    }

    private func report() {
        let (progress, count, total) = record.withLock { ($0.progress, $0.body.byteCount, $0.body.expectedByteCount) }
        progress?.report(completed: count, total: total)
    }

    // MARK: - Ending

    /// Handles the end of a transfer; runs on the processing queue.
    func transfer(_ transfer: OperationTransfer, didFinishWith error: NetworkError?) {
        guard record.withLock({ $0.endTransfer(transfer, error: error) }) else { return }
        if error == nil { parseAndConclude() } else { conclude() }
    }

    private func parseAndConclude() {
        ManagerQueues.processing.async {
            self.closeOutput()
            if self.record.withLock({ $0.error }) == nil { self.parseResponse() }
            self.conclude()
        }
    }

    private func fail(_ transfer: OperationTransfer, _ error: NetworkError) {
        guard record.withLock({ $0.endTransfer(transfer, error: error) }) else { return }
        transfer.cancel()
        conclude()
    }

    private func refuse(_ transfer: OperationTransfer, _ limit: Int, _ response: URLResponse?) {
        let message = "The body is larger than the limit of \(limit) bytes"
        fail(transfer, NetworkError(.responseTooLarge, message: message, response: response as? HTTPURLResponse))
    }

    /// Closes the stream, reports the last progress, and then finishes the operation.
    func conclude() {
        closeOutput()
        let (progress, isWhole, count) = record.withLock { record in
            let isWhole = record.error == nil && record.body.expectedByteCount == nil
            return (record.progress, isWhole, record.body.byteCount)
        }
        guard let progress else { return finish() }
        guard isWhole, count > 0 else { return progress.finish { self.finish() } }
        // All reports are made on this queue, which also runs the handler if there is no queue for progress.
        manager.operationQueue.deliver {
            progress.report(completed: count, total: count)
            progress.finish { self.finish() }
        }
    }

    private func closeOutput() {
        do {
            try record.withLock { $0.settings.output }?.close()
        } catch {
            record.withLock { record in
                if record.error == nil { record.error = NetworkError(transport: error, request: record.request) }
            }
        }
    }

    private func finish() {
        // Decided first: code that sees the operation as finished may release it.
        let effect = record.withLock { $0.machine.finish() }
        perform(effect)
    }

    /// Posts a notification about the operation, which keeps its body.
    func post(_ name: Notification.Name) {
        let byteCount = record.withLock { $0.body.data.count }
        let isBeginning = name == .networkingOperationDidStart
        manager.post(name, operation: self, isBeginning: isBeginning, byteCount: byteCount)
    }

    /// Publishes that the operation has finished to its queue, then calls its completions.
    func deliver() {
        let queue = completionQueue ?? manager.completionQueue
        publishChanges()
        // An operation archived as finished has no change of state to publish, but its queue waits for one.
        didChangeValue(forKey: State.finished.key)
        if !record.withLock({ $0.hasPostedPause }) { post(.networkingOperationDidFinish) }
        queue.async {
            // Taken in this block, so that the closures are released on the completion queue.
            let ended = self.record.withLock { $0.takeClosures() }
            ended.handler?(self)
            ended.completionBlock?()
            for observer in self.record.withLock({ $0.takeObservers() }) { observer(self) }
            ended.token?.leave()
        }
    }
}
