@testable import FerrySession

/// Allows number literals as counts in tests.
///
/// The sources must not use them, since literals hide that a sum may overflow.
extension ByteCount: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) {
        self = ByteCount(value) ?? .zero
    }
}
