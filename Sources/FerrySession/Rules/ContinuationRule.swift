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
            return isStrongTag(tag) ? tag : nil
        }
        return strongDate(of: response)
    }

    /// How many bytes a validator has at most: servers' tags are hashes and numbers.
    private static let longestValidator = 8192

    /// Whether `If-Range` may send the text: a strong entity tag or a date, as ASCII (RFC 9110, section 13.1.5).
    package static func isValidator(_ text: String) -> Bool {
        if text.hasPrefix("\"") { return isStrongTag(text) }
        // Dates are read leniently, so the bytes are looked at first: none may end the line.
        let isPrintable = text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPrintable && HTTPDate.parse(text) != nil
    }

    /// Whether the text is a strong entity tag of ASCII characters (RFC 9110, section 8.8.3); bytes beyond ASCII would
    /// not go out as they came.
    package static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (2...longestValidator).contains(bytes.count), text.hasPrefix("\""), text.hasSuffix("\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) }
    }

    /// `Last-Modified`, where it is at least one second older than `Date` (RFC 9110, section 8.8.2.2).
    private static func strongDate(of response: HTTPURLResponse) -> String? {
        guard
            let modified = response.value(forHTTPHeaderField: "Last-Modified"), let changed = HTTPDate.parse(modified),
            let date = response.value(forHTTPHeaderField: "Date"), let sent = HTTPDate.parse(date)
        else { return nil }
        return sent.timeIntervalSince(changed) >= 1 && isValidator(modified) ? modified : nil
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
    ///
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - contentRange: Its `Content-Range`.
    ///   - entityTag: Its `ETag`; a server may ignore `If-Range`.
    ///   - offset: How many bytes are there already.
    ///   - expectedTotal: The length of the whole, where it is known.
    ///   - validator: What `If-Range` has sent; `nil` where the tags have been compared otherwise.
    /// - Returns: What the answer means.
    package static func judge(
        status: Int,
        contentRange: String?,
        entityTag: String? = nil,
        offset: Int64,
        expectedTotal: Int64?,
        validator: String? = nil
    ) -> Answer {
        if status == 206 || status == 416, let entityTag, let validator, validator.hasPrefix("\""),
            entityTag != validator
        {
            return .isAnother
        }
        switch status {
        case 206:
            guard let range = contentRange.flatMap(ContentRange.init), range.first == offset else { return .isAnother }
            if let expectedTotal, let complete = range.complete, complete != expectedTotal { return .isAnother }
            // A server may send less than all the rest; the file would end early with success.
            if let total = range.complete ?? expectedTotal, range.last != total - 1 { return .isAnother }
            return .continues
        // A 203 is a 200 that a proxy has changed (RFC 9110, section 15.3.4).
        case 200, 203: return .restarts
        case 416:
            // RFC 9110, section 15.5.17: the answer names the current length.
            guard let length = contentRange.flatMap(unsatisfiedLength), length == offset else { return .isAnother }
            return expectedTotal.map { $0 == offset } ?? true ? .isComplete : .isAnother
        default: return .fails
        }
    }

    /// The length in `bytes */1234`.
    private static func unsatisfiedLength(_ contentRange: String) -> Int64? {
        let words = contentRange.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == "*" else { return nil }
        return ContentRange.number(parts[1].trimmingCharacters(in: .whitespaces))
    }
}
