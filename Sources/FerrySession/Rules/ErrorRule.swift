/// The mapping from libcurl's error codes to those of `URLError`.
enum ErrorRule {
    /// The source of a TLS verdict: OpenSSL's X.509 code and libcurl's error text.
    struct Verdict: Sendable {
        var verifyResult = 0
        var text = ""
    }

    /// Returns the `URLError` code for an error code of libcurl.
    static func code(for curlCode: Int32, verdict: Verdict = Verdict()) -> URLError.Code {
        if let tls = TLSErrorRule.reason(for: curlCode, verdict: verdict) { return tls.code }
        return switch curlCode {
        case 3: .badURL
        case 4: .unsupportedURL
        // The scheme is checked before the transfer begins, so the response is not HTTP.
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
        // 27 is libcurl's "out of memory", most likely caused by a header line longer than libcurl accepts.
        case 27, 63, 100: .dataLengthExceedsMaximum
        case 65: .requestBodyStreamExhausted
        default: .unknown
        }
    }

    /// Whether a libcurl error affects the whole connection, so that no other request may use it: an error of
    /// HTTP/2 framing or header compression, of sending or of receiving.
    static func breaksConnection(_ curlCode: Int32) -> Bool {
        let (http2, send, receive) = (Int32(16), Int32(55), Int32(56))
        return [http2, send, receive].contains(curlCode)
    }

    /// libcurl has one code for everything that goes wrong while it receives.
    private static func receivingCode(_ verdict: Verdict) -> URLError.Code {
        if verdict.text.contains("chunked-encoding") { return .cannotParseResponse }
        if verdict.text.contains("Too large response headers") { return .dataLengthExceedsMaximum }
        return .networkConnectionLost
    }
}
