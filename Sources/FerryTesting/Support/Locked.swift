#if FERRY_THREAD_SANITIZER
import Foundation

/// A value behind a lock that the thread sanitizer sees; it cannot see into `Synchronization.Mutex`.
///
/// `@unchecked Sendable`: the value is touched with the lock held.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
#else
import Synchronization

/// A value behind a lock: decide inside ``withLock(_:)``, act outside it.
final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
}
#endif
