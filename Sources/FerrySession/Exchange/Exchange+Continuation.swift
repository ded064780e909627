/// How the rest of a body is requested: after a suspension, or with an earlier task's resume data.
struct Continuation {
    /// The offset that the current attempt asks for; `nil` where it asks for the whole.
    var offset: ByteCount?
    /// The length of the whole body, where it is known.
    var expectedTotal: ByteCount?
    /// Whether the task has been suspended since the response began; each suspension allows one continuation.
    var wasSuspended = false
    /// Whether an earlier task's download is continued, whose response this task has not received.
    var isResuming = false
    /// The response whose validator has not been read yet: few responses are ever continued.
    private var source: ReceivedResponse?
    private var knownValidator: String?

    init() {}

    /// Continues a download at its end.
    init(_ data: ResumeData, at offset: ByteCount) {
        self.offset = offset
        expectedTotal = data.expectedTotal.flatMap { ByteCount($0) }
        isResuming = true
        knownValidator = data.validator
    }

    /// Returns the validator that makes sure the rest belongs to the same entity, if there is one.
    mutating func validator(for request: URLRequest) -> String? {
        if let response = source?.value {
            source = nil
            knownValidator = (response as? HTTPURLResponse).flatMap {
                ContinuationRule.validator(for: $0, request: request)
            }
        }
        return knownValidator
    }

    /// Uses the validator of a response from now on, or none.
    mutating func useValidator(of response: ReceivedResponse?) { (source, knownValidator) = (response, nil) }

    /// Asks for the whole body from now on.
    mutating func startOver() {
        (offset, isResuming) = (nil, false)
        useValidator(of: nil)
    }
}

/// Asks for the rest of a body: after a suspension, with resume data, or for a stream that was given up while paused.
extension Exchange {
    /// Returns the request's header fields for an attempt, with those that ask for the rest of a body, and the number
    /// of fields at the end that are not of the request's own.
    func fields(of prepared: PreparedRequest) -> (fields: [RequestField], commonCount: Int) {
        guard let offset = continuation.offset, let validator else {
            let extra = reloadFields(prepared) + (caching.context?.conditions ?? [])
            return (extra.isEmpty ? prepared.fields : extra + prepared.fields, prepared.commonCount)
        }
        var fields = prepared.fields.filter { !$0.name.isEqualIgnoringCase("accept-encoding") }
        fields.append(RequestField("Range", "bytes=\(offset)-"))
        fields.append(RequestField("If-Range", validator))
        fields.append(RequestField("Accept-Encoding", "identity"))
        return (fields, 0)
    }

    /// Evaluates the response to a request for the rest, and returns whether the attempt goes on.
    func didContinue(
        _ received: ReceivedResponse,
        _ head: ResponseHead,
        at offset: ByteCount,
        in attempt: NetworkAttempt
    ) -> Bool {
        let answer = ContinuationRule.evaluate(
            .init(status: head.status, value: head.value),
            .init(offset: offset, total: continuation.expectedTotal, validator: validator)
        )
        switch answer {
        case .continues(let end):
            attempt.rangeEnd = end
            return deliverRest(received, at: offset)
        case .restarts:
            guard restartBody() else {
                // The client has the head of the response before, which only the same body may follow.
                if offset == .zero, isSameEntity(received) { return deliverRest(received, at: offset) }
                break
            }
            continuation.offset = nil
            continuation.isResuming = false
            deliver(received)
            return true
        case .isComplete: return finishComplete(head)
        case .isAnother:
            guard restartBody() else { break }
            incoming.again = .fromStart
            return false
        case .fails: break
        }
        incoming.failure = cannotContinue(status: head.status)
        return false
    }

    /// Whether a complete response has the validator and the length of the one that is continued.
    private func isSameEntity(_ received: ReceivedResponse) -> Bool {
        guard let validator, received.expectedLength == continuation.expectedTotal,
            let response = received.value as? HTTPURLResponse
        else { return false }
        return ContinuationRule.validator(for: response, request: sentRequest) == validator
    }

    private func deliverRest(_ received: ReceivedResponse, at offset: ByteCount) -> Bool {
        continuation.offset = nil
        continuation.wasSuspended = isSuspended
        guard continuation.isResuming else { return true }
        continuation.isResuming = false
        response = received
        let total = continuation.expectedTotal ?? received.expectedLength.flatMap { offset.adding($0) }
        client?.exchange(didReceive: received)
        client?.exchange(didResumeAt: offset, expectedTotal: total)
        return true
    }

