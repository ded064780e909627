/// The access key with which requests to Amazon Web Services are signed.
///
/// Its textual descriptions contain neither the secret key nor the session token.
public struct AWSCredentials: Sendable, Hashable {
    /// The identifier of the access key, which is sent.
    public let accessKeyID: String
    /// The secret access key, which is not sent.
    public let secretAccessKey: String
    /// The token of temporary credentials, which is sent as `X-Amz-Security-Token`; `nil` for permanent ones.
    public let sessionToken: String?

    /// Creates credentials, which by default are permanent.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        (self.accessKeyID, self.secretAccessKey, self.sessionToken) = (accessKeyID, secretAccessKey, sessionToken)
    }
}

extension AWSCredentials: RedactedDescription {
    /// The identifier of the access key, without secrets.
    public var description: String { "the access key \(accessKeyID)" }
}
