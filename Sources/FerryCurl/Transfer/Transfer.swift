/// The engine's state of one request and those that follow from it: the attempt, deadlines, limits and pauses.
///
/// The receiver decides about redirects and retries, which are only further attempts for the engine. The thread that
/// makes a transfer hands it to the thread that has the engine. As for ``NetworkAttempt``, accesses are not checked.
package final class Transfer: AdmissionTicket, @unchecked Sendable {
    package enum Phase {
        /// The transfer has not begun, its receiver decides how it continues, or it is over.
        case idle
        /// It was suspended before its attempt could begin; the attempt begins when it is resumed.
        case parked
        /// It waits until ``Admission`` lets its request be sent.
        case waitingForSlot
        /// It waits for user code, an identical request or the time of its next attempt. Its deadlines continue.
        case waiting
        /// Its attempt has a handle of libcurl's.
        case running
    }

    package let engine: TransferEngine
    /// The object that receives the events, from the start of the transfer to its end.
    @exclusivity(unchecked) package var receiver: (any TransferReceiver)?
    @exclusivity(unchecked) package var clock: TransferClock
    @exclusivity(unchecked) package var phase = Phase.idle
    @exclusivity(unchecked) package var pauses: PauseReasons = []
    @exclusivity(unchecked) package var attempt: NetworkAttempt?
    package var downloadLimits: DirectionLimits
    package var uploadLimits: DirectionLimits
    /// The reader of the request's body; the next attempt uses it too if nothing of a stream was read.
    @exclusivity(unchecked) package var reader: (any BodyReader)?
    /// The number of times that the request was sent since the last byte of a response.
    var sends = 0
    /// Whether a server wants the request over HTTP/1.1.
    var usesHTTP1 = false
    /// The decisions about chains that the transfer has waited for.
    package var decidedTrust: [TrustQuestion: TrustDecision] = [:]

    package init(_ engine: TransferEngine, limits: TransferClock.Limits) {
        self.engine = engine
        clock = TransferClock(limits: limits)
        downloadLimits = DirectionLimits(engine.settings.downloadLimit)
        uploadLimits = DirectionLimits(engine.settings.uploadLimit)
    }

    package var isSuspended: Bool { pauses.contains(.suspended) }

    package func setPause(_ reason: PauseReasons, _ isPaused: Bool) {
        if isPaused { pauses.insert(reason) } else { pauses.remove(reason) }
        clock.pauseInactivity(!pauses.isDisjoint(with: .local), at: .now())
    }

    // MARK: - Admission

    package override func begin() { engine.begin(self) }
    package override func wait() { phase = .waitingForSlot }

    package override func mayLeaveQueue() -> Bool {
        if isSuspended { phase = .parked }
        return !isSuspended
    }
}

/// The reasons why a transfer moves no bytes for now.
package struct PauseReasons: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let suspended = PauseReasons(rawValue: 1)
    /// The receiver has no room for more of the response's body.
    package static let clientIsFull = PauseReasons(rawValue: 2)
    /// The stream that the request's body comes from has no bytes yet.
    package static let bodyIsStarved = PauseReasons(rawValue: 4)
    /// The other transfers have their turn first.
    package static let awaitsTurn = PauseReasons(rawValue: 8)
    /// A limit allows no more bytes of the response's body for now.
    static let downloadIsLimited = PauseReasons(rawValue: 16)
    /// A limit allows no more bytes of the request's body for now.
    static let uploadIsLimited = PauseReasons(rawValue: 32)
    package static let limited: PauseReasons = [.downloadIsLimited, .uploadIsLimited]
    /// The reasons that are not the network's, so that the deadline of inactivity waits.
    package static let local: PauseReasons = [.clientIsFull, .bodyIsStarved, .awaitsTurn, .limited]

    /// The mask of `curl_easy_pause` for these reasons.
    package var curlMask: Int32 {
        var mask = CurlPause.none
        if contains(.suspended) { mask |= CurlPause.receive | CurlPause.send }
        if !isDisjoint(with: [.clientIsFull, .awaitsTurn, .downloadIsLimited]) { mask |= CurlPause.receive }
        if !isDisjoint(with: [.bodyIsStarved, .uploadIsLimited]) { mask |= CurlPause.send }
        return mask
    }
}