    /// Delivers a complete file: the server has nothing after the offset, which is not a failure.
    private func finishComplete(_ head: ResponseHead) -> Bool {
        guard continuation.isResuming else {
            // The client has the response, and all of its body.
            continuation.offset = nil
            incoming.skipsBody = true
            return true
        }
        var complete = head
        complete.status = 200
        complete.fields.removeAll { ["content-range", "content-length"].contains($0.name.lowercased()) }
        complete.fields.append(.init(name: "Content-Length", value: "\(bodyReceived)"))
        guard let url = request.url else {
            incoming.failure = cannotContinue(status: nil)
            return false
        }
        let response = ReceivedResponse(complete, url: url, isDecoded: false)
        continuation.offset = nil
        continuation.isResuming = false
        self.response = response
        client?.exchange(didReceive: response)
        client?.exchange(didResumeAt: bodyReceived, expectedTotal: bodyReceived)
        incoming.skipsBody = true
        return true
    }

    /// Removes what has been received of the body, and returns whether it can start again.
    func restartBody() -> Bool {
        guard case .file(let file) = destination else {
            guard let client, client.exchangeDeliversAtEnd else { return false }
            bodyReceived = .zero
            client.exchangeDidDiscardBody()
            return true
        }
        do throws(URLError) {
            try file.truncate()
            bodyReceived = .zero
            client?.exchangeDidDiscardBody()
            return true
        } catch {
            return false
        }
    }

    /// The error of a range that has more or fewer bytes than its `Content-Range` says.
    func incompleteRange(_ end: ByteCount) -> URLError {
        let text = "The server's range was to end at byte \(end), and the body has \(bodyReceived) bytes"
        return .ferry(.networkConnectionLost, url: request.url, reason: .cannotContinue, text)
    }

    /// The error of a body whose rest the server does not send, with the status of its response.
    func cannotContinue(status: Int?) -> URLError {
        guard continuation.isResuming, let status else {
            let isRefused = status.map { $0 >= 400 } ?? false
            let reason =
                isRefused ? "responded with \(status ?? 0) to the request for the rest" : "has another response now"
            let text = "The connection was lost, and the server \(reason)"
            return .ferry(.networkConnectionLost, url: request.url, reason: .cannotContinue, text)
        }
        let text = "The download could not be resumed: the server responded with \(status)"
        return .ferry(.badServerResponse, url: request.url, reason: .cannotContinue, text)
    }

    // MARK: - Paused streams

    /// Abandons a paused stream with all that libcurl keeps for it; the rest is requested when it is needed.
    ///
    /// libcurl allows a server 32 MiB on each stream (up to version 8.9), and stores them for a paused stream while
    /// another one keeps the connection going.
    ///
    /// Returns whether that is safe: there must be a rest, and it must belong to the same entity.
    func detach() -> Bool {
        guard client != nil, validator != nil, response != nil, incoming.question == nil, incoming.decoder == nil,
            continuation.offset == nil, let total = continuation.expectedTotal, total > bodyReceived
        else { return false }
        continuation.offset = bodyReceived
        endAttempt()
        phase = .detached
        return true
    }

    /// Asks for the rest as soon as nothing pauses the exchange any more.
    func attachAgain() {
        guard phase == .detached, client != nil, pauses.isDisjoint(with: [.suspended, .clientIsFull, .limited])
        else { return }
        start()
    }

    // MARK: - Resume data

    /// Closes the partial file and describes it, if it can be continued; the file stays for that.
    func makeResumeData() -> Data? {
        // A question is about the response whose body the file has, or about one to a request for the rest.
        guard case .file(let file) = destination, let validator, bodyReceived > .zero,
            incoming.question == nil || continuation.offset != nil,
            !file.hasFailed, file.size == bodyReceived, redirects.original.httpMethod ?? "GET" == "GET",
            let url = request.url, let originalURL = redirects.originalURL
        else { return nil }
        let record = ResumeData(
            url: url,
            originalURL: originalURL,
            // Redirects are followed again; what interceptors have added is made again, and may be secret.
            headers: redirects.original.allHTTPHeaderFields ?? [:],
            file: file.url,
            offset: bodyReceived.int64,
            expectedTotal: continuation.expectedTotal?.int64,
            validator: validator
        )
        guard let data = record.encoded() else { return nil }
        file.keep()
        destination = .client
        return data
    }

    /// Cancels the exchange and gives the client the data that continues it.
    func cancelProducingResumeData(for client: any ExchangeClient) {
        let data = self.client == nil ? nil : makeResumeData()
        cancel()
        client.exchange(didCancelProducing: data)
    }
}
