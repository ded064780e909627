/// A number of a sample.
public enum Measure: Sendable, Hashable, Codable {
    /// Seconds per request.
    case wall
    /// Seconds of processor time per request.
    case cpu
    /// The bytes that were resident at the worst moment.
    case peakMemory
    /// The bytes of files that were resident.
    case fileMemory
    /// The bytes by which memory grew at the worst moment.
    case growth
    /// The most threads that were seen.
    case threads
    /// What the workload measures beside.
    case extra(String)

    /// The number in a sample; nil where the sample has none.
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
