extension RepetitionRule {
    /// Whether a request that libcurl has given up on is tried on another connection.
    ///
    /// libcurl sends a request again, up to five times, if an HTTP/2 server refuses its stream or a connection from the
    /// pool closes without a response. A server that ends its connections under load may refuse one more often. A
    /// request for a shared connection whose server takes no more of them (`GOAWAY`) fails with an error of HTTP/2
    /// before it is sent. If the server closes the connection instead, the request's response has no end. Only if it is
    /// known that the server has not processed the request, its method need not be idempotent.
    ///
    /// `wasRefused` is whether the server has said that it has not processed the request; `isReplayable`, whether its
    /// body can be sent again without asking for another one; `sharesConnection`, whether
    /// other requests may have been sent on the connection, or this one was not sent; `confusesStreamEnds`, whether
    /// libcurl reports an error of HTTP/2 if the server refuses the only request.
    package static func mayReconnect(
        afterCode code: Int32,
        wasRefused: Bool,
        sends: Int,
        hasResponseBytes: Bool,
        method: String,
        isReplayable: Bool,
        sharesConnection: Bool,
        confusesStreamEnds: Bool
    ) -> Bool {
        guard !hasResponseBytes else { return false }
        if wasRefused {
            return [CurlCode.sendError, CurlCode.http2, CurlCode.receiveError, CurlCode.partialFile].contains(code)
        }
        guard isReplayable, isIdempotent(method) else { return false }
        return switch code {
        case CurlCode.sendError: sends > 5 || sharesConnection
        case CurlCode.http2: sharesConnection || confusesStreamEnds
        case CurlCode.receiveError, CurlCode.partialFile: sharesConnection
        default: false
        }
    }
}
