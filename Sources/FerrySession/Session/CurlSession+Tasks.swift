/// Makes tasks, for every way of delivering their results.
extension CurlSession {
    func makeDataTask(_ request: URLRequest, _ resultDelivery: ResultDelivery) -> CurlDataTask {
        makeDataTask(request, Self.body(of: request), resultDelivery)
    }

    func makeDataTask(_ request: URLRequest, _ body: BodySource, _ resultDelivery: ResultDelivery) -> CurlDataTask {
        make(request, body, resultDelivery, isDownload: false, CurlDataTask.init)
    }

    func makeUploadTask(_ request: URLRequest, _ body: BodySource, _ resultDelivery: ResultDelivery) -> CurlUploadTask {
        make(request, body, resultDelivery, isDownload: false, CurlUploadTask.init)
    }

    func makeDownloadTask(
        _ request: URLRequest?,
        _ resultDelivery: ResultDelivery,
        startError: URLError? = nil
    ) -> CurlDownloadTask {
        let body = request.map(Self.body) ?? .none
        return make(request, body, resultDelivery, isDownload: true, startError: startError, CurlDownloadTask.init)
    }

    func makeDownloadTask(resuming data: Data, _ resultDelivery: ResultDelivery) -> CurlDownloadTask {
        do throws(CurlSessionError) {
            let record = try ResumeData(data, folder: settings.temporaryDirectory)
            let task = makeDownloadTask(record.request, resultDelivery)
            task.core.state.withLock { $0.resumeData = record }
            return task
        } catch {
            let error = URLError.ferry(.unsupportedURL, url: nil, underlying: error)
            return makeDownloadTask(nil, resultDelivery, startError: error)
        }
    }

    /// Makes a suspended task that asks the server to switch protocols (RFC 9110, section 7.8).
    ///
    /// It is sent over HTTP/1.1 on a connection of its own. If the response has the status 101, the bytes of the
    /// connection follow as its body, and the bytes of the pipe are sent unchanged; a task that switches protocols does
    /// not count as a connection to its host any more. Another pipe is made when the request is sent again.
    ///
    /// The request has the fields of the handshake, and the stream receives the response, once it is attached. With a
    /// response for which `refusal` returns an error, the task fails; with a `startError`, it fails when it is resumed.
    package func makeUpgradeTask<Task: CurlDataTask>(
        _ request: URLRequest,
        _ stream: ByteStream,
        startError: URLError?,
        refusal: @escaping @Sendable (URLResponse) -> URLError?,
        makePipe: @escaping @Sendable () -> BodyPipe,
        makeTask: (TaskCore) -> Task
    ) -> Task {
        let body = MadeBody(length: nil, isReplayable: true, isUpgrade: true, makePipe: makePipe)
        let delivery = ResultDelivery.stream(stream, refusal: refusal)
        return make(request, .made(body), delivery, isDownload: false, startError: startError, makeTask)
    }

    /// Makes the tasks that an earlier process has left, for a session that has no tasks yet.
    func makeEarlierTasks() {
        guard let durable = core.durable else { return }
        for record in durable.earlier {
            let (request, id) = (record.request.value, record.id)
            let task: any CurlTask
            if let path = record.upload {
                let body = BodySource.file(URL(fileURLWithPath: path, isDirectory: false))
                task = make(request, body, .delegate, isDownload: false, identifier: id, CurlUploadTask.init)
            } else {
                task = make(request, .none, .delegate, isDownload: true, identifier: id, CurlDownloadTask.init)
                if let data = record.resumeData(in: durable.folder.path) { task.core.continueEarlier(data) }
            }
            (task.taskDescription, task.priority) = (record.text, record.priority)
        }
        core.registry.withLock { $0.reserveUpTo(durable.lastID) }
    }

    /// The reason why the folder of ``Options/durability`` cannot be used; `nil` if it can, or there is none.
    public var durabilityError: CurlSessionError? {
        guard case .failure(let error)? = core.settings.durable else { return nil }
        return error
    }

    /// The tasks of a session with ``Options/durability`` that an earlier process has left and that are not complete.
    ///
    /// They are suspended until ``continueEarlierTasks()`` or `resume()`.
    public var earlierTasks: [URLSessionTask] {
        guard let durable = core.durable else { return [] }
        return core.outstandingTasks.filter { durable.isEarlier($0.taskIdentifier) }
    }

    /// Resumes the tasks that an earlier process has left, except those that were suspended in it.
    ///
    /// Call it once when the delegate, or the hooks of a manager, are ready to receive their events. It has no effect
    /// if the session is not durable.
    public func continueEarlierTasks() {
        guard let durable = core.durable else { return }
        let suspended = Set(durable.earlier.filter(\.isSuspended).map(\.id))
        let tasks = core.registry.withLock { $0.idle }
        for task in tasks where durable.isEarlier(task.taskIdentifier) && !suspended.contains(task.taskIdentifier) {
            task.resume()
        }
    }

    private static func body(of request: URLRequest) -> BodySource {
        if let data = request.httpBody, !data.isEmpty { return .data(data) }
        if let stream = request.httpBodyStream { return StreamBox(stream).source }
        return .none
    }

    private func make<Task: CurlTask>(
        _ request: URLRequest?,
        _ body: BodySource,
        _ resultDelivery: ResultDelivery,
        isDownload: Bool,
        startError: URLError? = nil,
        identifier earlier: Int? = nil,
        _ make: (TaskCore) -> Task
    ) -> Task {
        let (identifier, isInvalidated) = core.registry.withLock { registry in
            guard let earlier else { return (registry.reserveIdentifier(), registry.isInvalidated) }
            registry.reserve(earlier)
            return (earlier, false)
        }
        let state = TaskCore.State(
            resultDelivery: resultDelivery,
            originalRequest: request,
            currentRequest: request.map { CurrentRequest($0) },
            body: body,
            isDownload: isDownload,
            maximumBodySize: max(0, settings.options.maximumBodySizeInMemory),
            startError: startError,
            sessionCore: core
        )
        let task = make(TaskCore(identifier, state, wasMadeBeforeInvalidation: !isInvalidated))
        if !isInvalidated, core.registry.withLock({ $0.add(task) }) { task.cancel() }
        return task
    }
}
