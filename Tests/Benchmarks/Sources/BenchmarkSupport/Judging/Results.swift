/// The outcomes of a run by workload and client, one for each round.
public struct Results: Sendable {
    private var outcomes: [Place: [Outcome]] = [:]

    /// Creates empty results.
    public init() {}

    /// Adds the outcome of the next round.
    public mutating func add(_ outcome: Outcome, workload: String, client: String) {
        outcomes[Place(workload: workload, client: client), default: []].append(outcome)
    }

    /// Returns the outcomes of all rounds, in order.
    public func outcomes(workload: String, client: String) -> [Outcome] {
        outcomes[Place(workload: workload, client: client)] ?? []
    }

    /// Returns the median over the rounds with a sample; nil if there are none.
    public func median(_ subject: Subject) -> Double? {
        Statistics.median(values(subject).compactMap { $0 })
    }

    /// Returns the number of each round, nil for a round without a sample.
    public func values(_ subject: Subject) -> [Double?] {
        outcomes(workload: subject.workload, client: subject.client).map { outcome in
            outcome.sample.flatMap(subject.measure.value)
        }
    }

    /// Returns the reason why there is no number.
    public func reason(_ subject: Subject) -> String {
        let all = outcomes(workload: subject.workload, client: subject.client)
        return all.compactMap(\.reason).first ?? "not measured: \(subject.client) did not run in \(subject.workload)"
    }

    private struct Place: Hashable {
        let workload: String
        let client: String
    }
}

/// A number to compare: one measure of one client in one workload.
public struct Subject: Sendable, Hashable {
    /// The workload's name, such as `W1`.
    public var workload: String

    /// The client's name, such as `ferry:delegate`.
    public var client: String

    /// The measure.
    public var measure: Measure

    /// Creates a subject.
    public init(_ workload: String, _ client: String, _ measure: Measure) {
        self.workload = workload
        self.client = client
        self.measure = measure
    }
}
