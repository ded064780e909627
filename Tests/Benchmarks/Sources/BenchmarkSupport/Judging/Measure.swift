/// A kind of number in a sample.
public enum Measure: Sendable, Hashable, Codable {
    /// Seconds per request.
    case wall
    /// Seconds of processor time per request.
    case cpu
    /// The peak number of resident bytes.
    case peakMemory
    /// The number of resident bytes of files.
    case fileMemory
    /// The number of bytes by which memory grew at its peak.
    case growth
    /// The largest number of threads observed.
    case threads
    /// An additional number that the workload measures.
    case extra(String)

    /// Returns the number in a sample; nil if the sample does not have it.
    public func value(in sample: Sample) -> Double? {
        switch self {
        case .wall: sample.wall / Double(max(1, sample.count))
        case .cpu: sample.cpu / Double(max(1, sample.count))
        case .peakMemory: Double(sample.peakMemory)
        case .fileMemory: Double(sample.fileMemory)
        case .growth: Double(sample.peakMemory - sample.startMemory)
        case .threads: Double(sample.threads)
        case .extra(let name): sample.extras[name]
        }
    }
}
