/// One run of a ``FileUpload``: creates the upload, sends the missing bytes, and asks for the offset after failures.
final class UploadRun: Sendable {
    /// A part of the file, which has an upload of its own at the server.
    private struct Part: Sendable {
        let range: Range<Int64>
        /// The bytes that the server is known to have.
        var confirmed: Int64 = 0
        /// Whether the server has been asked how many bytes it has.
        var isKnown = false
        private(set) var expires: Date?
        /// The largest number of bytes of one request, if the server has set one.
        var maximumBytes: Int64?

        /// Notes the date at which the server will delete the upload; unless it is soon, changes below a minute are
        /// ignored.
        mutating func noteExpiration(_ told: Date?) {
            guard let told else { return }
            let left = expires?.timeIntervalSince(.current) ?? 0
            if let expires, left > 60, abs(told.timeIntervalSince(expires)) < 60 { return }
            expires = told
        }
    }

    private struct State: Sendable {
        var location: FileUpload.Location?
        /// One part until it is known how many there are.
        var parts = [Part(range: 0..<0)]
        var continuedByteCount: Int64 = 0
    }

    /// A failure after which the server is asked again how many bytes it has.
    struct Interruption: Error {
        let cause: any Error
    }

    /// The result of a request.
    enum Step: Sendable {
        case finished(FileUpload.Outcome)
        case created
        /// The server no longer has the upload.
        case gone
    }

    let session: CurlSession
    let upload: FileUpload
    let progress: UploadProgress
    private let state: Mutex<State>

    private static let maximumFailures = 6
    /// The number of times that an upload is created again because the server no longer has it.
    private static let maximumRestarts = 3
    private static let maximumConnections = 32

    init(session: CurlSession, upload: FileUpload, progress: (@Sendable (TransferProgress) -> Void)?) {
        (self.session, self.upload, self.progress) = (session, upload, UploadProgress(progress))
        state = Mutex(State(location: upload.location))
    }

    /// The protocol of the upload, also after it begins again because the server has lost it.
    var resumption: FileUpload.Resumption { upload.location?.resumption ?? upload.resumption }

    var request: URLRequest {
        var request = upload.request
        // The default of a request is GET, which has no body.
        if request.httpMethod ?? "GET" == "GET" { request.httpMethod = "POST" }
        (request.httpBody, request.httpBodyStream) = (nil, nil)
        return request
    }

    func run() async throws -> FileUpload.Outcome {
        defer { progress.reset() }
        do {
            let source = try await UploadSource(path: upload.file.path)
            let offer = try await findOffer(source)
            if let limit = offer.maximumBytes, source.size > limit { throw FileUploadError.tooLarge(limit: limit) }
            if offer.resumption == .tus, let checksum = upload.checksum, !offer.checksums.contains(checksum) {
                throw FileUploadError.checksumNotOffered
            }
            let invalidKey = upload.metadata.keys.first { !UploadProtocol.isMetadataKey($0) }
            if offer.resumption == .tus, let invalidKey { throw FileUploadError.invalidMetadata(key: invalidKey) }
            return try await send(source, offer)
        } catch {
            throw Task.isCancelled ? URLError.ferryCancelled(url: upload.request.url) : error
        }
    }

    /// Asks the server for its offer, if it is needed.
    private func findOffer(_ source: UploadSource) async throws -> UploadOffer {
        let known = resumption
        let wantsExtensions = known == .tus && (upload.checksum != nil || upload.connections > 1)
        guard known == .automatic || wantsExtensions else { return UploadOffer(known) }
        var request = request
        request.httpMethod = "OPTIONS"
        request.idempotencyKey = nil
        let response = try await repeating(0, mayCreate: true) { [request] in
            let answer = try await self.exchange(request, source)
            // A server that does not support the method has no offer; some respond with 500.
            if answer.response.isPassing, ![500, 501].contains(answer.response.statusCode) {
                throw Interruption(cause: FileUploadError(answer))
            }
            return answer.response
        }
        var offer = UploadOffer(response)
        if known == .tus { offer.resumption = .tus }
        return offer
    }

    private func numberOfParts(_ offer: UploadOffer, _ size: Int64) -> Int {
        if let location { return location.resumption == .tus ? location.urls.count : 1 }
        guard offer.resumption == .tus, offer.joinsParts else { return 1 }
        return max(1, min(upload.connections, Self.maximumConnections, Int(clamping: size)))
    }

    /// Sends the file; begins again if the server no longer has the upload.
    private func send(_ source: UploadSource, _ offer: UploadOffer) async throws -> FileUpload.Outcome {
        for _ in 0...Self.maximumRestarts {
            let count = numberOfParts(offer, source.size)
            setParts(count, of: source)
            if count > 1 {
                if let outcome = try await sendParts(source) { return outcome }
            } else {
                if let outcome = try await sendWhole(source, offer) { return outcome }
            }
            setLocation(nil)
        }
        throw FileUploadError.unacceptableStatusCode(404, response: nil, body: Data())
    }

