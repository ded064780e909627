/// Whether a request may be sent a second time without being asked (RFC 9110, section 9.2.2).
enum RepetitionRule {
    /// Whether sending a request of this method several times has the same effect as sending it once.
    static func isIdempotent(_ method: String) -> Bool {
        switch method {
        case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
        // RFC 4918 (WebDAV) and RFC 3253 call these idempotent or safe.
        case "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "UNLOCK", "REPORT", "SEARCH", "QUERY": true
        default: false
        }
    }

    /// Whether a challenge of the server's that libcurl answers by itself may be answered once more.
    ///
    /// A server may call every nonce stale (RFC 7616, section 3.3), so one is answered and no second; `rounds` counts the
    /// responses of one attempt that ask for a credential, the first of which comes before any was sent.
    static func mayAnswerChallenge(rounds: Int) -> Bool {
        rounds < 3
    }
}
