@testable import FerrySession

/// Lets tests write counts as numbers; the sources must not, since a literal hides that a sum may leave the range.
extension ByteCount: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) {
        self = ByteCount(value) ?? .zero
    }
}