    /// Sends the file to one upload; returns `nil` if the server no longer has it.
    private func sendWhole(_ source: UploadSource, _ offer: UploadOffer) async throws -> FileUpload.Outcome? {
        while true {
            let step = try await repeating(0, mayCreate: offer.resumption == .tus) { () async throws -> Step in
                guard let location = self.location else { return try await self.create(source, offer) }
                let kind: UploadProtocol = location.resumption == .tus ? .tus : .resumableUploads
                guard let answer = try await self.resume(0, at: location.url, kind, source, offer) else { return .gone }
                return .finished(self.finish(answer, source))
            }
            switch step {
            case .finished(let outcome): return outcome
            case .created: continue
            case .gone: return nil
            }
        }
    }

    /// Runs a closure again after each ``Interruption``, until it fails too often without progress.
    ///
    /// Without an upload at the server, it is only run again if `mayCreate` is true.
    func repeating<Value: Sendable>(
        _ index: Int,
        mayCreate: Bool,
        _ body: () async throws -> Value
    ) async throws -> Value {
        var failures = 0
        // Fewer bytes and then more again are not progress.
        var most = state.withLock { $0.parts[index].confirmed }
        while true {
            do {
                return try await body()
            } catch let interruption as Interruption {
                try Task.checkCancellation()
                let confirmed = state.withLock { $0.parts[index].confirmed }
                failures = confirmed > most ? 1 : failures + 1
                most = max(most, confirmed)
                let policy = session.options.retryPolicy ?? .standard
                guard failures < Self.maximumFailures, location != nil || mayCreate,
                    let delay = policy.delay(.milliseconds(50 << UInt64(failures)), after: interruption.cause)
                else { throw interruption.cause }
                try await SystemClock.sleep(delay)
            }
        }
    }

    func finish(_ answer: (data: Data, response: HTTPURLResponse), _ source: UploadSource) -> FileUpload.Outcome {
        progress.finish(total: source.size)
        return FileUpload.Outcome(
            response: answer.response,
            data: answer.data,
            byteCount: source.size,
            continuedByteCount: state.withLock { $0.continuedByteCount }
        )
    }

    // MARK: - State

    var location: FileUpload.Location? { state.withLock { $0.location } }
    var ranges: [Range<Int64>] { state.withLock { $0.parts.map(\.range) } }

    func setLocation(_ location: FileUpload.Location?) {
        let isNew = state.withLock { state in
            defer { state.location = location }
            return state.location != location
        }
        if isNew { upload.locationDidChange?(location) }
    }

    /// Notes where the only upload of the file is.
    func setLocation(_ url: URL, _ kind: UploadProtocol, in response: HTTPURLResponse) {
        noteLimits(in: response, kind, of: 0)
        setLocation(FileUpload.Location(url: url, resumption: kind.resumption, expirationDate: firstExpiration))
    }

    /// Divides the file into parts, none of which has been sent.
    private func setParts(_ count: Int, of source: UploadSource) {
        let (size, rest) = source.size.quotientAndRemainder(dividingBy: Int64(count))
        let starts = (0...Int64(count)).map { $0 * size + min($0, rest) }
        state.withLock { state in
            state.parts = zip(starts, starts.dropFirst()).map { Part(range: $0..<$1) }
            state.continuedByteCount = 0
        }
        progress.reset()
    }

    /// Notes how many bytes of a part the server has; the first time, they may be from an earlier run.
    func confirm(_ index: Int, _ offset: Int64, at url: URL) {
        state.withLock { state in
            if !state.parts[index].isKnown, upload.location?.urls.contains(url) == true {
                state.continuedByteCount += offset
            }
            (state.parts[index].isKnown, state.parts[index].confirmed) = (true, offset)
        }
        progress.confirm(index, offset)
    }

    /// Notes the limit on requests with a part, and the date at which the server will delete its upload.
    func noteLimits(in response: HTTPURLResponse, _ kind: UploadProtocol, of index: Int) {
        let (expires, most) = (kind.expiration(in: response), UploadProtocol.limit("max-append-size", in: response))
        let location = state.withLock { state in
            if let most { state.parts[index].maximumBytes = most }
            state.parts[index].noteExpiration(expires)
            return state.location
        }
        guard expires != nil, var location else { return }
        location.expirationDate = firstExpiration
        setLocation(location)
    }

    /// Returns the largest number of bytes of one request with a part, if the server has set one.
    func maximumBytes(of index: Int) -> Int64? { state.withLock { $0.parts[index].maximumBytes } }

    /// When the first of the parts' uploads expires.
    var firstExpiration: Date? { state.withLock { $0.parts.compactMap(\.expires).min() } }
}
