internal import CFerry

/// What libcurl calls, on the engine's thread, while it performs.
extension Transfer {
    /// Hands the callbacks to the C side, once.
    static func installCallbacks() {
        ferry_install_callbacks(
            ferry_callbacks(
                write: { bytes, size, count, context in
                    Transfer.from(context)?.didReceiveBody(bytes, size &* count) ?? 0
                },
                header: { bytes, size, count, context in
                    Transfer.from(context)?.didReceiveHeader(bytes, size &* count) ?? 0
                },
                read: { buffer, size, count, context in
                    Transfer.from(context)?.readBody(buffer, size &* count) ?? CurlAnswer.readAbort
                },
                seek: { context, offset, origin in
                    Transfer.from(context)?.seekBody(offset, origin) ?? CurlAnswer.seekCannot
                },
                may_connect: { context in
                    Transfer.from(context)?.mayConnect() == true ? 1 : 0
                },
                prerequest: { context, _, local, _, localPort in
                    guard let transfer = Transfer.from(context),
                        transfer.mayRequest(local: local, port: Int(localPort)), transfer.mayTrust()
                    else { return 1 }
                    transfer.willSendRequest()
                    return 0
                },
                resolve: { _, _, context in
                    Transfer.from(context)?.willResolve()
                    return 0
                },
                opened: { context, socket in
                    guard let transfer = Transfer.from(context) else { return }
                    transfer.attempt.lastOpened = transfer.engine.connections.open(socket)
                },
                closed: { context, socket in
                    guard let context else { return }
                    Unmanaged<ConnectionTable>.fromOpaque(context).takeUnretainedValue().close(socket)
                },
                progress: { context in
                    Transfer.from(context)?.mayGoOnTunnelling() == true ? 0 : 1
                },
                handshake: { context in
                    guard let transfer = Transfer.from(context), transfer.handshakeStart == nil else { return }
                    transfer.handshakeStart = Date()
                },
                refused: { owner, easy, isAtFault, bytes, length in
                    guard let owner, let easy, let bytes else { return }
                    let chains = Unmanaged<RefusedChains>.fromOpaque(owner).takeUnretainedValue()
                    chains.note(Data(bytes: bytes, count: length), isAtFault: isAtFault, for: easy)
                }
            )
        )
    }

