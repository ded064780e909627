import Dispatch
import Synchronization

/// Keeps a number of requests in flight until all are done, for clients with callbacks.
public final class Pump: Sendable {
    /// Starts one request, and calls the closure when it has ended: with an error, or with nil.
    public typealias Start = @Sendable (_ completed: @escaping @Sendable ((any Error)?) -> Void) -> Void

    private struct State {
        var started = 0
        var completed = 0
        var error: (any Error)?
    }

    private let total: Int
    private let lap: Int
    private let start: Start
    private let onLap: @Sendable () -> Void
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    private init(total: Int, laps: Int, start: @escaping Start, onLap: @escaping @Sendable () -> Void) {
        self.total = total
        lap = max(1, total / laps)
        self.start = start
        self.onLap = onLap
    }

    /// Makes all requests, and returns when they have ended.
    ///
    /// - Parameters:
    /// - total: The number of requests.
    /// - inFlight: The number of concurrent requests.
    /// - laps: The number of times that `onLap` is called.
    ///   - start: Starts a request.
    /// - onLap: Called at the end of each part of the run.
    /// - Throws: The first error.
    public static func run(
        _ total: Int,
        inFlight: Int,
        laps: Int = 4,
        start: @escaping Start,
        onLap: @escaping @Sendable () -> Void = {}
    ) throws {
        guard total > 0 else { return }
        let pump = Pump(total: total, laps: laps, start: start, onLap: onLap)
        for _ in 0..<min(inFlight, total) { pump.next() }
        pump.ended.wait()
        if let error = pump.state.withLock({ $0.error }) { throw error }
    }

    private func next() {
        let mayStart = state.withLock { state -> Bool in
            guard state.started < total, state.error == nil else { return false }
            state.started += 1
            return true
        }
        if mayStart { start { self.completed($0) } }
    }

    private func completed(_ error: (any Error)?) {
        let (isLap, isOver) = state.withLock { state -> (Bool, Bool) in
            state.completed += 1
            if state.error == nil { state.error = error }
            return (state.completed % lap == 0, state.completed == total || state.error != nil)
        }
        if isLap { onLap() }
        if isOver { ended.signal() } else { next() }
    }
}
