/// One run of a ``FileUpload``: creates the upload, sends what the server does not have, and asks it after failures.
final class UploadRun: Sendable {
    private struct State: Sendable {
        var location: FileUpload.Location?
        /// The bytes that the server is known to have.
        var confirmed: Int64 = 0
        /// The bytes that have been sent, or are waiting to be.
        var sent: Int64 = 0
        var continuedBytes: Int64 = 0
        var meter = ProgressMeter()
    }

    /// A failure after which the server is asked again what it has.
    private struct Interruption: Error {
        let cause: any Error
    }

    private let session: CurlSession
    private let upload: FileUpload
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private let state: Mutex<State>

    private static let mostFailures = 6
    /// How often an upload that the server no longer has is created again.
    private static let mostRestarts = 3

    init(session: CurlSession, upload: FileUpload, progress: (@Sendable (TransferProgress) -> Void)?) {
        (self.session, self.upload, self.progress) = (session, upload, progress)
        state = Mutex(State(location: upload.location))
    }

    private var request: URLRequest {
        var request = upload.request
        // The default of a request is GET, which has no body.
        if request.httpMethod ?? "GET" == "GET" { request.httpMethod = "POST" }
        (request.httpBody, request.httpBodyStream) = (nil, nil)
        return request
    }

    func run() async throws -> FileUpload.Outcome {
        do {
            let source = try await UploadSource(path: upload.file.path)
            // An upload that the server no longer has begins again as it was begun.
            var offer = Offer(upload.location?.resumption ?? upload.resumption)
            if upload.location == nil, upload.resumption == .automatic { offer = try await askForOffer() }
            if let limit = offer.mostBytes, source.size > limit { throw FileUploadError.tooLarge(limit: limit) }
            return try await send(source, offer)
        } catch {
            throw Task.isCancelled ? URLError.ferryCancelled(url: upload.request.url) : error
        }
    }

    /// Sends the file, and repeats what was interrupted.
    private func send(_ source: UploadSource, _ offer: Offer) async throws -> FileUpload.Outcome {
        var (failures, restarts) = (0, 0)
        while true {
            let before = state.withLock { $0.confirmed }
            do {
                guard let location = state.withLock({ $0.location }) else {
                    if let outcome = try await create(source, offer) { return outcome }
                    continue
                }
                if let outcome = try await resume(location, source) { return outcome }
                // The server no longer has it.
                restarts += 1
                guard restarts <= Self.mostRestarts else { throw FileUploadError.status(404) }
                setLocation(nil)
            } catch let interruption as Interruption {
                try Task.checkCancellation()
                failures = state.withLock { $0.confirmed } > before ? 1 : failures + 1
                guard failures <= Self.mostFailures, state.withLock({ $0.location != nil }) || offer.resumption == .tus
                else { throw interruption.cause }
                try await Task.sleep(for: .milliseconds(50 << failures))
            }
        }
    }

    /// Asks the server what it offers; a server that does not say is one for the draft, which needs no offer.
    private func askForOffer() async throws -> Offer {
        var request = request
        request.httpMethod = "OPTIONS"
        let (_, answer) = try await session.data(for: request)
        guard let response = answer as? HTTPURLResponse, 200..<300 ~= response.statusCode else {
            return Offer(.resumableUploads)
        }
        return Offer(
            UploadProtocol.offered(by: response) == .tus ? .tus : .resumableUploads,
            mostBytes: UploadProtocol.limit("max-size", in: response),
            mostBytesOfRequest: UploadProtocol.limit("max-append-size", in: response)
        )
    }

    /// Creates the upload; returns `nil` if it goes on at its location.
    private func create(_ source: UploadSource, _ offer: Offer) async throws -> FileUpload.Outcome? {
        let kind: UploadProtocol? =
            switch offer.resumption {
            case .tus: .tus
            case .none: nil
            case .resumableUploads, .automatic: .resumableUploads
            }
        var creation = kind?.creationRequest(request, size: source.size, metadata: upload.metadata) ?? request
        var isWhole = kind != .tus
        if kind == .resumableUploads, let most = offer.mostBytesOfRequest, most < source.size {
            creation.setValue("?0", forHTTPHeaderField: "Upload-Complete")
            isWhole = false
        }
        state.withLock { ($0.sent, $0.confirmed) = (0, 0) }
        let interim = InterimResponses { [self, creation] response in
            guard response.statusCode == 104, let kind,
                let url = UploadProtocol.location(in: response, for: creation)
            else { return }
            setLocation(FileUpload.Location(url: url, resumption: kind.resumption))
        }
        let (data, response) = try await exchange(creation, source, isWhole ? 0..<source.size : 0..<0, interim)
        if response.isPassing { throw Interruption(cause: FileUploadError.status(response.statusCode)) }
        guard 200..<300 ~= response.statusCode else { throw FileUploadError.status(response.statusCode) }
        let isIncomplete = response.value(forHTTPHeaderField: "Upload-Complete") == "?0"
        guard let kind, !isWhole || isIncomplete else { return finish(response, data, source) }
        guard let url = UploadProtocol.location(in: response, for: creation) else {
            throw FileUploadError.badResponse("Location is missing or not a URL")
        }
        setLocation(FileUpload.Location(url: url, resumption: kind.resumption))
        return kind == .tus && source.size == 0 ? finish(response, data, source) : nil
    }

