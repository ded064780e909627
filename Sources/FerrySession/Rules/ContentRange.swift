/// The `Content-Range` of a 206 answer: `bytes first-last/complete` (RFC 9110, section 14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int64
    let last: Int64
    /// The length of the whole, `nil` where the server does not know it.
    let complete: Int64?

    init?(_ value: String) {
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let range = parts[0].trimmingCharacters(in: .whitespaces)
        let bounds = range.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]) else {
            return nil
        }
        guard first <= last else { return nil }
        let size = parts[1].trimmingCharacters(in: .whitespaces)
        complete = size == "*" ? nil : Self.number(size)
        if size != "*" {
            guard let complete, complete > last else { return nil }
        }
        self.first = first
        self.last = last
    }

    /// Digits alone: `Int64` would take a sign as well.
    static func number(_ string: some StringProtocol) -> Int64? {
        string.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? Int64(string) : nil
    }
}
