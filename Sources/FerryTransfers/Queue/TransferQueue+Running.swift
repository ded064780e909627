extension TransferQueue {
    /// Runs the transfers that wait, until none waits or runs.
    ///
    /// Transfers that were added, paused, resumed or removed meanwhile, also by other processes, are taken into
    /// account. Transfers that are paused, or have failed before, are not run. Cancelling the Swift task stops the
    /// transfers, which wait for the next run; the method then throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - session: The session that transfers.
    ///   - progress: Called when the state of a transfer has changed, and about ten times per second while it runs, on
    ///     threads of the concurrency pool; nil by default.
    /// - Returns: The number of transfers that have ended.
    /// - Throws: A ``TransferQueueError``, in particular if another process runs the queue, or if transfers wait for
    ///   the next run because a disk is full.
    @discardableResult
    public func run(
        with session: CurlSession,
        progress: (@Sendable (QueuedTransfer) -> Void)? = nil
    ) async throws -> Summary {
        let lock = try lockForRunning()
        defer { lock.unlock() }
        return try await QueueRun(queue: self, session: session, report: progress).run()
    }

    private func lockForRunning() throws -> RegularFile {
        do throws(FileError) {
            let file = try RegularFile(updating: store.runPath)
            if file.tryLock() { return file }
        } catch {
            throw TransferQueueError(error)
        }
        throw TransferQueueError.isRunning(path: store.folder)
    }
}
