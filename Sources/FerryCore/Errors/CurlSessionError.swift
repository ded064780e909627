/// An error with more detail than a `URLError`.
///
/// Tasks complete with a `URLError`, as in URLSession, unless an interceptor or a protocol class reports another error.
/// Where Ferry has more detail, this error is the `NSUnderlyingErrorKey` of the `URLError`.
public struct CurlSessionError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
    /// The kind of an error; more may be added.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Makes a code with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// libcurl was not found, is too old, or could not be set up, for example for lack of descriptors.
        public static let curlUnavailable = Code(rawValue: "curlUnavailable")
        /// The task was made after its session was invalidated.
        public static let sessionInvalidated = Code(rawValue: "sessionInvalidated")
        /// The method is not a token of RFC 9110, section 5.6.2.
        public static let invalidMethod = Code(rawValue: "invalidMethod")
        /// The name or value of a header field of the request has bytes that HTTP does not allow, or the header is
        /// longer than libcurl accepts.
        public static let invalidHeader = Code(rawValue: "invalidHeader")
        /// The URL's host is not valid: it has characters that a host name cannot have, or it is not a correct address.
        public static let invalidHost = Code(rawValue: "invalidHost")
        /// The folder of ``CurlSession/Options/durability`` cannot be used, or another session has it.
        public static let durabilityUnavailable = Code(rawValue: "durabilityUnavailable")
        /// A call of FoundationNetworking's `async` functions cannot be carried over to the engine, since this version
        /// of FoundationNetworking is not known.
        public static let bypassesEngine = Code(rawValue: "bypassesEngine")
        /// No byte was sent or received for `timeoutInterval`.
        public static let inactivityTimeout = Code(rawValue: "inactivityTimeout")
        /// The exchange took longer than `timeoutIntervalForResource`.
        public static let resourceTimeout = Code(rawValue: "resourceTimeout")
        /// The call took longer than its deadline, ``CurlSession/Options/deadline`` or the task's own.
        public static let deadlineExceeded = Code(rawValue: "deadlineExceeded")
        /// The connection was not established within ``CurlSession/Options/connectTimeout``.
        public static let connectTimeout = Code(rawValue: "connectTimeout")
        /// The body's stream cannot be read a second time, and no new one was provided.
        public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")
        /// The length of the body differs from the announced one.
        public static let bodyLengthMismatch = Code(rawValue: "bodyLengthMismatch")
        /// More of a request's body is written, but the request has ended: a response came before the body was sent, or
        /// the task has failed or was cancelled.
        public static let requestHasEnded = Code(rawValue: "requestHasEnded")
        /// More of a request's body is written after its end.
        public static let bodyHasEnded = Code(rawValue: "bodyHasEnded")
        /// The process has no encoder for the content coding of a request's body.
        public static let contentCodingUnavailable = Code(rawValue: "contentCodingUnavailable")
        /// The content coding of the response is damaged.
        public static let damagedContentCoding = Code(rawValue: "damagedContentCoding")
        /// The content coding of the response has no end, although the response has.
        public static let incompleteContentCoding = Code(rawValue: "incompleteContentCoding")
        /// The response exceeds a limit: of its header, its size in memory, or one of ``ContentDecodingLimits``.
        public static let responseTooLarge = Code(rawValue: "responseTooLarge")
        /// The response is not valid HTTP: its header, or the length it announces for its body.
        public static let malformedResponse = Code(rawValue: "malformedResponse")
        /// The connection was lost after a request with a method that is not idempotent was sent on it, so the request
        /// is not sent again (RFC 9110, section 9.2.2).
        public static let notRepeated = Code(rawValue: "notRepeated")
        /// The interrupted response cannot be continued, because the server now has a different one.
        public static let cannotContinue = Code(rawValue: "cannotContinue")
        /// The resume data was not created by Ferry or is damaged, or its partial file is missing or cannot be used.
        public static let invalidResumeData = Code(rawValue: "invalidResumeData")
        /// The server's certificate has expired.
        public static let certificateExpired = Code(rawValue: "certificateExpired")
        /// The server's certificate is not valid yet.
        public static let certificateNotYetValid = Code(rawValue: "certificateNotYetValid")
        /// The server's certificate was issued by an authority that is not trusted.
        public static let unknownAuthority = Code(rawValue: "unknownAuthority")
        /// The server's certificate, or the last one of its chain, is self-signed and not trusted.
        public static let selfSignedCertificate = Code(rawValue: "selfSignedCertificate")
        /// The server's certificate is for another host.
        public static let certificateHostMismatch = Code(rawValue: "certificateHostMismatch")
        /// A certificate of the server is revoked: a list of ``TLSOptions/revocationLists`` or its OCSP response says
        /// so.
        public static let certificateRevoked = Code(rawValue: "certificateRevoked")
        /// It is not known whether the server's certificates are revoked: a revocation list or the OCSP response is
        /// missing, has expired or is not valid.
        public static let revocationUnknown = Code(rawValue: "revocationUnknown")
        /// The server's certificate is not trusted for another reason, such as its purpose.
        public static let certificateUntrusted = Code(rawValue: "certificateUntrusted")
        /// No key or certificate of the server is among ``TLSOptions/publicKeyPins`` or the pins of the trust policy.
        public static let pinMismatch = Code(rawValue: "pinMismatch")
        /// The connection was refused by ``TLSOptions/trustEvaluator`` or a ``ServerTrustPolicy``.
        public static let trustRefused = Code(rawValue: "trustRefused")
        /// The server asks for a client certificate, and none was sent.
        public static let clientCertificateRequired = Code(rawValue: "clientCertificateRequired")
        /// The server does not accept the client certificate.
        public static let clientCertificateRejected = Code(rawValue: "clientCertificateRejected")
        /// The client certificate or its key is damaged, or they do not match.
        public static let clientCertificateUnusable = Code(rawValue: "clientCertificateUnusable")
        /// The passphrase does not decrypt the client certificate's key.
        public static let wrongPassphrase = Code(rawValue: "wrongPassphrase")
        /// Client and server have no version of TLS in common.
        public static let tlsVersion = Code(rawValue: "tlsVersion")
        /// The TLS handshake failed.
        public static let tlsHandshake = Code(rawValue: "tlsHandshake")
        /// ``TLSOptions`` has a value that cannot be read, or contradicts itself.
        public static let invalidTLSOptions = Code(rawValue: "invalidTLSOptions")
        /// This libcurl, or its TLS library, does not support an option set in ``TLSOptions``.
        public static let tlsUnsupported = Code(rawValue: "tlsUnsupported")
        /// The proxy of the options or of `connectionProxyDictionary` is not valid.
        public static let invalidProxy = Code(rawValue: "invalidProxy")
        /// The proxy was not found, or it was not possible to connect to it.
        public static let proxyUnreachable = Code(rawValue: "proxyUnreachable")
        /// The proxy was reached, but did not connect to the server.
        public static let proxyRefused = Code(rawValue: "proxyRefused")
        /// The proxy requires a credential to open a tunnel, and there is none that it accepts.
        public static let proxyAuthenticationRequired = Code(rawValue: "proxyAuthenticationRequired")
        /// The request cannot use ``CurlSession/Options/httpVersions``: libcurl lacks the version, the URL has no TLS,
        /// or the request needs HTTP/1.1.
        public static let httpVersionUnsupported = Code(rawValue: "httpVersionUnsupported")
        /// The server does not speak the version of HTTP that ``CurlSession/Options/httpVersions`` requires.
        public static let httpVersionRefused = Code(rawValue: "httpVersionRefused")
        /// ``NetworkOptions`` has a value that cannot be used.
        public static let invalidNetworkOptions = Code(rawValue: "invalidNetworkOptions")
        /// ``NetworkOptions/localEndpoint`` is not an address or interface of this machine.
        public static let localEndpointUnavailable = Code(rawValue: "localEndpointUnavailable")
        /// The resolver of ``CurlSession/Options/dnsOverHTTPS`` has no address for the host, cannot be reached, or is
        /// not trusted.
        public static let resolverFailed = Code(rawValue: "resolverFailed")
        /// A circuit breaker did not let the request pass, since too many requests to the server have failed.
        public static let circuitOpen = Code(rawValue: "circuitOpen")
        /// A file of hosts for `HSTSStore` is not in the format of curl's option `--hsts`.
        public static let invalidHSTSFile = Code(rawValue: "invalidHSTSFile")
        /// A class of `protocolClasses` called its client in an invalid order or with invalid values.
        public static let protocolMisuse = Code(rawValue: "protocolMisuse")
        /// libcurl reported an error, whose number is ``CurlSessionError/curlCode``.
        public static let curl = Code(rawValue: "curl")
    }

    /// The kind of error.
    public let code: Code
    /// A sentence that describes the error.
    public let message: String
    /// libcurl's error number, or `nil` if the error does not come from libcurl.
    public let curlCode: Int?

    /// The certificates that the server presented, in DER and starting with its own, if the error concerns them and
    /// they are known.
    public let certificates: [Data]

    /// The host whose certificates the error concerns, in lowercase and without percent-encoding.
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
