import Foundation

/// A single range of a `Range` field (RFC 9110 section 14.1.2).
enum ByteRange: Equatable {
    case from(Int)
    case between(Int, Int)
    case last(Int)

    enum Resolution: Equatable {
        case range(Range<Int>)
        case unsatisfiable
    }

    /// Parses a field value; nil if it must be ignored, which here includes malformed values and lists of ranges.
    init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, LoopbackHeaders.isSame(String(parts[0]), "bytes") else { return nil }
        let ends = parts[1].trimmingCharacters(in: .whitespaces).split(
            separator: "-",
            omittingEmptySubsequences: false
        )
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { $0 >= 48 && $0 <= 57 } }) else { return nil }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last: self = .between(first, last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first)
        case (nil, let count?) where ends[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// Returns the bytes the range selects from a body of `total` bytes.
    func resolved(total: Int) -> Resolution {
        switch self {
        case .from(let first): first < total ? .range(first..<total) : .unsatisfiable
        case .between(let first, let last):
            first < total ? .range(first..<min(last, total - 1) + 1) : .unsatisfiable
        case .last(let count): count > 0 && total > 0 ? .range(max(0, total - count)..<total) : .unsatisfiable
        }
    }
}
