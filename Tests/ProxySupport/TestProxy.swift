import FerryTesting
import Foundation

/// A proxy on a port of its own: it forwards HTTP, opens tunnels and speaks SOCKS 5, and writes down what it is asked.
///
/// Every name is this machine for it, so that it reaches hosts which nobody else can look up.
public final class TestProxy: Sendable {
    /// Whom it serves.
    public enum Authentication: Sendable {
        case none
        case basic(user: String, password: String)
        case digest(user: String, password: String)
    }

    /// What it does when it is asked.
    public enum Manners: Sendable {
        case serves
        /// It answers a request or `CONNECT` with a status, and SOCKS with a refusal.
        case refuses(status: Int)
        /// It never answers.
        case stalls
        /// It answers with what is no protocol.
        case garbles
        case closes
    }

    public enum Kind: Sendable {
        case forward
        case tunnel
        case socks
    }

    /// One time somebody asked.
    public struct Exchange: Sendable {
        public var kind: Kind
        /// What was asked for: an absolute URL, or a host and a port.
        public var target: String
        /// The head of the request; empty for SOCKS.
        public var head = ""
        /// `Proxy-Authorization`, or SOCKS's user and password with a colon between them.
        public var credentials: String?
        /// Whether the host came as a name, and was not looked up before.
        public var isName = false
        public var wasServed = false
    }

    public let port: Int
    private let listener: Int32
    private let guardian: ProxyGuardian
    private let manners: Manners
    private let log: ExchangeLog

    /// Everything it was asked, in order.
    public var exchanges: [Exchange] { log.all }

    public init(_ authentication: Authentication = .none, _ manners: Manners = .serves) throws {
        (listener, port) = try Sockets.listen()
        guardian = ProxyGuardian(authentication)
        self.manners = manners
        let log = ExchangeLog()
        self.log = log
        let visit = ProxyVisit(guardian: guardian, manners: manners, log: log)
        Sockets.serve(listener) { visit.serve($0) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }
}

final class ExchangeLog: @unchecked Sendable {
    // `@unchecked Sendable`: the list is touched with the lock held.
    private let lock = NSLock()
    private var exchanges: [TestProxy.Exchange] = []

    var all: [TestProxy.Exchange] { lock.withLock { exchanges } }

    func append(_ exchange: TestProxy.Exchange) { lock.withLock { exchanges.append(exchange) } }
}
