import Synchronization

/// A value shared between the threads of a test.
final class Mutexed<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    var value: Value { mutex.withLock { value in value } }

    func change(_ body: (inout Value) -> Void) {
        mutex.withLock { value in body(&value) }
    }
}
