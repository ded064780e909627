/// The reasons of TLS failures, derived from libcurl's code, the chain's verdict and the TLS library's error text.
enum TLSErrorRule {
    struct Reason: Sendable, Equatable {
        var code: URLError.Code
        var reason: CurlSessionError.Code
    }

    /// Returns the reason, or `nil` if the error is not about TLS.
    static func reason(for curlCode: Int32, verdict: ErrorRule.Verdict) -> Reason? {
        switch curlCode {
        case CurlCode.pinMismatch: return Reason(code: .serverCertificateUntrusted, reason: .pinMismatch)
        case CurlCode.tlsCertificateProblem:
            return Reason(code: .clientCertificateRejected, reason: .clientCertificateUnusable)
        case CurlCode.peerFailedVerification, CurlCode.issuerError, CurlCode.invalidCertificateStatus:
            return certificate(verdict)
        // A TLS 1.3 server checks the client's certificate after the handshake, so its alert arrives while reading.
        case CurlCode.http2, CurlCode.gotNothing, CurlCode.sendError, CurlCode.receiveError, CurlCode.http2Stream:
            return alert(verdict.text)
        case CurlCode.tlsConnectError: return alert(verdict.text) ?? handshake(verdict.text)
        case CurlCode.tlsEngineNotFound, CurlCode.tlsEngineSetFailed, CurlCode.tlsCipher, CurlCode.tlsEngineInitFailed,
            CurlCode.badAuthorityFile, CurlCode.tlsShutdownFailed, CurlCode.badRevocationList:
            return handshake(verdict.text)
        default: return nil
        }
    }

    /// Whether libcurl's code says that the server's certificate was refused.
    static func isAboutServerCertificate(_ curlCode: Int32) -> Bool {
        [
            CurlCode.peerFailedVerification, CurlCode.issuerError, CurlCode.pinMismatch,
            CurlCode.invalidCertificateStatus,
        ].contains(curlCode)
    }

    private static func certificate(_ verdict: ErrorRule.Verdict) -> Reason {
        // The numbers are OpenSSL's X509_V_ERR_…; other libraries leave them at zero or one.
        switch verdict.verifyResult {
        case 9: Reason(code: .serverCertificateNotYetValid, reason: .certificateNotYetValid)
        case 10: Reason(code: .serverCertificateHasBadDate, reason: .certificateExpired)
        case 18, 19: Reason(code: .serverCertificateHasUnknownRoot, reason: .selfSignedCertificate)
        case 2, 20, 21: Reason(code: .serverCertificateHasUnknownRoot, reason: .unknownAuthority)
        // The name is checked before libcurl has stored the good verdict on the chain.
        case 0 where verdict.text.contains("host name"), 1 where verdict.text.contains("host name"), 62:
            Reason(code: .serverCertificateUntrusted, reason: .certificateHostMismatch)
        default: Reason(code: .serverCertificateUntrusted, reason: .certificateUntrusted)
        }
    }

    /// Returns the reason for an alert of RFC 8446, section 6.2, that a server sends about the client's certificate.
    private static func alert(_ text: String) -> Reason? {
        if text.contains("alert certificate required") {
            return Reason(code: .clientCertificateRequired, reason: .clientCertificateRequired)
        }
        let rejections = [
            "alert bad certificate", "alert unsupported certificate", "alert certificate revoked",
            "alert certificate expired", "alert certificate unknown", "alert unknown ca", "alert access denied",
        ]
        guard rejections.contains(where: text.contains) else { return nil }
        return Reason(code: .clientCertificateRejected, reason: .clientCertificateRejected)
    }

    private static func handshake(_ text: String) -> Reason {
        let words = ["protocol version", "unsupported protocol", "no protocols available"]
        let isVersion = words.contains(where: text.contains)
        return Reason(code: .secureConnectionFailed, reason: isVersion ? .tlsVersion : .tlsHandshake)
    }

    /// Whether the passphrase is wrong, rather than the key.
    static func isWrongPassphrase(_ text: String, isEncrypted: Bool) -> Bool {
        guard isEncrypted else { return false }
        let words = ["mac verify failure", "check password", "unable to set private key", "wrong pass phrase"]
        return words.contains(where: text.contains)
    }
}
