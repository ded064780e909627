/// The version of HTTP, and the connections that have it.
extension NetworkAttempt {
    package struct Version {
        package var choice = HTTPVersionChoice.http1
        /// Whether the request must join a connection of HTTP/2, since libcurl would open one of HTTP/1.1.
        var isJoining = false
        /// Whether requests can share a connection of HTTP/3.
        fileprivate var sharesHTTP3 = true

        /// Whether the request has a connection of its own, though its version would let others use it.
        var isSingle = false

        /// Whether no other request may use the connection.
        var isAlone: Bool { isSingle || (choice.isHTTP3 && !sharesHTTP3) }
    }

    func setUpVersion(_ easy: EasyHandle, _ engine: TransferEngine, prefersHTTP1: Bool) throws(URLError) {
        try setUpVersion(easy, engine, for: prepared.isUpgrade ? .upgrade : prefersHTTP1 ? .pauses : .nothing)
        version.sharesHTTP3 = support(engine).sharesHTTP3
        if version.choice.sharesConnections { easy.set(CurlOption.pipeWait, 1) }
    }

    private func support(_ engine: TransferEngine) -> HTTPVersionSupport {
        var support = engine.runtime.httpVersionSupport
        if engine.settings.sharesHTTP3 { support.sharesHTTP3 = true }
        return support
    }

    /// Chooses another version than HTTP/3, which no proxy and no Unix-domain socket has.
    func setUpVersionOfRoute(_ easy: EasyHandle) {
        guard version.choice == .http3, route.proxy != nil || route.unixSocket != nil else { return }
        version.choice = .negotiated
        easy.set(CurlOption.httpVersion, version.choice.curlValue)
    }

    /// Chooses the version again for a need of the request that was not known before.
    func setUpVersion(_ easy: EasyHandle, _ engine: TransferEngine, for need: HTTPVersionNeed) throws(URLError) {
        version.choice = try choice(need, engine)
        easy.set(CurlOption.httpVersion, version.choice.curlValue)
    }

    /// Chooses a connection that no other request uses.
    func setUpSingle(_ easy: EasyHandle) {
        guard version.choice.sharesConnections else { return }
        (version.isSingle, version.isJoining) = (true, false)
        easy.set(CurlOption.httpVersion, version.choice.curlValue)
    }

    private func choice(_ need: HTTPVersionNeed, _ engine: TransferEngine) throws(URLError) -> HTTPVersionChoice {
        let isSecure = prepared.origin.scheme == "https"
        do throws(CurlSessionError) {
            return try engine.settings.httpVersions.choice(
                isSecure: isSecure,
                need: need,
                isAnnounced: engine.connections.announcedHTTP3.contains(prepared.origin, at: engine.turnStart),
                support(engine)
            )
        } catch {
            throw .ferry(.cannotConnectToHost, url: url, underlying: error)
        }
    }

    /// Decides whether the request opens a connection or joins one, where libcurl cannot find out by itself.
    ///
    /// With prior knowledge libcurl 7.88 would begin HTTP/2 again on a connection that has it already. Without, the
    /// request is sent correctly there, but new connections would be of HTTP/1.1, which ``mayOpen(_:)`` prevents.
    func setUpJoining(_ easy: EasyHandle, _ engine: TransferEngine, usesNewConnection: Bool) {
        guard version.choice == .priorKnowledge, engine.runtime.repeatsPrefaces else { return }
        version.isJoining = !usesNewConnection && hasConnectionToJoin(engine)
        if version.isJoining {
            easy.set(CurlOption.httpVersion, HTTPVersionChoice.negotiated.curlValue)
        } else {
            easy.set(CurlOption.freshConnect, 1)
        }
    }

    /// Whether there is a connection to the origin with HTTP/2, or another request is about to open one.
    private func hasConnectionToJoin(_ engine: TransferEngine) -> Bool {
        if engine.connections.hasPriorKnowledge(of: prepared.origin) { return true }
        return engine.active.values.contains { other in
            other !== self && other.transfer != nil && other.stage != .connected && !other.version.isJoining
                && other.version.choice == .priorKnowledge && other.prepared.origin == prepared.origin
        }
    }

    /// Whether a socket may be opened; otherwise the attempt begins again, and opens a connection with HTTP/2.
    func mayOpen(_ receiver: any TransferReceiver) -> Bool {
        // The server wants HTTP/1.1, and the connection would have it.
        if sending.count > 0, transfer?.usesHTTP1 == true, version.choice.excludesHTTP1 { return refuseHTTP1(receiver) }
        guard version.isJoining else { return true }
        guard sending.count == 0 || wasRefused || RepetitionRule.isIdempotent(prepared.method) else {
            receiver.handle(.willFail(notRepeated()))
            return false
        }
        needsNewConnection = true
        // Nothing was connected or sent, so there is nothing to report.
        timing.isReported = true
        return false
    }

