/// The rules for sending a request a second time automatically (RFC 9110, section 9.2.2).
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

    /// Whether a challenge of the server that libcurl handles itself may be responded to once more.
    ///
    /// A server may call every nonce stale (RFC 7616, section 3.3), so only one is responded to. `rounds` counts the
    /// responses of one attempt that request a credential; the first one comes before any credential was sent.
    static func mayAnswerChallenge(rounds: Int) -> Bool {
        rounds < 3
    }
}
