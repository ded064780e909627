#if FERRY_THREAD_SANITIZER
import Foundation

/// A value protected by a lock that the thread sanitizer can see, unlike `Synchronization.Mutex`.
///
/// `@unchecked Sendable`: the value is only accessed with the lock held.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Calls `body` with exclusive access to the value.
    @discardableResult
    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
#else
import Synchronization

/// A value protected by a lock.
///
/// Decide inside ``withLock(_:)`` and act outside it: user code never runs with the lock held. The module has a type of
/// its own because the compiler specializes Ferry's only in Ferry; a specialized lock takes a tenth of the time.
final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    /// Calls `body` with exclusive access to the value.
    @discardableResult
    func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
}
#endif
