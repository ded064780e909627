/// The `Content-Range` of a 206 response: `bytes first-last/complete` (RFC 9110, section 14.4).
struct ContentRange: Hashable, Sendable {
    let first: ByteCount
    let last: ByteCount
    /// The number of bytes from the first to the last.
    let length: ByteCount
    /// The offset after the last byte.
    let end: ByteCount
    /// The length of the complete body; `nil` if the server does not know it.
    let complete: ByteCount?

    /// Reads the value of the field, or returns `nil` if its range is not valid.
    init?(_ value: String) {
        // Three numbers need no more, and comparing hostile text takes quadratic time.
        guard value.utf8.count <= 128 else { return nil }
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let range = parts[0].trimmingCharacters(in: .whitespaces)
        let bounds = range.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = ByteCount(digits: bounds[0]), let last = ByteCount(digits: bounds[1]),
            let end = last.adding(ByteCount(clamping: 1)), let length = end.subtracting(first), length > .zero
        else { return nil }
        let size = parts[1].trimmingCharacters(in: .whitespaces)
        complete = size == "*" ? nil : ByteCount(digits: size)
        if size != "*" {
            guard let complete, complete >= end else { return nil }
        }
        (self.first, self.last, self.length, self.end) = (first, last, length, end)
    }
}
