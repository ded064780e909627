#if FERRY_THREAD_SANITIZER
import Foundation

/// A value protected by a lock that the thread sanitizer can see, unlike `Synchronization.Mutex`.
///
/// `@unchecked Sendable`: the value is only accessed with the lock held.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
#else
import Synchronization

/// A value protected by a lock: decide inside ``withLock(_:)``, act outside it.
final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
}
#endif
