/// The mapping from libcurl's error codes to those of `URLError`.
package enum ErrorRule {
    /// The source of a TLS verdict: OpenSSL's X.509 code and libcurl's error text.
    package struct Verdict: Sendable {
        package var verifyResult = 0
        package var text = ""
        package var verifiesChain = true
    }

    /// Returns the `URLError` code for an error code of libcurl.
    package static func code(for curlCode: Int32, verdict: Verdict = Verdict()) -> URLError.Code {
        if let tls = TLSErrorRule.reason(for: curlCode, verdict: verdict) { return tls.code }
        return switch curlCode {
        case CurlCode.malformedURL: .badURL
        case CurlCode.notBuiltIn: .unsupportedURL
        // The scheme is checked before the transfer begins, so the response is not HTTP.
        case CurlCode.unsupportedProtocol, CurlCode.weirdServerReply: .cannotParseResponse
        // "A bad argument": a response whose header begins with a folded line (RFC 9112, section 5.2).
        case CurlCode.badFunctionArgument: .cannotParseResponse
        case CurlCode.couldNotResolveProxy, CurlCode.couldNotResolveHost: .cannotFindHost
        case CurlCode.couldNotConnect, CurlCode.interfaceFailed, CurlCode.proxyFailed, CurlCode.quicConnectError:
            .cannotConnectToHost
        case CurlCode.http2, CurlCode.http2Stream, CurlCode.http3: .networkConnectionLost
        case CurlCode.partialFile, CurlCode.gotNothing, CurlCode.sendError: .networkConnectionLost
        case CurlCode.receiveError: receivingCode(verdict)
        case CurlCode.timedOut: .timedOut
        case CurlCode.tooManyRedirects: .httpTooManyRedirects
        // libcurl decodes no content here, so the error is about the transfer coding.
        case CurlCode.badContentEncoding: .cannotParseResponse
        case CurlCode.outOfMemory, CurlCode.fileSizeExceeded, CurlCode.tooLarge: .dataLengthExceedsMaximum
        case CurlCode.cannotRewind: .requestBodyStreamExhausted
        default: .unknown
        }
    }

    /// Whether a libcurl error means that a response is malformed: its status line, its length or its transfer coding.
    static func isAboutMessage(_ curlCode: Int32) -> Bool {
        [CurlCode.weirdServerReply, CurlCode.badContentEncoding].contains(curlCode)
    }

    /// Whether a header was most likely longer than libcurl accepts.
    ///
    /// libcurl then reports that it is "out of memory" or, since version 8.6, that a value is "too large". It accepts
    /// about 1 MB in a request, and 100 kB in a line of a response.
    static func isLongHeader(_ curlCode: Int32) -> Bool {
        [CurlCode.outOfMemory, CurlCode.tooLarge].contains(curlCode)
    }

    /// Whether a libcurl error affects the whole connection, so that no other request may use it: an error of
    /// HTTP/2 framing or header compression, of sending or of receiving.
    ///
    /// If libcurl confuses how streams end, a response that is incomplete or missing may be all that it reports of a
    /// broken connection. The other requests would only notice when the server closes it.
    package static func breaksConnection(_ curlCode: Int32, confusesStreamEnds: Bool = false) -> Bool {
        switch curlCode {
        case CurlCode.http2, CurlCode.sendError, CurlCode.receiveError: true
        case CurlCode.partialFile, CurlCode.gotNothing: confusesStreamEnds
        default: false
        }
    }

    /// libcurl has one code for everything that goes wrong while it receives.
    private static func receivingCode(_ verdict: Verdict) -> URLError.Code {
        let chunkProblems = ["chunked-encoding", "chunk hex-length", "invalid chunk size"]
        if chunkProblems.contains(where: verdict.text.contains) { return .cannotParseResponse }
        if verdict.text.contains("Too large response headers") { return .dataLengthExceedsMaximum }
        return .networkConnectionLost
    }
}

/// The guess that a URL has the wrong one of the schemes `http` and `https` for its port.
package enum SchemeRule {
    /// Returns the end of a sentence about an error; an empty text if nothing suggests the other scheme.
    ///
    /// OpenSSL reads a plain response as a TLS record of an unknown version. A server that expects TLS closes without a
    /// byte of a response, or after an alert, which libcurl takes for HTTP/0.9; others do so too, so that only the port
    /// suggests TLS.
    static func guess(_ origin: Origin, _ curlCode: Int32, _ text: String, hasResponseBytes: Bool) -> String {
        if origin.scheme == "https" {
            let records = ["wrong version number", "packet length too long", "http request"]
            guard curlCode == CurlCode.tlsConnectError, records.contains(where: text.contains) else { return "" }
            return "; the server does not use TLS on port \(origin.port), so perhaps the URL begins with http://"
        }
        let isSilent = [CurlCode.gotNothing, CurlCode.receiveError].contains(curlCode) && !hasResponseBytes
        let isForeign = curlCode == CurlCode.unsupportedProtocol && text.contains("HTTP/0.9")
        guard isSilent || isForeign, "\(origin.port)".hasSuffix("443") else { return "" }
        return "; port \(origin.port) is often one for TLS, so perhaps the URL begins with https://"
    }
}

