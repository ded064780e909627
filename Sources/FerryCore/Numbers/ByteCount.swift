/// A number of bytes from zero to `Int64.max`, for numbers from a server, a file or an archive.
///
/// It deliberately has no `+` and no `-`: every sum must say what happens on overflow.
package struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let int64: Int64
    package static let zero = ByteCount(unchecked: 0)
    package static let max = ByteCount(unchecked: .max)

    private init(unchecked value: Int64) { int64 = value }

    /// Makes a count; `nil` for a negative number.
    package init?(_ value: Int64) {
        guard value >= 0 else { return nil }
        int64 = value
    }

    /// Makes a count of bytes in memory.
    package init(clamping count: Int) { int64 = Int64(Swift.max(0, count)) }

    /// Parses decimal digits without sign or blanks, the form of a length in RFC 9110, section 8.6; `nil` for anything
    /// else, and for numbers larger than `Int64.max`.
    package init?(digits text: some StringProtocol) {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text.utf8 {
            guard byte.isDigit else { return nil }
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isSumTooLarge) = tens.addingReportingOverflow(Int64(byte & 0x0F))
            guard !isTooLarge, !isSumTooLarge else { return nil }
            value = sum
        }
        int64 = value
    }

    package var description: String { "\(int64)" }

    /// Returns the sum, or `nil` if it is too large.
    package func adding(_ other: ByteCount) -> ByteCount? {
        let (sum, overflow) = int64.addingReportingOverflow(other.int64)
        return overflow ? nil : ByteCount(unchecked: sum)
    }

    /// Returns the difference, or `nil` if it is negative.
    package func subtracting(_ other: ByteCount) -> ByteCount? {
        // The difference of two numbers that are not negative cannot overflow.
        ByteCount(int64 - other.int64)
    }

    /// Adds a count; the result is at most the largest number.
    package mutating func add(_ other: ByteCount) { self = adding(other) ?? .max }
    package static func < (left: ByteCount, right: ByteCount) -> Bool { left.int64 < right.int64 }
}

extension ByteCount? {
    /// The number as in URLSession, with `NSURLSessionTransferSizeUnknown` for an unknown one.
    package var transferSize: Int64 { map(\.int64) ?? NSURLSessionTransferSizeUnknown }
}
