internal import CFerry

/// The functions that libcurl calls while it performs.
extension NetworkAttempt {
    /// Installs libcurl's callbacks; the first read does it.
    package static let callbacks: Void = ferry_install_callbacks(
        ferry_callbacks(
            write: { bytes, size, count, context in attempt(context)?.didReceiveBody(bytes, size &* count) ?? 0 },
            header: { bytes, size, count, context in attempt(context)?.didReceiveHeader(bytes, size &* count) ?? 0
            },
            read: { buffer, size, count, context in
                attempt(context)?.readBody(buffer, size &* count) ?? CurlAnswer.readAbort
            },
            seek: { context, offset, origin in attempt(context)?.seekBody(offset, origin) ?? CurlAnswer.seekCannot
            },
            open: { context, _, address in
                guard let address else { return -1 }
                return attempt(context)?.openSocket(address.pointee) ?? -1
            },
            close: { connections, socket in
                if let connections {
                    Unmanaged<ConnectionTable>.fromOpaque(connections).takeUnretainedValue().close(socket)
                }
                return close(socket)
            },
            trailers: { list, context in attempt(context)?.addTrailers(to: list) == true ? 0 : 1 },
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
            text: { context, text, size in attempt(context)?.note(UnsafeRawBufferPointer(start: text, count: size)) },
            progress: { context, _, _, _, _ in attempt(context)?.mayContinueTunnel() == true ? 0 : 1 },
            handshake: { context, level in attempt(context)?.willShakeHands(securityLevel: Int(level)) ?? true },
            refused: { owner, easy, isAtFault, bytes, length in
                guard let owner, let bytes else { return }
                let chains = Unmanaged<RefusedChains>.fromOpaque(owner).takeUnretainedValue()
                chains.note(Data(bytes: bytes, count: length), isAtFault: isAtFault, for: easy)
            }
        )
    )

    // MARK: - Connecting

    private func willResolve() {
        beginConnecting(.resolving)
        if let receiver = transfer?.receiver { forgetAnsweredChallenge(receiver) }
    }

