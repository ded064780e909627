import FerrySession
import FerryTesting

/// Something a server's handler waits for, until the test opens it.
final class Gate: Sendable {
    private let isOpenNow = Locked(false)
    private let arrivals = Locked(0)

    var isOpen: Bool { isOpenNow.withLock { $0 } }

    /// How many have come to the gate.
    var arrived: Int { arrivals.withLock { $0 } }

    func open() { isOpenNow.withLock { $0 = true } }

    /// Waits on the server's thread, no longer than the client stays.
    func wait(_ stream: LoopbackBodyStream) {
        arrivals.withLock { $0 += 1 }
        while !isOpen, stream.wait(0.005) {}
    }

    /// Waits on whatever thread; for ten seconds at most.
    func wait() {
        arrivals.withLock { $0 += 1 }
        for _ in 0..<2000 where !isOpen { usleep(5000) }
    }
}

extension LoopbackResponse {
    /// The pattern's first `count` bytes, of which the rest behind `first` waits at a gate; with `closes` the server
    /// closes there instead of sending it.
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
