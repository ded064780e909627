/// The rules that decide whether and how an interrupted response can be continued (RFC 9110, sections 13.1.5 and 14.2).
package enum ContinuationRule {
    /// Returns the validator for `If-Range`, or `nil` if the rest of the response cannot be requested.
    ///
    /// It must be a complete 200 to a GET without a content coding, with a strong entity tag or date.
    package static func validator(for response: HTTPURLResponse, request: URLRequest) -> String? {
        guard response.statusCode == 200, request.httpMethod ?? "GET" == "GET",
            request.value(forHTTPHeaderField: "Range") == nil,
            !isCoded(response.value(forHTTPHeaderField: "Content-Encoding")),
            response.value(forHTTPHeaderField: "Accept-Ranges")?.isEqualIgnoringCase("none") != true
        else { return nil }
        if let tag = response.value(forHTTPHeaderField: "ETag") { return isStrongTag(tag) ? tag : nil }
        return strongDate(of: response)
    }

    /// Whether a text can be sent as `If-Range`: a strong entity tag or a date, in ASCII (RFC 9110, section 13.1.5).
    package static func isValidator(_ text: String) -> Bool {
        if text.utf8.first == UInt8(ascii: "\"") { return isStrongTag(text) }
        // The bytes are checked first, so that none can end the line.
        let isPrintable = text.utf8.count <= 64 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
        return isPrintable && HTTPDate.parse(text) != nil
    }

    /// Whether the text is a strong entity tag (RFC 9110, section 8.8.3) in ASCII, which is sent as it was received.
    package static func isStrongTag(_ text: String) -> Bool {
        let bytes = text.utf8
        let quote = UInt8(ascii: "\"")
        // Servers' tags are hashes and numbers.
        return (2...8192).contains(bytes.count) && bytes.first == quote && bytes.last == quote
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) }
    }

    private static func isCoded(_ contentEncoding: String?) -> Bool {
        contentEncoding.map { !$0.trimmingCharacters(in: .whitespaces).isEqualIgnoringCase("identity") } ?? false
    }

    /// The `Last-Modified` field, if it is at least one second older than `Date` (RFC 9110, section 8.8.2.2).
    private static func strongDate(of response: HTTPURLResponse) -> String? {
        guard
            let modified = response.value(forHTTPHeaderField: "Last-Modified"), let changed = HTTPDate.parse(modified),
            let date = response.value(forHTTPHeaderField: "Date"), let sent = HTTPDate.parse(date)
        else { return nil }
        return sent.timeIntervalSince(changed) >= 1 && isValidator(modified) ? modified : nil
    }

    /// The facts about a response that has been received in part.
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

    /// A response to a request for the rest.
    package struct PartialResponse {
        package let status: Int
        /// Returns the value of a field by name.
        package let value: (String) -> String?

        package init(status: Int, value: @escaping (String) -> String?) { (self.status, self.value) = (status, value) }

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
    /// A part is accepted only if all that can be compared matches, so that no part of another entity is appended.
    package static func evaluate(_ response: PartialResponse, _ expected: Expectation) -> Answer {
        switch response.status {
        case 206: return evaluatePart(response, expected)
        // A 203 is a 200 that a proxy has changed (RFC 9110, section 15.3.4).
        case 200, 203: return .restarts
        case 416:
            // RFC 9110, section 15.5.17: the response states the current length.
            guard let length = response.value("Content-Range").flatMap(ContentRange.unsatisfiedLength),
                length == expected.offset,
                isSameEntity(response, expected.validator)
            else { return .isAnother }
            return expected.total.map { $0 == expected.offset } ?? true ? .isComplete : .isAnother
        default: return .fails
        }
    }

    private static func evaluatePart(_ response: PartialResponse, _ expected: Expectation) -> Answer {
        guard let range = response.value("Content-Range").flatMap(ContentRange.init), range.first == expected.offset
        else { return .isAnother }
        // Several parts, whose response must not have that field (section 15.3.7.2).
        let type = response.value("Content-Type")?.utf8.prefix(20).map(\.lowercased)
        if type == Array("multipart/byteranges".utf8) { return .isAnother }
        if let total = expected.total, let complete = range.complete, complete != total { return .isAnother }
        // A server may send less than the rest; the file would be truncated without an error.
        if let total = range.complete ?? expected.total, range.end != total { return .isAnother }
        // Section 14.4: the message has the length of the range.
        if let size = response.value("Content-Length"), ByteCount(digits: size) != range.length { return .isAnother }
        // Ranges are of the coded bytes (section 14.2), and no coding was requested.
        let isSame = !isCoded(response.value("Content-Encoding")) && isSameEntity(response, expected.validator)
        return isSame ? .continues(end: range.end) : .isAnother
    }

    /// Whether the validators of a part are the requested ones: a server may ignore `If-Range` (section 13.1.5).
    private static func isSameEntity(_ response: PartialResponse, _ validator: String?) -> Bool {
        guard let validator else { return true }
        if validator.utf8.first == UInt8(ascii: "\"") {
            return response.value("ETag").map { $0.utf8.elementsEqual(validator.utf8) } ?? true
        }
        guard let modified = response.value("Last-Modified") else { return true }
        return HTTPDate.parse(modified).map { $0 == HTTPDate.parse(validator) } ?? false
    }
}

