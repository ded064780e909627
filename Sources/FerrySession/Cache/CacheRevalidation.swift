/// The client of an exchange that validates a stored response, which was stale when it was delivered (RFC 5861, section
/// 3).
///
/// Only the cache uses the server's response.
final class CacheRevalidation: ExchangeClient {
    private let exchange = Mutex(WeakExchange())
    private let whenFinished: @Sendable () -> Void

    private struct WeakExchange {
        weak var exchange: Exchange?
    }

    /// `whenFinished` is called on the engine's thread.
    init(whenFinished: @escaping @Sendable () -> Void) { self.whenFinished = whenFinished }

    func attach(_ exchange: Exchange) { self.exchange.withLock { $0.exchange = exchange } }

    var exchangeCollectsBody: Bool { false }
    var exchangeWantsPrebuiltResponse: Bool { false }
    var exchangeIsSuspended: Bool { false }
    var exchangeDeliversAtEnd: Bool { false }

    var exchangeWantsInterimResponses: Bool { false }
    func exchange(willWrite partial: DurableRecord.Partial?) {}
    func exchange(didReceiveInterim response: HTTPURLResponse) {}
    func exchange(didReceive response: ReceivedResponse) {}
    func exchange(didRefuse response: ReceivedResponse) {}
    func exchange(didResumeAt offset: ByteCount, expectedTotal: ByteCount?) {}
    func exchange(didReceive bytes: UnsafeRawBufferPointer) -> Flow { .more }
    func exchange(didWrite count: ByteCount) {}
    func exchange(didSend count: ByteCount, expected: ByteCount?) {}
    func exchangeDidRewindBody() {}
    func exchange(
        willSend request: URLRequest,
        setting replacements: [HeaderField],
        adding additions: [HeaderField],
        bodyLength: ByteCount?
    ) {}
    func exchange(willRetry retry: TransferMetrics.Retry) {}
    func exchangeDidDiscardBody() {}
    func exchangeDidExceedDeadline() {}
    func exchangeNeedsBodyStream() {}
    func exchangeTakesBuffer() -> Data { Data() }
    func exchange(didBecomeDownloadWith count: ByteCount, finished file: DownloadFile?) {}
    func exchange(didCollect transaction: TransferMetrics.Transaction, redirectCount: Int) {}
    func exchange(didCancelProducing resumeData: Data?) {}
    func exchange(willCache candidate: CacheCandidate) { candidate.store() }

    /// Ends the validation of a response that has moved; the next request follows the redirect.
    func exchange(willRedirect response: HTTPURLResponse, to request: URLRequest) { giveUp() }

    func exchange(willAuthenticate question: AuthenticationQuestion) { giveUp() }

    func exchange(didFinishWith error: (any Error)?, file: DownloadFile?) { whenFinished() }

    private func giveUp() {
        guard let exchange = exchange.withLock({ $0.exchange }) else { return }
        exchange.perform(.cancel(telling: nil))
        whenFinished()
    }
}
