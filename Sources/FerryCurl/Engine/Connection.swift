internal import CFerry

/// A connection of an engine, from the opening of its socket to its end; used by the thread that has the engine.
package final class Connection {
    /// The trust verdict on a server, kept because libcurl shows the chain only to the connection's first request.
    struct Verdict {
        var question: TrustQuestion
        var decision: TrustDecision
        var subject: String?

        /// Whether the verdict is about a connection to the origin, by this revision of the policy.
        func isValid(for origin: Origin, revision: Int) -> Bool {
            question.origin == origin && question.revision == revision
        }
    }

    package let socket: Int32
    /// Whether libcurl still has the socket; otherwise another one of the process may have the same number.
    package fileprivate(set) var isOpen = true
    /// The local address and port, when they are known; the port is negative for a socket that never has one.
    package private(set) var local: (address: String, port: Int)?
    /// The address and port that the socket is connected to, when they are known.
    private var remote: (address: String, port: Int)?
    var verdict: Verdict?
    package private(set) var users = 0
    private(set) var requestCount = 0
    /// Whether the connection is known to use HTTP/2 or HTTP/3.
    package var isMultiplexed = false
    /// The credentials that the server and the proxy may have tied the connection to, whatever its requests have.
    @exclusivity(unchecked) private var identity = CredentialPair()
    /// The origin of the last request.
    var origin: Origin?
    /// The origin that the connection was opened to with prior knowledge of HTTP/2.
    var priorKnowledge: Origin?
    // As for NetworkAttempt, accesses are not checked: these are written for each line of a response.
    /// Whether a byte of a response was received.
    @exclusivity(unchecked) private(set) var hasResponded = false
    @exclusivity(unchecked) private(set) var lastReceived: MonotonicTime
    /// Whether a request has timed out on the connection and no byte has been received since.
    @exclusivity(unchecked) private(set) var isStalled = false
    /// Whether a request has failed with an error of the whole connection.
    package private(set) var isBroken = false
    /// Whether no further request is sent here, while those in progress continue.
    private(set) var isRetired = false
    /// The number of the last stream that the server processes, if it has said so.
    private(set) var lastStream: UInt32?
    /// The number of bytes of bodies that libcurl has taken to send them on the connection.
    var takenBytes: Int64 = 0
    /// Whether the number of bytes that the system takes before it can send them is limited.
    private var hasUnsentLimit = false
    /// Whether the connection ends as soon as no request uses it, since there is a better one.
    var endsWhenIdle = false

    package init(_ socket: Int32, at now: MonotonicTime) {
        self.socket = socket
        lastReceived = now
    }

    /// Records an attempt that sends its request on the connection.
    package func addUser() {
        users += 1
        requestCount += 1
    }

    package func removeUser() {
        users -= 1
        if users == 0, endsWhenIdle || mayEndWhenRetired { breakDown() }
    }

    package func noteReceived(at now: MonotonicTime) {
        lastReceived = now
        isStalled = false
        hasResponded = true
    }

    /// Records that a request has timed out: if no byte was received since `start`, no new request is sent here.
    package func noteTimeout(since start: MonotonicTime) {
        if lastReceived <= start { isStalled = true }
    }

    /// Records that the server processes no stream with a greater number; a later number must not be greater.
    func noteGoAway(last: UInt32) { lastStream = min(last, lastStream ?? last) }

    /// Ends the connection for everything that uses it.
    package func breakDown() {
        guard !isBroken else { return }
        isBroken = true
        if isOpen { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// Makes this the last use of the connection: the requests in progress continue, and an idle connection ends.
    package func retire() {
        isRetired = true
        if requestCount > 0, users == 0, mayEndWhenRetired { breakDown() }
    }

    /// Whether the connection may end without a user; of a connection without a port, not all users are known.
    private var mayEndWhenRetired: Bool { isRetired && (local?.port ?? 0) > 0 }

    fileprivate var isUsable: Bool { isOpen && !isBroken && !isStalled && !isRetired }

    /// Returns whether a new request may be sent on the connection.
    ///
    /// Bytes that wait on an idle HTTP/1.1 connection belong to no request, yet the next request would take them for
    /// its response. `hasUnreadBytes` returns whether the TLS library has some.
    package func mayCarryRequest(hasUnreadBytes: () -> Bool) -> Bool {
        guard isUsable else { return false }
        guard requestCount > 0, users == 0, !isMultiplexed else { return true }
        return !hasInput && !hasUnreadBytes()
    }

    /// Records the credentials of a request that hold for its connection: those of Negotiate and NTLM.
    func note(_ credentials: CredentialPair) {
        if let server = credentials.server, server.scheme.holdsForConnection { identity.server = server }
        if let proxy = credentials.proxy, proxy.scheme.holdsForConnection { identity.proxy = proxy }
    }

    /// Whether the server and the proxy take a request with these credentials for one of the same user.
    ///
    /// libcurl itself, in 7.88 and 8.14, checks this only for NTLM.
    func isKnown(by credentials: CredentialPair) -> Bool {
        (identity.server == nil || identity.server == credentials.server)
            && (identity.proxy == nil || identity.proxy == credentials.proxy)
    }

    // MARK: - Addresses

    /// An address and port as libcurl reports them.
    package struct Endpoint {
        package let address: UnsafePointer<CChar>
        package let port: Int
    }

    /// Finds out the local address, which a socket does not have before it is connected.
    fileprivate func resolveLocal() {
        if local == nil, let found = address(isRemote: false) { local = found }
    }

    fileprivate func isLocal(_ endpoint: Endpoint) -> Bool {
        local?.port == endpoint.port && local?.address.isEqual(to: endpoint.address) == true
    }

    fileprivate func isConnected(to endpoint: Endpoint) -> Bool {
        if remote == nil, let found = address(isRemote: true), found.port > 0 { remote = found }
        return remote?.port == endpoint.port && remote?.address.isEqual(to: endpoint.address) == true
    }

    private func address(isRemote: Bool) -> (address: String, port: Int)? {
        guard isOpen else { return nil }
        var text = [CChar](repeating: 0, count: Int(FERRY_ADDRESS_SIZE))
        let port = Int(ferry_socket_port(socket, isRemote, &text))
        guard port != 0 else { return nil }
        return (String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self), port)
    }

    /// Whether the socket has bytes to read, or the end of the connection.
    var hasInput: Bool {
        var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) != 0
    }
    /// Whether an idle connection has something to read.
    fileprivate var hasUnexpectedInput: Bool { users == 0 && !isMultiplexed && hasInput }

    /// The number of bytes that the socket has received; `nil` if it is not known.
    package var receivedBytes: Int64? {
        let count = isOpen ? ferry_socket_received(socket) : -1
        return count < 0 ? nil : count
    }

    /// Whether the network has probably lost the connection: bytes were sent again, and are still not acknowledged.
    var isUnanswered: Bool { isOpen && ferry_socket_is_unanswered(socket) }

    /// How many bytes the server has acknowledged, when the last acknowledgement came, and how many bytes wait for one;
    /// `nil` if it is not known.
    package var acknowledgement: (bytes: Int64, time: MonotonicTime, waiting: Int64)? {
        var (age, waiting) = (UInt32(0), Int32(0))
        let count = isOpen ? ferry_socket_acknowledged(socket, &age, &waiting) : -1
        return count < 0 ? nil : (count, MonotonicTime.now().before(.milliseconds(UInt64(age))), Int64(waiting))
    }

    /// Makes the system take few bytes before it can send them, so that a limited upload stops when the network does.
    func limitUnsentBytes() {
        guard isOpen, !hasUnsentLimit else { return }
        hasUnsentLimit = true
        var size: Int32 = 16_384
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Whether bytes wait to be acknowledged by the server, which has acknowledged others since a time.
    package func isSending(since time: MonotonicTime) -> Bool {
        acknowledgement.map { $0.waiting > 0 && $0.time >= time } ?? false
    }
}

/// The open connections of an engine, by their sockets.
///
/// `@unchecked Sendable`: only the thread that runs the engine or frees its multi handle uses it.
package final class ConnectionTable: @unchecked Sendable {
    private var connections: [Int32: Connection] = [:]
    private var byPort: [Int: Connection] = [:]

    package var count: Int { connections.count }
    /// The connections that are known to use HTTP/2 or HTTP/3.
    private var multiplexed: [Connection] = []
    /// Whether a request was sent with HTTP/2 or HTTP/3 on a connection that is not known.
    private var hasUnknown = false
    /// Whether a request may be in progress with HTTP/2 or HTTP/3.
    var hasStreams: Bool { hasUnknown || multiplexed.contains { $0.users > 0 } }
    /// Whether libcurl is asked to report the streams of HTTP/2, and whether it does.
    var watchesRefusals = false
    var reportsStreams = false
    /// The origins to which connections of HTTP/3 are opened.
    var announcedHTTP3 = AnnouncedHTTP3()
    /// The time when connecting to an origin has last failed; libcurl keeps addresses for a minute.
    private(set) var failures: [Origin: MonotonicTime] = [:]
    /// Whether Ferry opens all connections; libcurl itself opens those to a resolver over HTTPS.
    let isComplete: Bool

    package init(isComplete: Bool = true) { self.isComplete = isComplete }

    /// Adds the connection of a socket that libcurl has opened.
    package func open(_ socket: Int32) -> Connection {
        close(socket)
        let connection = Connection(socket, at: .now())
        connections[socket] = connection
        return connection
    }

    /// Removes a connection whose socket is about to be closed.
    package func close(_ socket: Int32) {
        guard let connection = connections.removeValue(forKey: socket) else { return }
        connection.isOpen = false
        if connection.isMultiplexed { multiplexed.removeAll { $0 === connection } }
        if connections.isEmpty { hasUnknown = false }
        if let port = connection.local?.port, byPort[port] === connection { byPort[port] = nil }
    }

    /// Notes that a connection carries several requests at a time.
    func noteMultiplexed(_ connection: Connection?) {
        guard let connection else {
            hasUnknown = true
            return
        }
        guard !connection.isMultiplexed else { return }
        connection.isMultiplexed = true
        if connection.isOpen { multiplexed.append(connection) }
    }

    /// Finds the connection between two addresses.
    ///
    /// Connections to different servers may have the same local port. If libcurl reports another remote address than
    /// the system does, only the local address counts, and must belong to exactly one connection.
    package func connection(from local: Connection.Endpoint, to remote: Connection.Endpoint) -> Connection? {
        if let known = byPort[local.port], known.isLocal(local), known.isConnected(to: remote) { return known }
        for connection in connections.values { connection.resolveLocal() }
        let candidates = connections.values.filter { $0.isLocal(local) }
        let found = candidates.first { $0.isConnected(to: remote) } ?? (candidates.count == 1 ? candidates.first : nil)
        if let found { byPort[local.port] = found }
        return found
    }

    /// Whether there is a connection to an origin with HTTP/2 by prior knowledge.
    func hasPriorKnowledge(of origin: Origin) -> Bool {
        connections.values.contains { $0.priorKnowledge == origin && $0.isUsable }
    }

    /// Notes that connecting has failed; where very many hosts cannot be reached, some are forgotten.
    func noteFailure(of origin: Origin) {
        if failures.count >= AnnouncedHTTP3.maximumCount { failures = [:] }
        failures[origin] = .now()
    }

    /// Retires the idle connections: all, or those to an origin that have received nothing since a time.
    func retireIdle(to origin: Origin? = nil, since start: MonotonicTime = .init(nanoseconds: .max)) {
        for connection in connections.values
        where connection.users == 0 && connection.requestCount > 0 && connection.lastReceived <= start
            && (origin == nil || connection.origin == origin)
        {
            connection.retire()
        }
    }

    /// Prevents all connections from carrying a further request.
    package func retireAll() {
        for connection in connections.values { connection.retire() }
    }

    package func forgetVerdicts() {
        for connection in connections.values { connection.verdict = nil }
    }

    /// Whether each connection without a port, over a Unix-domain socket, may carry a request with these credentials.
    func mayCarryRequestWithoutPort(of identity: CredentialPair) -> Bool {
        for connection in connections.values { connection.resolveLocal() }
        return connections.values.allSatisfy { connection in
            (connection.local?.port ?? 0) >= 0 || (!connection.hasUnexpectedInput && connection.isKnown(by: identity))
        }
    }

    /// Whether each connection without a port was accepted as one to the origin, by this revision of the policy.
    func trustsAllWithoutPort(_ origin: Origin, revision: Int) -> Bool {
        connections.values.allSatisfy { connection in
            guard (connection.local?.port ?? 0) < 0 else { return true }
            guard let verdict = connection.verdict, verdict.isValid(for: origin, revision: revision) else {
                return false
            }
            return if case .refuse = verdict.decision { false } else { true }
        }
    }
}

extension String {
    fileprivate func isEqual(to text: UnsafePointer<CChar>) -> Bool { withCString { strcmp($0, text) == 0 } }
}
