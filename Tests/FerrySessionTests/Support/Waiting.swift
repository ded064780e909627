import FerrySession
import FerryTesting

/// Waits until a number stays the same for a while, and returns it.
func settled(for pause: TimeInterval = 0.25, _ value: @Sendable () -> Int) async throws -> Int {
    var last = value()
    var since = ContinuousClock.now
    let deadline = since + .seconds(20 * patience)
    while ContinuousClock.now - since < .seconds(pause) {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "A number never settled") }
        try await Task.sleep(for: .milliseconds(10))
        let now = value()
        if now != last { (last, since) = (now, .now) }
    }
    return last
}

/// A serial queue with its own thread: a callback that blocks there takes no thread from the tests.
///
/// `@unchecked Sendable` like its superclass.
final class BlockableQueue: OperationQueue, @unchecked Sendable {
    private let dispatch = DispatchQueue(label: "blockable")

    override init() {
        super.init()
        underlyingQueue = dispatch
        maxConcurrentOperationCount = 1
    }
}

extension Gate {
    /// Waits on a server's thread, while the client stays connected.
    func wait(_ stream: LoopbackBodyStream) {
        arrive()
        while !isOpen, stream.wait(0.005) {}
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
