/// A step that the driver of a call performs next.
///
/// Cases that are large and rare are `indirect`, so that the type is small.
enum CallStep {
    // MARK: The beginning of an attempt

    /// Forgets what was received of the response before.
    case forgetResponse
    /// Uses an attempt, which has not begun.
    case attempt(NetworkAttempt)
    case verify(Origin)
    case lookUp
    /// Waits for the response to an identical request, if one is in flight.
    case join
    case admit(to: Origin, isNamedByTask: Bool)

    // MARK: Waiting

    /// Waits without a connection slot; the deadlines continue.
    case wait
    /// Asks interceptors the question with this number, and waits for the answer like ``wait``, unless the attempt has
    /// a handle, which then only gives up its slot.
    indirect case ask(Int, @Sendable () async -> InterceptorAnswer)
    case waitForRetry(TimeSpan)
    case endWait
    case giveUpSlot
    case retakeSlot
    case startClock
    case stopClock

    // MARK: The response

    case decode([ContentCoding])
    /// Delivers a response as the final one; its body follows.
    case deliver(ReceivedResponse)
    case report(CallReport)
    /// Delivers bytes that are here already, within libcurl's callback.
    case take(Data)
    /// Delivers the body of a response that was held back; `failure` is why it is damaged or incomplete.
    case replay([UInt8], failure: URLError?)
    /// Removes what has been received of the body.
    case restartBody
    case setClientFull(Bool)
    /// Decides a challenge without asking the delegate, as soon as libcurl's callback has returned.
    indirect case authenticateLater(URLSession.AuthChallengeDisposition, URLCredential?)
    /// Considers a retry instead of the response that is held back, as soon as libcurl's callback has returned.
    case considerResponseLater
    /// Adds the share of a request to a budget of retries.
    case noteRequest(RetryBudgets.Key)
    /// Sends a credential that was accepted with the next requests of the session.
    indirect case keepCredential(Credentials.Party)
    indirect case forgetCredential(SchemeCredential, CredentialUse)

    // MARK: The cache, and identical requests

    /// Begins to deliver a response that needs no network.
    indirect case beginServing(LocalResponse)
    indirect case feed(LocalResponse)
    case serveValidated
    case bypassCache
    case beginStoring(ResponseHead, isDecoded: Bool, isRedirect: Bool)
    /// Stores the redirect that is held back, which is complete.
    case storeRedirect
    case beginSharing(ResponseHead, isDecoded: Bool)
    case shareResponse
    case endSharing(SharedTransfer.End)
    /// Prevents requests from waiting for earlier ones to the origin, whose responses an unsafe method may change.
    case noteUnsafeRequest(Origin)

    // MARK: The end

    /// Releases the attempt's handle; `isOver` indicates that libcurl has ended the attempt.
    case endAttempt(isOver: Bool)
    case finish
    case fail(any Error)
    /// Ends the call without a report to the client.
    case close
}
