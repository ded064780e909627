/// What one process measured: one client in one workload.
public struct Sample: Codable, Sendable, Equatable {
    /// How many requests were made.
    public var count: Int

    /// The seconds that passed.
    public var wall: Double

    /// The seconds of processor time, user's and system's, of all threads.
    public var cpu: Double

    /// The bytes that were resident at the worst moment of the process's life.
    public var peakMemory: Int

    /// The bytes that were resident before the workload began.
    public var startMemory: Int

    /// The most threads that were seen while the workload ran.
    public var threads: Int

    /// What else a workload measures, by name.
    public var extras: [String: Double]

    /// Makes a sample.
    public init(
        count: Int,
        wall: Double,
        cpu: Double,
        peakMemory: Int,
        startMemory: Int,
        threads: Int,
        extras: [String: Double] = [:]
    ) {
        self.count = count
        self.wall = wall
        self.cpu = cpu
        self.peakMemory = peakMemory
        self.startMemory = startMemory
        self.threads = threads
        self.extras = extras
    }
}
