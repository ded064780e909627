import Dispatch
import Foundation

/// The threads of a server, which are started one by one and end before the server is deinitialized.
///
/// They are detached: if a server still exists when the process ends, no thread is left unjoined.
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

    /// Runs `body` on a new thread; false if the system cannot create one.
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

    /// Waits until all threads have ended; false after the timeout, or if it is called on one of them.
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
