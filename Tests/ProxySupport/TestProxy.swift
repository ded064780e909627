import FerryTesting
import Foundation

/// A proxy that forwards HTTP, opens tunnels and supports SOCKS 5, and that records its requests.
///
/// It resolves every host name to this machine, so that it can reach hosts that have no DNS entry.
public final class TestProxy: Sendable {
    /// The authentication that the proxy requires.
    public enum Authentication: Sendable {
        case none
        case basic(user: String, password: String)
        case digest(user: String, password: String)
    }

    /// How the proxy handles requests.
    public enum Manners: Sendable {
        case serves
        /// Responds to a request or `CONNECT` with a status code, and to SOCKS with a refusal.
        case refuses(status: Int)
        /// Never responds.
        case stalls
        /// Responds with bytes that are not valid in any protocol.
        case garbles
        case closes
    }

    public enum Kind: Sendable {
        case forward
        case tunnel
        case socks
    }

    /// A request to the proxy.
    public struct Exchange: Sendable {
        public var kind: Kind
        /// The target of the request: an absolute URL, or a host and a port.
        public var target: String
        /// The head of the request; empty for SOCKS.
        public var head = ""
        /// The value of `Proxy-Authorization`, or the user and password of SOCKS with a colon between them.
        public var credentials: String?
        /// Whether the client sent the host to SOCKS as a name rather than an address; always `true` for HTTP.
        public var isName = false
        public var wasServed = false
    }

    public let port: Int
    private let listener: Int32
    private let guardian: ProxyGuardian
    private let manners: Manners
    private let log: ExchangeLog

    /// All requests to the proxy, in order.
    public var exchanges: [Exchange] { log.all }

    /// Starts a proxy; the page is the body of a 407.
    public init(
        _ authentication: Authentication = .none,
        _ manners: Manners = .serves,
        page: String = "the407"
    ) throws {
        (listener, port) = try Sockets.listen()
        guardian = ProxyGuardian(authentication)
        self.manners = manners
        let log = ExchangeLog()
        self.log = log
        let visit = ProxyVisit(guardian: guardian, manners: manners, page: page, log: log)
        Sockets.serve(listener) { visit.serve($0) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }
}

final class ExchangeLog: @unchecked Sendable {
    // `@unchecked Sendable`: the list is accessed only with the lock held.
    private let lock = NSLock()
    private var exchanges: [TestProxy.Exchange] = []

    var all: [TestProxy.Exchange] { lock.withLock { exchanges } }

    func append(_ exchange: TestProxy.Exchange) { lock.withLock { exchanges.append(exchange) } }
}
