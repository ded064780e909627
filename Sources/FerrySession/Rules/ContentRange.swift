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
        let bounds = parts[0].trimmingCharacters(in: .whitespaces).split(separator: "-", maxSplits: 1)
        guard bounds.count == 2, let first = Int64(bounds[0]), let last = Int64(bounds[1]) else { return nil }
        guard first >= 0, first <= last else { return nil }
        let size = parts[1].trimmingCharacters(in: .whitespaces)
        complete = size == "*" ? nil : Int64(size)
        if size != "*" {
            guard let complete, complete > last else { return nil }
        }
        self.first = first
        self.last = last
    }
}
