/// An object that carries out a task: a transfer of the engine, or a class of the configuration's `protocolClasses`.
protocol TaskDriver: AnyObject, Sendable {
    /// Receives a command from the task, on any thread; does not block.
    func perform(_ wish: TaskWish)
}

/// A command from a task to its driver.
enum TaskWish: Sendable {
    case start(priority: Float)
    /// The task was suspended or resumed; the driver reads its current state.
    case suspensionChanged
    /// Cancels the task; a transfer reports to the client once its metrics include the request in progress.
    ///
    /// A protocol load reports nothing.
    case cancel(telling: (any TransferClient)?)
    /// Cancels the task and asks for resume data.
    case cancelProducingResumeData(any TransferClient)
    /// There is room for more of the body.
    case readMore
    /// Answers a redirect with the request to send, or with `nil` to deliver the redirect response itself.
    case redirect(URLRequest?)
    /// Answers an authentication challenge.
    case authenticate(URLSession.AuthChallengeDisposition, URLCredential?)
    /// Answers the request for a body stream.
    case bodyStream(StreamBox?)
    /// Writes the body to a file, beginning with what the client has kept of it.
    case becomeDownload(any TransferClient)
}

extension Exchange: TaskDriver {
    func perform(_ wish: TaskWish) {
        let command: EngineCommand =
            switch wish {
            case .start(let priority): .start(self, priority: priority)
            case .suspensionChanged: .suspensionChanged(self)
            case .cancel(let client): .cancel(self, telling: client)
            case .cancelProducingResumeData(let client): .cancelProducingResumeData(self, client)
            case .readMore: .readMore(self)
            case .redirect(let request): .redirect(self, request)
            case .authenticate(let disposition, let credential): .authenticate(self, disposition, credential)
            case .bodyStream(let box): .bodyStream(self, box)
            case .becomeDownload(let client): .becomeDownload(self, client)
            }
        engine.submit(command)
    }
}
