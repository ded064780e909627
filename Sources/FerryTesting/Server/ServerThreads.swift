import Dispatch
import Foundation

/// The threads of one server: started one by one, all joined before the server is gone.
final class ServerThreads: Sendable {
    private struct State {
        var running: Set<pthread_t> = []

        /// A thread that has ended but for its last instructions; the next to end joins it.
        var ended: pthread_t?

        /// Nobody will join any more: threads that end from now on detach themselves.
        var isAbandoned = false
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private let state = Locked(State())
    private let group = DispatchGroup()
    private let stackSize = 1 << 20

    /// Runs `body` on a thread of its own; false if the system has none left.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        group.enter()
        let box = Unmanaged.passRetained(Body { self.run(body) })
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackSize)
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

    /// Waits until all threads have ended; false if some did not in time, or if one of them calls.
    func joinAll(timeout: TimeInterval) -> Bool {
        let isOwn = state.withLock { $0.running.contains(pthread_self()) }
        let isOver = !isOwn && group.wait(timeout: .now() + timeout) == .success
        let last = state.withLock { state in
            state.isAbandoned = !isOver
            defer { state.ended = nil }
            return state.ended
        }
        if let last { pthread_join(last, nil) }
        return isOver
    }

    private func run(_ body: () -> Void) {
        let me = pthread_self()
        state.withLock { _ = $0.running.insert(me) }
        body()
        let previous: pthread_t? = state.withLock { state in
            state.running.remove(me)
            if state.isAbandoned {
                pthread_detach(me)
                return nil
            }
            defer { state.ended = me }
            return state.ended
        }
        if let previous { pthread_join(previous, nil) }
        group.leave()
    }
}
