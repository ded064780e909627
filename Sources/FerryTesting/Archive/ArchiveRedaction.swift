/// The values that an ``HTTPArchiveRecorder`` replaces by `<redacted>`.
///
/// The user and password of URLs are removed in any case.
public struct ArchiveRedaction: Sendable {
    /// The names of the header fields of requests and responses whose values are secret; case is ignored.
    ///
    /// The default is `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`.
    public var headers: Set<String>

    /// A Boolean value that indicates whether header fields, parameters of URLs, form fields and JSON members are
    /// secret if their names suggest it, such as `X-Api-Key` and `access_token`; true by default.
    public var redactsSecretNames: Bool

    /// A closure that returns the body to record for a body and its media type; nil to record bodies unchanged.
    ///
    /// Use it for secrets whose names do not suggest a secret. A `multipart` body is left out if this is nil and
    /// ``redactsSecretNames`` is true, since its parts may be secret. It is called on the thread that records.
    public var body: (@Sendable (_ body: Data, _ mimeType: String) -> Data)?

    /// Creates a redaction.
    ///
    /// - Parameters:
    ///   - headers: The names of the header fields whose values are secret.
    ///   - redactsSecretNames: Whether names that suggest a secret are recognized.
    ///   - body: Returns the body to record for a body; nil to record bodies unchanged.
    public init(
        headers: Set<String> = ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"],
        redactsSecretNames: Bool = true,
        body: (@Sendable (_ body: Data, _ mimeType: String) -> Data)? = nil
    ) {
        self.headers = headers
        self.redactsSecretNames = redactsSecretNames
        self.body = body
    }

    /// Everything is recorded, including credentials.
    ///
    /// Do not publish such an archive.
    public static let none = ArchiveRedaction(headers: [], redactsSecretNames: false)

    func url(_ text: String) -> String {
        let plain = PresentableText.withoutUserInfo(text)
        return redactsSecretNames ? PresentableText.withoutSecretParameters(plain) : plain
    }

    func fields(_ fields: [(name: String, value: String)]) -> [HTTPArchive.Field] {
        let secret = Set(headers.map { $0.lowercased() })
        return fields.map { name, value in
            let key = name.lowercased()
            // An invalid name may be a whole field with its value.
            let name = redactsSecretNames ? PresentableText.argument(name) : name
            if secret.contains(key) { return HTTPArchive.Field(name: name, value: SecretName.placeholder) }
            let shown =
                redactsSecretNames
                ? PresentableText.field(name, value) : PresentableText.field(key, value, url: url)
            return HTTPArchive.Field(name: name, value: shown)
        }
    }

    /// Returns a body as it is recorded, or nil if it is left out.
    func body(_ body: Data, mimeType: String) -> Data? {
        let own: (@Sendable (Data, String) -> Data)? = self.body
        let shown = own.map { $0(body, mimeType) } ?? body
        guard redactsSecretNames, !shown.isEmpty else { return shown }
        // Each byte becomes a character, so that a body does not have to be UTF-8.
        let text = String(String.UnicodeScalarView(shown.map { Unicode.Scalar($0) }))
        guard let safe = PresentableText.body(text, type: mimeType) else { return own == nil ? nil : shown }
        return Data(safe.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }
}
