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
                prerequest: { context, remote, local, remotePort, localPort in
                    guard let transfer = Transfer.from(context), transfer.mayRequest() else { return 1 }
                    let isTrusted = transfer.mayTrust {
                        // Without addresses, as over a Unix-domain socket, one connection is like the other.
                        guard let remote, let local, local.pointee != 0, localPort > 0 else { return nil }
                        return ConnectionVerdicts.Key(
                            remote: String(cString: remote),
                            remotePort: Int(remotePort),
                            local: String(cString: local),
                            localPort: Int(localPort)
                        )
                    }
                    return isTrusted ? 0 : 1
                },
                resolve: { _, _, context in
                    Transfer.from(context)?.willResolve()
                    return 0
                },
                closed: { context, local, port in
                    guard let context, let local else { return }
                    let verdicts = Unmanaged<ConnectionVerdicts>.fromOpaque(context).takeUnretainedValue()
                    verdicts.forget(local: String(cString: local), port: Int(port))
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

    private func mayRequest() -> Bool {
        isResolving = false
        guard client != nil else { return false }
        isConnected = true
        let now = MonotonicTime.now()
        if !isSuspended { clock.start(at: now) }
        clock.endConnecting(at: now)
        engine.watch(self)
        return true
    }

    // MARK: - Receiving

    private func didReceiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if isDiscarding { return count }
        isResolving = false
        clock.noteActivity(at: engine.turnStart)
        // Lines that came while the transfer was paused arrive together when the pause is lifted.
        var rest = UnsafeRawBufferPointer(start: bytes, count: count)
        while let base = rest.baseAddress, !rest.isEmpty {
            let end = memchr(base, 0x0A, rest.count).map { UnsafeRawPointer($0) - base + 1 } ?? rest.count
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            if isTunnelling {
                didReceiveTunnelLine(line)
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
        case .malformed:
            ownFailure = .ferry(
                .cannotParseResponse,
                url: request.url,
                "The server's answer has a head that is no HTTP"
            )
            return false
        }
    }

    private func didReceiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if isDiscarding { return count }
        guard client != nil else { return 0 }
        clock.noteActivity(at: .now())
        attemptReceived += Int64(count)
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
            client.transfer(didSend: Int64(count), expected: reader.length ?? NSURLSessionTransferSizeUnknown)
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
