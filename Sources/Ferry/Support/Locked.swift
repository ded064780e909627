#if FERRY_THREAD_SANITIZER
import Foundation

/// A value protected by a lock that the thread sanitizer can see, unlike `Synchronization.Mutex`.
///
/// `@unchecked Sendable`: the value is only accessed with the lock held.
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

/// A value protected by a lock.
///
/// Decide inside ``withLock(_:)`` and act outside it: user code never runs with the lock held. The type is declared in
/// this module because the compiler specializes it for each type of value only there; a specialized lock takes a tenth
/// of the time.
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
