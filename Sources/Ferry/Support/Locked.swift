#if FERRY_THREAD_SANITIZER
import FerrySession

/// A value behind a lock that the thread sanitizer sees; it cannot see into `Synchronization.Mutex`.
///
/// `@unchecked Sendable`: the value is touched with the lock held.
package final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Calls `body` with exclusive access to the value.
    @discardableResult
    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
#else
import Synchronization

/// A value behind a lock.
///
/// Decide inside ``withLock(_:)`` and act outside it: no user code ever runs with the lock held. It stands in this module
/// since the compiler makes a lock of its own for each type of value only there, and such locks cost a tenth.
package final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Calls `body` with exclusive access to the value.
    @discardableResult
    package func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
}
#endif
