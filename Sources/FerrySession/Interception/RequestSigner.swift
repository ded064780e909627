/// An interceptor that signs requests as they are sent: with their final header fields and the digest of their body.
///
/// It is asked after all interceptors have adapted the request, so that nothing changes afterwards but the fields of
/// the other signers. The module `FerryAPI` has signers for AWS Signature Version 4 and for HTTP Message Signatures
/// (RFC 9421).
public protocol RequestSigner: RequestInterceptor {
    /// Returns the fields that are added to a request as it is sent, such as `Signature-Input` and `Signature`.
    ///
    /// - Returns: The names and values of the fields, which replace those of the request.
    /// - Throws: The reason why the request cannot be signed, with which the task then fails.
    func signature(for request: SignableRequest, in attempt: RequestAttempt) async throws -> [String: String]
}

/// A request as it is sent, for a signature.
public struct SignableRequest: Sendable {
    /// A header field.
    public struct Field: Sendable, Hashable {
        /// The name as it is sent.
        public let name: String
        /// The value as it is sent.
        public let value: String
    }

    /// The method.
    public let method: String
    /// The URL.
    public let url: URL
    /// The header fields that are sent, in their order, with `Host`.
    ///
    /// The fields that frame the body, `Content-Length` and `Transfer-Encoding`, and those that answer a challenge of
    /// the server or a proxy are not among them. A continued body is requested with additional fields.
    public let headerFields: [Field]
    private let body: BodySource

    init(_ prepared: PreparedRequest, url: URL, body: BodySource) {
        method = prepared.method
        self.url = url
        self.body = body
        var fields: [Field] = []
        for field in prepared.fields {
            guard let value = field.value else { continue }
            fields.append(Field(name: field.name, value: value[...].utf8.trimmed.string))
        }
        if !fields.contains(where: { $0.name.folded == "host" }) {
            fields.insert(Field(name: "Host", value: Self.authority(prepared.origin)), at: 0)
        }
        headerFields = fields
    }

    /// Makes a request that is not sent.
    package init(method: String, url: URL, headerFields: [(name: String, value: String)], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headerFields = headerFields.map { Field(name: $0.name, value: $0.value) }
        self.body = body.map { .data($0) } ?? .none
    }

    /// The path and the query, as they are sent.
    package var target: String { RequestTargetRule.target(of: url.absoluteString) ?? "/" }

    private static func authority(_ origin: Origin) -> String {
        let isDefault = origin.port == (origin.scheme == "https" ? 443 : 80)
        return isDefault ? origin.hostText : "\(origin.hostText):\(origin.port)"
    }

    /// The value of a field, whose name may be in any case; `nil` if the request does not have it.
    ///
    /// The values of several fields with the name are joined by a comma and a space.
    public func value(forHTTPHeaderField name: String) -> String? {
        let values = headerFields.filter { $0.name.folded == name.folded }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Returns the SHA-256 of the body, or `nil` for a stream, which can be read only once.
    ///
    /// A file is read to its end, unless the Swift task is cancelled.
    ///
    /// - Returns: The 32 bytes of the digest.
    /// - Throws: A `URLError` if the file cannot be read.
    public func bodySHA256() async throws -> Data? {
        var hash = SHA256Hash()
        switch body {
        case .none: break
        case .data(let data): hash.update(data)
        case .file(let url):
            let reader = try FileReader(url)
            defer { reader.close() }
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                try Task.checkCancellation()
                let piece = reader.read(into: buffer)
                if case .failed(let error) = piece { throw error }
                guard case .bytes(let count) = piece else { break }
                hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                await Task.yield()
            }
        case .stream, .made, .delegateStream: return nil
        }
        return Data(hash.digest)
    }
}

extension SignableRequest: RedactedDescription {
    /// The method and the URL, without secrets.
    public var description: String { method + " " + url.presentableText }
}

extension SignableRequest.Field: RedactedDescription {
    /// The name and the value, with `<redacted>` in place of a secret value such as that of `Authorization`.
    public var description: String { name + ": " + PresentableText.field(name, value) }
}
