/// What tasks ask of the engine.
enum EngineCommand: Sendable {
    case start(Exchange, priority: Float)
    /// The task was suspended or resumed. The engine asks which: two threads that do both at once hand their commands
    /// in in any order.
    case suspensionChanged(Exchange)
    /// Cancels, and tells the client that it is done.
    case cancel(Exchange, telling: (any TransferClient)?)
    /// Cancels, and asks for what it takes to continue.
    case cancelProducingResumeData(Exchange, any TransferClient)
    /// The client has room for more of the body.
    case readMore(Exchange)
    /// A stream has bytes again.
    case bodyAvailable(Exchange)
    /// The answer to a redirection: the request to send, or `nil` to deliver the redirection itself.
    case redirect(Exchange, URLRequest?)
    /// The answer to an authentication challenge.
    case authenticate(Exchange, URLSession.AuthChallengeDisposition, URLCredential?)
    /// The answer to the wish for a stream.
    case bodyStream(Exchange, StreamBox?)
    /// The body goes to a file, first what the client has kept of it.
    case becomeDownload(Exchange, any TransferClient)
    /// An evaluator or a policy has decided about a connection that the transfer waits for.
    case trustDecided(Exchange, TrustQuestion, TrustDecision)
    /// A policy has said what is to be verified about the transfer's host.
    case verificationKnown(Exchange)
    /// Stored responses are not validated behind the user's back any more.
    case cancelRevalidations
}
