/// The requests of a protocol for resumable uploads, and the interpretation of its responses.
enum UploadProtocol: Sendable, Hashable {
    /// draft-ietf-httpbis-resumable-upload.
    case resumableUploads
    /// https://tus.io/protocols/resumable-upload, version 1.0.0.
    case tus

    /// The version of the draft's messages that Ferry sends (draft-ietf-httpbis-resumable-upload-08 and later).
    static let draftVersion = "8"
    static let tusVersion = "1.0.0"

    var resumption: FileUpload.Resumption { self == .tus ? .tus : .resumableUploads }

    /// The part of an upload that a server has.
    struct Status: Sendable, Equatable {
        var offset: Int64
        var isComplete: Bool
    }

    private func setCommonFields(of request: inout URLRequest) {
        switch self {
        case .tus:
            request.setValue(Self.tusVersion, forHTTPHeaderField: "Tus-Resumable")
            request.idempotencyKey = nil
        case .resumableUploads:
            request.setValue(Self.draftVersion, forHTTPHeaderField: "Upload-Draft-Interop-Version")
        }
    }

    /// Returns a request to the URL of an upload; another origin gets no header fields of the original request.
    func request(_ method: String, _ url: URL, like original: URLRequest) -> URLRequest {
        var request = URLRequest(url: url, timeoutInterval: original.timeoutInterval)
        if let own = original.url, Origin(own) == Origin(url) {
            request.allHTTPHeaderFields = original.allHTTPHeaderFields
            request.idempotencyKey = nil
        }
        request.httpShouldHandleCookies = original.httpShouldHandleCookies
        request.httpMethod = method
        request.cachePolicy = .reloadIgnoringLocalCacheData
        setCommonFields(of: &request)
        return request
    }

    /// Returns the request that sends a part, with its digest if that is given.
    func partRequest(
        _ location: URL,
        _ part: Range<Int64>,
        of size: Int64,
        digest: ContentDigest?,
        like request: URLRequest
    ) -> URLRequest {
        var append = self.request("PATCH", location, like: request)
        append.setValue("\(part.lowerBound)", forHTTPHeaderField: "Upload-Offset")
        switch self {
        case .tus:
            append.setValue("application/offset+octet-stream", forHTTPHeaderField: "Content-Type")
            if let digest {
                let value = "\(Self.checksumName(digest.algorithm)) \(Data(digest.bytes).base64EncodedString())"
                append.setValue(value, forHTTPHeaderField: "Upload-Checksum")
            }
        case .resumableUploads:
            append.setValue(digest?.fieldValue, forHTTPHeaderField: "Content-Digest")
            append.setValue("application/partial-upload", forHTTPHeaderField: "Content-Type")
            append.setValue(part.upperBound == size ? "?1" : "?0", forHTTPHeaderField: "Upload-Complete")
        }
        return append
    }

    /// Returns the request that creates an upload: with tus without the file, otherwise with it.
    func creationRequest(_ request: URLRequest, size: Int64, metadata: [String: String]) -> URLRequest {
        var creation = request
        setCommonFields(of: &creation)
        creation.setValue("\(size)", forHTTPHeaderField: "Upload-Length")
        switch self {
        case .tus:
            creation.httpMethod = "POST"
            let pairs = metadata.sorted { $0.key < $1.key }
                .map { "\($0.key) \(Data($0.value.utf8).base64EncodedString())" }
            if !pairs.isEmpty { creation.setValue(pairs.joined(separator: ","), forHTTPHeaderField: "Upload-Metadata") }
        case .resumableUploads: creation.setValue("?1", forHTTPHeaderField: "Upload-Complete")
        }
        return creation
    }

    static func isMetadataKey(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
    }

    /// The name of an algorithm in the fields of tus.
    static func checksumName(_ algorithm: ContentDigest.Algorithm) -> String {
        switch algorithm {
        case .sha256: "sha256"
        case .sha512: "sha512"
        }
    }

    static func partCreationRequest(_ request: URLRequest, size: Int64) -> URLRequest {
        var creation = tus.creationRequest(request, size: size, metadata: [:])
        creation.setValue("partial", forHTTPHeaderField: "Upload-Concat")
        return creation
    }

    /// Returns the request with which tus joins the uploads of parts.
    static func joiningRequest(_ request: URLRequest, of parts: [URL], metadata: [String: String]) -> URLRequest {
        var joining = tus.creationRequest(request, size: 0, metadata: metadata)
        joining.setValue(nil, forHTTPHeaderField: "Upload-Length")
        let list = parts.map(\.absoluteString).joined(separator: " ")
        joining.setValue("final;" + list, forHTTPHeaderField: "Upload-Concat")
        return joining
    }

