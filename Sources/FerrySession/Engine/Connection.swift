internal import CFerry

/// One connection of an engine, from the opening of its socket to the end.
///
/// Only the thread that has the engine touches it.
final class Connection {
    /// What was decided about the server of a TLS connection.
    ///
    /// libcurl shows a chain to the request that opened a connection and to no other, so the verdict stays with the
    /// connection.
    struct Verdict: Sendable {
        var origin: Origin
        /// The revision of the session's trust that it was given under.
        var revision = 0
        var decision: TrustDecision
        var certificates: [Data]
        var subject: String?
    }

    let socket: Int32
    /// The local address and port, once they are known; a negative port for a socket that never has one.
    fileprivate(set) var local: (address: String, port: Int)?
    var verdict: Verdict?
    /// How many attempts use the connection now.
    private(set) var users = 0
    /// Whether a request has been sent on it before.
    private(set) var hasCarriedRequest = false
    /// Whether it is known to speak HTTP/2.
    var isMultiplexed = false
    /// When a byte came last.
    private(set) var lastReceived: MonotonicTime
    /// Whether a request has timed out on it and no byte has come since.
    private(set) var isStalled = false
    /// Whether an error of the connection, and not of one request, has ended a request on it.
    private(set) var isBroken = false

    init(_ socket: Int32, at now: MonotonicTime) {
        self.socket = socket
        lastReceived = now
    }

    /// Notes an attempt that sends its request on the connection.
    func addUser() {
        users += 1
        hasCarriedRequest = true
    }

    func removeUser() {
        users -= 1
    }

    func noteReceived(at now: MonotonicTime) {
        lastReceived = now
        isStalled = false
    }

    /// Notes that a request has timed out: if no byte has come since `start`, no new request is sent here.
    func noteTimeout(since start: MonotonicTime) {
        if lastReceived <= start { isStalled = true }
    }

    /// Ends the connection for everything that uses it.
    func breakDown() {
        guard !isBroken else { return }
        isBroken = true
        ferry_socket_end(socket)
    }

    /// Whether a new request may be sent on the connection.
    ///
    /// Bytes that wait on an idle HTTP/1.1 connection are the response to no request, yet the next request would take
    /// them for its own. `hasUnreadBytes` returns a Boolean value that indicates whether the TLS library holds some.
    func mayCarryRequest(hasUnreadBytes: () -> Bool) -> Bool {
        guard !isBroken, !isStalled else { return false }
        guard hasCarriedRequest, users == 0, !isMultiplexed else { return true }
        return !ferry_socket_has_input(socket) && !hasUnreadBytes()
    }

    /// Whether an idle connection has something to read.
    fileprivate var hasUnexpectedInput: Bool { users == 0 && !isMultiplexed && ferry_socket_has_input(socket) }

    /// How many bytes the server has acknowledged; `nil` where that cannot be told.
    var acknowledgedBytes: Int64? {
        let count = ferry_socket_acknowledged(socket)
        return count < 0 ? nil : count
    }
}

/// The connections of one engine that are open, by their sockets.
///
/// `@unchecked Sendable`: only the thread that has the engine touches it, or the one that ends the engine's multi handle.
final class ConnectionTable: @unchecked Sendable {
    private var connections: [Int32: Connection] = [:]
    private var byPort: [Int: Connection] = [:]

    var count: Int { connections.count }

    /// Adds the connection of a socket that libcurl has opened.
    func open(_ socket: Int32) -> Connection {
        close(socket)
        let connection = Connection(socket, at: .now())
        connections[socket] = connection
        return connection
    }

    /// Removes a connection whose socket is about to be closed.
    func close(_ socket: Int32) {
        guard let connection = connections.removeValue(forKey: socket) else { return }
        if let local = connection.local, byPort[local.port] === connection { byPort[local.port] = nil }
    }

    /// Returns the open connection with a local address and port.
    func connection(address: UnsafePointer<CChar>, port: Int) -> Connection? {
        if let known = byPort[port], let local = known.local, local.address.isEqual(to: address) { return known }
        for connection in connections.values where connection.local == nil { resolve(connection) }
        // Two connections from different addresses may have the same port.
        let found = connections.values.first {
            $0.local.map { $0.port == port && $0.address.isEqual(to: address) } ?? false
        }
        if let found { byPort[port] = found }
        return found
    }

    /// Forgets what was decided about the connections' servers.
    func forgetVerdicts() {
        for connection in connections.values { connection.verdict = nil }
    }

    /// Whether something waits to be read on an idle connection that has no port, as those of Unix-domain sockets.
    var hasUnexpectedInputWithoutPort: Bool {
        for connection in connections.values where connection.local == nil { resolve(connection) }
        return connections.values.contains { ($0.local?.port ?? 0) < 0 && $0.hasUnexpectedInput }
    }

    private func resolve(_ connection: Connection) {
        var text = [CChar](repeating: 0, count: Int(FERRY_ADDRESS_SIZE))
        let port = Int(ferry_socket_local_port(connection.socket, &text))
        // A socket that is not connected yet gets its port later.
        guard port != 0 else { return }
        connection.local = (String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self), port)
    }
}

extension String {
    /// Whether a C string has the same bytes.
    fileprivate func isEqual(to text: UnsafePointer<CChar>) -> Bool {
        withCString { strcmp($0, text) == 0 }
    }
}
