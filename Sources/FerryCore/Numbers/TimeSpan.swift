/// A length of time in nanoseconds, whose arithmetic saturates.
///
/// The infinite span is a value: an infinite limit is never reached, and an infinite delay never ends. An optional
/// without a value could be read as "no limit" in one place and as "no delay" in another.
package struct TimeSpan: Comparable, Hashable, Sendable {
    package let nanoseconds: UInt64

    package static let zero = Self(nanoseconds: 0)
    package static let infinite = Self(nanoseconds: .max)

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Converts the seconds of a delay, or those that are left until a deadline.
    ///
    /// A negative value or NaN becomes zero; more than 285 years become infinite.
    package init(seconds: Double) {
        guard seconds > 0 else {
            self = .zero
            return
        }
        nanoseconds = seconds < 9e9 ? UInt64(seconds * 1_000_000_000) : .max
    }

    /// Converts the seconds of a timeout.
    ///
    /// In `URLRequest` and `URLSessionConfiguration`, only a number above zero is a timeout; others stand for none.
    package init(timeout seconds: Double) { self = seconds > 0 ? Self(seconds: seconds) : .infinite }

    package static func milliseconds(_ count: UInt64) -> Self {
        let (product, overflow) = count.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? .infinite : Self(nanoseconds: product)
    }

    /// The seconds; infinity for the infinite span.
    package var seconds: Double { self == .infinite ? .infinity : Double(nanoseconds) / 1_000_000_000 }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    package static func + (left: Self, right: Self) -> Self {
        let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
        return overflow ? .infinite : Self(nanoseconds: sum)
    }

    /// Returns the difference, or zero if `right` is longer; a difference from the infinite span is infinite.
    package static func - (left: Self, right: Self) -> Self {
        guard left != .infinite else { return .infinite }
        return left > right ? Self(nanoseconds: left.nanoseconds - right.nanoseconds) : .zero
    }

    package static func += (left: inout Self, right: Self) { left = left + right }
    package static func -= (left: inout Self, right: Self) { left = left - right }
}
