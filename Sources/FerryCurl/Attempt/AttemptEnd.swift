/// The end of an attempt, as libcurl has reported it.
package struct AttemptEnd {
    /// Whether a decision about the connection's trust is pending, or has come just now.
    package enum Trust { case none, pending, decided }

    /// libcurl's code.
    package let code: Int32
    package var failure: URLError?
    /// The error of a request that must not be sent again, where libcurl could not rewind its body.
    package var notRepeated: URLError?
    package var needsNewConnection = false
    package var trust = Trust.none
    /// Whether the server has reported that it has not processed the request.
    package var wasRefused = false
    /// The number of times that libcurl has begun to send the request.
    package var sends = 0
    package var hasResponseBytes = false
    /// Whether other requests may have been sent on the connection, or this one was not sent.
    package var sharesConnection = false
    /// Whether this libcurl does not report how a stream of HTTP/2 has ended if its connection has ended too.
    package var confusesStreamEnds = false
    package var hasStatus = false
    /// The bytes of the body that libcurl has delivered, before content codings are undone.
    package var received = ByteCount.zero
    /// The proxy's challenge to `CONNECT`, with its response.
    package var tunnel: (response: HTTPURLResponse, challenge: AuthenticationChallenge)?

    package init(code: Int32) { self.code = code }

    /// Whether a request that libcurl has given up on is tried on another connection; `isReplayable` is whether its
    /// body can be sent again without asking for another one.
    ///
    /// libcurl sends a request again, up to five times, if an HTTP/2 server refuses its stream or a connection from the
    /// pool closes without a response. A server that ends its connections under load may refuse one more often. A
    /// request for a shared connection whose server takes no more of them (`GOAWAY`) fails with an error of HTTP/2
    /// before it is sent. If the server closes the connection instead, the request's response has no end. The method
    /// must be idempotent, unless the server has said that it has not processed the request.
    package func mayReconnect(method: String, isReplayable: Bool) -> Bool {
        guard !hasResponseBytes else { return false }
        if wasRefused {
            return switch code {
            // libcurl 7.88 may report a success, or an empty reply, once the server has announced its end.
            case 0, CurlCode.gotNothing: true
            case CurlCode.sendError, CurlCode.http2, CurlCode.receiveError, CurlCode.partialFile: true
            default: false
            }
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

extension NetworkAttempt {
    /// Returns how libcurl has ended the attempt, and notes what that says about its connection and its origin.
    ///
    /// `hasResponse` is whether a response was delivered, `hasOpenEnd` whether only its end shows the length of its
    /// body. `isOwn` is whether Ferry, and not libcurl, found the reason for the end.
    package func end(_ curlCode: Int32, hasResponse: Bool, hasOpenEnd: Bool, isOwn: Bool) -> AttemptEnd {
        sending.hasSucceeded = curlCode == 0
        let code = endCode(curlCode, hasOpenEnd: hasOpenEnd)
        noteRefusedChunks(code)
        noteOmittedBody()
        var end = AttemptEnd(code: code)
        (end.sends, end.hasResponseBytes) = (sending.count, sending.hasResponseBytes)
        (end.hasStatus, end.received) = (status != nil, received)
        (end.needsNewConnection, end.sharesConnection) = (needsNewConnection, sharesConnection)
        if let question = trust.pendingQuestion {
            end.trust = transfer?.decidedTrust[question] == nil ? .pending : .decided
        }
        end.wasRefused = wasRefused(code: code)
        // libcurl 7.88 may report a success without a response.
        let closings = [0, CurlCode.sendError, CurlCode.receiveError, CurlCode.gotNothing]
        let isClosed = closings.contains(code) && !end.hasResponseBytes
        let wasProcessed = !end.wasRefused && ((isClosed && sharesConnection) || code == CurlCode.cannotRewind)
        if wasProcessed, !RepetitionRule.isIdempotent(prepared.method) { end.notRepeated = notRepeated() }
        guard code != 0, let engine = transfer?.engine else { return end }
        if !hasResponse, !needsNewConnection { noteFailure(engine) }
        end.failure = failure(code)
        end.confusesStreamEnds = engine.runtime.confusesStreamEnds
        // Some versions of libcurl keep a broken connection that other requests may share, as with HTTP/2.
        let isShared = connection?.isMultiplexed == true || prepared.origin.scheme == "https"
        if isShared, !isOwn, ErrorRule.breaksConnection(code, confusesStreamEnds: end.confusesStreamEnds) {
            connection?.breakDown()
        }
        end.tunnel = challengedTunnel
        return end
    }

    /// Returns the challenge of a response, if libcurl can answer it.
    package func challenge(of head: ResponseHead) -> AuthenticationChallenge? {
        guard let challenge = AuthenticationChallenge(head, runtime: transfer?.engine.runtime),
            !challenge.isProxy || isForwarded || isTunnelling
        else { return nil }
        return challenge
    }

    /// The proxy's challenge to `CONNECT`, with its response.
    private var challengedTunnel: (response: HTTPURLResponse, challenge: AuthenticationChallenge)? {
        guard isTunnelling, let head = route.tunnel.head, head.status == 407, let url,
            let challenge = challenge(of: head),
            let response = CurlHTTPResponse(url: url, head: head, isDecoded: false)
        else { return nil }
        return (response, challenge)
    }
}
