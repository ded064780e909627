import Synchronization

/// Runs an order's requests: first those that warm up, then the measured ones.
public enum Measuring {
    /// Measures a client with callbacks.
    public static func run(_ order: WorkOrder, start: @escaping Pump.Start) throws -> Sample {
        try Pump.run(order.warmUp, inFlight: order.inFlight, start: start)
        let isLong = order.work == .endurance
        let laps = Mutex(Laps())
        let stopwatch = Stopwatch()
        try Pump.run(order.count, inFlight: order.inFlight, laps: isLong ? 100 : 4, start: start) {
            if isLong { laps.withLock { $0.note() } } else { stopwatch.noteThreads() }
        }
        return stopwatch.sample(count: order.count, extras: isLong ? laps.withLock { $0.extras } : [:])
    }

    /// Measures a client with `async` functions.
    public static func run(
        _ order: WorkOrder,
        request: @escaping @Sendable () async throws -> Void
    ) async throws -> Sample {
        try await AsyncPump.run(order.warmUp, inFlight: order.inFlight, request: request)
        let stopwatch = Stopwatch()
        try await AsyncPump.run(order.count, inFlight: order.inFlight, request: request) { stopwatch.noteThreads() }
        return stopwatch.sample(count: order.count)
    }

    /// Measures the memory of tasks that are created and never resumed.
    public static func keep<Kept>(_ order: WorkOrder, make: () -> Kept) -> Sample {
        let warm = (0..<100).map { _ in make() }
        let stopwatch = Stopwatch()
        let before = ProcessUsage.memory
        let kept = (0..<order.count).map { _ in make() }
        let after = ProcessUsage.memory
        return withExtendedLifetime((warm, kept)) {
            let perTask = Double(after - before) / Double(max(1, order.count))
            return stopwatch.sample(count: order.count, extras: ["memoryPerTask": perTask])
        }
    }
}
