/// What `CurlSession` has to say beyond `URLError`.
///
/// Tasks complete with a `URLError`, as in URLSession; where Ferry knows more, this error is its `NSUnderlyingErrorKey`.
public struct CurlSessionError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// What went wrong; the set may grow.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// libcurl was not found, or is too old.
        public static let curlUnavailable = Code(rawValue: "curlUnavailable")
        /// The task was made in, or resumed after, an invalidated session.
        public static let sessionInvalidated = Code(rawValue: "sessionInvalidated")
        /// The method is not a token of RFC 9110, section 5.6.2.
        public static let invalidMethod = Code(rawValue: "invalidMethod")
        /// A header's name or value has bytes that HTTP does not allow.
        public static let invalidHeader = Code(rawValue: "invalidHeader")
        /// The URL's host is not one: a name with characters that no host can have, or an address that is none.
        public static let invalidHost = Code(rawValue: "invalidHost")
        /// The kind of task is not supported.
        public static let unsupportedTask = Code(rawValue: "unsupportedTask")
        /// The call goes around the engine, to FoundationNetworking's own HTTP.
        public static let bypassesEngine = Code(rawValue: "bypassesEngine")
        /// The inactivity deadline passed: `timeoutInterval` without a byte in either direction.
        public static let inactivityTimeout = Code(rawValue: "inactivityTimeout")
        /// The deadline of the whole exchange passed: `timeoutIntervalForResource`.
        public static let resourceTimeout = Code(rawValue: "resourceTimeout")
        /// The connection did not stand in time: ``CurlSession/Options/connectTimeout``.
        public static let connectTimeout = Code(rawValue: "connectTimeout")
        /// The body's stream cannot be read a second time, and no new one was given.
        public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")
        /// The body's length is not the one that was announced.
        public static let bodyLengthMismatch = Code(rawValue: "bodyLengthMismatch")
        /// The content coding of the response ended early or is damaged.
        public static let damagedContentCoding = Code(rawValue: "damagedContentCoding")
        /// The response exceeds a limit: of its header, its content codings, or their unpacked size
        /// (``ContentDecodingLimits``).
        public static let responseTooLarge = Code(rawValue: "responseTooLarge")
        /// The response is no valid HTTP: its header, or what it says of the length of its body.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The connection was lost after a request was sent on it whose method is not idempotent, so that it is not sent
        /// again (RFC 9110, section 9.2.2).
        public static let notRepeated = Code(rawValue: "notRepeated")
        /// The interrupted response cannot be continued, since the server has another one now.
        public static let cannotContinue = Code(rawValue: "cannotContinue")
        /// The resume data is not Ferry's, is damaged, or its partial file is gone.
        public static let invalidResumeData = Code(rawValue: "invalidResumeData")
        /// The server's certificate has expired.
        public static let certificateExpired = Code(rawValue: "certificateExpired")
        /// The server's certificate is not valid yet.
        public static let certificateNotYetValid = Code(rawValue: "certificateNotYetValid")
        /// The server's certificate comes from an authority that is not trusted.
        public static let unknownAuthority = Code(rawValue: "unknownAuthority")
        /// The server's certificate, or the last of its chain, is signed by itself and not trusted.
        public static let selfSignedCertificate = Code(rawValue: "selfSignedCertificate")
        /// The server's certificate is for another host.
        public static let certificateHostMismatch = Code(rawValue: "certificateHostMismatch")
        /// The server's certificate is not trusted for another reason, such as its purpose.
        public static let certificateUntrusted = Code(rawValue: "certificateUntrusted")
        /// The server's public key is none of the pinned ones: ``TLSOptions/publicKeyPins``.
        public static let pinMismatch = Code(rawValue: "pinMismatch")
        /// The connection was refused by ``TLSOptions/trustEvaluator`` or a ``ServerTrustPolicy``.
        public static let trustRefused = Code(rawValue: "trustRefused")
        /// The server asks for a client certificate, and was shown none.
        public static let clientCertificateRequired = Code(rawValue: "clientCertificateRequired")
        /// The server does not accept the client certificate.
        public static let clientCertificateRejected = Code(rawValue: "clientCertificateRejected")
        /// The client certificate or its key is damaged, or they do not belong together.
        public static let clientCertificateUnusable = Code(rawValue: "clientCertificateUnusable")
        /// The passphrase does not open the client certificate's key.
        public static let wrongPassphrase = Code(rawValue: "wrongPassphrase")
        /// Client and server have no version of TLS in common.
        public static let tlsVersion = Code(rawValue: "tlsVersion")
        /// The TLS handshake failed.
        public static let tlsHandshake = Code(rawValue: "tlsHandshake")
        /// ``TLSOptions`` has something that cannot be read or contradicts itself.
        public static let invalidTLSOptions = Code(rawValue: "invalidTLSOptions")
        /// This libcurl, or its TLS library, does not have what ``TLSOptions`` asks for.
        public static let tlsUnsupported = Code(rawValue: "tlsUnsupported")
        /// The proxy of the options or of `connectionProxyDictionary` cannot be one.
        public static let invalidProxy = Code(rawValue: "invalidProxy")
        /// The proxy was not found, or cannot be connected to.
        public static let proxyUnreachable = Code(rawValue: "proxyUnreachable")
        /// The proxy was reached, and did not make a way to the server.
        public static let proxyRefused = Code(rawValue: "proxyRefused")
        /// The proxy wants a credential before it opens a tunnel, and there is none that it accepts.
        public static let proxyAuthenticationRequired = Code(rawValue: "proxyAuthenticationRequired")
        /// ``NetworkOptions`` has something that cannot be used.
        public static let invalidNetworkOptions = Code(rawValue: "invalidNetworkOptions")
        /// ``NetworkOptions/localEndpoint`` is not one of this machine's.
        public static let localEndpointUnavailable = Code(rawValue: "localEndpointUnavailable")
        /// A class of the configuration's `protocolClasses` told its client what makes no sense.
        public static let protocolMisuse = Code(rawValue: "protocolMisuse")
        /// libcurl reported an error; ``CurlSessionError/curlCode`` has its number.
        public static let curl = Code(rawValue: "curl")
    }

    /// What went wrong.
    public let code: Code

    /// A sentence that names what was wrong.
    public let message: String

    /// libcurl's number of the error, where it comes from libcurl.
    public let curlCode: Int?

    /// The certificates the server presented, in DER and its own first, where the error is about them and they are known.
    public let certificates: [Data]

    /// The host whose certificates the error is about, in lower case and without percent-encoding.
    public let host: String?

    /// Makes an error.
    public init(
        _ code: Code,
        _ message: String,
        curlCode: Int? = nil,
        certificates: [Data] = [],
        host: String? = nil
    ) {
        self.code = code
        self.message = message
        self.curlCode = curlCode
        self.certificates = certificates
        self.host = host
    }

    /// The message.
    public var errorDescription: String? { message }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
