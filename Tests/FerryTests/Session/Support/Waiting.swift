import Ferry
import Foundation
import Testing

/// A value that tests write from many threads and wait for.
final class Watched<Value: Sendable>: Sendable {
    private let value: Locked<Value>

    init(_ value: Value) {
        self.value = Locked(value)
    }

    var current: Value { value.withLock { $0 } }

    @discardableResult
    func change<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        value.withLock { body(&$0) }
    }

    /// Waits until the value satisfies a condition, and returns whether it did in time.
    @discardableResult
    func wait(seconds: Double = 40, until condition: @Sendable (Value) -> Bool) async -> Bool {
        await eventually(seconds: seconds) { self.value.withLock { condition($0) } }
    }
}

/// Waits until a condition is true, and returns whether it was in time.
func eventually(seconds: Double = 40, _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}

func text(_ url: URL) -> String? {
    try? String(contentsOf: url, encoding: .utf8)
}
