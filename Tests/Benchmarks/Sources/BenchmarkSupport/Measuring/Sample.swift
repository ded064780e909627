/// The measurements of one process: one client in one workload.
public struct Sample: Codable, Sendable, Equatable {
    /// The number of requests.
    public var count: Int

    /// The elapsed seconds.
    public var wall: Double

    /// The seconds of processor time, user and system, of all threads.
    public var cpu: Double

    /// The peak number of resident bytes over the life of the process.
    public var peakMemory: Int

    /// The number of resident bytes before the workload started.
    public var startMemory: Int

    /// The number of resident bytes of files, mostly libraries, at the end.
    ///
    /// They are part of the peak, and are shared by all processes that use them.
    public var fileMemory: Int

    /// The largest number of threads observed while the workload ran.
    public var threads: Int

    /// Additional measurements of the workload, by name.
    public var extras: [String: Double]

    /// Creates a sample.
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
