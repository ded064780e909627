import Ferry

extension FetchOptions {
    /// Performs work, and cancels it when the time of `--max-time` or `--deadline` is over.
    ///
    /// - Throws: The error of the work, or `URLError.timedOut` if it is cancelled because of the time.
    func inTime<Value: Sendable>(
        after elapsed: Double = 0,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let limits = [(maxTime ?? 0, CurlSessionError.Code.resourceTimeout), (deadline ?? 0, .deadlineExceeded)]
        guard let limit = limits.filter({ $0.0 > 0 }).min(by: { $0.0 < $1.0 }) else { return try await body() }
        let work = Task { try await body() }
        let isLate = Mutex(false)
        let timer = Task {
            try await Task.sleep(for: .seconds(max(limit.0 - elapsed, 0)))
            isLate.withLock { $0 = true }
            work.cancel()
        }
        defer { timer.cancel() }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        // Work that has ended by itself meanwhile has not failed because of the time.
        if isLate.withLock({ $0 }), case .failure(let error) = result, Self.isCancellation(error) {
            let cause = CurlSessionError(limit.1, "the transfer took too long")
            throw URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: cause])
        }
        return try result.get()
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as? URLError)?.code == .cancelled
    }
}
