import FerrySession

/// The error when an expected event did not happen in time.
struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}

/// The factor for times in tests: the thread sanitizer makes everything several times slower.
#if FERRY_THREAD_SANITIZER
let patience = 5.0
#else
let patience = 1.0
#endif

/// Waits until a condition is true, and throws an error if that does not happen in time.
func eventually(
    _ what: String,
    timeout: TimeInterval = 20,
    _ condition: @Sendable () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(timeout * patience)
    var pause = 1
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "Timed out waiting for \(what)") }
        try await Task.sleep(for: .milliseconds(pause))
        // Many tests wait at the same time.
        pause = min(pause * 2, 16)
    }
}

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

/// Calls `body` concurrently on several threads that may block, unlike those that tests run on.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ worker: Int) -> Void) async {
    let left = Locked(count)
    await withCheckedContinuation { continuation in
        for worker in 0..<count {
            Thread.detachNewThread {
                body(worker)
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { continuation.resume() }
            }
        }
    }
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

/// A value that a handler on another queue provides for the test.
final class Promise<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    var first: Value? { all.first }

    func fulfil(_ value: Value) { values.withLock { $0.append(value) } }

    /// Waits for the first value.
    func value(timeout: TimeInterval = 20) async throws -> Value {
        try await eventually("a value", timeout: timeout) { self.first != nil }
        guard let first else { throw NeverHappened(description: "No value") }
        return first
    }
}
