/// The listener and the state shared by its connections.
///
/// One thread accepts connections, and each ``Connection`` has its own thread. They retain the core; ``LoopbackServer``
/// stops it when it is deinitialized.
final class ServerCore: Sendable {
    typealias BodyReadingRule = @Sendable (LoopbackRequest) -> LoopbackBodyReading

    private struct State {
        var handler: LoopbackServer.Handler?
        var bodyReading: BodyReadingRule?
        var isStopped = false
    }

    let configuration: LoopbackServer.Configuration
    let port: Int
    let log: RequestLog
    let connections = ConnectionTable()
    private let threads = ServerThreads()
    private let listener: ListeningSocket
    private let state: Mutex<State>

    init(
        host: String,
        configuration: LoopbackServer.Configuration,
        bodyReading: BodyReadingRule?,
        handler: @escaping LoopbackServer.Handler
    ) throws(LoopbackServerError) {
        self.configuration = configuration
        log = RequestLog(keepsRequests: configuration.recordsRequests)
        listener = try ListeningSocket(
            host: host,
            receiveBufferSize: configuration.receiveBufferSize,
            sendBufferSize: configuration.sendBufferSize
        )
        port = listener.port
        state = Mutex(State(handler: handler, bodyReading: bodyReading))
        guard threads.start({ self.acceptConnections() }) else {
            listener.close()
            throw .system(call: "pthread_create", code: EAGAIN)
        }
    }

    var traffic: TrafficCounter { listener.traffic }

    /// The handler and the rule for reading bodies; nil once the server is stopped.
    var rules: (handler: LoopbackServer.Handler, bodyReading: BodyReadingRule?)? {
        state.withLock { state in state.handler.map { ($0, state.bodyReading) } }
    }

    /// Ends the connections and threads; false if a thread was still busy in a handler after five seconds.
    func stop() -> Bool {
        // The handler is released without the lock: a `deinit` may use the server.
        let old = state.withLock { state in
            let old = state
            state = State(handler: nil, bodyReading: nil, isStopped: true)
            return old
        }
        guard !old.isStopped else { return true }
        listener.shutDown()
        connections.close()
        return threads.waitForAll(timeout: 5)
    }

    /// Whether the server is stopped; set before the sockets of its connections are shut down.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    private func acceptConnections() {
        while !isStopped {
            switch listener.accept() {
            case .connection(let socket, let remotePort): start(socket, remotePort: remotePort)
            case .failure(EMFILE), .failure(ENFILE), .failure(ENOBUFS), .failure(ENOMEM): usleep(10000)
            case .failure:
                // Any other error concerns only one new connection, or means that the server stops, which ends the
                // loop.
                break
            }
        }
        listener.close()
    }

    private func start(_ socket: Socket, remotePort: Int) {
        guard let id = connections.add(socket) else { return socket.close() }
        let isStarted = threads.start {
            Connection(core: self, socket: socket, id: id, remotePort: remotePort).run()
        }
        if !isStarted {
            connections.remove(id)
            socket.close()
        }
    }
}

/// The threads of a server, which are started one by one and end before the server is deinitialized.
///
/// They are detached: if a server still exists when the process ends, no thread is left unjoined.
final class ServerThreads: Sendable {
    private let running = Mutex<Set<pthread_t>>([])
    private let group = DispatchGroup()

    /// Runs `body` on a new thread; false if the system cannot create one.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        group.enter()
        let isStarted = SystemThread.start("Ferry server", stackSize: 1 << 20) { [self] in run(body) }
        if !isStarted { group.leave() }
        return isStarted
    }

    /// Waits until all threads have ended; false after the timeout, or if it is called on one of them.
    func waitForAll(timeout: TimeInterval) -> Bool {
        let isOwn = running.withLock { $0.contains(pthread_self()) }
        return !isOwn && group.wait(timeout: .now() + timeout) == .success
    }

    private func run(_ body: () -> Void) {
        let me = pthread_self()
        running.withLock { _ = $0.insert(me) }
        body()
        running.withLock { _ = $0.remove(me) }
        group.leave()
    }
}
