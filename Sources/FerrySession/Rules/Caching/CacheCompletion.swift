/// The rules for storing partial responses, and for completing them later (RFC 9111, sections 3.3 and 3.4).
enum CacheCompletion {
    /// A stored part: the first bytes of a response with a strong entity tag.
    struct Beginning: Hashable, Sendable {
        var length: ByteCount
        var total: ByteCount
        var tag: String

        /// The request fields for the rest, or for the whole if it has changed.
        var conditions: [String] { ["Range: bytes=\(length)-", "If-Range: \(tag)"] }
    }

    /// Returns the key of the part, given the key of the response.
    ///
    /// The key of a URL never has a fragment.
    static func key(_ key: String) -> String { key + "#beginning" }

    /// Reads the head of a partial response, or returns `nil` if it cannot be completed.
    ///
    /// It must have a strong entity tag, no content coding, and a single range that starts at zero.
    static func beginning(_ head: ResponseHead) -> Beginning? {
        guard head.status == 206, head.value("Content-Encoding") == nil, let tag = head.value("ETag"),
            ContinuationRule.isStrongTag(tag), let range = head.value("Content-Range").flatMap(ContentRange.init),
            range.first == .zero, let total = range.complete, range.end < total
        else { return nil }
        return Beginning(length: range.length, total: total, tag: tag)
    }

    /// Returns the head of the complete response, or `nil` if the response is not exactly the rest of the stored part.
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
