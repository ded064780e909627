/// Something Ferry promises: a number, what it is compared with, and the bound.
public struct Target: Sendable {
    /// What the subject's number is turned into.
    public enum Comparison: Sendable {
        /// The number itself.
        case itself
        /// The number divided by the smallest of these, which is the best of them.
        case dividedByBest([Subject])
        /// The number less all of these.
        case less([Subject])
        /// This number divided by the subject's: how much of it the subject reaches.
        case reached(Subject)
    }

    /// How far the number may go.
    public enum Bound: Sendable, Equatable {
        /// This or less.
        case atMost(Double)
        /// Less than this.
        case below(Double)
        /// This or more.
        case atLeast(Double)
    }

    /// What the promise is about, in a few words.
    public var title: String

    /// The number.
    public var subject: Subject

    /// What it is compared with.
    public var comparison: Comparison

    /// How far it may go.
    public var bound: Bound

    /// The unit the bound is in.
    public var unit: Notation

    /// Makes a target.
    public init(_ title: String, _ subject: Subject, _ comparison: Comparison, _ bound: Bound, unit: Notation = .ratio)
    {
        self.title = title
        self.subject = subject
        self.comparison = comparison
        self.bound = bound
        self.unit = unit
    }
}