/// The `Content-Range` of a 206 response: `bytes first-last/complete` (RFC 9110, section 14.4).
package struct ContentRange: Hashable, Sendable {
    package let first: ByteCount
    package let last: ByteCount
    /// The number of bytes from the first to the last.
    package let length: ByteCount
    /// The offset after the last byte.
    package let end: ByteCount
    /// The length of the complete body; `nil` if the server does not know it.
    package let complete: ByteCount?

    /// Reads the value of the field, or returns `nil` if its range is not valid.
    package init?(_ value: String) {
        guard let (range, size) = Self.parts(of: value) else { return nil }
        let bounds = range.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = ByteCount(digits: bounds[0]), let last = ByteCount(digits: bounds[1]),
            let end = last.adding(ByteCount(clamping: 1)), let length = end.subtracting(first), length > .zero
        else { return nil }
        complete = ByteCount(digits: size)
        guard size == "*" || complete.map({ $0 >= end }) == true else { return nil }
        (self.first, self.last, self.length, self.end) = (first, last, length, end)
    }

    /// Returns the complete length in `bytes */1234`, the value in a 416 response.
    package static func unsatisfiedLength(_ value: String) -> ByteCount? {
        parts(of: value).flatMap { $0.range == "*" ? ByteCount(digits: $0.size) : nil }
    }

    private static func parts(of value: String) -> (range: String, size: String)? {
        // Three numbers need no more, and comparing hostile text takes quadratic time.
        guard value.utf8.count <= 128 else { return nil }
        let words = value.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}

/// The rules for sending a request a second time automatically (RFC 9110, section 9.2.2).
package enum RepetitionRule {
    /// Whether a request with this method only reads (RFC 9110, section 9.2.1).
    package static func isSafe(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY": true
        default: false
        }
    }

    /// Whether sending a request of this method several times has the same effect as sending it once.
    package static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        // RFC 4918 (WebDAV) and RFC 3253 call these idempotent or safe.
        case "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "UNLOCK", "REPORT", "SEARCH", "QUERY": true
        default: false
        }
    }

    /// Whether a challenge of the server that libcurl handles itself may be responded to once more.
    ///
    /// A nonce may have become stale although the password is right (RFC 7616, section 3.3), but a server may also call
    /// every nonce stale: the credential is sent with one new nonce. To another challenge of Digest or Basic libcurl
    /// does not respond a second time. `rounds` counts the responses of the attempt that request a credential; the
    /// first one comes before any credential was sent.
    package static func mayAnswerChallenge(rounds: Int, staleNonces: Int) -> Bool {
        staleNonces <= 1 && rounds - staleNonces < 3
    }
}
