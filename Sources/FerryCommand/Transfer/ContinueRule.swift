/// What the answer to a request for the rest of a file means (RFC 9110, sections 14.4 and 15.5.17).
enum ContinueRule {
    enum Verdict: Equatable {
        /// The rest follows.
        case append
        /// Nothing is missing.
        case isComplete
        /// The whole follows, since it has changed or the server knows no ranges.
        case startOver
        /// The answer cannot be used: the whole is to be asked for.
        case askAgain
        /// The answer is about something else, an error say: what is there is kept.
        case refused
    }

    /// The facts of an answer.
    struct Answer {
        var status: Int
        var contentRange: String?
        var entityTag: String?
    }

    static func judge(_ answer: Answer, offset: Int64, record: PartRecord) -> Verdict {
        switch answer.status {
        case 206:
            guard let range = answer.contentRange.flatMap(parse), range.first == offset else { return .askAgain }
            return isSame(answer, range.complete, record) ? .append : .askAgain
        case 416:
            guard let range = answer.contentRange.flatMap(parse), range.first == nil else { return .askAgain }
            return range.complete == offset && isSame(answer, range.complete, record) ? .isComplete : .askAgain
        case 200, 203: return .startOver
        default: return .refused
        }
    }

    private static func isSame(_ answer: Answer, _ complete: Int64?, _ record: PartRecord) -> Bool {
        if let known = record.length, let complete, known != complete { return false }
        guard let tag = answer.entityTag, let validator = record.validator, Validator.isStrong(validator) else {
            return true
        }
        return tag == validator
    }

    /// Reads `bytes first-last/complete` and `bytes */complete`; `complete` may be `*`.
    static func parse(_ field: String) -> (first: Int64?, complete: Int64?)? {
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let complete = Int64(parts[1])
        guard complete.map({ $0 >= 0 }) ?? (parts[1] == "*") else { return nil }
        if parts[0] == "*" { return complete == nil ? nil : (nil, complete) }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]) else { return nil }
        guard first >= 0, first <= last, complete.map({ last < $0 }) ?? true else { return nil }
        return (first, complete)
    }
}
