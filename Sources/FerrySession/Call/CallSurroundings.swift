/// The facts that the decisions of a call depend on: about the time, its attempt, its client.
///
/// Reading them changes nothing; only ``charge(_:)`` changes the budget.
protocol CallSurroundings {
    var now: MonotonicTime { get }
    /// A number from 0 to 1.
    var random: Double { get }
    /// Whether the attempt has a handle of libcurl's.
    var isRunning: Bool { get }
    /// Whether the attempt has lost its place among those that wait, since the task was suspended.
    var isParkedInQueue: Bool { get }
    var limits: TransferClock.Limits { get }
    /// Whether no time is left for the whole call.
    var isCallOver: Bool { get }
    /// The seconds until the deadline of the call.
    var timeLeft: Double? { get }
    /// Whether nothing keeps the transfer from asking for the rest of a body.
    var mayReceive: Bool { get }
    /// Whether any of the current attempt's request may have reached the server.
    var wasSent: Bool { get }
    var decoding: Decoding { get }
    /// Whether the current attempt, or one before, has a reader of the request's body.
    var hasReader: Bool { get }
    /// Whether an earlier attempt has ended before anything of the body's stream was read.
    var hasUnreadStream: Bool { get }
    /// The body that is made while it is sent, if an earlier attempt has ended before anything of it was read.
    var unreadBody: MadeBody? { get }
    /// Whether the user has received nothing of a response, so that another can replace it.
    var mayRestartBody: Bool { get }
    /// The proxy of the current attempt.
    var proxy: ProxyServer? { get }
    /// Whether it is known that the proxy is used, and not an exception to it.
    var isProxyCertain: Bool { get }
    var acceptedCredentials: AcceptedCredentials { get }

    /// Returns the stored response that replaces an error or, without a code, the error that the server has sent.
    func staleResponse(insteadOf code: URLError.Code?) -> LocalResponse?
    /// Whether a budget allows a retry.
    func hasRetry(for key: RetryBudgets.Key) -> Bool
    /// Removes a retry that has failed from its budget.
    func charge(_ key: RetryBudgets.Key)
}

extension CallSurroundings {
    /// The proxy that credentials belong to.
    var proxyPlace: CredentialPlace? { proxy.map { .proxy($0.address) } }
}

/// The part of a response's body that still waits to be decoded.
enum Decoding: Hashable, Sendable {
    /// The body has no coding.
    case none
    case waiting
    /// All that has come is decoded; `mayEnd` indicates whether the body is complete.
    case drained(mayEnd: Bool)

    var isDrained: Bool { self != .waiting }
    /// Whether the body, as far as it has come, is whole.
    var isWhole: Bool { self == .none || self == .drained(mayEnd: true) }
}
