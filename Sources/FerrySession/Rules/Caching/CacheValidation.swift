/// Validating stored responses with the server (RFC 9111, section 4.3).
enum CacheValidation {
    /// The request fields that make a request conditional or partial; ``CacheSelector`` reads them.
    static let conditionalNames: Set<String> = [
        "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range", "range",
    ]

    /// Returns the conditions for a stored response (section 4.3.1); none if it has no validator that can be sent.
    static func conditions(_ fields: CacheFields) -> [(name: String, value: String)] {
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
    static func selects(_ stored: CacheFields, by answer: CacheFields) -> Bool {
        guard let new = answer.entityTag else { return true }
        guard let old = stored.entityTag else { return !isStrong(new) }
        return isStrong(new) ? new.utf8.elementsEqual(old.utf8) : opaque(new).elementsEqual(opaque(old))
    }

    // Byte by byte: comparing hostile text as strings takes quadratic time.

    private static func isStrong(_ tag: String) -> Bool { !tag.utf8.starts(with: "W/".utf8) }

    private static func opaque(_ tag: String) -> Substring.UTF8View { tag.utf8.dropFirst(isStrong(tag) ? 0 : 2) }

    /// Fields about the body, which is stored decoded, so a response without a body must not update them (section 3.2).
    private static let bodyFields: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Returns the stored fields, updated by those of a 304 or of a response to HEAD (section 3.2).
    static func merge(_ stored: [ResponseHead.Field], with answer: [ResponseHead.Field]) -> [ResponseHead.Field] {
        let news = CacheStorageRule.storedFields(answer).filter { !bodyFields.contains($0.name.lowercased()) }
        let replaced = Set(news.map { $0.name.lowercased() })
        // The previous Age would add to the new one.
        return stored.filter { !replaced.contains($0.name.lowercased()) && $0.name.lowercased() != "age" } + news
    }

    /// Whether a response to HEAD is about the stored response (section 4.3.5): no validator and no length differs.
    static func matchesHead(_ stored: ResponseHead, _ answer: ResponseHead) -> Bool {
        ["ETag", "Last-Modified", "Content-Length"].allSatisfy { name in
            guard let old = stored.value(name), let new = answer.value(name) else { return true }
            return old.utf8.elementsEqual(new.utf8)
        }
    }

    /// Returns the fields of a stored response that is used without validation, with its age (section 5.1).
    static func withAge(_ fields: [ResponseHead.Field], _ age: Double) -> [ResponseHead.Field] {
        let most = 2_147_483_648.0
        let value = "\(Int(min(max(0, age), most)))"
        return fields.filter { $0.name.lowercased() != "age" } + [.init(name: "Age", value: value)]
    }
}
