/// One request over the network: a handle of libcurl's, and what is known about its connection and response.
///
/// Only the thread that has the engine uses it. While libcurl has the handle, its callbacks are called here.
///
/// Checking the callbacks for overlapping accesses would take 20,000 instructions for a request. No access lasts while
/// other code is called.
package final class NetworkAttempt {
    package enum Stage {
        case none
        /// The host's name is looked up. Taking the handle from libcurl now would block until that ends.
        case resolving
        case connecting
        /// There is a connection to the server, through a tunnel or without one.
        case connected
    }

    /// The times of an attempt, for the metrics and for the cache.
    package struct Timing {
        package var start: Date?
        /// The same time on a clock that is not set, from which durations are measured.
        var begin = MonotonicTime(nanoseconds: 0)
        var handshakeStart: MonotonicTime?
        /// The earliest time at which libcurl's limit for connecting ends.
        var connectEnd: MonotonicTime?
        var isReported = false
    }

    /// The state of the request that is sent.
    package struct Sending {
        /// The number of times that libcurl has begun to send it: several if it answers a challenge or tries again.
        package var count = 0
        /// Whether libcurl has ended the attempt with a success.
        var hasSucceeded = false
        /// The time when the request was sent last.
        package var start: MonotonicTime?
        /// Whether a byte of a response has come since.
        package var hasResponseBytes = false
        /// Whether libcurl has asked for bytes of the body since.
        var hasReadBody = false
        /// Whether bytes of the body were read that a further request has to begin with.
        var hasPassedStart = false
        /// The number of bytes in the heads of its responses.
        var headBytes: Int64 = 0
        /// The number of bytes that the connection had received before; `nil` if that is not known or does not matter.
        var receivedByConnection: Int64?
        /// The number of bytes that the server had acknowledged at the last check.
        var acknowledgedBytes: Int64 = 0
        /// The number of bytes of bodies that libcurl had taken for the connection, up to the last of this request.
        var endOfBody: Int64 = 0
        /// The number of its stream, if it is known.
        var stream: UInt32?
        /// Whether the server has refused that stream.
        var isRefused = false
        /// Whether libcurl reports streams.
        var isWatched = false
        /// The bytes that were received before the body of the last response.
        var receivedBefore = ByteCount.zero
        /// The credentials to which a connection that carries the request may be tied.
        var identity = CredentialPair()
    }

    /// The pause state of libcurl's handle.
    struct Pausing {
        /// The mask that it was last given.
        var mask = CurlPause.none
        /// Whether what libcurl delivers now is discarded.
        var isDiscarding = false
        /// Whether libcurl delivers what it has kept of a stream.
        var isFlushing = false
    }

    package let prepared: PreparedRequest
    package let url: URL?
    /// The transfer, while the attempt has a handle; a lookup that cannot be stopped continues without it.
    @exclusivity(unchecked) package private(set) var transfer: Transfer?
    @exclusivity(unchecked) private(set) var easy: EasyHandle?

    @exclusivity(unchecked) package var stage = Stage.none
    /// Whether the attempt was ended so that the request is sent on another connection.
    package internal(set) var needsNewConnection = false
    package var timing = Timing()
    @exclusivity(unchecked) package var sending = Sending()
    @exclusivity(unchecked) package var route = Route()
    package var version = Version()
    package var trust = ConnectionTrust()
    /// The connection that carries the request, from the moment before it is sent.
    @exclusivity(unchecked) package private(set) var connection: Connection?
    var lastOpened: Connection?
    /// Whether other requests may have been sent on the connection, or this one was not sent at all.
    package var sharesConnection: Bool { connection.map { $0 !== lastOpened || $0.requestCount > 1 } ?? true }
    /// Whether the connection is HTTP/2 or HTTP/3, so that other attempts may use it too.
    @exclusivity(unchecked) package var isMultiplexed = false

    @exclusivity(unchecked) package var parser: ResponseHeadParser
    /// The fields after the response's body.
    package var trailers: [ResponseHead.Field] { parser.trailers }
    /// The last response, unless it was an interim one.
    @exclusivity(unchecked) var head: ResponseHead?
    package var status: Int? { head?.status }
    /// The credentials that libcurl was given.
    @exclusivity(unchecked) package var credentials = CredentialPair()
    /// The bytes of the body that libcurl has delivered, before content codings are undone.
    @exclusivity(unchecked) package var received = ByteCount.zero
    /// The pieces in which the response has come in this turn.
    @exclusivity(unchecked) package var pieces = ReceivedPieces()
    @exclusivity(unchecked) var pausing = Pausing()

    package init(_ prepared: PreparedRequest, url: URL?) {
        self.prepared = prepared
        self.url = url
        parser = ResponseHeadParser(acceptsUpgrade: prepared.isUpgrade)
    }

    package func attach(_ easy: EasyHandle, to transfer: Transfer) { (self.easy, self.transfer) = (easy, transfer) }

    /// Returns the handle for other uses, and leaves the connection.
    package func detach() -> EasyHandle? {
        defer { (easy, transfer) = (nil, nil) }
        leaveConnection()
        return easy
    }

    /// Frees the request's fields, which libcurl does not need after the connection has switched protocols.
    package func forgetFields() { easy?.forgetLists() }

    /// Leaves the transfer, while the handle continues with a lookup that cannot be stopped.
    package func abandon() {
        liftConnectLimit()
        transfer = nil
        pausing.mask = CurlPause.none
        leaveConnection()
    }

    package func use(_ connection: Connection) {
        guard self.connection !== connection else { return }
        leaveConnection()
        self.connection = connection
        connection.origin = prepared.origin
        connection.addUser()
    }

    /// Forgets the pieces so far, since a later turn continues.
    package func forgetPieces() { pieces = ReceivedPieces() }

    /// Leaves the connection; the connection of the next request may still be unknown.
    func leaveConnection() {
        connection?.removeUser()
        connection = nil
    }

    // MARK: - Pauses

    /// Pauses or resumes libcurl's handle, and returns its code; resuming delivers bytes, which may pause it again.
    package func apply(_ pauses: PauseReasons) -> Int32 {
        guard let easy, let transfer, !pausing.isFlushing else { return 0 }
        let mask = pauses.curlMask
        guard mask != pausing.mask else { return 0 }
        let previous = pausing.mask
        pausing.mask = mask
        if isMultiplexed { transfer.engine.notePause(of: self) }
        limitReceiving(easy, transfer.engine.runtime)
        // Whenever a stream is resumed, libcurl before 8.0 lets the server send 32 MiB more. So all that it has kept is
        // accepted before the stream is paused again; libcurl ends a stream of which it would keep more than 64 MiB.
        pausing.isFlushing = isMultiplexed && previous & CurlPause.receive != 0 && !isReceivingPaused
        let code = easy.pause(mask)
        if pausing.isFlushing {
            pausing.isFlushing = false
            if code == 0 { return apply(transfer.pauses) }
        }
        // There is no connection yet.
        guard code == CurlCode.badFunctionArgument else { return code }
        pausing.mask = previous
        limitReceiving(easy, transfer.engine.runtime)
        return 0
    }

    /// Notes reasons to pause while libcurl delivers bytes, and returns whether the attempt continues.
    ///
    /// libcurl reads from the socket once more whenever a handle is paused in one direction alone, and would keep more
    /// and more bytes for a reader that is often full. The answer to its next bytes pauses it instead, without reading.
    /// Only a stream of HTTP/2 has to be paused at once, since it has a window to close.
    func pauseWhileReceiving(_ pauses: PauseReasons) -> Bool {
        guard let easy, let transfer, !isMultiplexed else { return apply(pauses) == 0 }
        guard pauses.curlMask != pausing.mask else { return true }
        pausing.mask = pauses.curlMask
        limitReceiving(easy, transfer.engine.runtime)
        return true
    }

    /// Limits how fast a paused handle receives, if libcurl reads from its socket in every turn of the engine.
    ///
    /// libcurl does not read while a handle is over its limit, which is one byte a second.
    private func limitReceiving(_ easy: EasyHandle, _ runtime: CurlRuntime) {
        guard runtime.readsWhilePaused else { return }
        easy.set(CurlOption.maximumReceiveRate, offset: isReceivingPaused ? 1 : 0)
    }

    var isReceivingPaused: Bool { pausing.mask & CurlPause.receive != 0 }

    /// The number of bytes that libcurl keeps for the attempt while it is paused.
    package var backlog: Int64 {
        guard let easy, isReceivingPaused else { return 0 }
        return ByteCount(easy.offset(CurlInfo.sizeDownload))?.subtracting(received)?.int64 ?? 0
    }

    /// Makes libcurl free what it keeps for a paused attempt; returns `false` where it cannot.
    ///
    /// libcurl before 8.4 would keep the bytes of a handle that leaves a shared connection, for its next request.
    func discardBacklog() -> Bool {
        guard let easy, isReceivingPaused else { return true }
        pausing.isDiscarding = true
        defer { pausing.isDiscarding = false }
        return easy.pause(CurlPause.none) == 0
    }

    // MARK: - Timeouts and metrics

    /// Returns the time of the last acknowledgement of a part of the body, if there was one since the last check.
    ///
    /// The system accepts the end of a body long before a slow server has read it; until then only acknowledgements
    /// move. Acknowledgements of later requests on the same connection do not count.
    package func progress() -> MonotonicTime? {
        guard let connection, let last = connection.acknowledgement, last.bytes > sending.acknowledgedBytes else {
            return nil
        }
        if connection.isMultiplexed {
            // libcurl may also keep a buffer of each request's body.
            let unsent = last.waiting + Int64(connection.users) * 65_536
            guard unsent > connection.takenBytes - sending.endOfBody else { return nil }
        }
        sending.acknowledgedBytes = last.bytes
        return last.time
    }

    /// Removes libcurl's limit for connecting, at whose end it would also wait for a lookup to end.
    package func liftConnectLimit() { easy?.set(CurlOption.connectTimeoutMilliseconds, Int(Int32.max)) }

    /// Returns the deadline that had passed when libcurl gave up connecting.
    ///
    /// From 8.8 on, libcurl's limit includes the time in which it has waited for the connection of another request, and
    /// a deadline does not. If none has passed, the request is sent on another connection.
    package func missedDeadline(_ code: Int32) -> TransferClock.Deadline? {
        guard code == CurlCode.timedOut, stage != .connected, let end = timing.connectEnd, end <= .now() else {
            return nil
        }
        // No lookup is in progress any more.
        stage = .none
        if let next = transfer?.clock.next(), next.time <= .now() { return next.deadline }
        needsNewConnection = sending.count == 0
        return nil
    }

    /// Notes on the connection that the request has timed out there.
    package func noteTimeoutOfConnection(_ deadline: TransferClock.Deadline, _ inactivity: TimeSpan) {
        guard let start = sending.start else { return }
        // A second without a byte before another deadline is suspect, and at worst costs a new connection.
        let silence = deadline == .inactivity ? inactivity : isReceivingPaused ? .infinite : .milliseconds(1_000)
        noteSilence(since: max(start, MonotonicTime.now().before(silence)))
    }

    /// Notes that the program cancels the request, perhaps because the network has lost the connection.
    package func noteCancellation(_ engine: TransferEngine) {
        guard (connection ?? lastOpened)?.isUnanswered == true else { return }
        if sending.start == nil { noteFailure(engine) } else { noteSilence(since: .now()) }
    }

    /// Sends no new request on the connection if it has received nothing since a time.
    ///
    /// Where the network has lost a connection that was used before, it has probably lost the idle ones too.
    private func noteSilence(since time: MonotonicTime) {
        guard let connection, let start = sending.start else { return }
        connection.noteTimeout(since: time)
        guard connection.isStalled, sharesConnection else { return }
        transfer?.engine.connections.retireIdle(to: prepared.origin, since: start)
    }

    /// Returns the metrics of the attempt the first time it is called while the attempt has its handle; `nil` for one
    /// whose only connection was not used, so that nothing was sent.
    package func takeTransaction(isOver: Bool) -> TaskMetrics.Transaction? {
        guard let easy, let start = timing.start, !timing.isReported else { return nil }
        if needsNewConnection, sending.count == 0 { return nil }
        timing.isReported = true
        var transaction = easy.transaction(url, prepared.method, statusCode: status, startDate: start)
        // libcurl notes the end of a connection, and a body that it sends, like a response.
        if !sending.hasResponseBytes { transaction.responseStart = 0 }
        // libcurl counts the time when bytes move, which may be long ago.
        if !isOver { transaction.duration = max(transaction.duration, MonotonicTime.now().since(timing.begin).seconds) }
        // libcurl has no time for a connection whose handshake has not succeeded.
        if transaction.connect == 0, let handshakeStart = timing.handshakeStart {
            transaction.connect = min(handshakeStart.since(timing.begin).seconds, transaction.duration)
        }
        return transaction
    }
}
