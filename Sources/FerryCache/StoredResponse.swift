/// A response as the cache stores it, without its body.
package struct StoredResponse: Codable, Hashable, Sendable {
    package var key: String
    package var head: ResponseHead
    /// Whether the body was stored decoded, without the content codings that the head still names.
    package var isDecoded: Bool
    package var requestTime: Date
    package var responseTime: Date
    /// The names of the request's fields that select the response.
    package var selectingNames: [String]
    /// The values of those fields in the request.
    package var variant: String

    package init(
        key: String,
        head: ResponseHead,
        isDecoded: Bool,
        requestTime: Date,
        responseTime: Date,
        selectingNames: [String],
        variant: String
    ) {
        (self.key, self.head, self.isDecoded) = (key, head, isDecoded)
        (self.requestTime, self.responseTime) = (requestTime, responseTime)
        (self.selectingNames, self.variant) = (selectingNames, variant)
    }

    /// Replaces fields by those of the response to a validation, or to a HEAD request that was sent at `requestTime`.
    package mutating func update(with head: ResponseHead, requestTime: Date?) {
        self.head.fields = CacheValidation.merge(self.head.fields, with: head.fields)
        responseTime = Date.current
        self.requestTime = requestTime ?? responseTime
        guard head.value("Date") == nil else { return }
        // A response without a date is dated by its recipient (RFC 9110, section 6.6.1); with the previous date, the
        // stored response would not become younger.
        self.head.fields.removeAll { $0.name.lowercased() == "date" }
        self.head.fields.append(.init(name: "Date", value: HTTPDate.string(from: responseTime)))
    }

    /// Whether both have the same times, and so are the same response.
    ///
    /// Comparing fields that a server has sent could take quadratic time.
    package func hasSameTimes(as other: StoredResponse) -> Bool {
        requestTime == other.requestTime && responseTime == other.responseTime
    }

    /// Whether this response was requested later than another one.
    ///
    /// A time in the future, from before the clock was set back, does not count: such a response could not be replaced.
    package func isNewer(than other: StoredResponse) -> Bool {
        requestTime > other.requestTime && requestTime <= Date.current
    }

    /// The approximate size in memory, in bytes, without the body.
    package var cost: Int {
        head.fields.reduce(512 + key.utf8.count + variant.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

/// A stored response with everything needed to evaluate and deliver it.
package final class CacheEntry: Sendable {
    package let stored: StoredResponse
    package let fields: CacheFields
    package let body: CacheBody

    package init(_ stored: StoredResponse, body: CacheBody) {
        (self.stored, self.body, fields) = (stored, body, CacheFields(stored.head.fields))
    }

    package func freshness(at now: Date) -> CacheFreshness {
        CacheFreshness(
            status: stored.head.status,
            fields: fields,
            requestTime: stored.requestTime,
            responseTime: stored.responseTime,
            now: now
        )
    }

    /// The fields with the current `Age`, for use without validation.
    package func fieldsWithAge(at now: Date) -> [ResponseHead.Field] {
        CacheValidation.withAge(stored.head.fields, freshness(at: now).age)
    }

    package func summary(at now: Date) -> CacheUseRule.Stored {
        CacheUseRule.Stored(control: fields.control, freshness: freshness(at: now))
    }
}
