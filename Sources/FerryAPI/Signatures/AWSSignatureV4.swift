/// A signer for AWS Signature Version 4, in the `Authorization` field.
///
/// ```swift
/// manager.interceptors = [
///     AWSSignatureV4(region: "eu-central-1", service: "execute-api") {
///         try await store.credentials()
///     }
/// ]
/// ```
///
/// Each attempt is signed with its own time: retries, and redirects within the origin. A request for another origin
/// is sent without a signature and without the session token.
///
/// All fields are signed but those that the client or a proxy may set or change on the way, such as `User-Agent`. The
/// digest of a body in memory or in a file is signed; a file is read for it. A stream is sent with
/// `UNSIGNED-PAYLOAD`, which S3 accepts over https. If a request has an `X-Amz-Content-Sha256` field, its value is
/// signed, and the body is not read.
public struct AWSSignatureV4: RequestSigner {
    /// The region of the service, such as `us-east-1`.
    public let region: String
    /// The name of the service in signatures, such as `s3`.
    public let service: String
    /// A Boolean value that indicates whether the path is normalized, and encoded a second time, for the signature.
    ///
    /// By default it is `false` for S3, and `true` for all other services.
    public var encodesPathTwice: Bool
    /// A Boolean value that indicates whether the digest of each body is sent, as `X-Amz-Content-Sha256`.
    ///
    /// By default it is `true` for S3, which needs it, and `false` for all other services.
    public var sendsBodyDigest: Bool
    /// A closure that returns the time of a signature; by default the system's.
    public var clock: @Sendable () -> Date = { Date() }
    private let credentials: @Sendable () async throws -> AWSCredentials
    private let scope: CredentialScope

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - region: The region of the service, such as `us-east-1`.
    ///   - service: The name of the service in signatures, such as `s3` or `execute-api`.
    ///   - origins: URLs of the origins for which requests are signed; by default the origin of each task's original
    ///     URL.
    ///   - credentials: A closure that returns the credentials. It is called before each attempt; the task fails with
    ///     an error that it throws.
    public init(
        region: String,
        service: String,
        origins: [URL]? = nil,
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        (self.region, self.service, self.credentials) = (region, service, credentials)
        scope = CredentialScope(origins)
        let isS3 = service == "s3" || service.hasPrefix("s3-") || service == "s3express"
        (encodesPathTwice, sendsBodyDigest) = (!isS3, isS3)
    }

    /// An empty set: a refused request is not signed again.
    public var failureStatusCodes: Set<Int> { [] }

    /// Returns `Authorization`, `X-Amz-Date` and, if needed, `X-Amz-Security-Token` and `X-Amz-Content-Sha256`.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - attempt: The attempt that is about to begin.
    /// - Returns: The fields; none for an origin whose requests are not signed.
    /// - Throws: The error of the closure for credentials, or a `URLError` if a file cannot be read.
    public func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String] {
        guard scope.includes(request.url, in: attempt) else { return [:] }
        let credentials = try await credentials()
        var added: [String: String] = [:]
        var payload = request.value(forHTTPHeaderField: Self.digestName)
        if payload == nil {
            let digest = try await request.bodySHA256()?.hexadecimal
            payload = digest ?? "UNSIGNED-PAYLOAD"
            if sendsBodyDigest || digest == nil { added[Self.digestName] = payload }
        }
        // The time is asked for last: the server compares it with its own, and a large file takes time to read.
        let time = clock().formatted(Self.timeFormat)
        added["X-Amz-Date"] = time
        added["X-Amz-Security-Token"] = credentials.sessionToken
        let canonical = AWSCanonicalRequest(
            method: request.method,
            target: request.target,
            fields: Self.fields(of: request, replacedBy: added),
            payload: payload ?? "",
            encodesPathTwice: encodesPathTwice
        )
        added["Authorization"] = authorization(of: canonical, time: time, credentials)
        return added
    }

    private func authorization(
        of canonical: AWSCanonicalRequest,
        time: String,
        _ credentials: AWSCredentials
    ) -> String {
        let parts = [String(time.prefix(8)), region, service, "aws4_request"]
        let scope = parts.joined(separator: "/")
        let digest = SHA256Hash.hash(Data(canonical.text.utf8)).hexadecimal
        let text = [Self.algorithm, time, scope, digest].joined(separator: "\n")
        let key = parts.reduce(Data("AWS4\(credentials.secretAccessKey)".utf8)) { key, part in
            HMACSHA256.code(for: Data(part.utf8), key: key)
        }
        let signature = HMACSHA256.code(for: Data(text.utf8), key: key).hexadecimal
        return "\(Self.algorithm) Credential=\(credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)"
    }

    private static func fields(
        of request: SignableRequest,
        replacedBy added: [String: String]
    ) -> [(name: String, value: String)] {
        let replaced = Set(added.keys.map(\.folded))
        return request.headerFields.filter { !replaced.contains($0.name.folded) }.map { ($0.name, $0.value) }
            + added.map { ($0.key, $0.value) }
    }

    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let digestName = "X-Amz-Content-Sha256"
    private static let timeFormat = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
}

extension AWSSignatureV4: RedactedDescription {
    /// The service and the region, without credentials.
    public var description: String { "AWS Signature Version 4 for \(service) in \(region)" }
}
