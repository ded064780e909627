/// The kind of response that a request selects: all of it, a part, or only what has changed (RFC 9110, sections 13 and
/// 14).
package enum CacheSelector: Hashable, Sendable {
    case whole
    /// `Range`, with the value of `If-Range`.
    case part(range: String, condition: String?)
    /// `If-None-Match`, which takes precedence over `If-Modified-Since` (RFC 9110, section 13.2.2).
    case unlessMatching(String)
    case ifModifiedSince(String)

    /// The response to such a request from a stored response.
    package enum Answer: Hashable, Sendable {
        case part(Range<Int>)
        case notModified
    }

    /// Reads the fields of a request, keyed by their names in lower case.
    ///
    /// Returns `nil` if only the server can respond: to several conditions that depend on each other, or to a condition
    /// meant for changes (`If-Match`, `If-Unmodified-Since`).
    package init?(_ fields: [String: String], method: String) {
        let conditions = fields.filter { CacheValidation.conditionalNames.contains($0.key) }
        let names = Set(conditions.keys)
        if conditions.isEmpty {
            self = .whole
        } else if let range = conditions["range"], method == "GET", names.isSubset(of: ["range", "if-range"]) {
            self = .part(range: range, condition: conditions["if-range"])
        } else if let tags = conditions["if-none-match"], names.isSubset(of: ["if-none-match", "if-modified-since"]) {
            self = .unlessMatching(tags)
        } else if let date = conditions["if-modified-since"], names.count == 1 {
            self = .ifModifiedSince(date)
        } else {
            return nil
        }
    }

    /// Returns the response to the request from a stored response, or `nil` if the server must respond.
    ///
    /// `isCoded` is whether the body had a content coding, so that a range of it has other bytes than the stored body.
    package func answer(status: Int, fields: CacheFields, responseTime: Date, length: Int, isCoded: Bool) -> Answer? {
        guard status == 200 else { return nil }
        switch self {
        case .whole: return nil
        case .part(let range, let condition):
            guard !isCoded, condition.map({ Self.isCurrent($0, fields) }) ?? true else { return nil }
            return Self.bytes(range, of: length).map(Answer.part)
        case .unlessMatching(let tags): return Self.matches(tags, fields.entityTag) ? .notModified : nil
        case .ifModifiedSince(let text):
            guard let date = HTTPDate.parse(text) else { return nil }
            // RFC 9111, section 4.3.2: without the field, the time at which the response was made.
            let changed = fields.lastModifiedText == nil ? fields.date ?? responseTime : fields.lastModified
            return changed.map { $0 <= date } == true ? .notModified : nil
        }
    }

    /// Returns the fields for a 206 with a part of a stored body (RFC 9110, section 15.3.7).
    package static func fields(_ fields: [ResponseHead.Field], of part: Range<Int>, length: Int) -> [ResponseHead.Field]
    {
        let others = fields.filter { !["content-length", "content-range"].contains($0.name.lowercased()) }
        return others + [
            .init(name: "Content-Length", value: "\(part.count)"),
            .init(name: "Content-Range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"),
        ]
    }

    /// Returns the fields of a stored response that belong in a 304 (RFC 9110, section 15.4.5).
    package static func notModifiedFields(_ fields: [ResponseHead.Field]) -> [ResponseHead.Field] {
        let kept: Set<String> = [
            "age", "cache-control", "content-location", "date", "etag", "expires", "last-modified", "vary",
        ]
        return fields.filter { kept.contains($0.name.lowercased()) }
    }

    /// Returns the only range of bytes in a `Range` field (RFC 9110, section 14.1.2), `nil` if it is empty or one of
    /// many.
    package static func bytes(_ range: String, of length: Int) -> Range<Int>? {
        // Two numbers need no more.
        guard range.utf8.count <= 64, let sides = range[...].utf8.cut(at: "="),
            sides.before.string.isEqualIgnoringCase("bytes"), let bounds = sides.after.trimmed.cut(at: "-")
        else { return nil }
        if bounds.before.isEmpty {
            guard let count = number(bounds.after), count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
        guard let first = number(bounds.before), first < length else { return nil }
        guard !bounds.after.isEmpty else { return first..<length }
        guard let last = number(bounds.after), last >= first else { return nil }
        return first..<(min(last, length - 1) + 1)
    }

    /// Returns a number of only digits, or `Int.max` if it is larger.
    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return Int(digits.string) ?? .max
    }

    /// Whether `If-Range` matches the stored response (RFC 9110, section 13.1.5).
    ///
    /// It has the same strong tag, or the same date, at least one second older than the response (section 8.8.2.2).
    private static func isCurrent(_ condition: String, _ fields: CacheFields) -> Bool {
        if condition.utf8.first == UInt8(ascii: "\"") {
            return fields.entityTag.map { $0.utf8.elementsEqual(condition.utf8) } ?? false
        }
        guard let date = HTTPDate.parse(condition), let sent = fields.date else { return false }
        return fields.lastModified == date && sent.timeIntervalSince(date) >= 1
    }

    /// Whether a list contains a tag by weak comparison, or is an asterisk (RFC 9110, section 13.1.2).
    private static func matches(_ list: String, _ tag: String?) -> Bool {
        let text = list[...].utf8.trimmed
        if text.elementsEqual("*".utf8) { return true }
        guard let tag, let wanted = opaque(tag[...].utf8) else { return false }
        // A tag may contain commas, but not quotes.
        var rest = text
        while let start = rest.firstIndex(of: UInt8(ascii: "\"")) {
            let inner = rest[rest.index(after: start)...]
            guard let end = inner.firstIndex(of: UInt8(ascii: "\"")) else { return false }
            if inner[..<end].elementsEqual(wanted) { return true }
            rest = inner[inner.index(after: end)...]
        }
        return false
    }

    /// Returns the text between the quotes of a tag.
    private static func opaque(_ tag: Substring.UTF8View) -> Substring.UTF8View? {
        let quoted = tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag
        let quote = UInt8(ascii: "\"")
        guard quoted.count >= 2, quoted.first == quote, quoted.last == quote else { return nil }
        let inner = quoted.dropFirst().dropLast()
        return inner.contains(quote) ? nil : inner
    }
}
