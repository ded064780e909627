/// What came of one client in one workload in one round.
public enum Outcome: Sendable, Equatable, Codable {
    /// It measured.
    case sample(Sample)
    /// It failed; never shown as a number.
    case failed(String)
    /// It was not run.
    case notMeasured(String)

    /// The sample, if there is one.
    public var sample: Sample? {
        if case .sample(let sample) = self { sample } else { nil }
    }

    /// Why there is no sample.
    public var reason: String? {
        switch self {
        case .sample: nil
        case .failed(let reason): "failed: \(reason)"
        case .notMeasured(let reason): "not measured: \(reason)"
        }
    }
}
