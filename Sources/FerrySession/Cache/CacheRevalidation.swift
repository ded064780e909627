/// The client of a call that validates a stored response, which was stale when it was delivered (RFC 5861, section 3).
///
/// Only the cache uses the server's response.
final class CacheRevalidation: CallClient {
    private let driver = Mutex(WeakDriver())
    private let store: @Sendable (CacheCandidate) -> Void
    private let whenFinished: @Sendable () -> Void

    private struct WeakDriver {
        weak var driver: CallDriver?
    }

    /// `whenFinished` is called on the engine's thread.
    init(
        storing store: @escaping @Sendable (CacheCandidate) -> Void,
        whenFinished: @escaping @Sendable () -> Void
    ) {
        (self.store, self.whenFinished) = (store, whenFinished)
    }

    func attach(_ driver: CallDriver) { self.driver.withLock { $0.driver = driver } }

    var isSuspended: Bool { false }
    var collectsBody: Bool { false }
    var deliversAtEnd: Bool { false }
    var wantsPrebuiltResponse: Bool { false }
    var wantsInterimResponses: Bool { false }
    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Flow { .more }
    func receive(_ transaction: TransferMetrics.Transaction, redirectCount: Int) {}
    func takeBuffer() -> Data { Data() }
    func makeStoring() -> @Sendable (CacheCandidate) -> Void { store }

    func receive(_ report: CallReport) {
        switch report {
        case .stores(let candidate): store(candidate)
        // The request of a later task follows the redirect, or answers the challenge.
        case .redirect, .event(.challenge): giveUp()
        case .finished: whenFinished()
        default: break
        }
    }

    private func giveUp() {
        guard let driver = driver.withLock({ $0.driver }) else { return }
        driver.perform(.cancel(telling: nil))
        whenFinished()
    }
}
