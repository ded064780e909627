/// A number of bytes from zero to `Int64.max`, for numbers that come from a server, a file or an archive.
///
/// It deliberately has no `+` and no `-`: every sum says what happens when it leaves the range.
package struct ByteCount: Hashable, Comparable, Sendable {
    /// The number.
    package let int64: Int64

    /// No bytes.
    package static let zero = ByteCount(unchecked: 0)

    /// The largest number there is.
    package static let max = ByteCount(unchecked: .max)

    private init(unchecked value: Int64) {
        int64 = value
    }

    /// Creates a count, or returns `nil` for a negative number.
    package init?(_ value: Int64) {
        guard value >= 0 else { return nil }
        int64 = value
    }

    /// Creates a count of bytes in memory.
    package init(clamping count: Int) {
        int64 = Int64(Swift.max(0, count))
    }

    /// Reads digits alone, without sign or blanks, as RFC 9110 section 8.6 writes a length; `nil` for anything else and
    /// for numbers beyond `Int64.max`.
    package init?(digits text: some StringProtocol) {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte) else { return nil }
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isSumTooLarge) = tens.addingReportingOverflow(Int64(byte & 0x0F))
            guard !isTooLarge, !isSumTooLarge else { return nil }
            value = sum
        }
        int64 = value
    }

    /// Returns the sum, or `nil` where it is too large.
    package func adding(_ other: ByteCount) -> ByteCount? {
        let (sum, overflow) = int64.addingReportingOverflow(other.int64)
        return overflow ? nil : ByteCount(unchecked: sum)
    }

    /// Returns the difference, or `nil` where it is negative.
    package func subtracting(_ other: ByteCount) -> ByteCount? {
        // Two numbers that are not negative have a difference.
        ByteCount(int64 - other.int64)
    }

    /// Adds a count; the largest number stays what it is.
    package mutating func add(_ other: ByteCount) {
        self = adding(other) ?? .max
    }

    package static func < (left: ByteCount, right: ByteCount) -> Bool {
        left.int64 < right.int64
    }
}

extension ByteCount? {
    /// The number as URLSession writes it: `NSURLSessionTransferSizeUnknown` for one that is not known.
    package var transferSize: Int64 { map(\.int64) ?? NSURLSessionTransferSizeUnknown }
}

extension ByteCount: CustomStringConvertible {
    package var description: String { "\(int64)" }
}
