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
            let record = try ResumeData(data, folder: temporaryDirectory)
            let task = makeDownloadTask(record.request, resultDelivery)
            task.core.state.withLock { $0.resumeData = record }
            return task
        } catch {
            let error = URLError.ferry(.unsupportedURL, url: nil, underlying: error)
            return makeDownloadTask(nil, resultDelivery, startError: error)
        }
    }

    private static func body(of request: URLRequest) -> BodySource {
        if let data = request.httpBody { return .data(data) }
        if let stream = request.httpBodyStream { return StreamBox(stream).source }
        return .none
    }

    private func make<Task: CurlTask>(
        _ request: URLRequest?,
        _ body: BodySource,
        _ resultDelivery: ResultDelivery,
        isDownload: Bool,
        startError: URLError? = nil,
        _ make: (TaskCore) -> Task
    ) -> Task {
        let (identifier, isInvalidated) = core.registry.withLock { ($0.reserveIdentifier(), $0.isInvalidated) }
        let state = TaskCore.State(
            resultDelivery: resultDelivery,
            originalRequest: request,
            currentRequest: request.map { CurrentRequest($0) },
            body: body,
            isDownload: isDownload,
            largestBody: max(0, options.maximumBodySizeInMemory),
            startError: startError,
            sessionCore: core
        )
        let task = make(TaskCore(identifier, state, wasMadeBeforeInvalidation: !isInvalidated))
        if !isInvalidated, core.registry.withLock({ $0.add(task) }) { task.cancel() }
        return task
    }
}
