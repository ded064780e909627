import CFerry
import CSimulation
import Foundation

@testable import FerryCore

/// The simulation of libcurl's multi handle: the transfers and connections of one engine.
///
/// `@unchecked Sendable`: only the thread that has the engine uses it, but for ``wake(for:)``.
final class SimulatedMulti: @unchecked Sendable {
    private static let numbers = Mutex(0)

    let number = SimulatedMulti.numbers.withLock { number in
        number += 1
        return number
    }
    private let watch: OpaquePointer
    private var idle: [SimulatedConnection] = []
    private var finished: [(transfer: SimulatedTransfer, code: Int32)] = []
    private var maximumConnections = 100
    /// The events of the network that have not been handled.
    private let due = Mutex<[@Sendable () -> Void]>([])

    init() throws {
        guard let watch = ferry_watch_create() else { throw CocoaError(.fileReadUnknown) }
        self.watch = watch
    }

    deinit { ferry_watch_free(watch) }

    /// Closes the connections, whose callback must not run later: an event may still refer to the handle.
    func end() {
        for connection in idle { connection.close() }
        idle = []
    }

    /// Ends a wait; from any thread.
    func wake(for event: (@Sendable () -> Void)? = nil) {
        if let event { due.withLock { $0.append(event) } }
        ferry_watch_wake(watch)
    }

    /// Does something in the next turn.
    func inNextTurn(_ event: @escaping @Sendable () -> Void) { due.withLock { $0.append(event) } }

    func perform() {
        for event in due.withLock({ due in
            defer { due = [] }
            return due
        }) { event() }
    }

    /// Waits for a descriptor of the engine, and for the network; returns whether it ended before the timeout.
    func wait(for descriptor: Int32, milliseconds: Int32) -> Bool {
        guard milliseconds != 0, due.withLock({ $0.isEmpty }) else { return false }
        Simulation.shared.beginWait(of: self, milliseconds: milliseconds)
        let isReady = simulation_wait(descriptor, ferry_watch_descriptor(watch))
        Simulation.shared.endWait(of: self)
        _ = ferry_watch_wait(watch, 0)
        return isReady || due.withLock { !$0.isEmpty }
    }

    func set(_ option: Int32, _ value: Int) {
        let maximumConnectionsOption: Int32 = 6
        if option == maximumConnectionsOption { maximumConnections = value }
    }

    // MARK: - Transfers

    func finish(_ transfer: SimulatedTransfer, _ code: Int32) { finished.append((transfer, code)) }
    func nextFinished() -> (transfer: SimulatedTransfer, code: Int32)? {
        finished.isEmpty ? nil : finished.removeFirst()
    }
    func forget(_ transfer: SimulatedTransfer) { finished.removeAll { $0.transfer === transfer } }

    // MARK: - Connections

    /// Returns an idle connection that a request may use.
    func takeIdle(to peer: String) -> SimulatedConnection? {
        while let index = idle.lastIndex(where: { $0.peer == peer }) {
            let connection = idle.remove(at: index)
            if connection.isAlive { return connection }
            connection.close()
        }
        return nil
    }

    func keep(_ connection: SimulatedConnection) {
        idle.append(connection)
        if idle.count > maximumConnections { idle.removeFirst().close() }
    }
}

/// A connection, whose socket is a UDP socket that sends nothing.
final class SimulatedConnection: @unchecked Sendable {
    private static let numbers = Mutex(0)

    let number = SimulatedConnection.numbers.withLock { number in
        number += 1
        return number
    }
    let peer: String
    let port: Int32
    let socket: Int32
    let localPort: Int32
    private let closing: (function: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?)
    private(set) var isOpen = true
    /// Whether the server has closed it while it was idle.
    var isEnded = false

    init(
        peer: String,
        port: Int32,
        socket: Int32,
        closing: (function: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer?)
    ) {
        (self.peer, self.port, self.socket, self.closing) = (peer, port, socket, closing)
        localPort = simulation_connect(socket, port)
    }

    var isAlive: Bool { isOpen && !isEnded && !simulation_is_shut_down(socket) }

    func close() {
        guard isOpen else { return }
        isOpen = false
        simulation_close_socket(closing.function, closing.context, socket)
    }
}
