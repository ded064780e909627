import FerrySession

/// What was waited for did not happen in time.
struct NeverHappened: Error, CustomStringConvertible {
    let description: String
}

/// Waits until something holds, and throws when it does not in time.
func eventually(
    _ what: String,
    timeout: TimeInterval = 20,
    _ condition: @Sendable () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(timeout)
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "Waited in vain for \(what)") }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Waits until a number stays the same for a while, and gives it.
func settled(for pause: TimeInterval = 0.25, _ value: @Sendable () -> Int) async throws -> Int {
    var last = value()
    var since = ContinuousClock.now
    let deadline = since + .seconds(20)
    while ContinuousClock.now - since < .seconds(pause) {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "A number never settled") }
        try await Task.sleep(for: .milliseconds(10))
        let now = value()
        if now != last { (last, since) = (now, .now) }
    }
    return last
}

/// A value that a handler on another queue leaves for the test.
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
