import FerryAPI

extension SegmentedRun {
    /// Sends a request to a source, with the download's bandwidth limit.
    func open(_ request: URLRequest, of source: SegmentSource) async throws -> (CurlSession.Bytes, URLResponse) {
        let hasOthers = state.withLock { $0.usable.count > 1 }
        return try await session.bytes(for: request) { [limit = download.limit] task in
            task.downloadLimit = limit
            // Retries of the session would delay the change to another source.
            if hasOthers { task.retryPolicy = nil }
            if source.isForeign { task.noteOtherOrigin() }
        }
    }

    /// Requests the whole file, from the first source that has it.
    func openWhole() async throws -> Opened {
        while let index = state.withLock({ $0.usable.first }) {
            let source = state.withLock { $0.sources[index] }
            do {
                let (bytes, answer) = try await open(source.request, of: source)
                guard let response = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
                let status = response.statusCode
                // A proxy may have changed a 203, and other successes have no file (RFC 9110, section 15.3).
                if status == 200 || status == 203 {
                    let length = length(of: response)
                    guard let size = download.size, let length, size != length else {
                        return Opened(bytes: bytes, response: response, source: index)
                    }
                    drop(index, VerifiedDownloadError.sizeMismatch(expected: size, actual: length))
                } else if response.isPassing {
                    try await fail(index, VerifiedDownloadError(response))
                } else {
                    drop(index, await refusal(response, bytes))
                }
            } catch let error as URLError where !Task.isCancelled {
                try await fail(index, error)
            }
        }
        throw state.withLock { $0.lastError } ?? URLError(.cannotConnectToHost)
    }

    /// Returns the description of the file in a response with the whole file, and adds the mirrors that it offers.
    func describe(_ opened: Opened) throws -> SegmentEntity {
        let response = opened.response
        let (request, mismatch) = state.withLock { ($0.sources[opened.source].request, $0.mismatch) }
        let total = length(of: response)
        var validator = ContinuationRule.validator(for: response, request: request)
        if total == nil || total == 0 { validator = nil }
        // After a wrong digest, a mirror cannot announce another one.
        let announced = download.checksAnnouncedDigest ? mismatch?.announced ?? .announced(by: response) : nil
        // Mirrors of a file without a digest must be ignored (RFC 6249, section 6).
        if download.usesOfferedMirrors, mismatch == nil, download.digest ?? announced != nil {
            let isSecure = response.url.map(Origin.init)?.scheme == "https"
            let links = response.links.filter { link in
                link.anchor == nil && link.has(rel: "duplicate") && link.target.isWebAddress
                    && (!isSecure || Origin(link.target).scheme == "https")
            }
            // The server prefers those with low numbers (RFC 6249, section 3.1).
            let offered = links.sorted { $0.priority < $1.priority }
            state.withLock { state in
                for url in offered.map(\.target) where state.sources.count < 17 {
                    guard !state.sources.contains(where: { $0.request.url == url }) else { continue }
                    state.sources.append(.mirror(url, of: download))
                }
            }
        }
        return SegmentEntity(
            validator: validator,
            total: total,
            digest: download.digest ?? announced,
            announced: announced,
            lastModified: response.value(forHTTPHeaderField: "Last-Modified").flatMap { HTTPDate.parse($0) },
            source: opened.source
        )
    }

    /// The number of bytes of a whole response; `nil` if it is unknown or the body has a content coding.
    private func length(of response: HTTPURLResponse) -> Int64? {
        let coding = response.value(forHTTPHeaderField: "Content-Encoding")
        guard coding == nil || coding?.isEqualIgnoringCase("identity") == true else { return nil }
        // The largest number stands for an unknown one.
        return response.bodyLength.flatMap { $0 == .max ? nil : $0 }
    }

    /// Returns the error of a response, with the beginning of its body if no other source is left.
    func refusal(_ response: HTTPURLResponse, _ bytes: CurlSession.Bytes) async -> VerifiedDownloadError {
        var body = Data()
        var pieces = bytes.chunks.makeAsyncIterator()
        let limit = state.withLock { $0.usable.count } == 1 ? HTTPURLResponse.keptBody : 0
        // An error in the middle of the body is less important than the status.
        while body.count < limit, let piece = try? await pieces.next(isolation: nil) { body += piece }
        return VerifiedDownloadError(response, Data(body.prefix(limit)))
    }

    /// Sends no more requests to a source.
    func drop(_ index: Int, _ error: any Error) {
        state.withLock { state in
            state.sources[index].isUsable = false
            state.note(error, of: index)
        }
    }

    /// Counts a failure of a source, and waits before the next request, or drops the source.
    func fail(_ index: Int, _ error: any Error) async throws {
        let isLasting = (error as? URLError).map { !$0.isPassing } ?? false
        let now = MonotonicTime.now()
        let delay = state.withLock { state in
            state.note(error, of: index)
            if isLasting { state.sources[index].isUsable = false }
            if now >= state.sources[index].retryTime {
                state.sources[index].failures += 1
                let failures = state.sources[index].failures
                if failures >= SegmentSource.maximumFailures { state.sources[index].isUsable = false }
                state.sources[index].retryTime = now.advanced(by: .milliseconds(50 << UInt64(min(failures, 6))))
            }
            return state.sources[index].isUsable ? state.sources[index].retryTime.since(now) : .zero
        }
        if delay > .zero { try await SystemClock.sleep(delay) }
    }
}

extension Link {
    /// The priority of a mirror, 1 being the highest; 999,999 without one (RFC 6249, section 3.1).
    fileprivate var priority: Int { parameters["pri"].flatMap { Int($0) } ?? 999_999 }
}
