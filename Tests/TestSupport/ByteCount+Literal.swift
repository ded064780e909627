import FerryCore

/// Allows number literals as counts in tests.
///
/// The sources must not use them, since literals hide that a sum may overflow.
extension ByteCount: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) {
        self = ByteCount(value) ?? .zero
    }
}
