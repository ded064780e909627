/// A value behind a lock.
///
/// Decide inside ``withLock(_:)`` and act outside it: no user code ever runs with the lock held.
package final class Locked<Value: Sendable>: Sendable {
    @usableFromInline let mutex: Mutex<Value>

    @inlinable
    package init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Calls `body` with exclusive access to the value.
    @discardableResult
    @inlinable
    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
}
