/// An upload whose parts are sent at the same time, and joined by the server (the `concatenation` extension of tus).
extension UploadRun {
    /// Sends all parts; returns `nil` if the server no longer has one of them.
    func sendParts(_ source: UploadSource) async throws -> FileUpload.Outcome? {
        let urls: [URL]
        if let location {
            urls = location.urls
        } else {
            urls = try await createParts(source)
            let later = Array(urls.dropFirst())
            setLocation(.init(url: urls[0], resumption: .tus, laterParts: later, expirationDate: firstExpiration))
        }
        guard try await sendParts(source, to: urls) else { return nil }
        // Without the response it is unknown whether the parts were joined; a second request could join them again.
        let joining = UploadProtocol.joiningRequest(request, of: urls, metadata: upload.metadata)
        do {
            let answer = try await exchange(joining, source, 0..<0)
            return try isUsable(answer) ? finish(answer, source) : nil
        } catch let interruption as Interruption {
            // With one of these statuses, from the server or a gateway, the parts may have been joined.
            if case FileUploadError.unacceptableStatusCode(let code, _, _) = interruption.cause,
                ![408, 500, 502, 504].contains(code)
            {
                throw interruption.cause
            }
            let cause = interruption.cause.localizedDescription
            throw FileUploadError.badResponse("it is not known whether the parts were joined: \(cause)")
        }
    }

    private func createParts(_ source: UploadSource) async throws -> [URL] {
        var urls: [URL] = []
        do {
            for (index, range) in ranges.enumerated() {
                let creation = UploadProtocol.partCreationRequest(request, size: Int64(range.count))
                let url = try await repeating(index, mayCreate: true) {
                    let answer = try await self.exchange(creation, source, 0..<0)
                    let response = answer.response
                    guard try self.isUsable(answer) else { throw FileUploadError(answer) }
                    guard let url = UploadProtocol.location(in: response, for: creation) else {
                        throw FileUploadError.badResponse("Location is missing or not a URL")
                    }
                    self.noteLimits(in: response, .tus, of: index)
                    return url
                }
                guard !urls.contains(url) else {
                    throw FileUploadError.badResponse("two parts have the same Location")
                }
                urls.append(url)
            }
        } catch {
            // The uploads so far are useless. A DELETE is not sent to another origin, since the URL is from a response.
            let own = urls.filter { Origin($0) == request.url.map(Origin.init) }
            let discard = { @Sendable [session, upload] in
                for url in own { try? await session.cancelUpload(at: .init(url: url, resumption: .tus), of: upload) }
            }
            // The requests of a cancelled Swift task would end at once.
            if Task.isCancelled { Task(operation: discard) } else { await discard() }
            throw error
        }
        return urls
    }

    /// Sends each part to its upload at the same time; returns whether the server has all of them.
    private func sendParts(_ source: UploadSource, to urls: [URL]) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for (index, url) in urls.enumerated() {
                group.addTask {
                    try await self.repeating(index, mayCreate: true) {
                        try await self.resume(index, at: url, .tus, source) != nil
                    }
                }
            }
            for try await isThere in group where !isThere {
                group.cancelAll()
                return false
            }
            return true
        }
    }
}
