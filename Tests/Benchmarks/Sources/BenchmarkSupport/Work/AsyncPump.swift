import Synchronization

/// Keeps a number of requests in flight until all are done, for clients with `async` functions.
public enum AsyncPump {
    /// Makes all requests, with as many Swift tasks as there are concurrent requests.
    ///
    /// - Parameters:
    /// - total: The number of requests.
    /// - inFlight: The number of concurrent requests.
    /// - laps: The number of times that `onLap` is called.
    ///   - request: Makes one request.
    /// - onLap: Called at the end of each part of the run.
    /// - Throws: The first error.
    public static func run(
        _ total: Int,
        inFlight: Int,
        laps: Int = 4,
        request: @escaping @Sendable () async throws -> Void,
        onLap: @escaping @Sendable () -> Void = {}
    ) async throws {
        let counters = Counters()
        let lap = max(1, total / laps)
        try await withThrowingDiscardingTaskGroup { group in
            for _ in 0..<min(inFlight, total) {
                group.addTask {
                    while counters.started.wrappingAdd(1, ordering: .relaxed).newValue <= total {
                        try await request()
                        let completed = counters.completed.wrappingAdd(1, ordering: .relaxed).newValue
                        if completed % lap == 0 { onLap() }
                    }
                }
            }
        }
    }

    private final class Counters: Sendable {
        let started = Atomic(0)
        let completed = Atomic(0)
    }
}
