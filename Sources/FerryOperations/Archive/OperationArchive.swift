/// The archived state of an operation, validated when it is read.
struct OperationArchive: Sendable {
    typealias State = RequestOperation.State

    let request: URLRequest
    /// The state: ready or finished.
    let state: State
    let isCancelled: Bool
    /// The part of the response that had arrived.
    let body: ReceivedBody
    let error: NetworkError?
    /// The serializer that parses the response; nil if it could not be archived.
    let serializer: ArchivedSerializer?

    private static let magic = Data("ferry-operation ".utf8)
    /// The number of bytes before the payload: the signature, the checksum in hexadecimal and a line break.
    static let sealLength = seal(Data()).count
    /// The largest number of received bytes that is accepted; it leaves room for adding more without overflow.
    private static let maximumBytes = Int64.max / 2

    /// The JSON in the first line of the payload; the body's bytes follow it.
    private struct Head: Codable {
        static let currentVersion = 1

        var version = Head.currentVersion
        var request: RequestDescriptor
        var state: Int
        var isCancelled: Bool
        var response: Response?
        var error: Failure?
        var serializer: ArchivedSerializer?
        var byteCount: Int64
        var streamStart: Int64
    }

    private struct Response: Codable {
        var url: URL
        var status: Int
        var fields: [String: String]
    }

    private struct Failure: Codable {
        var code: String
        var message: String
        var url: URL?
    }

    // MARK: - Writing

    /// Captures an operation's record; an operation that is running is archived as a ready one.
    init(_ record: OperationRecord, serializer: ArchivedSerializer? = nil) {
        self.serializer = serializer
        request = record.request
        state = record.machine.state == .finished ? .finished : .ready
        isCancelled = record.machine.isCancelled
        body = record.body
        // An operation that is still ending is archived as ready, and runs again.
        error = state == .finished ? record.error : nil
    }

    /// Returns the archive as bytes.
    func encoded() throws(NetworkError) -> Data {
        let received = body.response as? HTTPURLResponse
        let head = Head(
            request: try RequestDescriptor(request),
            state: state.rawValue,
            isCancelled: isCancelled,
            response: received.flatMap { response in
                response.url.map { Response(url: $0, status: response.statusCode, fields: response.archivedFields) }
            },
            error: error.map { Failure(code: $0.code.rawValue, message: $0.message, url: $0.failingURL) },
            serializer: serializer,
            byteCount: body.byteCount,
            streamStart: body.streamStart
        )
        do {
            return Self.seal(try JSONEncoder().encode(head) + Data("\n".utf8) + body.data)
        } catch {
            throw NetworkError(.encodingFailed, message: "The operation cannot be archived", underlyingError: error)
        }
    }

    /// Prepends the signature and the checksum to a payload.
    static func seal(_ payload: Data) -> Data {
        magic + Data("\(ByteHash.of(payload).hexadecimal)\n".utf8) + payload
    }

    // MARK: - Reading

    /// Reads and validates an archive; the data may be anything.
    init(_ data: Data) throws(NetworkError) {
        guard data.starts(with: Self.magic) else { throw .archive("It does not begin with the signature of one") }
        let payload = Data(data.dropFirst(Self.sealLength))
        guard Self.seal(payload) == data else { throw .archive("It is damaged") }
        guard let end = payload.firstIndex(of: UInt8(ascii: "\n")) else { throw .archive("It is truncated") }
        let head: Head
        do {
            head = try JSONDecoder().decode(Head.self, from: payload[..<end])
        } catch {
            throw .archive("Its head is malformed", error)
        }
        try self.init(head, body: Data(payload[(end + 1)...]))
    }

