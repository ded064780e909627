import FerrySession
import FerryTesting

/// Waits until a number is the same in many successive polls, ten milliseconds apart, and returns it.
///
/// Polls are counted because time may pass while the process does not run.
func settled(polls: Int = 25, _ value: @Sendable () -> Int) async throws -> Int {
    var last = value()
    var unchanged = 0
    let deadline = ContinuousClock.now + .seconds(40 * patience)
    while unchanged < polls {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "A number never settled") }
        try await Task.sleep(for: .milliseconds(10))
        let now = value()
        unchanged = now == last ? unchanged + 1 : 0
        last = now
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
    /// Returns the first `count` bytes of the pattern; the bytes after `first` wait at a gate, or with `closes` the
    /// server closes the connection instead of sending them.
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
