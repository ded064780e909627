import Synchronization

/// Measures a workload from its creation to ``sample(count:extras:)``.
public final class Stopwatch: Sendable {
    private let startMemory: Int
    private let wall: Double
    private let cpu: Double
    private let threads = Atomic(0)

    /// Starts measuring.
    public init() {
        startMemory = ProcessUsage.memory
        wall = ProcessUsage.monotonic
        cpu = ProcessUsage.cpu
    }

    /// Records the number of threads; a workload calls this a few times while it runs.
    public func noteThreads() {
        threads.max(ProcessUsage.threads, ordering: .relaxed)
    }

    /// Returns the measurements since the start.
    public func sample(count: Int, extras: [String: Double] = [:]) -> Sample {
        let wall = ProcessUsage.monotonic - wall
        let cpu = ProcessUsage.cpu - cpu
        noteThreads()
        return Sample(
            count: count,
            wall: wall,
            cpu: cpu,
            peakMemory: ProcessUsage.peakMemory,
            startMemory: startMemory,
            fileMemory: ProcessUsage.fileMemory,
            threads: threads.load(ordering: .relaxed),
            extras: extras
        )
    }
}
