/// Whether and how an interrupted response can be continued (RFC 9110, sections 13.1.5 and 14.2).
package enum ContinuationRule {
    /// The validator for `If-Range`, where the rest of this response may be asked for: a complete 200 to a GET, not
    /// decoded from a content coding, with a strong entity tag or a date that is strong enough.
    package static func validator(for response: HTTPURLResponse, request: URLRequest) -> String? {
        guard response.statusCode == 200, (request.httpMethod ?? "GET") == "GET" else { return nil }
        guard request.value(forHTTPHeaderField: "Range") == nil else { return nil }
        if let coding = response.value(forHTTPHeaderField: "Content-Encoding"), coding.lowercased() != "identity" {
            return nil
        }
        if response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() == "none" { return nil }
        if let tag = response.value(forHTTPHeaderField: "ETag") {
            return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count >= 2 ? tag : nil
        }
        return strongDate(of: response)
    }

    /// `Last-Modified`, where it is at least one second older than `Date` (RFC 9110, section 8.8.2.2).
    private static func strongDate(of response: HTTPURLResponse) -> String? {
        guard
            let modified = response.value(forHTTPHeaderField: "Last-Modified"), let changed = HTTPDate.parse(modified),
            let date = response.value(forHTTPHeaderField: "Date"), let sent = HTTPDate.parse(date)
        else { return nil }
        return sent.timeIntervalSince(changed) >= 1 ? modified : nil
    }

    /// What the answer to a continuation means.
    package enum Answer: Hashable {
        /// The rest of the same entity follows.
        case continues
        /// The server has another entity, and sends it whole.
        case restarts
        /// There is nothing behind the offset: what was received is the whole.
        case isComplete
        /// The range is another than the one asked for, so the whole is to be asked for again.
        case isAnother
        /// The answer is none of these, so the exchange fails.
        case fails
    }

    /// Judges the answer to a request for the bytes from `offset` on.
    package static func judge(status: Int, contentRange: String?, offset: Int64, expectedTotal: Int64?) -> Answer {
        switch status {
        case 206:
            guard let range = contentRange.flatMap(ContentRange.init), range.first == offset else { return .isAnother }
            if let expectedTotal, let complete = range.complete, complete != expectedTotal { return .isAnother }
            // A server may send less than all the rest; the file would end early with success.
            if let total = range.complete ?? expectedTotal, range.last != total - 1 { return .isAnother }
            return .continues
        case 200: return .restarts
        case 416:
            // RFC 9110, section 15.5.17: the answer names the current length.
            guard let length = contentRange.flatMap(unsatisfiedLength), length == offset else { return .isAnother }
            return expectedTotal.map { $0 == offset } ?? true ? .isComplete : .isAnother
        default: return .fails
        }
    }

    /// The length in `bytes */1234`.
    private static func unsatisfiedLength(_ contentRange: String) -> Int64? {
        let words = contentRange.split(separator: "/", maxSplits: 1)
        guard words.count == 2, words[0].lowercased().hasPrefix("bytes"), words[0].hasSuffix("*") else { return nil }
        return Int64(words[1].trimmingCharacters(in: .whitespaces))
    }
}
