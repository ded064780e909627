/// Requests that end before their body, which the program may still write: with a complete response, or with the
/// connection.
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
    /// Makes sure that a request whose body waits ends with its response, or with its connection.
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
            } else if let code = attempt.codeOfQuietEnd {
                connection.retire()
                transfer.receiver?.handle(.hasEnded(code))
            }
        }
        while let socket = multi.nextQuiet() {
            for attempt in active.values where attempt.connection?.socket == socket && attempt.transfer?.reader != nil {
                answered.add(attempt, isNew: true)
            }
        }
    }
}

extension NetworkAttempt {
    /// The code with which a request ends although its body waits, where libcurl waits for nothing of the connection;
    /// `nil` if the request does not end.
    ///
    /// Bytes that libcurl does not read of a connection over HTTP/1.1 are its end.
    fileprivate var codeOfQuietEnd: Int32? {
        let isClosed = !isMultiplexed && connection?.hasInput == true
        // libcurl sends a request again whose connection from the pool has ended, as soon as there is more to send.
        guard let head else { return isClosed && !sharesConnection ? CurlCode.gotNothing : nil }
        if isCut(head, isClosed: isClosed) { return CurlCode.partialFile }
        return isClosed || (transfer?.reader as? MadeBodyReader)?.body.endsWithResponse == true ? 0 : nil
    }

    /// Whether bytes of the response's body are missing, as far as that is known.
    ///
    /// libcurl before 8.5 reports nothing. Its chunks may be complete if the server closes the connection then, but a
    /// response that was cut must not be taken for a complete one.
    private func isCut(_ head: ResponseHead, isClosed: Bool) -> Bool {
        if prepared.method == "HEAD" || head.status == 204 || head.status == 304 { return false }
        if head.isChunked {
            let isUnclear = transfer?.engine.runtime.hidesCutResponses ?? false
            return isUnclear && isClosed && head.value("Connection")?.isEqualIgnoringCase("close") != true
        }
        guard let length = head.value("Content-Length").flatMap({ ByteCount(digits: $0) }) else { return false }
        return received.subtracting(sending.receivedBefore).map { $0 < length } ?? false
    }
}
