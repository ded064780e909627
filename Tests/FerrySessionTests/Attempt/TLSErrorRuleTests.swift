import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite("TLS errors")
struct TLSErrorRuleTests {
    @Test(
        "Code and reason depend on libcurl's code, the verdict and the text",
        arguments: [
            (60, 9, "", .serverCertificateNotYetValid, .certificateNotYetValid),
            (60, 10, "", .serverCertificateHasBadDate, .certificateExpired),
            (60, 18, "", .serverCertificateHasUnknownRoot, .selfSignedCertificate),
            (60, 19, "", .serverCertificateHasUnknownRoot, .selfSignedCertificate),
            (60, 20, "", .serverCertificateHasUnknownRoot, .unknownAuthority),
            (60, 21, "", .serverCertificateHasUnknownRoot, .unknownAuthority),
            (60, 1, "does not match target host name", .serverCertificateUntrusted, .certificateHostMismatch),
            (60, 1, "does not match target hostname", .serverCertificateUntrusted, .certificateHostMismatch),
            (
                60, 0, "no alternative certificate subject name matches target ipv6 address '::1'",
                .serverCertificateUntrusted, .certificateHostMismatch
            ),
            (60, 26, "", .serverCertificateUntrusted, .certificateUntrusted),
            (90, 0, "", .serverCertificateUntrusted, .pinMismatch),
            (90, 10, "", .serverCertificateUntrusted, .pinMismatch),
            (58, 0, "", .secureConnectionFailed, .clientCertificateUnusable),
            (56, 0, "tlsv13 alert certificate required", .clientCertificateRequired, .clientCertificateRequired),
            (35, 0, "tlsv1 alert unknown ca", .clientCertificateRejected, .clientCertificateRejected),
            (55, 0, "sslv3 alert certificate expired", .clientCertificateRejected, .clientCertificateRejected),
            (
                60, 0, "SSL certificate verification failed", .clientCertificateRejected, .clientCertificateRejected
            ),
            (98, 0, "", .clientCertificateRequired, .clientCertificateRequired),
            (35, 0, "tlsv1 alert protocol version", .secureConnectionFailed, .tlsVersion),
            (35, 0, "unsupported protocol", .secureConnectionFailed, .tlsVersion),
            (35, 0, "wrong version number", .secureConnectionFailed, .tlsHandshake),
            (59, 0, "", .secureConnectionFailed, .invalidTLSOptions),
        ] as [(Int32, Int, String, URLError.Code, CurlSessionError.Code)]
    )
    func reasons(
        code: Int32,
        verifyResult: Int,
        text: String,
        expected: URLError.Code,
        reason: CurlSessionError.Code
    ) {
        let verdict = ErrorRule.Verdict(verifyResult: verifyResult, text: text)
        #expect(TLSErrorRule.reason(for: code, verdict: verdict) == .init(code: expected, reason: reason))
        #expect(ErrorRule.code(for: code, verdict: verdict) == expected)
    }

    @Test("Where libcurl verifies no chain, its code for a refused certificate is about the client's")
    func unverified() {
        let verdict = ErrorRule.Verdict(verifyResult: 20, text: "unable to get issuer", verifiesChain: false)
        let rejected = TLSErrorRule.Reason(code: .clientCertificateRejected, reason: .clientCertificateRejected)
        #expect(TLSErrorRule.reason(for: 60, verdict: verdict) == rejected)
    }

    @Test("Errors that are not about TLS have no reason", arguments: [6, 7, 16, 28, 52, 55, 56, 92] as [Int32])
    func others(code: Int32) {
        #expect(TLSErrorRule.reason(for: code, verdict: .init(text: "Connection reset by peer")) == nil)
    }
}