/// The reasons of TLS failures, derived from libcurl's code, the chain's verdict and the TLS library's error text.
package enum TLSErrorRule {
    package struct Reason: Sendable, Equatable {
        package var code: URLError.Code
        package var reason: CurlSessionError.Code

        /// Whether the server refuses the client, or wants its certificate.
        var isAboutClient: Bool { [.clientCertificateRejected, .clientCertificateRequired].contains(reason) }
    }

    /// Returns the reason, or `nil` if the error is not about TLS.
    package static func reason(for curlCode: Int32, verdict: ErrorRule.Verdict) -> Reason? {
        switch curlCode {
        case CurlCode.pinMismatch: return Reason(code: .serverCertificateUntrusted, reason: .pinMismatch)
        case CurlCode.tlsCertificateProblem:
            return Reason(code: .secureConnectionFailed, reason: .clientCertificateUnusable)
        // The code of libcurl from 8.21 on for a key that cannot be used.
        case CurlCode.badFunctionArgument where verdict.text.contains("private key"):
            return Reason(code: .secureConnectionFailed, reason: .clientCertificateUnusable)
        case CurlCode.clientCertificateMissing:
            return Reason(code: .clientCertificateRequired, reason: .clientCertificateRequired)
        // libcurl has the same code for the server's alert that the client's certificate has expired.
        case CurlCode.peerFailedVerification
        where !verdict.verifiesChain || verdict.text == "SSL certificate verification failed":
            return Reason(code: .clientCertificateRejected, reason: .clientCertificateRejected)
        case CurlCode.peerFailedVerification, CurlCode.issuerError: return certificate(verdict)
        case CurlCode.invalidCertificateStatus:
            let isRevoked = verdict.text.contains("revocation reason")
            let reason: CurlSessionError.Code = isRevoked ? .certificateRevoked : .revocationUnknown
            return Reason(code: .serverCertificateUntrusted, reason: reason)
        case CurlCode.badRevocationList, CurlCode.tlsCipher:
            return Reason(code: .secureConnectionFailed, reason: .invalidTLSOptions)
        // A TLS 1.3 server checks the client's certificate after the handshake, so its alert arrives while reading.
        case CurlCode.http2, CurlCode.gotNothing, CurlCode.sendError, CurlCode.receiveError, CurlCode.http2Stream:
            return alert(verdict.text)
        case CurlCode.tlsConnectError: return alert(verdict.text) ?? handshake(verdict.text)
        case CurlCode.tlsEngineNotFound, CurlCode.tlsEngineSetFailed, CurlCode.tlsEngineInitFailed,
            CurlCode.badAuthorityFile, CurlCode.tlsShutdownFailed:
            return handshake(verdict.text)
        default: return nil
        }
    }

    /// Whether libcurl's code means that a certificate was refused, which is the server's unless the reason says so.
    static func isAboutCertificate(_ curlCode: Int32) -> Bool {
        let refusals = [CurlCode.peerFailedVerification, CurlCode.issuerError, CurlCode.invalidCertificateStatus]
        return curlCode == CurlCode.pinMismatch || refusals.contains(curlCode)
    }

    private static func certificate(_ verdict: ErrorRule.Verdict) -> Reason {
        // The numbers are OpenSSL's X509_V_ERR_…; other libraries leave them at zero or one.
        switch verdict.verifyResult {
        case 9: Reason(code: .serverCertificateNotYetValid, reason: .certificateNotYetValid)
        case 10: Reason(code: .serverCertificateHasBadDate, reason: .certificateExpired)
        case 18, 19: Reason(code: .serverCertificateHasUnknownRoot, reason: .selfSignedCertificate)
        case 2, 20, 21: Reason(code: .serverCertificateHasUnknownRoot, reason: .unknownAuthority)
        case 23: Reason(code: .serverCertificateUntrusted, reason: .certificateRevoked)
        // A revocation list is missing, not signed as it must be, not valid today, or has unknown contents.
        case 3, 5, 8, 11, 12, 15, 16, 33, 35, 36, 44, 54:
            Reason(code: .serverCertificateUntrusted, reason: .revocationUnknown)
        // The name is checked before libcurl has stored the good verdict on the chain.
        case 0 where isAboutHost(verdict.text), 1 where isAboutHost(verdict.text), 62:
            Reason(code: .serverCertificateUntrusted, reason: .certificateHostMismatch)
        default: Reason(code: .serverCertificateUntrusted, reason: .certificateUntrusted)
        }
    }

    /// Whether the text says that the certificate is for other names, or for other addresses.
    private static func isAboutHost(_ text: String) -> Bool {
        ["host name", "hostname", "subject name"].contains(where: text.contains)
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
        let isVersion = ["protocol version", "unsupported protocol", "no protocols available"]
            .contains(where: text.contains)
        return Reason(code: .secureConnectionFailed, reason: isVersion ? .tlsVersion : .tlsHandshake)
    }

    /// Whether the passphrase is wrong, rather than the key.
    static func isWrongPassphrase(_ text: String, isEncrypted: Bool) -> Bool {
        let words = ["mac verify failure", "unable to set private key", "wrong pass phrase"]
        return isEncrypted && words.contains(where: text.contains)
    }
}
