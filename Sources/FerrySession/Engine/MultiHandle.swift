internal import CFerry

/// A libcurl multi handle.
///
/// `@unchecked Sendable`: all but ``wakeUp()``, which libcurl allows from any thread, is called by the one thread that has
/// the engine, or after the engine's own thread has ended.
final class MultiHandle: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    /// What ends a wait: cheaper than libcurl's own way, and -1 where there is none.
    private let wakeDescriptor: Int32

    /// What libcurl tells of closed connections, of the last of them when this object ends.
    private let connections: ConnectionTable

    /// What OpenSSL calls when it refuses a chain; connections keep its address.
    private let chains: RefusedChains

    init(_ connections: ConnectionTable, _ chains: RefusedChains) throws(CurlSessionError) {
        self.connections = connections
        self.chains = chains
        guard let pointer = ferry_multi_init() else {
            throw CurlSessionError(.curlUnavailable, "libcurl could not make a multi handle")
        }
        wakeDescriptor = ferry_open_wake_descriptor()
        #if os(Linux)
        guard wakeDescriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            _ = ferry_multi_cleanup(pointer)
            throw CurlSessionError(.curlUnavailable, "The session could not open a descriptor to wake with: \(reason)")
        }
        #endif
        self.pointer = pointer
        let multiplex = 2
        ferry_multi_set_long(pointer, CurlMultiOption.pipelining, multiplex)
    }

    deinit {
        _ = ferry_multi_cleanup(pointer)
        if wakeDescriptor >= 0 { close(wakeDescriptor) }
    }

    func add(_ easy: EasyHandle) -> Int32 {
        ferry_multi_add(pointer, easy.pointer)
    }

    func remove(_ easy: EasyHandle) {
        _ = ferry_multi_remove(pointer, easy.pointer)
    }

    func perform() {
        var running: Int32 = 0
        _ = ferry_multi_perform(pointer, &running)
    }

    /// The same on a thread of somebody else's.
    func performQuietly() {
        var running: Int32 = 0
        _ = ferry_multi_perform_quietly(pointer, &running)
    }

    /// Whether ``sleep(_:milliseconds:)`` can be woken.
    var canSleep: Bool { wakeDescriptor >= 0 }

    /// Waits for ``wakeUp()`` and for bytes from a socket, and leaves the handle to others meanwhile.
    ///
    /// Answers whether it was the socket.
    func sleep(_ socket: Int32?, milliseconds: Int32?) -> Bool {
        ferry_wait(wakeDescriptor, socket ?? -1, milliseconds ?? -1)
    }

    /// Whether libcurl waits for bytes from a socket, and for nothing else in the next milliseconds.
    func waitsOnly(for socket: Int32, milliseconds: Int32) -> Bool {
        ferry_multi_waits_only_for(pointer, socket, milliseconds)
    }

    /// Waits for the connections, libcurl's timers and ``wakeUp()``; answers `false` where only time has passed.
    func poll(milliseconds: Int32) -> Bool {
        ferry_multi_poll(pointer, wakeDescriptor, milliseconds)
    }

    func wakeUp() {
        ferry_multi_wake(pointer, wakeDescriptor)
    }

    /// Takes one transfer that has ended, with libcurl's code for how.
    func nextFinished() -> (easy: UnsafeMutableRawPointer, code: Int32)? {
        var easy: UnsafeMutableRawPointer?
        var code: Int32 = 0
        guard ferry_multi_next_finished(pointer, &easy, &code), let easy else { return nil }
        return (easy, code)
    }
}
