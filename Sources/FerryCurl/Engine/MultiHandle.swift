internal import CFerry

/// A libcurl multi handle, and the sockets that it waits for.
///
/// `@unchecked Sendable`: everything except ``wakeUp()``, ``listen(milliseconds:)`` and ``sleep(milliseconds:)`` is
/// called by the thread that has the engine, or after the engine's own thread has ended.
package final class MultiHandle: @unchecked Sendable {
    /// A function that waits for a handle's descriptor in place of the system; set it before the first session.
    @exclusivity(unchecked) nonisolated(unsafe) package static var waitReplacement:
        ((_ handle: UnsafeMutableRawPointer, _ descriptor: Int32, _ milliseconds: Int32) -> Bool)?

    /// How often all transfers are examined while the system does not let a socket be watched, in milliseconds.
    private static let withoutWatch: Int32 = 10

    private let pointer: UnsafeMutableRawPointer
    private let watch: OpaquePointer
    /// The table that libcurl's callbacks remove closed connections from, the last of them when this object ends.
    private let connections: ConnectionTable
    /// The object that OpenSSL's callbacks add refused chains to; connections keep its address.
    let chains = RefusedChains()

    /// Makes a handle that closes the connection which is idle for longest when there are more than `most`.
    ///
    /// - Throws: An error with the code `curlUnavailable` if there is no memory or no file descriptor.
    package init(_ connections: ConnectionTable, keeping most: Int) throws(CurlSessionError) {
        self.connections = connections
        guard let pointer = ferry_multi_init() else {
            throw CurlSessionError(.curlUnavailable, "libcurl could not make a multi handle")
        }
        guard let watch = ferry_watch_create() else {
            let reason = String(cString: strerror(errno))
            ferry_multi_cleanup(pointer)
            throw CurlSessionError(.curlUnavailable, "The session could not open a descriptor to wait with: \(reason)")
        }
        guard ferry_multi_watch(pointer, watch) == 0 else {
            ferry_multi_cleanup(pointer)
            ferry_watch_free(watch)
            throw CurlSessionError(.curlUnavailable, "libcurl refused the callbacks for its sockets")
        }
        (self.pointer, self.watch) = (pointer, watch)
        let multiplex = 2
        ferry_multi_set_long(pointer, CurlMultiOption.pipelining, multiplex)
        // By default libcurl keeps four times as many as requests are running, so the end of one burst of requests
        // would close connections that the next burst needs.
        ferry_multi_set_long(pointer, CurlMultiOption.maximumConnections, most)
    }

    deinit {
        ferry_multi_cleanup(pointer)
        ferry_watch_free(watch)
    }

    package func add(_ easy: EasyHandle) -> Int32 { ferry_multi_add(pointer, easy.pointer) }
    package func remove(_ easy: EasyHandle) { _ = ferry_multi_remove(pointer, easy.pointer) }

    /// Continues the transfers whose sockets are ready and whose timers have ended, or all of them.
    package func perform(examiningAll: Bool = false) {
        ferry_multi_perform(pointer, watch, examiningAll || ferry_watch_is_incomplete(watch))
    }

    /// Like `perform()`, but blocks SIGPIPE for the duration, for use on a caller's thread.
    func performQuietly() { ferry_multi_perform_quietly(pointer, watch) }

    /// Returns whether one of libcurl's timers ends in the next milliseconds.
    func hasTimer(within milliseconds: Int32) -> Bool { limit(milliseconds) < milliseconds }

    /// Returns the milliseconds until the next of libcurl's timers ends, or `milliseconds` if that is less.
    private func limit(_ milliseconds: Int32) -> Int32 {
        let timer = ferry_multi_timeout(pointer)
        let limit = timer < 0 ? milliseconds : Int32(min(timer, Int64(milliseconds)))
        return ferry_watch_is_incomplete(watch) ? min(limit, Self.withoutWatch) : limit
    }

    /// Returns whether libcurl waits for anything of a connection.
    func waits(for connection: Connection) -> Bool { ferry_watch_waits_for(watch, connection.socket) }

    /// Makes ``nextQuiet()`` return a connection's socket once when libcurl waits for nothing of it any more.
    func watchEnd(of connection: Connection) { ferry_watch_mark(watch, connection.socket) }

    /// Returns a socket that libcurl waits for nothing of any more.
    func nextQuiet() -> Int32? {
        let socket = ferry_watch_next_quiet(watch)
        return socket < 0 ? nil : socket
    }

    // MARK: - Waiting

    /// Waits for the connections, libcurl's timers and ``wakeUp()``; returns `false` if only the time has passed.
    package func wait(milliseconds: Int32) -> Bool {
        let limit = limit(milliseconds)
        guard let replacement = Self.waitReplacement else { return ferry_watch_wait(watch, limit) }
        let isReady = replacement(pointer, ferry_watch_descriptor(watch), limit)
        return ferry_watch_wait(watch, 0) || isReady
    }

    /// Waits for the connections and ``wakeUp()`` on a thread that does not have the engine.
    ///
    /// The thread that has it must then call ``wait(milliseconds:)`` to find out what has happened.
    func listen(milliseconds: Int32?) {
        if let replacement = Self.waitReplacement {
            _ = replacement(pointer, ferry_watch_descriptor(watch), milliseconds ?? -1)
        } else {
            _ = ferry_watch_listen(watch, milliseconds ?? -1)
        }
    }

    /// Waits until a socket is readable, or one is writable that was not when ``wait(milliseconds:)`` last ended.
    func awaitInput(milliseconds: Int32) { _ = ferry_watch_listen_for_input(watch, limit(milliseconds)) }

    /// Waits only for ``wakeUp()``, also on a thread that does not have the engine.
    package func sleep(milliseconds: Int32?) { _ = ferry_watch_sleep(watch, milliseconds ?? -1) }

    func wakeUp() { ferry_watch_wake(watch) }

    /// Returns a handle whose transfer has ended, with libcurl's code, and removes the message from libcurl's queue.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: Int32)? {
        var easy: UnsafeMutableRawPointer?
        var code: Int32 = 0
        guard ferry_multi_next_finished(pointer, &easy, &code), let easy else { return nil }
        return (easy, code)
    }
}
