/// The owner of a transfer, which decides how each attempt is made and what becomes of its response.
///
/// The engine calls it on the thread that has the engine, often within a callback of libcurl's; it must not block.
package protocol TransferReceiver: AnyObject, Sendable {
    func start(priority: Float)

    // MARK: The request

    /// Returns what an attempt, whose route is known, sends besides its prepared request; throws if the request must
    /// not be sent after all.
    func setUp(_ attempt: NetworkAttempt) throws(URLError) -> AttemptSetup
    func makeReader(announcedLength: Int64?) throws(URLError) -> any BodyReader

    // MARK: The response

    /// Forgets a challenge that libcurl answers itself with a further request; returns whether there was one.
    func forgetChallenge() -> Bool
    /// Decides what to do with a response, and returns whether the attempt continues.
    func didReceiveHead(_ head: ResponseHead, of attempt: NetworkAttempt) -> Bool
    /// Receives bytes of the body as they come from the network, and returns whether the attempt continues.
    func accept(_ bytes: UnsafeRawBufferPointer) -> Bool

    // MARK: Everything else

    func handle(_ event: TransferEvent)
    /// Abandons a paused stream if the rest of the body can be requested later, and returns whether it has.
    func detach() -> Bool
}

/// An event of a transfer, apart from the response that it receives.
package enum TransferEvent: Sendable {
    /// The attempt is set up, with a body of this length.
    case sends(bodyLength: ByteCount?)
    /// Bytes of the request's body have been passed to the network; `expected` is the length of the body, if known.
    case hasSent(ByteCount, expected: ByteCount?)
    /// The request's body is sent again from its first byte.
    case hasRewoundBody
    /// An interim response has come (RFC 9110, section 15.2).
    case hasInterimResponse(ResponseHead)
    /// The head of the response is not accepted, so that the attempt fails.
    case refusesHead(ResponseHeadParser.Refusal)
    /// The attempt is about to fail for this reason.
    case willFail(URLError)
    /// The attempt is about to fail, because the code that makes the request's body has failed.
    case bodyHasFailed(any Error)
    /// The attempt could not begin.
    case cannotBegin(URLError)
    /// libcurl has ended the attempt, with its code.
    case hasEnded(Int32)
    case deadline(TransferClock.Deadline)
    /// The rest of what was received waits until the other transfers have had their turn.
    case mustWait
    /// The other transfers have had their turn.
    case hasTurn
    /// The limits on bytes per second allow more bytes.
    case mayMove
    /// The user's code has decided about a connection that the transfer waits for.
    case trust(TrustQuestion, TrustDecision)
}

/// The data that an attempt sends besides its prepared request.
package struct AttemptSetup {
    package var fields: [RequestField]
    /// The number of fields at the end that are not the request's own.
    package var commonCount: Int
    /// The credentials with which libcurl authenticates the request.
    package var credentials = CredentialPair()
    /// The credentials to which a connection that carries the request may be tied.
    package var identity = CredentialPair()
    /// Whether no connection of the pool may carry the request.
    package var usesNewConnection = false

    package init(fields: [RequestField], commonCount: Int) { (self.fields, self.commonCount) = (fields, commonCount) }
}
