/// The open connections of a server.
///
/// A socket is shut down only while it is in the table, and closed only after it was removed, so that another
/// descriptor with the same number is never shut down.
final class ConnectionTable: Sendable {
    private struct Entry {
        let socket: Socket
        var isIdle = true
        var isDropped = false
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var accepted = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    var acceptedCount: Int { state.withLock { $0.accepted } }
    var openCount: Int { state.withLock { $0.entries.count } }

    /// Adds a new connection and returns its number; nil once the table is closed.
    func add(_ socket: Socket) -> Int? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.accepted += 1
            state.entries[state.accepted] = Entry(socket: socket)
            return state.accepted
        }
    }

    func remove(_ id: Int) { state.withLock { _ = $0.entries.removeValue(forKey: id) } }

    /// Records whether a connection is between requests; false if it was dropped in that state.
    func setIdle(_ isIdle: Bool, _ id: Int) -> Bool {
        state.withLock { state in
            state.entries[id]?.isIdle = isIdle
            return state.entries[id]?.isDropped == false
        }
    }

    /// Shuts down the connections that are between requests.
    func dropIdle() {
        state.withLock { state in
            for (id, entry) in state.entries where entry.isIdle && !entry.isDropped {
                state.entries[id]?.isDropped = true
                entry.socket.shutDown()
            }
        }
    }

    /// Shuts down all connections and accepts no more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            for entry in state.entries.values { entry.socket.shutDown() }
        }
    }
}
