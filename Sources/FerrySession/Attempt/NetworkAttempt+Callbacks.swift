internal import CFerry

/// The functions that libcurl calls while it performs.
extension NetworkAttempt {
    /// Hands the callbacks to the C side, once for the process.
    static func installCallbacks() {
        ferry_install_callbacks(
            ferry_callbacks(
                write: { bytes, size, count, context in attempt(context)?.didReceiveBody(bytes, size &* count) ?? 0 },
                header: { bytes, size, count, context in attempt(context)?.didReceiveHeader(bytes, size &* count) ?? 0
                },
                read: { buffer, size, count, context in
                    attempt(context)?.readBody(buffer, size &* count) ?? CurlAnswer.readAbort
                },
                seek: { context, offset, origin in attempt(context)?.seekBody(offset, origin) ?? CurlAnswer.seekCannot
                },
                may_connect: { context in attempt(context)?.mayConnect() == true ? 1 : 0 },
                prerequest: { context, remote, local, remotePort, localPort in
                    guard let attempt = attempt(context) else { return 1 }
                    guard let remote, let local, local.pointee != 0, localPort > 0 else {
                        return attempt.maySendRequest(nil) ? 0 : 1
                    }
                    let ends = (
                        local: Connection.Endpoint(address: local, port: Int(localPort)),
                        remote: Connection.Endpoint(address: remote, port: Int(remotePort))
                    )
                    return attempt.maySendRequest(ends) ? 0 : 1
                },
                resolve: { _, _, context in
                    attempt(context)?.willResolve()
                    return 0
                },
                opened: { context, socket in
                    guard let attempt = attempt(context), let exchange = attempt.exchange else { return }
                    attempt.lastOpened = exchange.engine.connections.open(socket)
                },
                closed: { context, socket in
                    guard let context else { return }
                    Unmanaged<ConnectionTable>.fromOpaque(context).takeUnretainedValue().close(socket)
                },
                progress: { context in attempt(context)?.mayContinueTunnel() == true ? 0 : 1 },
                handshake: { context in
                    guard let attempt = attempt(context) else { return }
                    if attempt.timing.handshakeStart == nil { attempt.timing.handshakeStart = Date() }
                },
                refused: { owner, easy, isAtFault, bytes, length in
                    guard let owner, let easy, let bytes else { return }
                    let chains = Unmanaged<RefusedChains>.fromOpaque(owner).takeUnretainedValue()
                    chains.note(Data(bytes: bytes, count: length), isAtFault: isAtFault, for: easy)
                }
            )
        )
    }

    // MARK: - Connecting

    private func willResolve() {
        beginConnecting(.resolving)
        if let exchange { forgetAnsweredChallenge(exchange) }
    }

    /// Whether a socket may be opened: not for an attempt that was abandoned during its lookup.
    private func mayConnect() -> Bool {
        beginConnecting(.connecting)
        guard let exchange, exchange.client != nil else { return false }
        forgetAnsweredChallenge(exchange)
        exchange.engine.noteNewSocket()
        return true
    }

    /// Forgets a challenge that libcurl answers itself with a further request: if that one fails, there is no response.
    private func forgetAnsweredChallenge(_ exchange: Exchange) {
        guard sending.count > 0, exchange.incoming.question?.isAsked == false else { return }
        exchange.incoming.question = nil
        status = nil
    }

    private func beginConnecting(_ next: Stage) {
        // The time while it has waited for the connection of another request does not count for its own.
        if stage == .none { exchange?.clock.forgetConnecting() }
        stage = next
        beginConnecting(at: .now())
    }

    /// Starts the deadlines for the connection.
    func beginConnecting(at now: MonotonicTime) {
        guard let exchange, !exchange.isSuspended, exchange.client != nil else { return }
        exchange.clock.start(at: now)
        exchange.clock.beginConnecting(at: now)
        exchange.engine.watch(exchange)
    }

    /// The ends of the connection that libcurl has chosen.
    private typealias Ends = (local: Connection.Endpoint, remote: Connection.Endpoint)

    /// Whether the request may be sent on the connection that libcurl has chosen; `nil` if it has no port.
    private func maySendRequest(_ ends: Ends?) -> Bool {
        stage = .connected
        guard let exchange, exchange.client != nil else { return false }
        let now = MonotonicTime.now()
        if !exchange.isSuspended { exchange.clock.start(at: now) }
        exchange.clock.endConnecting(at: now)
        exchange.engine.watch(exchange)
        if let ends { noteRemote(ends.remote) }
        forgetAnsweredChallenge(exchange)
        guard mayRepeat(exchange), mayUseConnection(exchange, ends), mayTrust(exchange) else {
            return false
        }
        sending.count += 1
        sending.hasResponseBytes = false
        sending.start = exchange.engine.turnStart
        return true
    }