    private init(_ head: Head, body data: Data) throws(NetworkError) {
        guard head.version == Head.currentVersion else { throw .archive("It has the unknown version \(head.version)") }
        guard let state = State(rawValue: head.state), state == .ready || state == .finished else {
            throw .archive("It has the invalid state \(head.state)")
        }
        // Bytes that went to an output stream are not in the archive.
        guard head.byteCount == Int64(data.count) || (data.isEmpty && (0...Self.maximumBytes).contains(head.byteCount))
        else {
            throw .archive("Its byteCount is \(head.byteCount), but it has \(data.count) bytes of data")
        }
        guard (0...Self.maximumBytes).contains(head.streamStart) else {
            throw .archive("Its streamStart is \(head.streamStart)")
        }
        let response = try Self.response(head.response)
        if let length = response?.bodyLength, head.byteCount > length {
            throw .archive("Its byteCount is \(head.byteCount), but its response has \(length) bytes")
        }
        guard response != nil || head.byteCount == 0 else { throw .archive("It has a body without a response") }
        request = head.request.urlRequest
        self.state = state
        isCancelled = head.isCancelled
        serializer = head.serializer
        var body = ReceivedBody(response: response, request: request, data: data, byteCount: head.byteCount)
        body.streamStart = head.streamStart
        self.body = body
        let failure = state == .finished ? head.error : nil
        error = failure.map { failure in
            NetworkError(
                NetworkError.Code(rawValue: failure.code),
                message: failure.message,
                failingURL: failure.url,
                response: response
            )
        }
    }

    private static func response(_ kept: Response?) throws(NetworkError) -> HTTPURLResponse? {
        guard let kept else { return nil }
        guard kept.url.isWebAddress, (100...999).contains(kept.status), HeaderRule.areFields(kept.fields),
            let response = HTTPURLResponse(
                url: kept.url,
                statusCode: kept.status,
                httpVersion: "HTTP/1.1",
                headerFields: kept.fields
            )
        else { throw .archive("Its response has a malformed URL, status or header field") }
        return response
    }
}

extension HTTPURLResponse {
    /// The header fields from which the response can be created again.
    fileprivate var archivedFields: [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            fields[name] = value
        }
        // With chunks, the field does not count (RFC 9112, section 6.3).
        if value(forHTTPHeaderField: "Transfer-Encoding") != nil {
            fields = fields.filter { !$0.key.isEqualIgnoringCase("content-length") }
        }
        return fields
    }
}

extension NetworkError {
    fileprivate static func archive(_ what: String, _ cause: (any Error)? = nil) -> NetworkError {
        NetworkError(
            .decodingFailed,
            message: "This is not an archive of an operation: \(what)",
            underlyingError: cause,
            decodingError: cause
        )
    }
}

extension RequestOperation {
    /// The key of the ``archivedData()`` in a keyed archive.
    static let archiveKey = "ferry.operation"

    /// A Boolean value that indicates whether the class supports secure coding; always true.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the operation: its request, state, response, error, body, byte count and, where possible, serializer.
    ///
    /// A running operation is paused first and stays paused; it is archived as a ready one. An operation made from the
    /// archive, in the same or another process, continues where this one stopped. The archive contains the request's
    /// header fields and is as confidential as they are.
    ///
    /// - Returns: The archive, for ``init(archivedData:manager:)``.
    /// - Throws: `NetworkError` with `NetworkError.Code.encodingFailed` if the request cannot be archived, for
    ///   example because its body is a stream.
    public func archivedData() throws(NetworkError) -> Data {
        if isExecuting { pause() }
        return try OperationArchive(record.withLock { $0 }, serializer: archivedSerializer).encoded()
    }

    /// Archives the operation in a keyed archive.
    ///
    /// If the operation cannot be archived (see ``archivedData()``), nothing is encoded, and decoding the archive
    /// fails.
    ///
    /// - Parameter coder: The archiver.
    public func encode(with coder: NSCoder) {
        do {
            coder.encode(NSData(data: try archivedData()), forKey: Self.archiveKey)
        } catch {
            // Under the other policy, `failWithError` ends the process.
            if coder.decodingFailurePolicy == .setErrorAndReturn { coder.failWithError(error) }
        }
    }
}
