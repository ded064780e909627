/// The outcome of one client in one workload in one round.
public enum Outcome: Sendable, Equatable, Codable {
    /// The client measured a sample.
    case sample(Sample)
    /// The client failed; a failure is never shown as a number.
    case failed(String)
    /// The client was not run.
    case notMeasured(String)

    /// The sample, if there is one.
    public var sample: Sample? {
        if case .sample(let sample) = self { sample } else { nil }
    }

    /// The reason why there is no sample; nil if there is one.
    public var reason: String? {
        switch self {
        case .sample: nil
        case .failed(let reason): "failed: \(reason)"
        case .notMeasured(let reason): "not measured: \(reason)"
        }
    }
}
