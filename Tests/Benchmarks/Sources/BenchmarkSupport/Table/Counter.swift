/// A counter that a workload uses instead of measuring time; the raw value names the workload and the number.
public enum Counter: String, Sendable, Codable, CaseIterable {
    /// Heap allocations.
    case allocations
    /// Instructions of the client's process, without the kernel's.
    case instructions
}
