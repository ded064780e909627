/// Transfers that wait until their limits on bytes per second allow more.
extension TransferEngine {
    /// The longest time before a limit is asked again, since it may be changed meanwhile.
    private static let maximumWait = TimeSpan.milliseconds(500)
    /// How far transfers may be ahead of their limit, so that a turn moves more than a piece of one of them.
    private static let tolerance = TimeSpan.milliseconds(20)

    /// Counts bytes of a response, after which the transfer may have to wait.
    func noteReceived(_ count: Int, by transfer: Transfer, at now: MonotonicTime) {
        guard !transfer.downloadLimits.isEmpty else { return }
        transfer.downloadLimits.take(count, at: now)
        let delay = transfer.downloadLimits.delay(at: now)
        if delay > Self.tolerance { wait(transfer, .downloadIsLimited, for: delay, at: now) }
    }

    /// Returns how many bytes of a request's body may be sent at once; zero if the transfer has to wait.
    func maximumBytesToSend(_ transfer: Transfer, _ capacity: Int, at now: MonotonicTime) -> Int {
        guard !transfer.uploadLimits.isEmpty else { return capacity }
        let delay = transfer.uploadLimits.delay(at: now)
        if delay > Self.tolerance {
            wait(transfer, .uploadIsLimited, for: delay, at: now)
            return 0
        }
        return min(capacity, transfer.uploadLimits.pieceSize)
    }

    private func wait(_ transfer: Transfer, _ reason: PauseReasons, for delay: TimeSpan, at now: MonotonicTime) {
        let isWaiting = !transfer.pauses.isDisjoint(with: .limited)
        transfer.setPause(reason, true)
        // A new attempt has no pauses, but its transfer may still be in the list.
        if !isWaiting, !limited.transfers.contains(where: { $0 === transfer }) { limited.transfers.append(transfer) }
        askAgain(after: delay, from: now)
    }

    private func askAgain(after delay: TimeSpan, from now: MonotonicTime) {
        let time = now.advanced(by: min(delay, Self.maximumWait))
        limited.time = min(time, limited.time ?? time)
    }

    /// Resumes the transfers whose wait is over, in the order in which they have begun to wait.
    ///
    /// A transfer that moves bytes and waits again follows those that could not move.
    func continueLimited() {
        guard let due = limited.time else { return }
        let now = MonotonicTime.now()
        guard due <= now else { return }
        noteEvent()
        let waiting = limited.transfers
        limited = ([], nil)
        var stillWaiting: [Transfer] = []
        var resumesUpload = false
        for transfer in waiting where transfer.receiver != nil {
            var ended: PauseReasons = []
            for (reason, limits) in [
                (PauseReasons.downloadIsLimited, transfer.downloadLimits),
                (PauseReasons.uploadIsLimited, transfer.uploadLimits),
            ] where transfer.pauses.contains(reason) {
                // Transfers before this one may have used the limit. Uploads take their bytes in the next turn, in
                // which libcurl always asks them in the same order, so only one is resumed at a time.
                let isUpload = reason == .uploadIsLimited
                let delay = limits.delay(at: now)
                if delay <= Self.tolerance, !isUpload || !resumesUpload {
                    ended.insert(reason)
                    if isUpload { resumesUpload = true }
                } else {
                    askAgain(after: delay, from: now)
                }
            }
            transfer.setPause(ended, false)
            if !transfer.pauses.isDisjoint(with: .limited) { stillWaiting.append(transfer) }
            if !ended.isEmpty { transfer.receiver?.handle(.mayMove) }
        }
        limited.transfers.insert(contentsOf: stillWaiting, at: 0)
    }
}

/// The limits on one direction of a transfer: its session's and its task's.
package struct DirectionLimits: Sendable {
    let session: BandwidthLimit?
    package var task: BandwidthLimit?

    init(_ session: BandwidthLimit?) { self.session = session }

    var isEmpty: Bool { session == nil && task == nil }
    /// The task's limit, unless it is the session's too.
    private var other: BandwidthLimit? { task === session ? nil : task }
    var pieceSize: Int { min(session?.pieceSize ?? .max, other?.pieceSize ?? .max) }

    func take(_ count: Int, at now: MonotonicTime) {
        session?.take(count, at: now)
        other?.take(count, at: now)
    }

    func delay(at now: MonotonicTime) -> TimeSpan {
        max(session?.delay(at: now) ?? .zero, other?.delay(at: now) ?? .zero)
    }
}
