/// Which parts of responses are stored to be completed, and what they are completed to (RFC 9111, sections 3.3 and 3.4).
enum CacheCompletion {
    /// A stored part: the first bytes of a response that has a strong entity tag.
    struct Beginning: Hashable, Sendable {
        var length: ByteCount
        var total: ByteCount
        var tag: String

        /// The fields that ask for the rest, or for the whole where it has changed.
        var conditions: [String] { ["Range: bytes=\(length)-", "If-Range: \(tag)"] }
    }

    /// Returns the key of the part for the key of a response; no URL's key has a fragment.
    static func key(_ key: String) -> String { key + "#beginning" }

    /// Reads the head of a partial response; `nil` for one that cannot be completed: without a strong tag, of a coded
    /// response, from somewhere in the middle, or of several parts.
    static func beginning(_ head: ResponseHead) -> Beginning? {
        guard head.status == 206, head.value("Content-Encoding") == nil, let tag = head.value("ETag"),
            ContinuationRule.isStrongTag(tag), let range = head.value("Content-Range").flatMap(ContentRange.init),
            range.first == .zero, let total = range.complete, range.end < total
        else { return nil }
        return Beginning(length: range.length, total: total, tag: tag)
    }

    /// Returns the head of the whole, or `nil` where the answer is not exactly the rest of the stored part.
    static func whole(_ beginning: Beginning, stored: ResponseHead, answer: ResponseHead) -> ResponseHead? {
        let verdict = ContinuationRule.evaluate(
            .init(status: answer.status, value: answer.value),
            .init(offset: beginning.length, total: beginning.total, validator: beginning.tag)
        )
        guard case .continues(let end) = verdict, end == beginning.total, answer.value("Content-Encoding") == nil,
            answer.value("ETag").map({ $0.utf8.elementsEqual(beginning.tag.utf8) }) == true
        else { return nil }
        var head = answer
        head.status = 200
        head.fields = CacheValidation.merge(stored.fields, with: answer.fields)
            .filter { !["content-length", "content-range"].contains($0.name.lowercased()) }
        head.fields.append(.init(name: "Content-Length", value: "\(beginning.total)"))
        return head
    }
}
