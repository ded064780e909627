/// An object that carries out a task: a transfer of the engine, or a class of the configuration's `protocolClasses`.
protocol TaskDriver: AnyObject, Sendable {
    /// Receives a command from the task, on any thread; does not block.
    func perform(_ command: TaskCommand)
}

/// A command from a task to its driver.
enum TaskCommand: Sendable {
    case start(priority: Float)
    /// The task was suspended or resumed.
    ///
    /// The driver reads its current state, because two threads that do both at the same time submit their commands in any
    /// order.
    case suspensionChanged
    /// Cancels the task; a transfer reports to the client once its metrics include the request in progress.
    ///
    /// A protocol load reports nothing.
    case cancel(telling: (any ExchangeClient)?)
    /// Cancels the task and asks for resume data.
    case cancelProducingResumeData(any ExchangeClient)
    /// There is room for more of the body.
    case readMore
    /// Answers a redirect with the request to send, or with `nil` to deliver the redirect response itself.
    case redirect(URLRequest?)
    /// Answers an authentication challenge.
    case authenticate(URLSession.AuthChallengeDisposition, URLCredential?)
    /// Answers the request for a body stream.
    case bodyStream(StreamBox?)
    /// Writes the body to a file, beginning with what the client has kept of it.
    case becomeDownload(any ExchangeClient)
}

extension Exchange: TaskDriver {
    func perform(_ command: TaskCommand) {
        engine.submit(.task(command, self))
    }
}
