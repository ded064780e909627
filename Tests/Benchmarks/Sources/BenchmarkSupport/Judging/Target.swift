/// A performance target: a number, its comparison, and a bound.
public struct Target: Sendable {
    /// How the subject's number is compared.
    public enum Comparison: Sendable {
        /// The number itself.
        case itself
        /// The number divided by the smallest of these numbers, which is the best.
        case dividedByBest([Subject])
        /// The number minus the sum of these numbers.
        case less([Subject])
        /// This number divided by the subject's: the share of its speed that the subject reaches.
        case reached(Subject)
    }

    /// The bound of the compared number.
    public enum Bound: Sendable, Equatable {
        /// At most this.
        case atMost(Double)
        /// Less than this.
        case below(Double)
        /// At least this.
        case atLeast(Double)
    }

    /// A short description of the target.
    public var title: String

    /// The number to compare.
    public var subject: Subject

    /// How the number is compared.
    public var comparison: Comparison

    /// The bound of the result.
    public var bound: Bound

    /// The notation of the result and the bound.
    public var unit: Notation

    /// Creates a target.
    public init(_ title: String, _ subject: Subject, _ comparison: Comparison, _ bound: Bound, unit: Notation = .ratio)
    {
        self.title = title
        self.subject = subject
        self.comparison = comparison
        self.bound = bound
        self.unit = unit
    }
}
