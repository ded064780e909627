/// Continues what was interrupted: a suspended response whose connection is gone, or an earlier task's download.
extension Transfer {
    /// The request's fields, and those that ask for the rest, if it is the rest of the same entity.
    func headers(_ prepared: PreparedRequest) -> [String] {
        guard let continuesAt, let validator else {
            let extra = reloadFields + (caching?.conditions ?? [])
            return extra.isEmpty ? prepared.headers : prepared.headers + extra
        }
        let others = prepared.headers.filter { !$0.lowercased().hasPrefix("accept-encoding") }
        return others + ["Range: bytes=\(continuesAt)-", "If-Range: \(validator)", "Accept-Encoding: identity"]
    }

    /// The connection of a suspended response is gone: asks for the rest of the same entity, where that is safe.
    func continueAfterSuspension() -> Bool {
        guard wasSuspended, validator != nil, response != nil, held == nil, decoder == nil else {
            return false
        }
        continuesAt = bodyReceived
        // Once for each suspension: a server that is gone is not asked for ever.
        wasSuspended = false
        engine.start(self, priority: priority)
        return true
    }

    /// Judges the answer to a request for the rest.
    func didContinue(_ received: ReceivedResponse, _ head: ResponseHead, at offset: ByteCount) -> Bool {
        let answer = ContinuationRule.evaluate(
            .init(status: head.status, value: head.value),
            .init(offset: offset, total: expectedTotal, validator: validator)
        )
        switch answer {
        case .continues(let end):
            attempt.rangeEnd = end
            return goOn(received, at: offset)
        case .restarts:
            guard offset == .zero || restartFile() else { break }
            let isFirst = isResuming
            (continuesAt, isResuming) = (nil, false)
            deliver(received, isReplacement: !isFirst)
            return true
        case .isComplete:
            return finishComplete(head)
        case .isAnother:
            guard restartFile() else { break }
            mustStartOver = true
            return false
        case .fails:
            break
        }
        ownFailure = failure(head)
        return false
    }

    private func goOn(_ received: ReceivedResponse, at offset: ByteCount) -> Bool {
        continuesAt = nil
        wasSuspended = isSuspended
        guard isResuming else { return true }
        isResuming = false
        response = received
        let total = expectedTotal ?? received.expectedLength.flatMap { offset.adding($0) }
        client?.transfer(didReceive: received, isReplacement: false)
        client?.transfer(didResumeAt: offset, expectedTotal: total)
        return true
    }

    /// The server has nothing behind the offset, since the file is whole: its answer is no failure.
    private func finishComplete(_ head: ResponseHead) -> Bool {
        var complete = head
        complete.status = 200
        complete.fields.removeAll { ["content-range", "content-length"].contains($0.name.lowercased()) }
        complete.fields.append(.init(name: "Content-Length", value: "\(bodyReceived)"))
        guard let url = request.url else {
            ownFailure = failure(nil)
            return false
        }
        let response = ReceivedResponse(complete, url: url, isDecoded: false)
        (continuesAt, isResuming) = (nil, false)
        self.response = response
        client?.transfer(didReceive: response, isReplacement: false)
        client?.transfer(didResumeAt: bodyReceived, expectedTotal: bodyReceived)
        ignoresBody = true
        return true
    }

    private func restartFile() -> Bool {
        guard case .file(let file) = sink else { return false }
        do throws(URLError) {
            try file.truncate()
            bodyReceived = .zero
            return true
        } catch {
            return false
        }
    }

    /// The error of a range that has brought more or less than its `Content-Range` says.
    func incompleteRange(_ end: ByteCount) -> URLError {
        let error = CurlSessionError(
            .cannotContinue,
            "The server's range was to end at byte \(end), and the body has \(bodyReceived) bytes"
        )
        return .ferry(.networkConnectionLost, url: request.url, underlying: error)
    }

    private func failure(_ head: ResponseHead?) -> URLError {
        guard isResuming, let head else {
            let error = CurlSessionError(
                .cannotContinue,
                "The connection was lost while the task was suspended, and the server has another response now"
            )
            return .ferry(.networkConnectionLost, url: request.url, underlying: error)
        }
        let error = CurlSessionError(
            .cannotContinue,
            "The download could not be resumed: the server answered \(head.status)"
        )
        return .ferry(.badServerResponse, url: request.url, underlying: error)
    }

    // MARK: - Resume data

    /// Closes the partial file and describes it, where it can be continued; the file stays for that.
    func makeResumeData() -> Data? {
        guard case .file(let file) = sink, let validator, bodyReceived > .zero, held == nil, let url = request.url,
            let original = originalURL
        else { return nil }
        // After a write that failed the file is not what was received.
        guard file.size == bodyReceived else { return nil }
        let data = ResumeData(
            url: url,
            originalURL: original,
            headers: request.allHTTPHeaderFields ?? [:],
            file: file.url,
            offset: bodyReceived.int64,
            expectedTotal: expectedTotal?.int64,
            validator: validator
        ).encoded()
        guard let data else { return nil }
        file.keep()
        sink = .client
        return data
    }

    /// Cancels the exchange and gives what it takes to continue it.
    func cancelProducingResumeData(for client: any TransferClient) {
        let data = self.client == nil ? nil : makeResumeData()
        cancel()
        client.transfer(didCancelProducing: data)
    }
}
