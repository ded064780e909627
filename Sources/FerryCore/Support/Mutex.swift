#if FERRY_THREAD_SANITIZER
/// The lock of builds for the thread sanitizer.
///
/// The sanitizer cannot see into `Synchronization.Mutex` and would report races on the protected values.
///
/// `@unchecked Sendable`: the value is accessed only with the POSIX lock held.
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initial: consuming sending Value) {
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }

    package borrowing func withLockIfAvailable<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result? {
        guard pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
#else
import Synchronization

package typealias Mutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif

extension Mutex where Value == Bool {
    /// Sets the value to `true`, and returns whether it was `false` before.
    package func claim() -> Bool {
        withLock { isClaimed in
            defer { isClaimed = true }
            return !isClaimed
        }
    }
}
