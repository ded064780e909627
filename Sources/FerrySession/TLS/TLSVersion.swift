/// A version of TLS.
public enum TLSVersion: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// TLS 1.0 (RFC 2246), deprecated by RFC 8996.
    case tls10 = 4
    /// TLS 1.1 (RFC 4346), deprecated by RFC 8996.
    case tls11 = 5
    /// TLS 1.2 (RFC 5246).
    case tls12 = 6
    /// TLS 1.3 (RFC 8446).
    case tls13 = 7

    /// Returns a Boolean value that indicates whether the first version is older than the second.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Returns libcurl's value for a range of versions, 0 for its default range; `nil` for an empty range.
    static func curlValue(minimum: Self?, maximum: Self?) -> Int? {
        if let minimum, let maximum, maximum < minimum { return nil }
        return (minimum?.rawValue ?? 0) | (maximum?.rawValue ?? 0) << 16
    }
}
