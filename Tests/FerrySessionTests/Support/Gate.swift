import FerrySession
import FerryTesting

/// A gate that a server's handler waits at until the test opens it.
final class Gate: Sendable {
    private let isOpenNow = Locked(false)
    private let arrivals = Locked(0)

    var isOpen: Bool { isOpenNow.withLock { $0 } }

    /// The number of threads that have arrived at the gate.
    var arrived: Int { arrivals.withLock { $0 } }

    func open() { isOpenNow.withLock { $0 = true } }

    /// Waits on the server's thread, while the client stays connected.
    func wait(_ stream: LoopbackBodyStream) {
        arrivals.withLock { $0 += 1 }
        while !isOpen, stream.wait(0.005) {}
    }

    /// Waits on a thread that may block, for at most a minute.
    func wait() {
        arrivals.withLock { $0 += 1 }
        for _ in 0..<12_000 where !isOpen { usleep(5000) }
    }
}

extension LoopbackResponse {
    /// Returns the first `count` bytes of the pattern, of which those after `first` wait at a gate; with `closes` the
    /// server closes the connection there instead of sending them.
    static func gated(
        _ gate: Gate,
        first: Int,
        of count: Int,
        etag: String? = nil,
        closes: Bool = false
    ) -> LoopbackResponse {
        var response = LoopbackResponse.stream { stream in
            stream.write(LoopbackServer.pattern(count: first))
            gate.wait(stream)
            if !closes { stream.write(LoopbackServer.pattern(count: count - first, offset: first)) }
        }
        response.headers.add("Content-Length", "\(count)")
        if let etag { response.headers.add("ETag", etag) }
        response.closesConnection = true
        return response
    }
}