    /// Opens a socket, but not for an attempt that was abandoned during its lookup; returns -1 if there is none.
    private func openSocket(_ address: ferry_socket_address) -> Int32 {
        if let receiver = transfer?.receiver, !mayOpen(receiver) { return -1 }
        beginConnecting(.connecting)
        guard let transfer, let receiver = transfer.receiver else { return -1 }
        forgetAnsweredChallenge(receiver)
        route.tunnel.forgetResponse()
        let connections = transfer.engine.connections
        let descriptor = socket(address.family, address.type | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        if descriptor >= 0 {
            lastOpened = connections.open(descriptor)
        } else {
            route.socketError = errno
            // libcurl then closes the idle connections for the next request.
            if [EMFILE, ENFILE].contains(route.socketError) { connections.retireIdle() }
        }
        return descriptor
    }

    /// Forgets a challenge that libcurl answers itself with a further request: if that one fails, there is no response.
    private func forgetAnsweredChallenge(_ receiver: any TransferReceiver) {
        if sending.count > 0, receiver.forgetChallenge() { head = nil }
    }

    private func beginConnecting(_ next: Stage) {
        // The time in which the attempt has waited for the connection of another does not count for its own.
        if stage == .none { transfer?.clock.forgetConnecting() }
        stage = next
        beginConnecting(at: .now())
    }

    /// Starts the deadlines for the connection.
    package func beginConnecting(at now: MonotonicTime) {
        guard let transfer, !transfer.isSuspended, transfer.receiver != nil else { return }
        transfer.clock.start(at: now)
        transfer.clock.beginConnecting(at: now)
        transfer.engine.watch(transfer)
    }

    /// The ends of the connection that libcurl has chosen.
    typealias Ends = (local: Connection.Endpoint, remote: Connection.Endpoint)

    /// Whether the request may be sent on the connection that libcurl has chosen; `ends` is `nil` if it has no port.
    private func maySendRequest(_ ends: Ends?) -> Bool {
        stage = .connected
        guard let transfer, let receiver = transfer.receiver else { return false }
        let now = MonotonicTime.now()
        if !transfer.isSuspended { transfer.clock.start(at: now) }
        transfer.clock.endConnecting(at: now)
        transfer.engine.watch(transfer)
        if let ends { noteRemote(ends.remote) }
        forgetAnsweredChallenge(receiver)
        guard mayRepeat(transfer, receiver) else { return false }
        // The transfer was suspended while it connected, and its request is sent when it is resumed.
        guard !transfer.isSuspended else { return refuseConnection() }
        let isNew = hasOpenedConnection()
        guard mayUseConnection(transfer.engine.connections, ends, isNew: isNew),
            mayTrust(transfer, receiver, isNew: isNew), mayUseVersion(transfer, receiver)
        else { return false }
        connection?.note(credentials)
        // libcurl from 8.12 to 8.20 would let all others wait for the first response of an idle connection.
        let mustRespond = version.choice == .priorKnowledge && connection?.hasResponded != true
        // If libcurl itself answers a challenge with this request, the challenge may have forbidden the reuse.
        if sending.count > 0 || mustRespond { easy?.set(CurlOption.forbidReuse, isLastUse || mustRespond ? 1 : 0) }
        if prepared.isUpgrade { transfer.engine.watchResponse(of: self) }
        sending.count += 1
        transfer.sends += 1
        (sending.hasResponseBytes, sending.hasReadBody, sending.headBytes) = (false, false, 0)
        let mayDropExcess = transfer.engine.runtime.dropsExcess && isUnencrypted && connection?.isMultiplexed == false
        sending.receivedByConnection = mayDropExcess ? connection?.receivedBytes : nil
        (sending.stream, sending.isRefused) = (nil, false)
        sending.isWatched = watchesRefusals(transfer.engine, ends)
        sending.start = transfer.engine.turnStart
        return true
    }

    /// Whether the request may be sent: not if it was sent before without a response and is not idempotent.
    ///
    /// libcurl sends a request again if its connection, taken from the pool, closes without a response, and if its
    /// stream was refused or the server wants HTTP/1.1: then the server has not processed it.
    private func mayRepeat(_ transfer: Transfer, _ receiver: any TransferReceiver) -> Bool {
        guard sending.count > 0 else { return true }
        let mostSends = 9
        // Otherwise libcurl would append another response to the one that the server has left incomplete.
        if let status, status != 401, status != 407 { return refuseHTTP1(receiver) }
        let mayBeSent = sending.hasResponseBytes || RepetitionRule.isIdempotent(prepared.method) || wasRefused
        guard mayBeSent, transfer.sends < mostSends else {
            receiver.handle(.willFail(notRepeated()))
            return false
        }
        // libcurl does not rewind the body if the server wants HTTP/1.1.
        return !sending.hasPassedStart || seekBody(0, SEEK_SET) == CurlAnswer.seekDone || refuseConnection()
    }

    /// Returns whether libcurl has opened a connection for the attempt since its last request.
    private func hasOpenedConnection() -> Bool {
        let count = easy?.long(CurlInfo.newConnections) ?? 0
        defer { trust.connectionsSeen = count }
        return count > trust.connectionsSeen
    }

    /// Finds the connection that libcurl has chosen, and returns whether it may carry the request.
    private func mayUseConnection(_ connections: ConnectionTable, _ ends: Ends?, isNew: Bool) -> Bool {
        if let ends {
            guard let found = connections.connection(from: ends.local, to: ends.remote) else {
                // The verdict on the connection of an earlier request does not apply to this one.
                leaveConnection()
                // Otherwise the connection is libcurl's own to the resolver, and was not verified as a server's.
                return isNew || connections.isComplete ? true : refuseConnection()
            }
            guard found !== connection else { return true }
            guard found.mayCarryRequest(hasUnreadBytes: { (easy?.unreadTLSBytes ?? 0) > 0 }),
                found.isKnown(by: sending.identity)
            else { return refuseConnection() }
            use(found)
            // Other requests that libcurl would send there begin again on another connection.
            if version.isSingle { found.retire() }
            return true
        }
        // Connections over Unix-domain sockets cannot be distinguished, unless this attempt has just opened one.
        if let lastOpened, isNew {
            use(lastOpened)
            return true
        }
        guard connections.mayCarryRequestWithoutPort(of: sending.identity) else { return refuseConnection() }
        guard trust.needsVerdict else { return true }
        let areTrusted = connections.trustsAllWithoutPort(prepared.origin, revision: trust.session.revision)
        if !areTrusted { leaveConnection() }
        return true
    }

    private func noteReceived(_ transfer: Transfer, at now: MonotonicTime) {
        transfer.clock.noteActivity(at: now)
        (sending.hasResponseBytes, transfer.sends) = (true, 0)
        connection?.noteReceived(at: now)
    }

    // MARK: - Receiving

    private func didReceiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if pausing.isDiscarding { return count }
        guard let transfer else { return 0 }
        noteReceived(transfer, at: transfer.engine.turnStart)
        sending.headBytes += Int64(count)
        // Lines that came while the attempt was paused arrive together when it is resumed.
        var rest = UnsafeRawBufferPointer(start: bytes, count: count)
        var lines = 0
        while let base = rest.baseAddress, !rest.isEmpty {
            let end = memchr(base, 0x0A, rest.count).map { UnsafeRawPointer($0) - base + 1 } ?? rest.count
            let line = UnsafeRawBufferPointer(rebasing: rest[..<end])
            if isTunnelling {
                guard didReceiveTunnelLine(line) else { return 0 }
            } else if !didReceiveHeaderLine(line, transfer) {
                return 0
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[end...])
            lines += 1
        }
        return isTunnelling || notePieces(lines, transfer) ? count : 0
    }

