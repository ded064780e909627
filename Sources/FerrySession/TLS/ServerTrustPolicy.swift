/// A type that decides which connections of a session may carry requests, and how much libcurl verifies first.
///
/// Set it with ``CurlSession/trustPolicy``, at any time. Unlike ``TLSOptions/trustEvaluator``, it can overrule libcurl
/// for some hosts, and can be replaced during the life of the session.
public protocol ServerTrustPolicy: Sendable {
    /// Returns what libcurl must verify about a host before the policy is asked.
    ///
    /// It is called on a concurrent dispatch queue while the first request to a host waits, and its result is
    /// remembered for later requests. The policy is responsible for everything that libcurl does not verify.
    ///
    /// - Parameter host: The host of the URL, in the form of ``ServerTrust/host``.
    /// - Returns: The checks that a connection must pass in the TLS handshake.
    func verification(for host: String) -> TrustVerification

    /// Returns whether a connection may carry requests.
    ///
    /// It is called once for each connection, after the handshake and before any byte of a request, on a concurrent
    /// dispatch queue. With a ``TLSOptions/trustEvaluator``, it is called only if that has accepted the connection.
    ///
    /// A decision that takes more than 50 milliseconds delays only its own transfer: the connection is closed, and the
    /// decision applies to the transfer's next connection, if the server presents the same chain there.
    ///
    /// - Parameter trust: What the server has presented, and libcurl's verdict on it.
    /// - Returns: The decision.
    func decide(_ trust: ServerTrust) -> TrustDecision
}

/// The checks that libcurl makes on a server.
public struct TrustVerification: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The chain leads to a trusted authority, and its certificates are currently valid.
    public static let chain = Self(rawValue: 1)

    /// The certificate is valid for the host name; checked only together with the chain.
    public static let hostName = Self(rawValue: 2)

    /// The chain and the host name, as without a policy.
    public static let full: Self = [.chain, .hostName]
}
