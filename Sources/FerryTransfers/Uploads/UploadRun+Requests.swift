extension UploadRun {
    /// The size of the parts that are sent with digests of their own, each of which is sent again if it is damaged.
    private static let checkedSize: Int64 = 16_777_216

    /// Creates the upload of the whole file, whose bytes are part of the request unless the protocol is tus.
    func create(_ source: UploadSource, _ offer: UploadOffer) async throws -> Step {
        let kind: UploadProtocol? =
            switch offer.resumption {
            case .tus: .tus
            case .none: nil
            case .resumableUploads, .automatic: .resumableUploads
            }
        var creation = kind?.creationRequest(request, size: source.size, metadata: upload.metadata) ?? request
        if kind != .tus, let url = upload.ordinaryURL { creation.url = url }
        if kind != .tus { creation.setTypeOfFile(in: session) }
        var isWhole = kind != .tus
        if kind == .resumableUploads, let most = offer.maximumBytesOfRequest, most < source.size {
            creation.setValue("?0", forHTTPHeaderField: "Upload-Complete")
            isWhole = false
        }
        if kind != .tus, let digest = try await digest(of: 0..<source.size, source) {
            creation.setValue(digest.fieldValue, forHTTPHeaderField: "Repr-Digest")
        }
        let interim = InterimResponses { [self, creation] response in
            guard response.statusCode == 104, let kind,
                let url = UploadProtocol.location(in: response, for: creation)
            else { return }
            setLocation(url, kind, in: response)
        }
        let answer = try await exchange(creation, source, isWhole ? 0..<source.size : 0..<0, of: 0, interim)
        let response = answer.response
        // With an interim response, a server may accept the file in smaller requests.
        let isTooLong = response.statusCode == 413 && location != nil && maximumBytes(of: 0) ?? .max < source.size
        if response.isPassing || isTooLong { throw Interruption(cause: FileUploadError(answer)) }
        guard 200..<300 ~= response.statusCode else { throw FileUploadError(answer) }
        let isIncomplete = UploadProtocol.item("Upload-Complete", in: response) == "?0"
        guard let kind, !isWhole || isIncomplete else { return .finished(finish(answer, source)) }
        guard let url = UploadProtocol.location(in: response, for: creation) else {
            throw FileUploadError.badResponse("Location is missing or not a URL")
        }
        setLocation(url, kind, in: response)
        return kind == .tus && source.size == 0 ? .finished(finish(answer, source)) : .created
    }

    /// Sends the rest of a part to its upload, and returns the last response; `nil` if the server does not have it.
    func resume(
        _ index: Int,
        at url: URL,
        _ kind: UploadProtocol,
        _ source: UploadSource,
        _ offer: UploadOffer? = nil
    ) async throws -> (data: Data, response: HTTPURLResponse)? {
        let range = ranges[index]
        let size = Int64(range.count)
        var answer = try await exchange(kind.request("HEAD", url, like: request), source)
        guard try isUsable(answer) else { return nil }
        var status = try kind.status(in: answer.response, size: size)
        confirm(index, status.offset, at: url)
        noteLimits(in: answer.response, kind, of: index)
        while !status.isComplete {
            var most = maximumBytes(of: index) ?? offer?.maximumBytesOfRequest ?? .max
            if kind == .tus, upload.checksum != nil { most = min(most, Self.checkedSize) }
            // The limit may be the largest number, so that a sum would overflow.
            let end = status.offset + min(size - status.offset, most)
            guard end > status.offset || size == status.offset else {
                throw FileUploadError.badResponse("no request may have any bytes")
            }
            let part = range.lowerBound + status.offset..<range.lowerBound + end
            let digest = try await digest(of: part, source)
            let append = kind.partRequest(url, status.offset..<end, of: size, digest: digest, like: request)
            answer = try await exchange(append, source, part, of: index)
            // The server's offset differs from the reported one, or the bytes were damaged on the way (tus).
            let code = answer.response.statusCode
            if code == 409 || code == 460 { throw Interruption(cause: FileUploadError(answer)) }
            guard try isUsable(answer) else { return nil }
            status.offset = end
            if kind == .tus, try kind.status(in: answer.response, size: size).offset != end {
                throw Interruption(cause: FileUploadError.badResponse("Upload-Offset is not the end of the part"))
            }
            if kind == .resumableUploads, end == size,
                UploadProtocol.item("Upload-Complete", in: answer.response) == "?0"
            {
                throw Interruption(cause: FileUploadError.badResponse("the upload is not complete after its last byte"))
            }
            status.isComplete = end == size
            confirm(index, end, at: url)
            noteLimits(in: answer.response, kind, of: index)
        }
        return answer
    }

    /// Returns `true` for a success of an upload's URL, and `false` if there is no such upload; throws for others.
    func isUsable(_ answer: (data: Data, response: HTTPURLResponse)) throws -> Bool {
        switch answer.response.statusCode {
        case 200..<300: return true
        case 404, 410: return false
        case _ where answer.response.isPassing: throw Interruption(cause: FileUploadError(answer))
        default: throw FileUploadError(answer)
        }
    }

    private func digest(of part: Range<Int64>, _ source: UploadSource) async throws -> ContentDigest? {
        guard let algorithm = upload.checksum else { return nil }
        return try await source.digest(algorithm, of: part)
    }

    /// Sends a request, with bytes of the file as its body, which belong to a part.
    func exchange(
        _ request: URLRequest,
        _ source: UploadSource,
        _ bytes: Range<Int64>? = nil,
        of index: Int = 0,
        _ interim: InterimResponses? = nil
    ) async throws -> (data: Data, response: HTTPURLResponse) {
        do {
            guard let bytes else { return try await exchange(request, body: nil) }
            let offset = bytes.isEmpty ? 0 : bytes.lowerBound - ranges[index].lowerBound
            let begin = progress.begin(index, at: offset, of: source.size)
            let body = RequestBody(length: Int64(bytes.count)) { [upload] in
                UploadPieces(source: source, part: bytes, limit: upload.limit, willSend: begin())
            }
            return try await exchange(request, body: body, interim)
        } catch let error as URLError where error.isPassing {
            throw Interruption(cause: error)
        }
    }

    private func exchange(
        _ request: URLRequest,
        body: RequestBody?,
        _ interim: InterimResponses? = nil
    ) async throws -> (data: Data, response: HTTPURLResponse) {
        let (data, response) = try await session.exchange(request, body: body, delegate: interim) { task in
            // The run asks the server before it repeats a request, unless the upload has no protocol.
            if resumption != .none { task.retryPolicy = nil }
            upload.prepare(task, for: request)
        }
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
    }
}

final class InterimResponses: NSObject, CurlSessionDelegate {
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
