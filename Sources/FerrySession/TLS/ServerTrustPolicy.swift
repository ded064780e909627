/// Decides which connections of a session may carry requests, and how much libcurl verifies of them before.
///
/// It is set with ``CurlSession/trustPolicy``, at any time. Unlike ``TLSOptions/trustEvaluator`` it can overrule libcurl
/// for some hosts and be changed while the session lives.
public protocol ServerTrustPolicy: Sendable {
    /// Says what libcurl has to verify about a host by itself, before the policy is asked.
    ///
    /// It is asked once for each host, on a thread of its own, while the first request to the host waits. What is left out
    /// is the policy's own business.
    ///
    /// - Parameter host: The host of the URL, as ``ServerTrust/host`` has it.
    /// - Returns: What a connection has to pass in the TLS handshake.
    func verification(for host: String) -> TrustVerification

    /// Says whether a connection may carry requests.
    ///
    /// It is asked once for each connection, after the handshake and before any byte of a request, on a thread of its own.
    /// One that takes more than 50 milliseconds delays its own transfer only: the connection is closed, and the decision
    /// counts for the transfer's next one, if the server shows the same chain there.
    ///
    /// - Parameter trust: What the server has shown, and what libcurl thinks of it.
    /// - Returns: The decision.
    func decide(_ trust: ServerTrust) -> TrustDecision
}

/// What libcurl verifies about a server by itself.
public struct TrustVerification: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The chain leads to a trusted authority, and its certificates are valid today.
    public static let chain = Self(rawValue: 1)

    /// The certificate names the host; it is verified together with the chain only.
    public static let hostName = Self(rawValue: 2)

    /// Chain and host name, as without any policy.
    public static let full: Self = [.chain, .hostName]
}