    /// The transfer that libcurl has something to say to.
    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        guard let context else { return nil }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        transfer.engine.noteEvent()
        return transfer
    }

    // MARK: - Connecting

    private func willResolve() {
        isResolving = true
        beginConnecting()
    }

    private func mayConnect() -> Bool {
        isResolving = false
        guard client != nil else { return false }
        isConnected = false
        engine.noteNewSocket()
        beginConnecting()
        return true
    }

    private func beginConnecting() {
        guard !isSuspended, client != nil else { return }
        let now = MonotonicTime.now()
        clock.start(at: now)
        clock.beginConnecting(at: now)
        engine.watch(self)
    }

    private func mayRequest(local: UnsafePointer<CChar>?, port: Int) -> Bool {
        isResolving = false
        guard client != nil else { return false }
        isConnected = true
        let now = MonotonicTime.now()
        if !isSuspended { clock.start(at: now) }
        clock.endConnecting(at: now)
        engine.watch(self)
        return mayRepeat() && mayUseConnection(local: local, port: port)
    }

    /// Whether the request may be sent: a second time without a response to the first only where that does no harm.
    ///
    /// libcurl sends a request again whose connection from the pool closes without a response.
    private func mayRepeat() -> Bool {
        guard attempt.requestCount > 0, !attempt.hasResponseBytes, !RepetitionRule.isIdempotent(method) else {
            return true
        }
        let cause = CurlSessionError(
            .notRepeated,
            "The server closed the connection without a response, and a \(method) request is not sent a second time"
        )
        ownFailure = .ferry(.networkConnectionLost, url: request.url, underlying: cause)
        return false
    }

    /// Finds the connection that libcurl has chosen, and says whether it may carry the request.
    private func mayUseConnection(local: UnsafePointer<CChar>?, port: Int) -> Bool {
        if let local, local.pointee != 0, port > 0 {
            guard let connection = engine.connections.connection(address: local, port: port) else { return true }
            guard attempt.connection !== connection else { return true }
            guard connection.mayCarryRequest(hasUnreadBytes: { (easy?.unreadTLSBytes ?? 0) > 0 }) else {
                return refuseConnection()
            }
            attempt.use(connection)
            return true
        }
        // Connections over Unix-domain sockets cannot be told apart, unless this attempt has opened one.
        if let opened = attempt.lastOpened {
            attempt.use(opened)
            return true
        }
        return engine.connections.hasUnexpectedInputWithoutPort ? refuseConnection() : true
    }

    /// Notes that the request goes out now.
    private func willSendRequest() {
        attempt.requestCount += 1
        attempt.hasResponseBytes = false
        attempt.requestStart = engine.turnStart
    }

    private func noteReceived(at now: MonotonicTime) {
        clock.noteActivity(at: now)
        attempt.hasResponseBytes = true
        attempt.connection?.noteReceived(at: now)
    }

    // MARK: - Receiving

    private func didReceiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if isDiscarding { return count }
        isResolving = false
        noteReceived(at: engine.turnStart)
        // Lines that came while the transfer was paused arrive together when the pause is lifted.
        var rest = UnsafeRawBufferPointer(start: bytes, count: count)
        while let base = rest.baseAddress, !rest.isEmpty {
            let end = memchr(base, 0x0A, rest.count).map { UnsafeRawPointer($0) - base + 1 } ?? rest.count
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            if isTunnelling {
                guard didReceiveTunnelLine(line) else { return 0 }
            } else if !didReceiveHeaderLine(line) {
                return 0
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
        }
        return count
    }

    private func didReceiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch parser.consume(line) {
        case .none:
            return true
        case .head(let head):
            return didReceiveHead(head)
        case .refused(let refusal):
            refuse(refusal)
            return false
        }
    }

    /// Notes why the attempt fails whose response's header is not accepted.
    func refuse(_ refusal: ResponseHeadParser.Refusal) {
        switch refusal {
        case .malformed(let text):
            let cause = CurlSessionError(.malformedResponse, text)
            ownFailure = .ferry(.cannotParseResponse, url: request.url, underlying: cause)
        case .tooLarge(let text):
            let cause = CurlSessionError(.responseTooLarge, text)
            ownFailure = .ferry(.dataLengthExceedsMaximum, url: request.url, underlying: cause)
        }
    }

    private func didReceiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if isDiscarding { return count }
        guard client != nil else { return 0 }
        noteReceived(at: .now())
        attemptReceived.add(ByteCount(clamping: count))
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        guard accept(bytes), applyPause() == 0 else { return 0 }
        return count
    }

    // MARK: - Sending

    private func readBody(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        guard let client, let reader, capacity > 0 else { return CurlAnswer.readAbort }
        if isSuspended {
            appliedPause |= CurlPause.send
            return CurlAnswer.readPause
        }
        clock.noteActivity(at: .now())
        switch reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: capacity)) {
        case .bytes(let count):
            guard count > 0 else { return readBody(buffer, capacity) }
            client.transfer(didSend: ByteCount(clamping: count), expected: reader.length)
            return count
        case .end:
            return 0
        case .wait:
            isBodyStarved = true
            appliedPause |= CurlPause.send
            clock.pauseInactivity(true, at: .now())
            return CurlAnswer.readPause
        case .failed(let error):
            ownFailure = error
            return CurlAnswer.readAbort
        }
    }

    private func seekBody(_ offset: Int64, _ origin: Int32) -> Int32 {
        guard offset == 0, origin == SEEK_SET, let reader, reader.rewind() else { return CurlAnswer.seekCannot }
        client?.transferDidRewindBody()
        return CurlAnswer.seekDone
    }
}
