/// Makes the tasks of all faces.
extension CurlSession {
    static let noResumeData = URLError.ferry(
        .unsupportedURL,
        url: nil,
        underlying: CurlSessionError(.unsupportedTask, "Resume data is not supported yet")
    )

    func makeDataTask(_ request: URLRequest, _ face: TaskFace) -> CurlDataTask {
        make(request, Self.body(of: request), face, isDownload: false, CurlDataTask.init)
    }

    func makeUploadTask(_ request: URLRequest, _ body: BodySource, _ face: TaskFace) -> CurlUploadTask {
        make(request, body, face, isDownload: false, CurlUploadTask.init)
    }

    func makeDownloadTask(_ request: URLRequest?, _ face: TaskFace, startError: URLError? = nil) -> CurlDownloadTask {
        let body = request.map(Self.body) ?? .none
        return make(request, body, face, isDownload: true, startError: startError, CurlDownloadTask.init)
    }

    private static func body(of request: URLRequest) -> BodySource {
        if let data = request.httpBody { return .data(data) }
        if let stream = request.httpBodyStream { return .stream(StreamBox(stream)) }
        return .none
    }

    private func make<Task: URLSessionTask>(
        _ request: URLRequest?,
        _ body: BodySource,
        _ face: TaskFace,
        isDownload: Bool,
        startError: URLError? = nil,
        _ make: (TaskCore) -> Task
    ) -> Task {
        let (identifier, isInvalidated) = registry.withLock { ($0.makeIdentifier(), $0.isInvalidated) }
        let core = TaskCore(
            identifier: identifier,
            session: self,
            request: request,
            body: body,
            face: face,
            isDownload: isDownload,
            wasMadeBeforeInvalidation: !isInvalidated,
            startError: startError
        )
        let task = make(core)
        registry.withLock { $0.addIdle(task, identifier: identifier) }
        return task
    }
}
