import Ferry

// The retries of downloads that their task cannot continue itself: of a file that an earlier run began, without a
// validator, or of an entity that has changed.
extension Fetch {
    /// Transfers the URL, with further tasks for a download whose connection is lost.
    func transferWithRetries(_ body: UploadBody) async throws {
        var continues = options.continuesDownloads
        var count = RetryCount(validator: target.continuation?.record.validator, size: target.part?.size ?? 0)
        while true {
            do {
                return try await transfer(body, continues: continues)
            } catch let error as URLError {
                guard let policy = options.retryPolicy, isMendable(error) else { throw error }
                count.note(validator: target.continuation?.record.validator, size: target.part?.size ?? 0)
                let delay = policy.backoff.delay(retry: count.retries, random: .random(in: 0...1))
                guard count.retries < policy.maximumRetries, hasTime(for: delay) else { throw error }
                count.add()
                let reason = CommandFailure(error, url: url).message(without: url)
                let hasPart = target.continuation != nil
                context.noteRetry(of: url, index, reason, after: delay, continues: hasPart)
                try await Task.sleep(for: .seconds(delay))
                continues = true
            }
        }
    }

    /// Returns whether a new task can complete a download that has failed with an error.
    private func isMendable(_ error: URLError) -> Bool {
        // Without a response, or where the session continues bodies itself, the session has made all attempts.
        let reason = error.sessionCause?.code
        guard target.part != nil, let answer = tasks.last?.response, answer.statusCode < 400,
            !sessionContinues || reason == .cannotContinue
        else { return false }
        guard options.isPlainGet else { return false }
        return switch error.code {
        case .networkConnectionLost: true
        case .timedOut: reason == .inactivityTimeout
        default: false
        }
    }

    /// Returns whether a delay ends before all time limits.
    private func hasTime(for delay: Double) -> Bool {
        let limits = [options.deadline, options.maxTime, options.retryTimeLimit].compactMap { $0 }.filter { $0 > 0 }
        let end = elapsed + delay
        return limits.allSatisfy { end < $0 }
    }

    /// Returns the session for the next task: the common one, or one with the remaining time limits.
    func session() -> CurlSession {
        let limits = [options.deadline, options.maxTime, options.retryMaxTime]
        guard tasks.count > 1, limits.contains(where: { $0 != nil }) else { return context.session }
        let elapsed = elapsed
        var rest = context.session.options
        rest.setRetries(options, after: elapsed)
        let configuration = context.session.configuration
        if let maxTime = options.maxTime, maxTime > 0 {
            // Zero would be no limit.
            configuration.timeoutIntervalForResource = max(maxTime - elapsed, 0.001)
        }
        return CurlSession(configuration: configuration, options: rest)
    }
}
