/// How an attempt has ended, as far as that decides what follows.
struct AttemptEnd {
    /// How a request is sent again.
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

    /// What follows the end of an attempt.
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

    /// How often a call looks for another connection, or a new body, in a row.
    static let maximumReconnections = 3
    /// How often it does so if it has waited for a decision about the chain: the servers of a host may have several.
    static let maximumTrustQuestions = 8
    /// How Ferry wants the request to be sent again, which is why it ended the attempt.
    var again: Again?
    /// Whether Ferry ended the attempt with an error.
    var hasOwnFailure = false
    /// Whether libcurl reports an error.
    var hasTransportFailure = false
    /// Whether the response is a 304 about the stored response.
    var isValidated = false
    /// Whether the stored response replaces the server's error.
    var servesStale = false
    /// Whether the response is a redirect or a challenge that the delegate decides about.
    var hasQuestion = false
    /// Whether a response has come, which may continue that of an earlier attempt.
    var hasResponse = false
    /// Whether a decision about the connection's trust is pending.
    var awaitsTrust = false
    /// Whether libcurl gave up on a request that may be tried on another connection.
    var isRefused = false
    /// How many times in a row another connection, or a new body, has been looked for.
    var reconnections = 0
    /// Whether the proxy asks for a credential before it opens a tunnel.
    var hasTunnelChallenge = false
    /// Whether the rest of the body can be asked for, since the task was suspended and the response has a validator.
    var canContinue = false
    /// Whether the body's stream was read in part, and the delegate can provide it again.
    var needsNewBody = false

    /// What follows, where the order of the rules is their precedence.
    var next: Next {
        // A stored response needs neither the rest of the attempt nor its connection. Only a 304 must be complete.
        if again == .withoutConditions { return .again(.withoutConditions) }
        if servesStale { return .serveStale }
        if isValidated, !hasOwnFailure, !hasTransportFailure { return .serveValidated }
        // The attempt was ended for this, so libcurl's error says nothing more.
        if again == .fromStart { return .again(.fromStart) }
        // A redirect is followed and a challenge answered even if their bodies are damaged: the bodies are not wanted.
        if hasQuestion { return .ask }
        // Ferry's reason is the cause of libcurl's error.
        if hasOwnFailure { return .fail(.own) }
        switch again {
        case .withoutCredential: return .again(.withoutCredential)
        case .withoutExpectation: return .again(.withoutExpectation)
        case .onNewConnection where awaitsTrust && reconnections < Self.maximumTrustQuestions: return .waitForTrust
        case .onNewConnection where reconnections < Self.maximumReconnections: return .again(.onNewConnection)
        default: break
        }
        guard hasTransportFailure else { return hasResponse ? .finish : .fail(.noResponse) }
        // The response to CONNECT explains the failure better than libcurl does.
        if hasTunnelChallenge { return .askForTunnel }
        if isRefused, reconnections < Self.maximumReconnections { return .again(.onNewConnection) }
        // What the server has sent is kept, so the rest comes before a new beginning.
        if canContinue { return .again(.forRest) }
        if needsNewBody, reconnections < Self.maximumReconnections { return .again(.withNewBody) }
        return .fail(.transport)
    }
}

extension EndFacts {
    /// Whether a request that libcurl has given up on is tried on another connection; `isReplayable` is whether its
    /// body can be sent again without asking for another one.
    ///
    /// libcurl sends a request again, up to five times, if an HTTP/2 server refuses its stream or a connection from the
    /// pool closes without a response. A server that ends its connections under load may refuse one more often. A
    /// request for a shared connection whose server takes no more of them (`GOAWAY`) fails with an error of HTTP/2
    /// before it is sent. If the server closes the connection instead, the request's response has no end. Only if it is
    /// known that the server has not processed the request, its method need not be idempotent.
    func mayReconnect(method: String, isReplayable: Bool) -> Bool {
        guard !hasResponseBytes else { return false }
        if wasRefused {
            return [CurlCode.sendError, CurlCode.http2, CurlCode.receiveError, CurlCode.partialFile].contains(code)
        }
        guard isReplayable, RepetitionRule.isIdempotent(method) else { return false }
        return switch code {
        case CurlCode.sendError: sends > 5 || sharesConnection
        case CurlCode.http2: sharesConnection || confusesStreamEnds
        case CurlCode.receiveError, CurlCode.partialFile: sharesConnection
        default: false
        }
    }
}