    /// Returns the date at which an upload will be deleted, if a response has it.
    func expiration(in response: HTTPURLResponse) -> Date? {
        switch self {
        case .tus: response.value(forHTTPHeaderField: "Upload-Expires").flatMap { HTTPDate.parse($0) }
        case .resumableUploads:
            Self.limit("max-age", in: response).map { min(Date.current.addingTimeInterval(Double($0)), .distantFuture) }
        }
    }

    /// Returns the status in a response to a `HEAD` request.
    func status(in response: HTTPURLResponse, size: Int64) throws(FileUploadError) -> Status {
        guard let offset = Self.number("Upload-Offset", in: response) else {
            throw .badResponse("Upload-Offset is missing or not a number")
        }
        if let length = Self.number("Upload-Length", in: response), length != size {
            throw .badResponse("the upload has \(length) bytes instead of \(size)")
        }
        guard offset <= size else { throw .badResponse("the offset \(offset) is beyond the end of the file") }
        let isComplete: Bool
        switch self {
        case .tus: isComplete = offset == size
        case .resumableUploads:
            isComplete = Self.item("Upload-Complete", in: response) == "?1"
            if isComplete, offset < size { throw .badResponse("the upload is complete after \(offset) bytes") }
        }
        return Status(offset: offset, isComplete: isComplete)
    }

    /// Returns the URL of the upload that a response has created.
    ///
    /// An upload from https to http would send the file, and the request's credentials, in the clear.
    static func location(in response: HTTPURLResponse, for request: URLRequest) -> URL? {
        guard let text = response.value(forHTTPHeaderField: "Location"), let base = response.url ?? request.url,
            let url = URLReference.resolve(text, against: base), url.isWebAddress,
            Origin(base).scheme != "https" || Origin(url).scheme == "https"
        else { return nil }
        return url
    }

    /// Returns a limit of `Upload-Limit`, a dictionary of numbers (RFC 8941), or of tus.
    static func limit(_ name: String, in response: HTTPURLResponse) -> Int64? {
        if name == "max-size", let limit = number("Tus-Max-Size", in: response) { return limit }
        let members = response.value(forHTTPHeaderField: "Upload-Limit")?.split(separator: ",") ?? []
        // The last member with a name counts.
        for member in members.prefix(64).reversed() {
            guard let parts = member.utf8.cut(at: "="), parts.before.trimmed.string == name else { continue }
            return ByteCount(digits: value(of: parts.after)).map(\.int64)
        }
        return nil
    }

    static func number(_ name: String, in response: HTTPURLResponse) -> Int64? {
        item(name, in: response).flatMap { ByteCount(digits: $0) }?.int64
    }

    /// Returns the text of a field with one item (RFC 9651, section 3.3).
    static func item(_ name: String, in response: HTTPURLResponse) -> String? {
        response.value(forHTTPHeaderField: name).map { value(of: $0[...].utf8) }
    }

    /// Returns the text of an item without its parameters.
    private static func value(of item: Substring.UTF8View) -> String {
        (item.cut(at: ";")?.before ?? item).trimmed.string
    }
}

extension FileUpload {
    /// Withholds credentials from a request to another origin than the upload's, whose URL a server has chosen.
    func prepare(_ task: URLSessionTask, for request: URLRequest) {
        if self.request.url.map(Origin.init) != request.url.map(Origin.init) { task.noteOtherOrigin() }
    }
}

extension URLRequest {
    /// The value by which a server recognizes a request that is sent again.
    ///
    /// The requests of a resumable upload have none: each one differs, and the server reports how much it has.
    var idempotencyKey: String? {
        get { value(forHTTPHeaderField: "Idempotency-Key") }
        set { setValue(newValue, forHTTPHeaderField: "Idempotency-Key") }
    }

    /// Sets the type of a file that is posted, since the session would otherwise set that of a form.
    mutating func setTypeOfFile(in session: CurlSession) {
        let names = (session.configuration.httpAdditionalHeaders ?? [:]).keys.map { "\($0.base)" }
        let all = names + (allHTTPHeaderFields ?? [:]).keys
        guard httpMethod == "POST", !all.contains(where: "Content-Type".isEqualIgnoringCase) else { return }
        setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    }
}
