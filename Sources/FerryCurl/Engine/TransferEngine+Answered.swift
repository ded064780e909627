/// Requests whose complete response has come before the end of their body, which the program may still write.
///
/// libcurl does not report the end of a response over HTTP/1.1, or of a connection after an upgrade, before the end of
/// the body; but while there is nothing to send, it then waits for nothing of the connection. To be sure, that must be
/// so at the end of another turn too, in which all transfers are examined.
struct AnsweredRequests {
    /// The requests of whose connections libcurl waited for nothing.
    private var candidates: [NetworkAttempt] = []
    /// Whether there is a new one, so that the next turn must examine all transfers, and begin at once.
    private(set) var mustExamine = false

    mutating func add(_ attempt: NetworkAttempt, isNew: Bool) {
        candidates.append(attempt)
        mustExamine = mustExamine || isNew
    }

    /// Returns the requests, and forgets them.
    mutating func take() -> [NetworkAttempt] {
        defer { (candidates, mustExamine) = ([], false) }
        return candidates
    }
}

extension TransferEngine {
    /// Makes sure that a request ends with its response, and not with its body.
    func watchResponse(of attempt: NetworkAttempt) {
        if let connection = attempt.connection { multi.watchEnd(of: connection) }
    }

    func endAnswered() {
        for attempt in answered.take() {
            guard let transfer = attempt.transfer, let connection = attempt.connection else { continue }
            if multi.waits(for: connection) {
                multi.watchEnd(of: connection)
            } else if transfer.pauses != .bodyIsStarved || attempt.isReceivingPaused {
                // A pause may be the reason.
                answered.add(attempt, isNew: false)
            } else if attempt.prepared.isUpgrade {
                (transfer.reader as? MadeBodyReader)?.finish()
            } else {
                connection.retire()
                transfer.receiver?.handle(.hasEnded(0))
            }
        }
        while let socket = multi.nextQuiet() {
            guard let attempt = active.values.first(where: { $0.connection?.socket == socket }) else { continue }
            answered.add(attempt, isNew: true)
        }
    }
}
