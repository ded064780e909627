/// Keeps paused HTTP/2 streams from filling memory.
///
/// libcurl allows a server 32 MiB on each stream (up to version 8.9), and pausing does not take that back: while
/// another stream keeps the connection going, libcurl has to store what comes for a paused one.
extension Transfer {
    /// How many bytes libcurl holds for the stream while it is paused.
    var backlog: Int64 {
        guard let easy, appliedPause & CurlPause.receive != 0 else { return 0 }
        return ByteCount(easy.offset(CurlInfo.sizeDownload))?.subtracting(attemptReceived)?.int64 ?? 0
    }

    /// Gives the stream up with all that libcurl holds for it, to ask for the rest when it is wanted.
    ///
    /// Answers whether that is safe: the rest must be there, and of the same entity.
    func detach() -> Bool {
        guard client != nil, validator != nil, response != nil, held == nil, decoder == nil, continuesAt == nil,
            let expectedTotal, expectedTotal > bodyReceived
        else { return false }
        continuesAt = bodyReceived
        isDetached = true
        letGoOfAttempt()
        return true
    }

    /// Has libcurl free what it holds for a paused attempt; answers `false` where it cannot.
    ///
    /// Taken from a connection that others use, the handle would keep it, and deliver it as the next request's (libcurl
    /// before 8.4 does both).
    func discardBacklog() -> Bool {
        guard let easy, appliedPause & CurlPause.receive != 0 else { return true }
        isDiscarding = true
        defer { isDiscarding = false }
        return easy.pause(CurlPause.none) == 0
    }

    /// Asks for the rest, as soon as nothing pauses the transfer any more.
    func attachAgain() {
        guard isDetached, client != nil, !isSuspended, !isClientFull else { return }
        isDetached = false
        engine.start(self, priority: priority)
    }
}
