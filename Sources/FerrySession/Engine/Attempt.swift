/// What is known of one attempt of a transfer; each attempt begins with a new one.
struct Attempt {
    /// The connection that carries the request, from the moment before it is sent.
    private(set) var connection: Connection?
    /// The connection that was opened last for the attempt.
    var lastOpened: Connection?
    /// When the request was sent last.
    var requestStart: MonotonicTime?
    /// How often libcurl has begun to send the request: more than once where it answers a challenge, or tries again.
    var requestCount = 0
    /// Whether a byte of a response has come since the request was sent last.
    var hasResponseBytes = false
    /// Whether no credential is accepted, so that the request goes again without one.
    var mustWithholdCredential = false
    /// How many responses have asked for a credential.
    var challengeRounds = 0
    /// How many responses of a proxy to `CONNECT` have asked for a credential.
    var tunnelChallengeRounds = 0
    /// Why the response of a proxy to `CONNECT` is not accepted.
    var tunnelProblem: String?
    /// How many steps libcurl has made while it waits for a tunnel; it discards a byte in each.
    var tunnelSteps = 0
    /// How many bytes the server had acknowledged when that was looked at last.
    var acknowledgedBytes: Int64 = 0
    /// Where the range ends that continues a body.
    var rangeEnd: ByteCount?
    /// The question about the connection's trust that the attempt waits for.
    var pendingTrust: TrustQuestion?

    /// Notes the connection that carries the request from now on.
    mutating func use(_ connection: Connection) {
        guard self.connection !== connection else { return }
        leaveConnection()
        self.connection = connection
        connection.addUser()
    }

    /// Notes that no connection carries the request any more.
    mutating func leaveConnection() {
        connection?.removeUser()
        connection = nil
    }
}
