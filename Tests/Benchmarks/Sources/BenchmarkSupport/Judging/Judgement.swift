/// The result of comparing a run with a target.
public enum Judgement: Sendable, Equatable {
    /// The target is met, with this number.
    case met(Double)
    /// The target is missed, with this number.
    case missed(Double)
    /// The run cannot decide, for this reason.
    case unknown(String)

    /// The number, if there is one.
    public var value: Double? {
        switch self {
        case .met(let value), .missed(let value): value
        case .unknown: nil
        }
    }

    /// The verdict as text.
    public var word: String {
        switch self {
        case .met: "met"
        case .missed: "missed"
        case .unknown: "not measured"
        }
    }
}

extension Target.Bound {
    /// Returns whether a number is within the bound.
    public func holds(for value: Double) -> Bool {
        switch self {
        case .atMost(let bound): value <= bound
        case .below(let bound): value < bound
        case .atLeast(let bound): value >= bound
        }
    }

    /// Returns the bound as text.
    public func text(_ unit: Notation) -> String {
        switch self {
        case .atMost(let bound): "≤ \(unit.text(bound))"
        case .below(let bound): "< \(unit.text(bound))"
        case .atLeast(let bound): "≥ \(unit.text(bound))"
        }
    }
}

extension Target {
    /// Compares the results of a run with the target.
    ///
    /// Numbers are compared within each round, in which all clients had the same conditions, and the median of the
    /// rounds is the result.
    public func judge(_ results: Results) -> Judgement {
        let own = results.values(subject)
        guard own.contains(where: { $0 != nil }) else { return .unknown(results.reason(subject)) }
        let compared = own.indices.compactMap { round in own[round].flatMap { value($0, round: round, results) } }
        guard let median = Statistics.median(compared) else {
            return .unknown(others.map(results.reason).first ?? "not measured")
        }
        return bound.holds(for: median) ? .met(median) : .missed(median)
    }

    private var others: [Subject] {
        switch comparison {
        case .itself: []
        case .dividedByBest(let others), .less(let others): others
        case .reached(let other): [other]
        }
    }

    private func value(_ own: Double, round: Int, _ results: Results) -> Double? {
        let others = others.map { other -> Double? in
            let values = results.values(other)
            return values.indices.contains(round) ? values[round] : nil
        }
        let known = others.compactMap { $0 }
        switch comparison {
        case .itself: return own
        case .dividedByBest:
            guard let best = known.min(), best > 0 else { return nil }
            return own / best
        case .less:
            guard known.count == others.count else { return nil }
            return own - known.reduce(0, +)
        case .reached:
            guard let other = known.first, own > 0 else { return nil }
            return other / own
        }
    }
}
