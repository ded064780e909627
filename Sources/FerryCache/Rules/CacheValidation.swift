/// Validating stored responses with the server (RFC 9111, section 4.3).
package enum CacheValidation {
    /// The request fields that make a request conditional or partial; ``CacheSelector`` reads them.
    package static let conditionalNames: Set<String> = [
        "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range", "range",
    ]

    /// Returns the conditions for a stored response (section 4.3.1); none if it has no validator that can be sent.
    package static func conditions(_ fields: CacheFields) -> [(name: String, value: String)] {
        var conditions: [(name: String, value: String)] = []
        if let tag = fields.entityTag, isSendable(tag) { conditions.append(("If-None-Match", tag)) }
        if let changed = fields.lastModifiedText, fields.lastModified != nil, isSendable(changed) {
            conditions.append(("If-Modified-Since", changed))
        }
        return conditions
    }

    /// Whether a value can be sent: bytes beyond ASCII would not be sent as they were received.
    private static func isSendable(_ value: String) -> Bool {
        !value.isEmpty && HeaderRule.isValue(value) && value.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Whether a 304 is about the stored response (section 4.3.4).
    package static func selects(_ stored: CacheFields, by answer: CacheFields) -> Bool {
        guard let new = answer.entityTag else {
            let dates = [stored.lastModified, answer.lastModified].compactMap { $0 }
            return stored.entityTag != nil || dates.count < 2 || dates[0] == dates[1]
        }
        guard let old = stored.entityTag else { return !isStrong(new) }
        return isStrong(new) ? new.utf8.elementsEqual(old.utf8) : opaque(new).elementsEqual(opaque(old))
    }

    // Byte by byte: comparing hostile text as strings takes quadratic time.

    private static func isStrong(_ tag: String) -> Bool { !tag.utf8.starts(with: "W/".utf8) }

    private static func opaque(_ tag: String) -> Substring.UTF8View { tag.utf8.dropFirst(isStrong(tag) ? 0 : 2) }

    /// Fields about the body, which is stored decoded, so a response without a body must not update them (section 3.2).
    private static let bodyFields: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Returns the stored fields, updated by those of a 304 or of a response to HEAD (section 3.2).
    package static func merge(_ stored: [ResponseHead.Field], with answer: [ResponseHead.Field]) -> [ResponseHead.Field]
    {
        let news = CacheStorageRule.storedFields(answer).filter { !bodyFields.contains($0.name.lowercased()) }
        let replaced = Set(news.map { $0.name.lowercased() })
        // The previous Age would add to the new one.
        return stored.filter { !replaced.contains($0.name.lowercased()) && $0.name.lowercased() != "age" } + news
    }

    /// Whether a 200 to HEAD is about the stored response (section 4.3.5): its validators and its length are the same.
    ///
    /// `length` is the length of a body that was stored as it was sent, and stands for a missing `Content-Length`.
    package static func matchesHead(_ stored: ResponseHead, _ answer: ResponseHead, length: Int?) -> Bool {
        guard stored.status == 200 else { return false }
        return ["ETag", "Last-Modified", "Content-Length"].allSatisfy { name in
            guard let new = answer.value(name) else { return true }
            let known = name == "Content-Length" ? length.map { "\($0)" } : nil
            guard let old = stored.value(name) ?? known else { return false }
            return old.utf8.elementsEqual(new.utf8)
        }
    }

    /// Returns the fields of a stored response that is used without validation, with its age (section 5.1).
    package static func withAge(_ fields: [ResponseHead.Field], _ age: Double) -> [ResponseHead.Field] {
        let most = 2_147_483_648.0
        let value = "\(Int(min(max(0, age), most)))"
        return fields.filter { $0.name.lowercased() != "age" } + [.init(name: "Age", value: value)]
    }
}

/// The rules for storing partial responses, and for completing them later (RFC 9111, sections 3.3 and 3.4).
package enum CacheCompletion {
    /// A stored part: the first bytes of a response with a strong entity tag.
    package struct Beginning: Hashable, Sendable {
        package var length: ByteCount
        package var total: ByteCount
        package var tag: String

        /// The request fields for the rest, or for the whole if it has changed.
        package var conditions: [(name: String, value: String)] { [("Range", "bytes=\(length)-"), ("If-Range", tag)] }
    }

    /// Returns the key of the part, given the key of the response, which never has a fragment.
    package static func key(_ key: String) -> String { key + "#beginning" }

    /// Reads the head of a partial response, or returns `nil` if it cannot be completed.
    ///
    /// It must have a strong entity tag, no content coding, and a single range that starts at zero.
    package static func beginning(_ head: ResponseHead) -> Beginning? {
        guard head.status == 206, head.value("Content-Encoding") == nil, let tag = head.value("ETag"),
            ContinuationRule.isStrongTag(tag), let range = head.value("Content-Range").flatMap(ContentRange.init),
            range.first == .zero, let total = range.complete, range.end < total
        else { return nil }
        return Beginning(length: range.length, total: total, tag: tag)
    }

    /// Returns the head of the complete response, or `nil` if the response is not exactly the rest of the stored part.
    package static func whole(_ beginning: Beginning, stored: ResponseHead, answer: ResponseHead) -> ResponseHead? {
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

/// The rules for what a response to an unsafe request invalidates (RFC 9111, section 4.4).
package enum CacheInvalidation {
    /// Returns the URLs whose stored responses are invalid; those that the response names count only within its own
    /// origin.
    ///
    /// An unknown method may change something on the server (RFC 9110, section 9.2.1).
    package static func invalidated(by head: ResponseHead, to url: URL, method: String) -> [URL] {
        let isSafe = ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
        guard !isSafe, (200..<400).contains(head.status) else { return [] }
        let named = [head.location, head.value("Content-Location")]
            .compactMap { $0.flatMap { RedirectRule.resolve($0, against: url) } }
        return [url] + named.filter { Origin($0) == Origin(url) }
    }
}
