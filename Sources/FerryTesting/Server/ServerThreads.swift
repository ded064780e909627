import Dispatch
import Foundation

/// The threads of one server: started one by one, all at their end before the server is gone.
///
/// They are detached: a server that is still there when the process ends leaves no thread that nobody has joined.
final class ServerThreads: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let running = Locked<Set<pthread_t>>([])
    private let group = DispatchGroup()
    private let stackSize = 1 << 20

    /// Runs `body` on a thread of its own; false if the system has none left.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        group.enter()
        let box = Unmanaged.passRetained(Body { self.run(body) })
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var thread = pthread_t()
        let result = pthread_create(
            &thread,
            &attributes,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            box.toOpaque()
        )
        if result != 0 {
            box.release()
            group.leave()
        }
        return result == 0
    }

    /// Waits until all threads are at their end; false if some were not in time, or if one of them calls.
    func waitForAll(timeout: TimeInterval) -> Bool {
        let isOwn = running.withLock { $0.contains(pthread_self()) }
        return !isOwn && group.wait(timeout: .now() + timeout) == .success
    }

    private func run(_ body: () -> Void) {
        let me = pthread_self()
        running.withLock { _ = $0.insert(me) }
        body()
        running.withLock { _ = $0.remove(me) }
        group.leave()
    }
}
