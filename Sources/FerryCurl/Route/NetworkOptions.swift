/// The sockets, addresses and interfaces through which a session reaches the hosts of its URLs.
///
/// ```swift
/// var options = CurlSession.Options()
/// options.network.unixSockets = ["docker": .path("/run/docker.sock")]
/// options.network.addresses = [
///     "api.example.com:443": ["192.0.2.7", "2001:db8::7"]
/// ]
/// options.network.ipVersion = .v4
/// ```
///
/// The options apply to all connections of the session, which are not shared with other sessions. If a value cannot be
/// used, every task of the session fails with a ``CurlSessionError`` with the code `invalidNetworkOptions`. Hosts are
/// compared regardless of their spelling, and two spellings of one host cannot be used.
public struct NetworkOptions: Sendable, Hashable {
    /// A Unix-domain socket that is connected to instead of a host.
    public enum UnixSocket: Sendable, Hashable {
        /// A socket in the file system, whose path has at most 107 bytes.
        case path(String)
        /// A socket of Linux's abstract namespace; the name is given without the leading null byte.
        case abstract(String)
    }

    /// The local endpoint of connections.
    public enum LocalEndpoint: Sendable, Hashable {
        /// A network interface such as `eth0`.
        case interface(String)
        /// A numeric address of this machine.
        case address(String)
    }

    /// The versions of IP addresses that connections use.
    public enum IPVersion: Sendable, Hashable {
        /// Both versions, as in RFC 8305 ("happy eyeballs").
        case any
        /// IPv4 only.
        case v4
        /// IPv6 only.
        case v6
    }

    /// The socket that every connection uses, whatever the URL's host; `nil` by default.
    ///
    /// If it is set, no proxy is used.
    public var unixSocket: UnixSocket?

    /// The sockets for individual hosts, by the host of the URL; they take precedence over ``unixSocket``.
    public var unixSockets: [String: UnixSocket] = [:]

    /// Numeric addresses for hosts that are not looked up, by `host:port` or `host`.
    ///
    /// The addresses are tried in the given order. Certificates are verified for the host of the URL. The host cannot
    /// be an IPv6 address.
    public var addresses: [String: [String]] = [:]

    /// The local interface or address of connections; `nil`, the default, lets the system choose.
    public var localEndpoint: LocalEndpoint?
    /// The versions of IP addresses to use; both by default.
    public var ipVersion = IPVersion.any

    /// The time after which the second version of addresses is tried in parallel with the first, in seconds.
    ///
    /// It must be greater than 0 and at most 3600. `nil`, the default, uses libcurl's default of 0.2 seconds.
    public var happyEyeballsTimeout: TimeInterval?

    /// Creates the default options, which a closure may change.
    public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
}
