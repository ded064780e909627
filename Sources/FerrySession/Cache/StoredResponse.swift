/// A response as the cache stores it, without its body.
struct StoredResponse: Codable, Hashable, Sendable {
    var key: String
    var head: ResponseHead
    /// Whether the body was stored decoded, without the content codings that the head still names.
    var isDecoded: Bool
    var requestTime: Date
    var responseTime: Date
    /// The names of the request's fields that select the response.
    var selectingNames: [String]
    /// The values of those fields in the request.
    var variant: String

    /// Takes the fields of the response to a validation, or to a HEAD request that was sent at `requestTime`.
    mutating func update(with head: ResponseHead, requestTime: Date?) {
        self.head.fields = CacheValidation.merge(self.head.fields, with: head.fields)
        responseTime = Date()
        self.requestTime = requestTime ?? responseTime
        guard head.value("Date") == nil else { return }
        // A response without a date is dated by its recipient (RFC 9110, section 6.6.1); with the previous date the stored
        // one would stay as old as it was.
        self.head.fields.removeAll { $0.name.lowercased() == "date" }
        self.head.fields.append(.init(name: "Date", value: HTTPDate.string(from: responseTime)))
    }

    /// Whether both have the same times, and so are the same response.
    ///
    /// Comparing fields that a server has sent could take quadratic time.
    func hasSameTimes(as other: StoredResponse) -> Bool {
        requestTime == other.requestTime && responseTime == other.responseTime
    }

    /// Whether this response was requested later than another one.
    ///
    /// A time in the future, from before the clock was set back, does not count: such a response could not be replaced.
    func isNewer(than other: StoredResponse) -> Bool { requestTime > other.requestTime && requestTime <= Date() }

    /// The approximate size in memory, in bytes, without the body.
    var cost: Int {
        head.fields.reduce(512 + key.utf8.count + variant.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

/// A stored response with everything needed to evaluate and deliver it.
final class CacheEntry: Sendable {
    let stored: StoredResponse
    let fields: CacheFields
    let body: CacheBody

    init(_ stored: StoredResponse, body: CacheBody) {
        (self.stored, self.body, fields) = (stored, body, CacheFields(stored.head.fields))
    }

    func freshness(at now: Date) -> CacheFreshness {
        CacheFreshness(
            status: stored.head.status,
            fields: fields,
            requestTime: stored.requestTime,
            responseTime: stored.responseTime,
            now: now
        )
    }

    /// The fields with the current `Age`, for use without validation.
    func fieldsWithAge(at now: Date) -> [ResponseHead.Field] {
        CacheValidation.withAge(stored.head.fields, freshness(at: now).age)
    }

    func summary(at now: Date) -> CacheUseRule.Stored {
        CacheUseRule.Stored(control: fields.control, freshness: freshness(at: now))
    }
}

/// A complete response that is stored unless the task's delegate refuses it.
final class CacheCandidate: Sendable {
    private let response: ReceivedResponse
    private let stored: StoredResponse
    private let body: CollectedBody
    private let cache: HTTPCache
    private let generation: Int
    private let isSettled = Mutex(false)

    init(_ stored: StoredResponse, _ body: CollectedBody, response: ReceivedResponse, _ context: CacheContext) {
        (self.stored, self.body, self.response) = (stored, body, response)
        (cache, generation) = (context.cache, context.generation)
    }

    /// Stores the response as received.
    func store() {
        guard claim() else { return }
        cache.store(stored, body, requestedIn: generation)
    }

    /// Returns the response to propose to the delegate, or `nil` if its body cannot be read.
    func proposal() -> CachedURLResponse? {
        body.data.map { CachedURLResponse(response: response.value, data: $0, userInfo: nil, storagePolicy: .allowed) }
    }

    /// Stores the delegate's version of the proposal; only the first answer counts.
    func store(_ answer: CachedURLResponse?, insteadOf proposal: CachedURLResponse) {
        guard claim() else { return }
        // What is stored is older than the response that the delegate refuses.
        guard let answer, answer.storagePolicy != .notAllowed else { return cache.remove(stored.key) }
        let inMemoryOnly = answer.storagePolicy == .allowedInMemoryOnly
        if answer === proposal {
            return cache.store(stored, body, inMemoryOnly: inMemoryOnly, requestedIn: generation)
        }
        let isSameBody = answer.data == proposal.data
        var changed = stored
        if let response = answer.response as? HTTPURLResponse, response !== proposal.response {
            changed.head.status = response.statusCode
            changed.head.fields = response.allHeaderFields.map { .init(name: "\($0.key.base)", value: "\($0.value)") }
        }
        if !isSameBody {
            changed.head.fields.removeAll { $0.name.lowercased() == "content-length" }
            changed.head.fields.append(.init(name: "Content-Length", value: "\(answer.data.count)"))
        }
        let newBody = isSameBody ? body : .data(answer.data)
        cache.store(changed, newBody, inMemoryOnly: inMemoryOnly, requestedIn: generation)
    }

    private func claim() -> Bool {
        isSettled.withLock { isSettled in
            defer { isSettled = true }
            return !isSettled
        }
    }
}