    /// Whether the request may be sent, which is not so if it was sent before without a response and is not idempotent.
    ///
    /// libcurl sends a request again if its connection, taken from the pool, closes without a response.
    private func mayRepeat(_ exchange: Exchange) -> Bool {
        guard sending.count > 0, !sending.hasResponseBytes, !RepetitionRule.isIdempotent(exchange.method) else {
            return true
        }
        exchange.incoming.failure = exchange.notRepeated()
        return false
    }

    /// Finds the connection that libcurl has chosen, and returns whether it may carry the request.
    private func mayUseConnection(_ exchange: Exchange, _ ends: Ends?) -> Bool {
        let connections = exchange.engine.connections
        if let ends {
            let found = connections.connection(from: ends.local, to: ends.remote)
            guard let found, found !== connection else { return true }
            guard found.mayCarryRequest(hasUnreadBytes: { (easy?.unreadTLSBytes ?? 0) > 0 }) else {
                return refuseConnection()
            }
            use(found)
            return true
        }
        // Connections over Unix-domain sockets cannot be told apart, unless this attempt has opened one.
        if let lastOpened {
            use(lastOpened)
            return true
        }
        return connections.hasUnexpectedInputWithoutPort ? refuseConnection() : true
    }

    private func noteReceived(_ exchange: Exchange, at now: MonotonicTime) {
        exchange.clock.noteActivity(at: now)
        sending.hasResponseBytes = true
        connection?.noteReceived(at: now)
    }

    // MARK: - Receiving

    private func didReceiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if isDiscarding { return count }
        guard let exchange else { return 0 }
        noteReceived(exchange, at: exchange.engine.turnStart)
        // Lines that came while the attempt was paused arrive together when it is resumed.
        var rest = UnsafeRawBufferPointer(start: bytes, count: count)
        while let base = rest.baseAddress, !rest.isEmpty {
            let end = memchr(base, 0x0A, rest.count).map { UnsafeRawPointer($0) - base + 1 } ?? rest.count
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            if isTunnelling {
                guard didReceiveTunnelLine(line) else { return 0 }
            } else if !didReceiveHeaderLine(line, exchange) {
                return 0
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return count
    }

    private func didReceiveHeaderLine(_ line: UnsafeRawBufferPointer, _ exchange: Exchange) -> Bool {
        switch parser.consume(line) {
        case .none: return true
        case .head(let head):
            noteHead(head, exchange)
            return exchange.didReceiveHead(head, of: self)
        case .refused(let refusal):
            connection?.retire()
            exchange.refuse(refusal)
            return false
        }
    }

    private func noteHead(_ head: ResponseHead, _ exchange: Exchange) {
        let httpVersion2 = 3
        status = head.status
        guard let easy, easy.long(CurlInfo.httpVersion) == httpVersion2, let origin = exchange.slot.origin
        else { return }
        isMultiplexed = true
        connection?.isMultiplexed = true
        exchange.engine.admission.noteMultiplexed(origin)
    }

    private func didReceiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if isDiscarding { return count }
        guard let exchange, exchange.client != nil else { return 0 }
        // libcurl keeps the bytes until the attempt is resumed, and of a stream of HTTP/2 receives no more.
        if isReceivingPaused { return CurlAnswer.writePause }
        noteReceived(exchange, at: .now())
        received.add(ByteCount(clamping: count))
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        guard exchange.accept(bytes), apply(exchange.pauses) == 0 else { return 0 }
        return count
    }

    // MARK: - Sending

    private func readBody(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        guard let exchange, let client = exchange.client, let reader = exchange.reader, capacity > 0 else {
            return CurlAnswer.readAbort
        }
        if exchange.isSuspended {
            appliedPause |= CurlPause.send
            return CurlAnswer.readPause
        }
        exchange.clock.noteActivity(at: .now())
        // libcurl sends a piece at once and then waits as long as the rate says, without reading the response.
        let rate = exchange.engine.settings.maximumUploadBytesPerSecond
        let size = rate.map { min(capacity, max(1, $0 / 4)) } ?? capacity
        switch reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) {
        case .bytes(let count):
            guard count > 0 else { return readBody(buffer, capacity) }
            client.exchange(didSend: ByteCount(clamping: count), expected: reader.length)
            return count
        case .end: return 0
        case .wait:
            exchange.pauses.insert(.bodyIsStarved)
            appliedPause |= CurlPause.send
            exchange.clock.pauseInactivity(true, at: .now())
            return CurlAnswer.readPause
        case .failed(let error):
            exchange.incoming.failure = error
            return CurlAnswer.readAbort
        }
    }

    private func seekBody(_ offset: Int64, _ origin: Int32) -> Int32 {
        guard offset == 0, origin == SEEK_SET, let exchange, let reader = exchange.reader, reader.rewind() else {
            return CurlAnswer.seekCannot
        }
        exchange.client?.exchangeDidRewindBody()
        return CurlAnswer.seekDone
    }
}

private func attempt(_ context: UnsafeMutableRawPointer?) -> NetworkAttempt? {
    guard let context else { return nil }
    let attempt = Unmanaged<NetworkAttempt>.fromOpaque(context).takeUnretainedValue()
    attempt.exchange?.engine.noteEvent()
    return attempt
}
