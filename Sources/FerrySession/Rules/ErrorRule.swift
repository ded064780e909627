/// What libcurl's codes are called in URLSession: one table.
enum ErrorRule {
    /// Where a TLS verdict comes from: OpenSSL's X.509 code and libcurl's words.
    struct Verdict: Sendable {
        var verifyResult = 0
        var text = ""
    }

    /// The code of a `URLError` for libcurl's.
    static func code(for curlCode: Int32, verdict: Verdict = Verdict()) -> URLError.Code {
        if let tls = TLSErrorRule.reason(for: curlCode, verdict: verdict) { return tls.code }
        return switch curlCode {
        case 3: .badURL
        case 4: .unsupportedURL
        // The scheme is checked before the transfer begins, so this is an answer that is no HTTP.
        case 1, 8: .cannotParseResponse
        // "A bad argument": a response whose header begins with a folded line (RFC 9112, section 5.2).
        case 43: .cannotParseResponse
        case 5, 6: .cannotFindHost
        case 7, 45, 97: .cannotConnectToHost
        case 16, 92, 95: .networkConnectionLost
        case 18, 52, 55: .networkConnectionLost
        case 56: receivingCode(verdict)
        case 28: .timedOut
        case 47: .httpTooManyRedirects
        case 61: .cannotDecodeContentData
        // 27 is libcurl's "out of memory": a header line longer than it takes, by far its most likely cause.
        case 27, 63, 100: .dataLengthExceedsMaximum
        case 65: .requestBodyStreamExhausted
        default: .unknown
        }
    }

    /// Whether an error of libcurl's is one of the whole connection, so that no other request may use it: of HTTP/2's
    /// framing or header compression, of sending and of receiving.
    static func breaksConnection(_ curlCode: Int32) -> Bool {
        let (http2, send, receive) = (Int32(16), Int32(55), Int32(56))
        return [http2, send, receive].contains(curlCode)
    }

    /// libcurl has one number for all that goes wrong while it receives.
    private static func receivingCode(_ verdict: Verdict) -> URLError.Code {
        if verdict.text.contains("chunked-encoding") { return .cannotParseResponse }
        if verdict.text.contains("Too large response headers") { return .dataLengthExceedsMaximum }
        return .networkConnectionLost
    }
}
