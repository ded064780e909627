/// The decision about what follows the end of an attempt.
extension Call {
    /// The way in which a request is sent again.
    enum Again: Hashable, Sendable {
        /// Without the conditions that ask about a stored response.
        case withoutConditions
        /// For the whole body, since the rest of it belongs to another entity.
        case fromStart
        case withoutCredential
        case withoutExpectation
        case onNewConnection
        case forRest
        case withNewBody
    }

    enum Failure: Hashable, Sendable {
        /// For a reason that Ferry found.
        case own
        /// For a reason that libcurl reports.
        case transport
        /// The server closed the connection without a response.
        case noResponse
    }

    enum Next: Hashable, Sendable {
        /// The stored response is served, with the fields of the 304 that validated it.
        case serveValidated
        /// The stored response is served although it is stale (RFC 5861, section 4).
        case serveStale
        /// The delegate is asked about a redirect or a challenge.
        case ask
        /// The delegate is asked for a credential for the proxy's tunnel.
        case askForTunnel
        /// The call waits for a decision about the connection's trust, and begins again then.
        case waitForTrust
        case again(Again)
        case finish
        /// The attempt has failed. ``RetryRule`` and the interceptors decide whether there is another one.
        case fail(Failure)
    }

    /// The number of times in a row that a call may look for another connection, or a new body.
    static let maximumReconnections = 3
    /// The same limit for a call that waits for trust decisions: the servers of a host may have several chains.
    static let maximumTrustQuestions = 8

    /// Returns what follows, where the order of the rules is their precedence.
    mutating func next(after end: AttemptEnd, asksForTunnel: Bool, _ world: some CallSurroundings) -> Next {
        let chosen = end.needsNewConnection ? .again(.onNewConnection) : incoming.next
        let hasFailed = end.code != 0 && !isOnlyAboutSending(end, world)
        let reconnections = isSuspended ? 0 : reconnections
        switch chosen {
        // A stored response needs neither the rest of the attempt nor its connection. Only a 304 must be complete.
        case .again(.withoutConditions)?: return .again(.withoutConditions)
        case .serveStale?: return .serveStale
        case .serveValidated? where incoming.failure == nil && !hasFailed: return .serveValidated
        // The attempt was ended for this, so libcurl's error says nothing more.
        case .again(.fromStart)?: return .again(.fromStart)
        default: break
        }
        // A redirect is followed and a challenge answered even if their bodies are damaged: the bodies are not wanted.
        if held != nil { return .ask }
        // Ferry's reason is the cause of libcurl's error.
        if incoming.failure != nil { return .fail(.own) }
        switch chosen {
        case .again(.withoutCredential)?: return .again(.withoutCredential)
        case .again(.withoutExpectation)?: return .again(.withoutExpectation)
        case .again(.onNewConnection)? where end.trust != .none && reconnections < Self.maximumTrustQuestions:
            return .waitForTrust
        case .again(.onNewConnection)? where reconnections < Self.maximumReconnections: return .again(.onNewConnection)
        default: break
        }
        if !hasFailed, response != nil, end.hasStatus { return .finish }
        // The response to CONNECT explains the failure better than libcurl does.
        if hasFailed, asksForTunnel { return .askForTunnel }
        let mayReconnect = reconnections < Self.maximumReconnections
        if mayReconnect, end.mayReconnect(method: request.method, isReplayable: content.isReplayable) {
            return .again(.onNewConnection)
        }
        guard hasFailed else { return .fail(.noResponse) }
        // The received part is kept. The rest can be requested if the response has a validator.
        if rest.wasSuspended, response != nil, world.decoding == .none, validator != nil { return .again(.forRest) }
        // The body's stream was read in part, and the delegate can provide it again.
        if mayReconnect, end.code == CurlCode.cannotRewind, case .delegateStream = content, response == nil,
            end.wasRefused || RepetitionRule.isIdempotent(request.method)
        {
            return .again(.withNewBody)
        }
        return .fail(.transport)
    }

    /// Whether an attempt has failed to send the rest of a body after the whole response had come.
    ///
    /// A server may end the connection or the stream then (RFC 9112, section 9.3, and RFC 9113, section 8.1). libcurl
    /// before 8.0 reports that as an error.
    private func isOnlyAboutSending(_ end: AttemptEnd, _ world: some CallSurroundings) -> Bool {
        guard end.code == CurlCode.sendError || end.code == CurlCode.http2Stream, world.hasReader,
            rest.offset == nil, let response
        else { return false }
        if world.decoding != .none { return end.received > .zero && world.decoding.isWhole }
        return response.expectedLength == end.received
    }
}
