/// What libcurl's codes are called in URLSession: one table.
enum ErrorRule {
    /// Where a TLS verdict comes from: OpenSSL's X.509 code and libcurl's words.
    struct Verdict: Sendable {
        var verifyResult = 0
        var text = ""
    }

    /// The code of a `URLError` for libcurl's.
    static func code(for curlCode: Int32, verdict: Verdict = Verdict()) -> URLError.Code {
        switch curlCode {
        case 3: .badURL
        case 4: .unsupportedURL
        // The scheme is checked before the transfer begins, so this is an answer that is no HTTP.
        case 1, 8: .cannotParseResponse
        case 5, 6: .cannotFindHost
        case 7, 97: .cannotConnectToHost
        case 16, 92, 95: .networkConnectionLost
        case 18, 52, 55: .networkConnectionLost
        case 56: verdict.text.contains("chunked-encoding") ? .cannotParseResponse : .networkConnectionLost
        case 28: .timedOut
        case 47: .httpTooManyRedirects
        case 58: .clientCertificateRejected
        case 60, 83, 90, 91: certificateCode(verdict)
        case 35, 53, 54, 59, 66, 77, 80, 82: .secureConnectionFailed
        case 61: .cannotDecodeContentData
        // 27 is libcurl's "out of memory": a header line longer than it takes, by far its most likely cause.
        case 27, 63, 100: .dataLengthExceedsMaximum
        case 65: .requestBodyStreamExhausted
        default: .unknown
        }
    }

    private static func certificateCode(_ verdict: Verdict) -> URLError.Code {
        // The numbers are OpenSSL's X509_V_ERR_…; other backends leave them at zero or one.
        switch verdict.verifyResult {
        case 9: .serverCertificateNotYetValid
        case 10: .serverCertificateHasBadDate
        case 2, 18, 19, 20, 21: .serverCertificateHasUnknownRoot
        default: .serverCertificateUntrusted
        }
    }
}
