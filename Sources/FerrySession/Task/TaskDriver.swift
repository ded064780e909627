/// What carries a task out: a transfer of the engine, or a class of the configuration's `protocolClasses`.
protocol TaskDriver: AnyObject, Sendable {
    /// Hears what the task wants, from any thread; it never waits.
    func perform(_ wish: TaskWish)
}

/// What a task wants of its driver.
enum TaskWish: Sendable {
    case start(priority: Float)
    /// The task was suspended or resumed; the driver asks which.
    case suspensionChanged
    /// Cancels; the client is told when the metrics have what was under way. A protocol class tells nobody.
    case cancel(telling: (any TransferClient)?)
    /// Cancels, and asks for what it takes to continue.
    case cancelProducingResumeData(any TransferClient)
    /// There is room for more of the body.
    case readMore
    /// The answer to a redirection: the request to send, or `nil` to deliver the redirection itself.
    case redirect(URLRequest?)
    /// The answer to an authentication challenge.
    case authenticate(URLSession.AuthChallengeDisposition, URLCredential?)
    /// The answer to the wish for a stream.
    case bodyStream(StreamBox?)
    /// The body goes to a file, first what the client has kept of it.
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