    /// Counts small pieces, after many of which the attempt is paused until the next turn; returns whether it goes on.
    ///
    /// It is not paused within an interim response: libcurl before 8.8 would keep the status lines that follow apart
    /// from the fields, and those of interim responses apart from those of the final one, so that their order would be
    /// lost.
    private func notePieces(_ count: Int, _ transfer: Transfer) -> Bool {
        guard pieces.add(count, in: transfer.engine.turnStart, &transfer.engine.allowance), parser.isInFinalResponse
        else { return true }
        transfer.receiver?.handle(.mustWait)
        transfer.setPause(.awaitsTurn, true)
        return apply(transfer.pauses) == 0
    }

    private func didReceiveHeaderLine(_ line: UnsafeRawBufferPointer, _ transfer: Transfer) -> Bool {
        switch parser.consume(line) {
        case .none: return true
        case .interim(let head):
            transfer.receiver?.handle(.hasInterimResponse(head))
            return true
        case .head(let head):
            noteHead(head, transfer)
            let keeps = isMultiplexed || ReuseRule.mayReuse(after: head, owesBody: owesBody) { hasExcess(after: head) }
            if !keeps { easy?.set(CurlOption.forbidReuse, 1) }
            guard mayReceiveVersion(transfer.receiver) else { return false }
            // libcurl sends nothing more then, but does not end the request while it waits for more of the body.
            if let reader = transfer.reader as? MadeBodyReader {
                if head.status >= 300 { reader.wake() }
                if reader.body.endsWithResponse { transfer.engine.watchResponse(of: self) }
            } else if head.status >= 300 {
                (transfer.reader as? StreamPump)?.wake()
            }
            // A head may set hundreds of cookies.
            let start = MonotonicTime.now()
            defer { transfer.engine.allowance.spend(MonotonicTime.now().since(start)) }
            return transfer.receiver?.didReceiveHead(head, of: self) ?? false
        case .refused(let refusal):
            connection?.retire()
            transfer.receiver?.handle(.refusesHead(refusal))
            return false
        }
    }

    /// Whether the body that the request has announced is missing, since the server has answered before it was sent.
    private var owesBody: Bool { prepared.expectsContinue && isBodyUnread }

    /// Whether libcurl has read nothing of the request's body, which is more than a field with the length zero.
    package var isBodyUnread: Bool {
        !sending.hasReadBody && transfer?.reader.map { $0.length != .zero || $0 is MadeBodyReader } ?? false
    }

    /// Whether libcurl may send the request without its body at first, to be asked for a credential.
    var credentialTakesSeveralRequests: Bool {
        credentials.server?.scheme.takesSeveralRequests == true
            || credentials.proxy?.scheme.takesSeveralRequests == true
    }

    /// Makes this the last use of the connection if libcurl has not sent the request's body, and would omit those of
    /// other requests there.
    func noteOmittedBody() {
        guard transfer?.engine.runtime.omitsBodies == true, credentialTakesSeveralRequests, isBodyUnread else { return }
        connection?.retire()
    }

    private var isUnencrypted: Bool { prepared.origin.scheme == "http" && route.proxy?.kind != .https }

    /// Whether the connection has received more than the head of a response without a body.
    private func hasExcess(after head: ResponseHead) -> Bool {
        guard let before = sending.receivedByConnection, ReuseRule.isBodyless(head, method: prepared.method),
            let now = connection?.receivedBytes
        else { return false }
        return now - before > sending.headBytes
    }

    private func noteHead(_ head: ResponseHead, _ transfer: Transfer) {
        let (http2, http3) = (3, 30)
        (self.head, sending.receivedBefore) = (head, received)
        let version = easy?.long(CurlInfo.httpVersion)
        // libcurl takes the version from the status line, in which a server of HTTP/1.1 can write anything.
        if version == http2, mayHaveStreams(transfer.engine.runtime) { noteMultiplexed(transfer) }
        if version == http3, self.version.choice.isHTTP3 { noteMultiplexed(transfer) }
    }

