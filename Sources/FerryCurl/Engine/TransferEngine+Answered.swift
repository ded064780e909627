/// Requests that end while the program may still write their body: with a complete response or with the connection.
///
/// libcurl does not report the end of a response over HTTP/1.1, or of a connection after an upgrade, before the end of
/// the body. While there is nothing to send, however, it then waits for no event of the connection. To be sure, that is
/// checked again after another turn, in which all transfers are examined.
struct AnsweredRequests {
    /// The requests on connections of which libcurl waited for no event.
    private var candidates: [NetworkAttempt] = []
    /// Whether a request was added for the first time, so that the next turn begins at once and examines all transfers.
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
    /// Makes sure that a request whose body has no bytes to send ends with its response, or with its connection.
    func watchResponse(of attempt: NetworkAttempt) {
        if let connection = attempt.connection { multi.watchEnd(of: connection) }
    }

    func endAnswered() {
        for attempt in answered.take() {
            guard let transfer = attempt.transfer, let connection = attempt.connection else { continue }
            if multi.waits(for: connection) {
                multi.watchEnd(of: connection)
            } else if transfer.pauses != .bodyIsStarved || attempt.isReceivingPaused {
                // A pause may be the reason why libcurl waits for no event.
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
    /// The code with which a request ends before its body, once libcurl waits for no event of the connection; `nil` if
    /// the request does not end.
    ///
    /// If libcurl does not read from a connection over HTTP/1.1 that has input, the input is the end of the connection.
    fileprivate var codeOfQuietEnd: Int32? {
        let isClosed = !isMultiplexed && connection?.hasInput == true
        // libcurl sends a request again whose connection from the pool has ended, as soon as there is more to send.
        guard let head else { return isClosed && !sharesConnection ? CurlCode.gotNothing : nil }
        if isCut(head, isClosed: isClosed) { return CurlCode.partialFile }
        return isClosed || (transfer?.reader as? MadeBodyReader)?.body.endsWithResponse == true ? 0 : nil
    }

    /// Whether bytes of the response's body are missing, as far as that is known.
    ///
    /// With libcurl before 8.5, that is not known for a response in chunks if the connection has ended. It then counts
    /// as cut, unless the server has announced the end with `Connection: close`.
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
