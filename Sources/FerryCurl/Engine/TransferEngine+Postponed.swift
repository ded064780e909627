/// Transfers whose share of a turn is used, and that continue in the next one.
extension TransferEngine {
    /// Continues a request after the others.
    package func postpone(_ transfer: Transfer) { postponed.append(transfer) }

    /// Continues the postponed requests, one share after the other, until the turn's allowance is used.
    ///
    /// They have an allowance of their own, which those that have just received bytes cannot use up.
    package func continuePostponed() {
        allowance = TurnAllowance(sharedBy: postponed.count)
        guard !postponed.isEmpty else { return }
        noteEvent()
        let end = MonotonicTime.now().advanced(by: TurnAllowance.ofAll)
        var round = postponed[...]
        postponed = []
        repeat {
            if round.isEmpty { (round, postponed) = (postponed[...], []) }
            guard let transfer = round.popFirst() else { break }
            transfer.receiver?.handle(.hasTurn)
        } while allowance.share > .zero && MonotonicTime.now() < end
        postponed = round + postponed
        allowance = TurnAllowance()
    }
}
