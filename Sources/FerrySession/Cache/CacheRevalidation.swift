/// The client of a call that validates a stored response, which was stale when it was delivered (RFC 5861, section 3).
///
/// Only the cache uses the server's response.
final class CacheRevalidation: CallClient {
    private let store: @Sendable (CacheCandidate) -> Void
    private let end: @Sendable () -> Void

    /// `end` ends the validation, and is called on the engine's thread.
    init(storing store: @escaping @Sendable (CacheCandidate) -> Void, end: @escaping @Sendable () -> Void) {
        (self.store, self.end) = (store, end)
    }

    var isSuspended: Bool { false }
    var collectsBody: Bool { false }
    var deliversAtEnd: Bool { false }
    var wantsPrebuiltResponse: Bool { false }
    var wantsInterimResponses: Bool { false }
    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Flow { .more }
    func receive(_ transaction: TaskMetrics.Transaction) {}
    func takeBuffer() -> Data { Data() }
    func makeStoring() -> @Sendable (CacheCandidate) -> Void { store }

    func receive(_ report: CallReport) {
        switch report {
        case .stores(let candidate): store(candidate)
        // The request of a later task follows the redirect, or answers the challenge.
        case .redirect, .event(.challenge), .finished: end()
        default: break
        }
    }
}
