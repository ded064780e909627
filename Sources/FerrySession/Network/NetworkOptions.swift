/// How a session reaches the hosts of its URLs, as plain values.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.network.unixSockets = ["docker": .path("/run/docker.sock")]
/// options.network.addresses = ["api.example.com:443": ["192.0.2.7", "2001:db8::7"]]
/// options.network.ipVersion = .v4
/// ```
///
/// They hold for all connections of the session, which shares none with other sessions. A value that cannot be used
/// fails every task of the session with a ``CurlSessionError`` that has the code `invalidNetworkOptions`.
public struct NetworkOptions: Sendable, Hashable {
    /// A Unix-domain socket that is connected to instead of a host.
    public enum UnixSocket: Sendable, Hashable {
        /// A socket in the file system; its path has at most 107 bytes.
        case path(String)

        /// A socket of Linux's abstract namespace, by its name without the null byte before it.
        case abstract(String)
    }

    /// What the connections leave this machine from.
    public enum LocalEndpoint: Sendable, Hashable {
        /// A network interface such as `eth0`.
        case interface(String)

        /// A numeric address of this machine.
        case address(String)
    }

    /// Which addresses of a host are used.
    public enum IPVersion: Sendable, Hashable {
        /// Those of both versions, as RFC 8305 ("happy eyeballs") has it.
        case any
        /// Those of version 4 alone.
        case v4
        /// Those of version 6 alone.
        case v6
    }

    /// The socket that every connection goes to, whatever the URL's host; by default none.
    ///
    /// No proxy is used then.
    public var unixSocket: UnixSocket?

    /// The sockets of some hosts, by the host in the URL; they count more than ``unixSocket``.
    ///
    /// A host is meant in all its spellings, and two spellings of one are refused.
    public var unixSockets: [String: UnixSocket] = [:]

    /// Numeric addresses of hosts, by `host:port` or `host`: they are not looked up.
    ///
    /// The addresses are tried in the order given. Certificates are verified for the host of the URL. A host is meant in
    /// all its spellings, and two spellings of one are refused; an IPv6 address cannot be one.
    public var addresses: [String: [String]] = [:]

    /// The interface or address that connections leave from; by default the system's choice.
    public var localEndpoint: LocalEndpoint?

    /// The versions of addresses to use; by default both.
    public var ipVersion = IPVersion.any

    /// How long the first version of addresses has before the second is tried beside it, in seconds.
    ///
    /// By default libcurl's, 0.2 seconds.
    public var happyEyeballsTimeout: TimeInterval?

    /// What the system does by itself.
    public init() {}
}