    /// Sends the rest of an upload; returns `nil` if the server does not have it.
    private func resume(_ location: FileUpload.Location, _ source: UploadSource) async throws -> FileUpload.Outcome? {
        let kind: UploadProtocol = location.resumption == .tus ? .tus : .resumableUploads
        var (data, response) = try await exchange(kind.statusRequest(location.url, like: request), source, nil)
        guard try isUsable(response) else { return nil }
        var status = try kind.status(in: response, size: source.size)
        state.withLock { state in
            if state.confirmed == 0, upload.location == location { state.continuedBytes = status.offset }
            (state.confirmed, state.sent) = (status.offset, status.offset)
        }
        while !status.isComplete {
            // The limit may be as large as a number can be.
            let end = status.offset + min(source.size - status.offset, status.mostBytes ?? .max)
            guard end > status.offset || source.size == status.offset else {
                throw FileUploadError.badResponse("no request may have any bytes")
            }
            let part = status.offset..<end
            let append = kind.partRequest(location.url, part, of: source.size, like: request)
            (data, response) = try await exchange(append, source, part)
            // The server has another offset than it said.
            if response.statusCode == 409 { throw Interruption(cause: FileUploadError.status(409)) }
            guard try isUsable(response) else { return nil }
            status.offset = end
            if kind == .tus, try kind.status(in: response, size: source.size).offset != end {
                throw Interruption(cause: FileUploadError.badResponse("Upload-Offset is not the end of the part"))
            }
            status.isComplete = end == source.size
            state.withLock { $0.confirmed = end }
        }
        return finish(response, data, source)
    }

    /// Returns whether a response of an upload's URL is a success, and `false` if there is no such upload.
    private func isUsable(_ response: HTTPURLResponse) throws -> Bool {
        switch response.statusCode {
        case 200..<300: return true
        case 404, 410: return false
        case _ where response.isPassing: throw Interruption(cause: FileUploadError.status(response.statusCode))
        default: throw FileUploadError.status(response.statusCode)
        }
    }

    /// Sends a request, with a part of the file as its body.
    private func exchange(
        _ request: URLRequest,
        _ source: UploadSource,
        _ part: Range<Int64>?,
        _ interim: InterimResponses? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        do {
            guard let part else {
                let (data, response) = try await session.data(for: request)
                return (data, try http(response))
            }
            let body = RequestBody(length: Int64(part.count)) { [self] in
                state.withLock { $0.sent = part.lowerBound }
                return UploadPieces(source: source, part: part, limit: upload.limit) { [self] in count($0, of: source) }
            }
            let (data, response) = try await session.upload(for: request, body: body, delegate: interim)
            return (data, try http(response))
        } catch let error as URLError where error.isPassing {
            throw Interruption(cause: error)
        }
    }

    private func http(_ response: URLResponse) throws -> HTTPURLResponse {
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return response
    }

    private func setLocation(_ location: FileUpload.Location?) {
        let isNew = state.withLock { state in
            defer { state.location = location }
            return state.location != location
        }
        if isNew { upload.locationDidChange?(location) }
    }

    private func finish(_ response: HTTPURLResponse, _ data: Data, _ source: UploadSource) -> FileUpload.Outcome {
        let continued = state.withLock { state in
            state.sent = source.size
            return state.continuedBytes
        }
        report(source.size, isLast: true)
        return FileUpload.Outcome(response: response, data: data, bytes: source.size, continuedBytes: continued)
    }

    // MARK: - Progress

    private func count(_ bytes: Int, of source: UploadSource) {
        state.withLock { state in
            state.sent += Int64(bytes)
            state.meter.add(bytes, at: .now())
        }
        report(source.size, isLast: false)
    }

    private func report(_ total: Int64, isLast: Bool) {
        guard let progress else { return }
        let current = state.withLock { state in
            let sent = state.sent
            return state.meter.progress(of: sent, total: total, isLast: isLast)
        }
        if let current { progress(current) }
    }
}

/// What is known of a server before the upload is created.
private struct Offer: Sendable {
    var resumption: FileUpload.Resumption
    var mostBytes: Int64?
    var mostBytesOfRequest: Int64?

    init(_ resumption: FileUpload.Resumption, mostBytes: Int64? = nil, mostBytesOfRequest: Int64? = nil) {
        (self.resumption, self.mostBytes, self.mostBytesOfRequest) = (resumption, mostBytes, mostBytesOfRequest)
    }
}

/// Passes on the interim responses of a task.
private final class InterimResponses: NSObject, CurlSessionInterimResponseDelegate {
    private let handler: @Sendable (HTTPURLResponse) -> Void

    init(_ handler: @escaping @Sendable (HTTPURLResponse) -> Void) { self.handler = handler }

    func urlSession(
        _ session: CurlSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        handler(response)
    }
}
