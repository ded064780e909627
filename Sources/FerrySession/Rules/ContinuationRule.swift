/// The rules that decide whether and how an interrupted response can be continued (RFC 9110, sections 13.1.5 and 14.2).
package enum ContinuationRule {
    /// Returns the validator for `If-Range`, or `nil` if the rest of the response cannot be requested.
    ///
    /// The response must be a complete 200 to a GET without a content coding, and have a strong entity tag or a date
    /// that is strong enough.
    package static func validator(for response: HTTPURLResponse, request: URLRequest) -> String? {
        guard response.statusCode == 200, (request.httpMethod ?? "GET") == "GET" else { return nil }
        guard request.value(forHTTPHeaderField: "Range") == nil else { return nil }
        guard !isCoded(response.value(forHTTPHeaderField: "Content-Encoding")) else { return nil }
        if response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() == "none" { return nil }
        if let tag = response.value(forHTTPHeaderField: "ETag") { return isStrongTag(tag) ? tag : nil }
        return strongDate(of: response)
    }

    /// The maximum size of a validator, in bytes; servers' tags are hashes and numbers.
    private static let longestValidator = 8192

    /// Whether a text can be sent as `If-Range`: a strong entity tag or a date, in ASCII (RFC 9110, section 13.1.5).
    package static func isValidator(_ text: String) -> Bool {
        if text.utf8.first == UInt8(ascii: "\"") { return isStrongTag(text) }
        // The bytes are checked first, so that none can end the line.
        let isPrintable = text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPrintable && HTTPDate.parse(text) != nil
    }

    /// Whether the text is a strong entity tag of ASCII characters (RFC 9110, section 8.8.3).
    ///
    /// Bytes beyond ASCII would not be sent as they were received.
    package static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        let quote = UInt8(ascii: "\"")
        guard (2...longestValidator).contains(bytes.count), bytes.first == quote, bytes.last == quote else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) }
    }

    private static func isCoded(_ contentEncoding: String?) -> Bool {
        guard let contentEncoding else { return false }
        return contentEncoding.trimmingCharacters(in: .whitespaces).lowercased() != "identity"
    }

    /// The `Last-Modified` field, if it is at least one second older than `Date` (RFC 9110, section 8.8.2.2).
    private static func strongDate(of response: HTTPURLResponse) -> String? {
        guard
            let modified = response.value(forHTTPHeaderField: "Last-Modified"), let changed = HTTPDate.parse(modified),
            let date = response.value(forHTTPHeaderField: "Date"), let sent = HTTPDate.parse(date)
        else { return nil }
        return sent.timeIntervalSince(changed) >= 1 && isValidator(modified) ? modified : nil
    }

    /// What is known about a response that has been received in part.
    package struct Expectation: Sendable {
        /// The offset at which the request for the rest begins.
        package var offset: ByteCount
        /// The length of the complete body, if known.
        package var total: ByteCount?
        /// The value that the request sent as `If-Range`, if known.
        package var validator: String?

        package init(offset: ByteCount, total: ByteCount?, validator: String?) {
            (self.offset, self.total, self.validator) = (offset, total, validator)
        }
    }

    /// The fields of a response to a request for the rest that describe its content.
    package struct PartialResponse: Sendable {
        var status: Int
        var contentRange: String?
        var contentLength: String?
        var contentEncoding: String?
        var entityTag: String?
        var lastModified: String?

        /// Reads the fields with a closure that returns the value of a field by name.
        package init(status: Int, value: (String) -> String?) {
            self.status = status
            contentRange = value("Content-Range")
            contentLength = value("Content-Length")
            contentEncoding = value("Content-Encoding")
            entityTag = value("ETag")
            lastModified = value("Last-Modified")
        }

        /// Reads the fields of a response.
        package init(_ response: HTTPURLResponse) {
            self.init(status: response.statusCode) { response.value(forHTTPHeaderField: $0) }
        }
    }

    /// The meaning of a response to a request for the rest.
    package enum Answer: Hashable {
        /// The rest of the same entity follows, and ends at this offset.
        case continues(end: ByteCount)
        /// The server has another entity, and sends all of it.
        case restarts
        /// There is nothing after the offset: the received part is complete.
        case isComplete
        /// The range is not the requested one, or belongs to another entity, so the whole must be requested again.
        case isAnother
        /// The response is none of these, so the exchange fails.
        case fails
    }

    /// Evaluates the response to a request for the bytes from an offset.
    ///
    /// A part is accepted only if everything that can be compared matches. Otherwise a part of another entity could be
    /// appended to this one unnoticed.
    package static func evaluate(_ response: PartialResponse, _ expected: Expectation) -> Answer {
        switch response.status {
        case 206: return evaluatePart(response, expected)
        // A 203 is a 200 that a proxy has changed (RFC 9110, section 15.3.4).
        case 200, 203: return .restarts
        case 416:
            // RFC 9110, section 15.5.17: the response states the current length.
            guard let length = response.contentRange.flatMap(unsatisfiedLength), length == expected.offset,
                isSameEntity(response, expected.validator)
            else { return .isAnother }
            return expected.total.map { $0 == expected.offset } ?? true ? .isComplete : .isAnother
        default: return .fails
        }
    }

    private static func evaluatePart(_ response: PartialResponse, _ expected: Expectation) -> Answer {
        guard let range = response.contentRange.flatMap(ContentRange.init), range.first == expected.offset else {
            return .isAnother
        }
        if let total = expected.total, let complete = range.complete, complete != total { return .isAnother }
        // A server may send less than the rest; the file would be truncated without an error.
        if let total = range.complete ?? expected.total, range.end != total { return .isAnother }
        // Section 14.4: the length of the message is that of the range.
        if let length = response.contentLength, ByteCount(digits: length) != range.length { return .isAnother }
        // Ranges are of the coded bytes (section 14.2), and no coding was requested.
        guard !isCoded(response.contentEncoding) else { return .isAnother }
        guard isSameEntity(response, expected.validator) else { return .isAnother }
        return .continues(end: range.end)
    }

    /// Whether the validators of a part are the requested ones: a server may ignore `If-Range` (section 13.1.5).
    private static func isSameEntity(_ response: PartialResponse, _ validator: String?) -> Bool {
        guard let validator else { return true }
        if validator.hasPrefix("\"") { return response.entityTag.map { $0 == validator } ?? true }
        guard let modified = response.lastModified else { return true }
        guard let date = HTTPDate.parse(modified) else { return false }
        return date == HTTPDate.parse(validator)
    }

    /// Returns the length in `bytes */1234`.
    private static func unsatisfiedLength(_ contentRange: String) -> ByteCount? {
        let words = contentRange.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == "*" else { return nil }
        return ByteCount(digits: parts[1].trimmingCharacters(in: .whitespaces))
    }
}
