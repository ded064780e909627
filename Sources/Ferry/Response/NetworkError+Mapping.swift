import Foundation

extension NetworkError.Code {
    /// Creates the code for an error of another type; ``unknown`` if there is none.
    init(mapping error: any Error) {
        switch error {
        case let error as NetworkError: self = error.code
        case is CancellationError: self = .cancelled
        case is DecodingError: self = .decodingFailed
        case is EncodingError: self = .encodingFailed
        default: self = Self(bridged: error as NSError)
        }
    }

    private init(bridged error: NSError) {
        switch error.domain {
        case NSURLErrorDomain: self = Self(urlErrorCode: error.code) ?? Self(certificateMessageOf: error) ?? .unknown
        case NSCocoaErrorDomain: self = Self(cocoaErrorCode: error.code) ?? .unknown
        case NSPOSIXErrorDomain: self = POSIXErrorCode(rawValue: Int32(clamping: error.code)).map(Self.init) ?? .unknown
        default: self = .unknown
        }
    }

    /// Creates the code for an error number of `NSURLErrorDomain`.
    init?(urlErrorCode: Int) {
        guard let code = Self.byURLErrorCode[urlErrorCode] else { return nil }
        self = code
    }

    private static let byURLErrorCode: [Int: Self] = [
        -995: .sessionInvalidated, -997: .connectionLost, -999: .cancelled, -1000: .badURL, -1001: .timedOut,
        -1002: .unsupportedURL, -1003: .cannotFindHost, -1004: .cannotConnectToHost, -1005: .connectionLost,
        -1006: .cannotFindHost, -1007: .tooManyRedirects, -1008: .cannotConnectToHost, -1009: .notConnected,
        -1010: .badServerResponse, -1011: .badServerResponse, -1012: .cancelled, -1013: .authenticationRequired,
        -1014: .badServerResponse, -1015: .cannotDecodeContent, -1016: .cannotDecodeContent,
        -1017: .badServerResponse, -1018: .notConnected, -1019: .notConnected, -1020: .notConnected,
        -1021: .bodyStreamExhausted, -1022: .secureConnectionFailed, -1100: .fileError, -1101: .fileError,
        -1102: .fileError, -1103: .responseTooLarge, -1200: .secureConnectionFailed, -1201: .certificateUntrusted,
        -1202: .certificateUntrusted, -1203: .certificateUntrusted, -1204: .certificateUntrusted,
        -1205: .clientCertificateRejected, -1206: .clientCertificateRejected, -2000: .notConnected,
        -3000: .fileError, -3001: .fileError, -3002: .fileError, -3003: .fileError, -3004: .fileError,
        -3005: .moveFailed, -3006: .cannotDecodeContent, -3007: .cannotDecodeContent,
    ]

    /// FoundationNetworking uses one code (-1) for all TLS errors, which only their text tells apart.
    private init?(certificateMessageOf error: NSError) {
        let text = (error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error).localizedDescription
        if text.hasPrefix("SSL certificate problem") || text.hasPrefix("SSL: no alternative certificate subject") {
            self = .certificateUntrusted
        } else if text.hasPrefix("SSL") || text.hasPrefix("OpenSSL") || text.hasPrefix("TLS") {
            self = .secureConnectionFailed
        } else {
            return nil
        }
    }

    private init?(cocoaErrorCode code: Int) {
        switch code {
        case 3072: self = .cancelled
        case 4...1023: self = .fileError
        case 3840...4095: self = .decodingFailed
        case 4864: self = .decodingFailed
        case 4865: self = .decodingFailed
        case 4866: self = .encodingFailed
        default: return nil
        }
    }

    private init(_ code: POSIXErrorCode) {
        switch code {
        case .ECANCELED: self = .cancelled
        case .ETIMEDOUT: self = .timedOut
        case .ECONNREFUSED, .EHOSTUNREACH, .EADDRNOTAVAIL: self = .cannotConnectToHost
        case .ECONNRESET, .ECONNABORTED, .EPIPE, .ENOTCONN: self = .connectionLost
        case .ENETUNREACH, .ENETDOWN, .EHOSTDOWN: self = .notConnected
        case .ENOENT, .EACCES, .EPERM, .EISDIR, .ENOTDIR, .ENOSPC, .EIO, .EROFS, .EEXIST, .EFBIG, .EMFILE, .ENFILE,
            .ENAMETOOLONG, .ELOOP, .EDQUOT, .EXDEV:
            self = .fileError
        default: self = .unknown
        }
    }
}
