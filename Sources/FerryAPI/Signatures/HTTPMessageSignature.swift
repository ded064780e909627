/// A signer for HTTP Message Signatures (RFC 9421), in the fields `Signature-Input` and `Signature`.
///
/// ```swift
/// var signature = HTTPMessageSignature(
///     [.method, .targetURI, .contentDigest, "content-type"],
///     keyID: "key-1",
///     hmacSHA256: key
/// )
/// signature.lifetime = 300
/// manager.interceptors = [signature]
/// ```
///
/// Other algorithms, such as `ed25519`, `ecdsa-p256-sha256` and `rsa-pss-sha512`, sign in a closure, which has the key.
///
/// Each attempt is signed with its own time: retries, and redirects within the origin. A request for another origin
/// is sent without a signature. Signatures that a request has already are kept, so that several signers with different
/// labels can follow each other.
public struct HTTPMessageSignature: RequestSigner {
    /// The components that the signature covers, in this order.
    public var components: [Component]
    /// The name of the signature in both fields; `sig1` by default.
    public var label = "sig1"
    /// The parameter `alg`, such as `hmac-sha256`; `nil`, the default, if the key determines it.
    public var algorithm: String?
    /// The time in seconds after which the signature expires; `nil`, the default, for no parameter `expires`.
    public var lifetime: TimeInterval?
    /// A closure that returns a new value for the parameter `nonce` of each signature; `nil`, the default, for none.
    public var nonce: (@Sendable () -> String)?
    /// The parameter `tag`, which names the application; `nil`, the default, for none.
    public var tag: String?
    /// A closure that returns the time of a signature; by default the system's.
    public var clock: @Sendable () -> Date = { Date() }
    private let keyID: String?
    private let scope: CredentialScope
    private let sign: @Sendable (Data) async throws -> Data

    /// Creates a signer with an algorithm of your own.
    ///
    /// - Parameters:
    ///   - components: The components that the signature covers.
    ///   - keyID: The parameter `keyid`, by which the server finds the key; `nil` for none.
    ///   - origins: URLs of the origins for which requests are signed; by default the origin of each task's original
    ///     URL.
    ///   - sign: A closure that returns the signature of the given bytes, the signature base. The task fails with an
    ///     error that it throws.
    public init(
        _ components: [Component],
        keyID: String?,
        origins: [URL]? = nil,
        sign: @escaping @Sendable (Data) async throws -> Data
    ) {
        (self.components, self.keyID, self.sign) = (components, keyID, sign)
        scope = CredentialScope(origins)
    }

    /// Creates a signer with the algorithm `hmac-sha256`.
    ///
    /// - Parameters:
    ///   - components: The components that the signature covers.
    ///   - keyID: The parameter `keyid`, by which the server finds the key; `nil` for none.
    ///   - key: The key that both sides share.
    ///   - origins: URLs of the origins for which requests are signed; by default the origin of each task's original
    ///     URL.
    public init(_ components: [Component], keyID: String?, hmacSHA256 key: Data, origins: [URL]? = nil) {
        self.init(components, keyID: keyID, origins: origins) { HMACSHA256.code(for: $0, key: key) }
    }

    /// An empty set: a refused request is not signed again.
    public var failureStatusCodes: Set<Int> { [] }

    /// Returns `Signature-Input`, `Signature` and, if it is covered and missing, `Content-Digest`.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - attempt: The attempt that is about to begin.
    /// - Returns: The fields; none for an origin whose requests are not signed.
    /// - Throws: `RequestSerializationError` if the request does not have a component, its value is not ASCII, or a
    ///   parameter cannot be sent; the error of the closure that signs; or a `URLError` if a file cannot be read.
    public func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String] {
        guard scope.includes(request.url, in: attempt) else { return [:] }
        let label = try StructuredField.key(label)
        var added: [String: String] = [:]
        if components.contains(.contentDigest), request.value(forHTTPHeaderField: Self.digestName) == nil {
            added[Self.digestName] = try await digest(of: request)
        }
        let (base, parameters) = try signatureBase(of: request, digest: added[Self.digestName])
        let signature = try await sign(Data(base.utf8))
        for (name, value) in [("Signature-Input", parameters), ("Signature", StructuredField.bytes(signature))] {
            let members = [request.value(forHTTPHeaderField: name), "\(label)=\(value)"].compactMap { $0 }
            added[name] = members.joined(separator: ", ")
        }
        return added
    }

    /// Returns the text to sign (section 2.5), and the parameters at its end; `digest` is that of the `Content-Digest`
    /// field that is added; throws if the request lacks a component, or a value or parameter cannot be signed.
    package func signatureBase(
        of request: SignableRequest,
        digest: String? = nil
    ) throws -> (text: String, parameters: String) {
        guard Set(components).count == components.count else {
            throw RequestSerializationError(.invalidHeader, reason: "A signature cannot cover a component twice.")
        }
        let identifiers = try components.map { try $0.identifier() }
        let created = clock()
        var parameters = try "(\(identifiers.joined(separator: " ")));created=\(StructuredField.integer(created))"
        if let lifetime { parameters += try ";expires=" + StructuredField.integer(created + lifetime) }
        for (name, value) in [("keyid", keyID), ("alg", algorithm), ("nonce", nonce?()), ("tag", tag)] {
            if let value { parameters += try ";\(name)=" + StructuredField.string(value) }
        }
        var lines: [String] = []
        for (component, identifier) in zip(components, identifiers) {
            let added = component == .contentDigest ? digest : nil
            let value = try added ?? component.value(in: request)
            guard value.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw RequestSerializationError(.invalidHeader, reason: "The value of \(identifier) is not ASCII.")
            }
            lines.append("\(identifier): \(value)")
        }
        lines.append("\"@signature-params\": \(parameters)")
        return (lines.joined(separator: "\n"), parameters)
    }

    private func digest(of request: SignableRequest) async throws -> String {
        guard let digest = try await request.bodySHA256() else {
            throw RequestSerializationError(
                .invalidHeader,
                reason: "The body is a stream, so its Content-Digest is not known before it is sent."
            )
        }
        return "sha-256=" + StructuredField.bytes(digest)
    }

    private static let digestName = "Content-Digest"
}

extension HTTPMessageSignature: RedactedDescription {
    /// The label and the key's identifier, without the key.
    public var description: String {
        "the HTTP message signature \(label)" + (keyID.map { " with the key \($0)" } ?? "")
    }
}