    /// Whether the connection that libcurl has chosen has the version that the session's options require.
    func mayUseVersion(_ transfer: Transfer, _ receiver: any TransferReceiver) -> Bool {
        switch version.choice {
        case .http1, .negotiated, .http3, .http3Only: return true
        case .priorKnowledge:
            connection?.priorKnowledge = prepared.origin
            noteMultiplexed(transfer)
            return true
        case .negotiatedHTTP2:
            if connection?.isMultiplexed == true || easy?.hasChosenHTTP2 == true { return true }
            easy?.set(CurlOption.forbidReuse, 1)
            let text =
                "\(prepared.origin.host) has not chosen HTTP/2 in the TLS handshake, which the session's option "
                + "httpVersions requires"
            let error = URLError.ferry(.secureConnectionFailed, url: url, reason: .httpVersionRefused, text)
            receiver.handle(.willFail(error))
            return false
        }
    }

    /// Whether a response has the version that the session's options require.
    func mayReceiveVersion(_ receiver: (any TransferReceiver)?) -> Bool {
        let http2 = 3
        guard version.choice == .priorKnowledge else { return true }
        if easy?.long(CurlInfo.httpVersion) == http2 {
            if !isLastUse { easy?.set(CurlOption.forbidReuse, 0) }
            return true
        }
        connection?.retire()
        return refuseHTTP1(receiver)
    }

    /// Ends the attempt instead of sending its request over HTTP/1.1, as the server wants it (RFC 9113, section 7).
    func refuseHTTP1(_ receiver: (any TransferReceiver)?) -> Bool {
        let why =
            version.choice.excludesHTTP1
            ? "which the session's option httpVersions excludes" : "after a part of its response over HTTP/2"
        let text = "\(prepared.origin.host) wants the request over HTTP/1.1, \(why)"
        receiver?.handle(.willFail(.ferry(.networkConnectionLost, url: url, reason: .httpVersionRefused, text)))
        return false
    }

    /// Notes what a response announces about HTTP/3, or that HTTP/3 did not work although it was announced.
    package func noteAnnouncement(_ head: ResponseHead, _ engine: TransferEngine) {
        guard engine.settings.httpVersions == .http3IfAnnounced, support(engine).usesAnnouncements, isVerified,
            version.choice != .http1, route.proxy == nil, route.unixSocket == nil
        else { return }
        let (origin, http3) = (prepared.origin, 30)
        let usesHTTP3 = easy?.long(CurlInfo.httpVersion) == http3
        let isNew = (easy?.long(CurlInfo.newConnections) ?? 0) > 0
        // The server that was reached with HTTP/3 may not be the right one (RFC 7838, section 6).
        let misdirected = 421
        if usesHTTP3 ? head.status == misdirected : isNew { noteFailure(engine) }
        let connections = engine.connections
        connections.announcedHTTP3.note(head, of: origin, at: engine.turnStart)
        // libcurl would use the connection again even if the next request needs another HTTP version.
        connection?.endsWhenIdle = usesHTTP3 != connections.announcedHTTP3.contains(origin, at: engine.turnStart)
    }

    /// Notes that there is no response: the connection failed, or HTTP/3 did not work although it was announced.
    package func noteFailure(_ engine: TransferEngine) {
        if stage != .connected { engine.connections.noteFailure(of: prepared.origin) }
        guard version.choice == .http3, engine.settings.httpVersions == .http3IfAnnounced else { return }
        engine.connections.announcedHTTP3.noteFailure(of: prepared.origin, at: engine.turnStart)
    }

    /// Notes that other requests may use the connection at the same time.
    func noteMultiplexed(_ transfer: Transfer) {
        isMultiplexed = true
        transfer.engine.connections.noteMultiplexed(connection)
        if let origin = transfer.origin, !version.isAlone { transfer.engine.admission.noteMultiplexed(origin) }
    }

    /// Returns libcurl's code for the end of the attempt; instead of a success, the code of an incomplete response, if
    /// the connection broke during a response of unknown length.
    func endCode(_ code: Int32, hasOpenEnd: Bool) -> Int32 {
        // An empty reply is a success if the server has switched protocols, since nothing has to follow the 101.
        if code == CurlCode.gotNothing, prepared.isUpgrade, status == 101 { return 0 }
        guard code == 0, hasOpenEnd, isMultiplexed, connection?.isBroken == true,
            transfer?.engine.runtime.confusesStreamEnds == true
        else { return code }
        return CurlCode.partialFile
    }

    /// Returns the error of a connection on which the server has never responded in HTTP/2.
    func versionFailure(_ code: Int32, _ text: String) -> URLError? {
        var signs = [
            CurlCode.gotNothing, CurlCode.weirdServerReply, CurlCode.unsupportedProtocol, CurlCode.sendError,
            CurlCode.receiveError,
        ]
        // With other versions of libcurl, this code means that the server has refused the request in HTTP/2.
        if transfer?.engine.runtime.confusesStreamEnds != true { signs.append(CurlCode.http2) }
        guard version.choice == .priorKnowledge, signs.contains(code), sending.count > 0, !wasRefused,
            connection?.hasResponded == false
        else { return nil }
        let message =
            "The connection ended without a response in HTTP/2, which the session's option httpVersions requires: "
            + text
        return .ferry(.networkConnectionLost, url: url, reason: .httpVersionRefused, message, curlCode: code)
    }
}
