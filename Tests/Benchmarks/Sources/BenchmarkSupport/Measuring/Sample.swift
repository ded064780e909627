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

    /// The bytes of files, libraries above all, that were resident at the end: they are part of the peak, and are shared
    /// by all processes that use them.
    public var fileMemory: Int

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
        fileMemory: Int = 0,
        threads: Int,
        extras: [String: Double] = [:]
    ) {
        self.count = count
        self.wall = wall
        self.cpu = cpu
        self.peakMemory = peakMemory
        self.startMemory = startMemory
        self.fileMemory = fileMemory
        self.threads = threads
        self.extras = extras
    }
}
