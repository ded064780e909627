/// Validates a stored response that was stale when it was delivered: nobody hears of the answer but the cache
/// (RFC 5861, section 3).
final class CacheRevalidation: TransferClient {
    private let exchange = Mutex(WeakExchange())
    private let whenFinished: @Sendable () -> Void

    private struct WeakExchange {
        weak var exchange: Exchange?
    }

    /// `whenFinished` is called on the engine's thread.
    init(whenFinished: @escaping @Sendable () -> Void) {
        self.whenFinished = whenFinished
    }

    func attach(_ exchange: Exchange) {
        self.exchange.withLock { $0.exchange = exchange }
    }

    var transferCollectsBody: Bool { false }
    var transferWantsResponseEarly: Bool { false }
    var transferIsSuspended: Bool { false }

    func transfer(didReceive response: ReceivedResponse, isReplacement: Bool) {}
    func transfer(didResumeAt offset: ByteCount, expectedTotal: ByteCount?) {}
    func transfer(didReceive bytes: UnsafeRawBufferPointer) -> Flow { .more }
    func transfer(didWrite count: ByteCount) {}
    func transfer(didSend count: ByteCount, expected: ByteCount?) {}
    func transferDidRewindBody() {}
    func transfer(willSend request: URLRequest, adding fields: [HeaderField], bodyLength: ByteCount?) {}
    func transferNeedsBodyStream() {}
    func transferTakesBuffer() -> Data { Data() }
    func transfer(didBecomeDownloadWith count: ByteCount, finished file: DownloadFile?) {}
    func transfer(didCollect transaction: TransferMetrics.Transaction, redirectCount: Int) {}
    func transfer(didCancelProducing resumeData: Data?) {}
    func transfer(willCache candidate: CacheCandidate) { candidate.store() }

    /// A response that has moved is asked for by whoever wants it next.
    func transfer(willRedirect response: HTTPURLResponse, to request: URLRequest) { giveUp() }

    func transfer(willAuthenticate question: AuthenticationQuestion) { giveUp() }

    func transfer(didFinishWith error: (any Error)?, file: DownloadFile?) { whenFinished() }

    private func giveUp() {
        guard let exchange = exchange.withLock({ $0.exchange }) else { return }
        exchange.engine.submit(.cancel(exchange, telling: nil))
        whenFinished()
    }
}