    private func didReceiveBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        if pausing.isDiscarding { return count }
        guard let transfer, let receiver = transfer.receiver else { return 0 }
        // libcurl keeps the bytes until the attempt is resumed, and receives no more of a stream of HTTP/2.
        if isReceivingPaused { return CurlAnswer.writePause }
        let now = MonotonicTime.now()
        noteReceived(transfer, at: now)
        received.add(ByteCount(clamping: count))
        transfer.engine.spacing.add(count)
        transfer.engine.noteReceived(count, by: transfer, at: now)
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        guard receiver.accept(bytes), pauseWhileReceiving(transfer.pauses) else { return 0 }
        let goesOn = count > ReceivedPieces.largestSmall ? noteLargePiece(count, transfer) : notePieces(1, transfer)
        return goesOn ? count : 0
    }

    /// Counts a large piece, after some of which the attempt lets other transfers go first; returns whether it goes on.
    ///
    /// A stream is not paused for that: libcurl before 8.0 would let the server send more whenever it is resumed.
    private func noteLargePiece(_ count: Int, _ transfer: Transfer) -> Bool {
        guard !isMultiplexed, transfer.engine.active.count > 1,
            pieces.addLarge(count, in: transfer.engine.turnStart)
        else { return true }
        transfer.receiver?.handle(.mustWait)
        transfer.setPause(.awaitsTurn, true)
        return pauseWhileReceiving(transfer.pauses)
    }

    // MARK: - Sending

    private func readBody(_ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int) -> Int {
        guard let transfer, let receiver = transfer.receiver, let reader = transfer.reader, capacity > 0 else {
            return CurlAnswer.readAbort
        }
        sending.hasReadBody = true
        if !transfer.uploadLimits.isEmpty { connection?.limitUnsentBytes() }
        let now = MonotonicTime.now()
        let size = transfer.isSuspended ? 0 : transfer.engine.maximumBytesToSend(transfer, capacity, at: now)
        guard size > 0 else {
            pausing.mask |= CurlPause.send
            return CurlAnswer.readPause
        }
        transfer.clock.noteActivity(at: now)
        switch reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) {
        case .bytes(let count):
            guard count > 0 else { return readBody(buffer, capacity) }
            sending.hasPassedStart = true
            connection?.takenBytes += Int64(count)
            sending.endOfBody = connection?.takenBytes ?? 0
            transfer.uploadLimits.take(count, at: now)
            receiver.handle(.hasSent(ByteCount(clamping: count), expected: reader.length))
            return count
        case .end: return 0
        case .wait:
            transfer.pauses.insert(.bodyIsStarved)
            pausing.mask |= CurlPause.send
            transfer.clock.pauseInactivity(true, at: .now())
            // libcurl before 8.5 does not report that the server closes the connection while nothing is sent.
            transfer.engine.watchResponse(of: self)
            return CurlAnswer.readPause
        case .failed(let error):
            receiver.handle(.willFail(error))
            return CurlAnswer.readAbort
        case .thrown(let error):
            receiver.handle(.bodyHasFailed(error))
            return CurlAnswer.readAbort
        }
    }

    /// Adds the fields after the body to a list of libcurl's.
    private func addTrailers(to list: UnsafeMutableRawPointer?) -> Bool {
        let fields = (transfer?.reader as? MadeBodyReader)?.trailers ?? []
        return fields.allSatisfy { ferry_add_trailer(list, $0.line) }
    }

    private func seekBody(_ offset: Int64, _ origin: Int32) -> Int32 {
        guard offset == 0, origin == SEEK_SET, let transfer else { return CurlAnswer.seekCannot }
        // libcurl 8.14 rewinds the body of the request that a handle was used for before, if that request was ended
        // when it was about to be sent again. There is nothing to do for a request without a body.
        guard let reader = transfer.reader else { return CurlAnswer.seekDone }
        guard reader.rewind() else { return CurlAnswer.seekCannot }
        sending.hasPassedStart = false
        transfer.receiver?.handle(.hasRewoundBody)
        return CurlAnswer.seekDone
    }
}

private func attempt(_ context: UnsafeMutableRawPointer?) -> NetworkAttempt? {
    guard let context else { return nil }
    let attempt = Unmanaged<NetworkAttempt>.fromOpaque(context).takeUnretainedValue()
    attempt.transfer?.engine.noteEvent()
    return attempt
}
