/// What a workload counts, instead of measuring time; the raw value is the name of the workload and of the number.
public enum Counter: String, Sendable, Codable, CaseIterable {
    /// Heap allocations.
    case allocations
    /// Instructions of the client's process, without the kernel's.
    case instructions
}
