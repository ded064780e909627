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
        self.stored = stored
        self.body = body
        fields = CacheFields(stored.head.fields)
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

    func summary(at now: Date) -> CacheUseRule.Stored {
        CacheUseRule.Stored(control: fields.control, freshness: freshness(at: now))
    }
}

/// The body of a stored response.
enum CacheBody: Sendable {
    case data(Data)
    case file(CacheBodyFile)

    /// The length in bytes.
    var length: Int {
        switch self {
        case .data(let data): data.count
        case .file(let file): file.length
        }
    }
}
