import Foundation

/// The error when an expected event did not happen in time.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// The factor for times in tests: the thread sanitizer makes everything several times slower.
package let patience = ProcessUsage.isThreadSanitized ? 5.0 : 1.0

/// Waits until a condition is true, and throws an error if that does not happen in time.
package func eventually(
    _ what: String = "a condition",
    timeout: TimeInterval = 40,
    isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID,
    line: Int = #line,
    _ condition: () throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(timeout * patience)
    var pause = 1
    while try !condition() {
        guard ContinuousClock.now < deadline else {
            throw NeverHappened(description: "\(file):\(line): Timed out waiting for \(what)")
        }
        try await Task.sleep(for: .milliseconds(pause))
        // The pauses grow, because many tests wait at the same time.
        pause = min(pause * 2, 16)
    }
}

/// A value that callbacks on any thread change, and that a test waits for.
///
/// `@unchecked Sendable`: the value is only accessed with the lock held, which the thread sanitizer understands.
package final class Watched<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package var current: Value { lock.withLock { value } }

    @discardableResult
    package func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }

    /// Waits until the value satisfies a condition and returns it; throws an error if that does not happen in time.
    @discardableResult
    package func wait(
        timeout: TimeInterval = 40,
        isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID,
        line: Int = #line,
        until condition: (Value) throws -> Bool
    ) async throws -> Value {
        do {
            try await eventually(timeout: timeout) { try lock.withLock { try condition(value) } }
        } catch is NeverHappened {
            throw NeverHappened(description: "\(file):\(line): Timed out; the value is \(current)")
        }
        return current
    }

    /// Waits on a thread that may block until the value satisfies a condition, for at most a minute.
    package func block(until condition: (Value) -> Bool) {
        let deadline = ContinuousClock.now + .seconds(60 * patience)
        while !condition(current), ContinuousClock.now < deadline { usleep(2_000) }
    }
}

extension Watched where Value: RangeReplaceableCollection, Value.Element: Sendable {
    package func append(_ element: Value.Element) {
        change { $0.append(element) }
    }

    /// Waits for the first element.
    package func first(
        timeout: TimeInterval = 40,
        isolation: isolated (any Actor)? = #isolation,
        file: StaticString = #fileID,
        line: Int = #line
    ) async throws -> Value.Element {
        let value = try await wait(timeout: timeout, file: file, line: line) { !$0.isEmpty }
        return value[value.startIndex]
    }
}

/// A gate that threads wait at until a test opens it.
package final class Gate: Sendable {
    private let condition = NSCondition()
    // Accessed only with the condition locked.
    nonisolated(unsafe) private var state = (isOpen: false, arrived: 0)

    package init() {}

    package var isOpen: Bool { condition.withLock { state.isOpen } }

    /// The number of threads that have arrived at the gate.
    package var arrived: Int { condition.withLock { state.arrived } }

    package func open() {
        condition.withLock { state.isOpen = true }
        condition.broadcast()
    }

    /// Waits on a thread that may block, for at most a minute.
    package func wait() {
        arrive()
        let deadline = Date(timeIntervalSinceNow: 60)
        condition.withLock {
            while !state.isOpen, condition.wait(until: deadline) {}
        }
    }

    /// Counts a thread that waits in another way, until ``isOpen``.
    package func arrive() {
        condition.withLock { state.arrived += 1 }
    }
}

/// Calls `body` concurrently on several threads that may block, unlike those that tests run on.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ worker: Int) -> Void) async {
    let left = Watched(count)
    await withCheckedContinuation { continuation in
        for worker in 0..<count {
            Thread.detachNewThread {
                body(worker)
                let isLast = left.change { left in
                    left -= 1
                    return left == 0
                }
                if isLast { continuation.resume() }
            }
        }
    }
}
