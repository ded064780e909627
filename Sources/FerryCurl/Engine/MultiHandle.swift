internal import CFerry

/// A libcurl multi handle.
///
/// `@unchecked Sendable`: everything except ``wakeUp()``, which libcurl allows on any thread, is called by the thread
/// that has the engine, or after the engine's own thread has ended.
package final class MultiHandle: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    /// The descriptor that ends a wait, which costs less than libcurl's own way.
    private let wakeDescriptor: Int32
    /// The descriptor that ends a wait when a connection has ended; -1 until there is one to watch.
    private var endWatch: Int32 = -1
    /// The table that libcurl's callbacks remove closed connections from, the last of them when this object ends.
    private let connections: ConnectionTable
    /// The object that OpenSSL's callbacks add refused chains to; connections keep its address.
    let chains = RefusedChains()

    /// Makes a handle.
    ///
    /// - Parameters:
    ///   - connections: The table that libcurl's callbacks remove closed connections from.
    ///   - most: The number of connections above which the one that has been idle for longest is closed.
    /// - Throws: An error with the code `curlUnavailable` if there is no memory or no file descriptor.
    package init(
        _ connections: ConnectionTable,
        keeping most: Int
    ) throws(CurlSessionError) {
        self.connections = connections
        guard let pointer = ferry_multi_init() else {
            throw CurlSessionError(.curlUnavailable, "libcurl could not make a multi handle")
        }
        wakeDescriptor = ferry_open_wake_descriptor()
        guard wakeDescriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            ferry_multi_cleanup(pointer)
            throw CurlSessionError(.curlUnavailable, "The session could not open a descriptor to wake with: \(reason)")
        }
        self.pointer = pointer
        let multiplex = 2
        ferry_multi_set_long(pointer, CurlMultiOption.pipelining, multiplex)
        // By default libcurl keeps four times as many as requests are running: the last ones of a burst would close
        // what the next burst needs.
        ferry_multi_set_long(pointer, CurlMultiOption.maximumConnections, most)
    }

    deinit {
        ferry_multi_cleanup(pointer)
        close(wakeDescriptor)
        if endWatch >= 0 { close(endWatch) }
    }

    package func add(_ easy: EasyHandle) -> Int32 { ferry_multi_add(pointer, easy.pointer) }
    package func remove(_ easy: EasyHandle) { _ = ferry_multi_remove(pointer, easy.pointer) }

    package func perform() {
        var running: Int32 = 0
        _ = ferry_multi_perform(pointer, &running)
    }

    /// Like `perform()`, but blocks SIGPIPE for the duration, for use on a caller's thread.
    func performQuietly() {
        var running: Int32 = 0
        _ = ferry_multi_perform_quietly(pointer, &running)
    }

    /// Whether ``sleep(_:milliseconds:)`` can be woken.
    var canSleep: Bool { wakeDescriptor >= 0 }

    /// Waits for ``wakeUp()`` and for bytes from a socket, without the multi handle; returns whether there are bytes.
    package func sleep(_ socket: Int32?, milliseconds: Int32?) -> Bool {
        ferry_wait(wakeDescriptor, socket ?? -1, milliseconds ?? -1)
    }

    /// Returns whether libcurl waits for bytes from a socket, and for nothing else in the next milliseconds.
    func waitsOnly(for socket: Int32, milliseconds: Int32) -> Bool {
        ferry_multi_waits_only_for(pointer, socket, milliseconds)
    }

    /// Waits for the connections, libcurl's timers and ``wakeUp()``; returns `false` if only the time has passed.
    package func poll(milliseconds: Int32) -> Bool {
        ferry_multi_poll(pointer, wakeDescriptor, endWatch, milliseconds)
    }

    /// Ends a wait, once, when the peer of a socket sends nothing more; see ``nextEnded()``.
    ///
    /// libcurl does not report the end of a connection while the body of its request is paused.
    ///
    /// - Returns: Whether there was a descriptor and memory for that.
    func watchEnd(of socket: Int32) -> Bool {
        if endWatch < 0 { endWatch = ferry_end_watch_create() }
        return ferry_end_watch_add(endWatch, socket)
    }

    /// Returns a socket whose peer sends nothing more, once.
    func nextEnded() -> Int32? {
        guard endWatch >= 0 else { return nil }
        let socket = ferry_end_watch_next(endWatch)
        return socket < 0 ? nil : socket
    }

    func wakeUp() { ferry_multi_wake(pointer, wakeDescriptor) }

    /// Returns a handle whose transfer has ended, with libcurl's code, and removes the message from libcurl's queue.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: Int32)? {
        var easy: UnsafeMutableRawPointer?
        var code: Int32 = 0
        guard ferry_multi_next_finished(pointer, &easy, &code), let easy else { return nil }
        return (easy, code)
    }
}
