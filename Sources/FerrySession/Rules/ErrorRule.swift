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
        case CurlCode.malformedURL: .badURL
        case CurlCode.notBuiltIn: .unsupportedURL
        // The scheme is checked before the transfer begins, so the response is not HTTP.
        case CurlCode.unsupportedProtocol, CurlCode.weirdServerReply: .cannotParseResponse
        // "A bad argument": a response whose header begins with a folded line (RFC 9112, section 5.2).
        case CurlCode.badFunctionArgument: .cannotParseResponse
        case CurlCode.couldNotResolveProxy, CurlCode.couldNotResolveHost: .cannotFindHost
        case CurlCode.couldNotConnect, CurlCode.interfaceFailed, CurlCode.proxyFailed: .cannotConnectToHost
        case CurlCode.http2, CurlCode.http2Stream, CurlCode.http3: .networkConnectionLost
        case CurlCode.partialFile, CurlCode.gotNothing, CurlCode.sendError: .networkConnectionLost
        case CurlCode.receiveError: receivingCode(verdict)
        case CurlCode.timedOut: .timedOut
        case CurlCode.tooManyRedirects: .httpTooManyRedirects
        case CurlCode.badContentEncoding: .cannotDecodeContentData
        // libcurl is "out of memory", most likely caused by a header line longer than libcurl accepts.
        case CurlCode.outOfMemory, CurlCode.fileSizeExceeded, CurlCode.tooLarge: .dataLengthExceedsMaximum
        case CurlCode.cannotRewind: .requestBodyStreamExhausted
        default: .unknown
        }
    }

    /// Whether a libcurl error affects the whole connection, so that no other request may use it: an error of
    /// HTTP/2 framing or header compression, of sending or of receiving.
    static func breaksConnection(_ curlCode: Int32) -> Bool {
        [CurlCode.http2, CurlCode.sendError, CurlCode.receiveError].contains(curlCode)
    }

    /// libcurl has one code for everything that goes wrong while it receives.
    private static func receivingCode(_ verdict: Verdict) -> URLError.Code {
        if verdict.text.contains("chunked-encoding") { return .cannotParseResponse }
        if verdict.text.contains("Too large response headers") { return .dataLengthExceedsMaximum }
        return .networkConnectionLost
    }
}
