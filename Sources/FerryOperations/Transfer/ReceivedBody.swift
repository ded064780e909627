/// The part of a response that has arrived, and how the rest is requested (RFC 9110, sections 13.1.5 and 14.2).
struct ReceivedBody: Sendable {
    /// The consequence of a new response for the part that has already arrived.
    enum Verdict: Sendable, Hashable {
        /// A new body begins, to which the earlier part does not belong.
        case begins
        /// The rest of the same entity follows.
        case continues
        /// The part that has arrived is the whole body.
        case isComplete
        /// The response is neither the rest nor the whole, so the whole must be requested again.
        case mustStartOver
    }

    private(set) var response: URLResponse?
    /// The number of bytes of the body that have arrived.
    private(set) var byteCount: Int64 = 0
    /// The part of the body that is collected in memory.
    private(set) var data = Data()
    /// The bytes that have arrived; nil if an output stream has received some of them.
    var collected: Data? { Int64(data.count) == byteCount ? data : nil }
    /// The number of bytes that the output stream had before the body.
    var streamStart: Int64 = 0
    /// The strong entity tag or date with which the rest can be requested; nil if it cannot be.
    private(set) var validator: String?
    /// The offset at which the running request begins; nil if it is for the whole body.
    private(set) var offset: Int64?
    /// Whether the running request is for the rest, also after a first response to it.
    private var asksForRest = false
    /// The expected number of bytes of the body; nil if it is not known.
    private(set) var expectedByteCount: Int64?

    init() {}

    /// Creates a body from the contents of an archive.
    init(response: HTTPURLResponse?, request: URLRequest, data: Data, byteCount: Int64) {
        restart(with: response, request: request)
        self.data = data
        self.byteCount = byteCount
    }

    /// Returns the request to send: for the rest where that is safe, otherwise for the whole.
    mutating func nextRequest(_ request: URLRequest) -> URLRequest {
        guard let validator, byteCount > 0, request.value(forHTTPHeaderField: "Range") == nil else {
            (offset, asksForRest) = (nil, false)
            return request
        }
        (offset, asksForRest) = (byteCount, true)
        var rest = request
        rest.setValue("bytes=\(byteCount)-", forHTTPHeaderField: "Range")
        rest.setValue(validator, forHTTPHeaderField: "If-Range")
        rest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return rest
    }

    /// Evaluates a response, and starts over with it unless it contains the rest.
    mutating func take(_ received: URLResponse, request: URLRequest) -> Verdict {
        let asked = offset
        offset = nil
        let verdict = asked.map { judge(received, at: $0) } ?? judgeLater(received)
        switch verdict {
        case .begins: restart(with: received, request: request)
        case .continues, .isComplete: break
        case .mustStartOver: restart(with: nil, request: request)
        }
        return verdict
    }

    mutating func append(_ piece: Data) {
        byteCount += Int64(piece.count)
        if data.isEmpty {
            data = piece
            let expected = min(expectedByteCount ?? 0, TaskDelegateState.maximumReservation)
            if expected > piece.count { data.reserveCapacity(Int(expected)) }
        } else {
            data.append(piece)
        }
    }

    mutating func count(_ piece: Data) { byteCount += Int64(piece.count) }

    /// Discards the body, so that it cannot be continued.
    mutating func forget() { restart(with: nil, request: nil) }

    private mutating func restart(with received: URLResponse?, request: URLRequest?) {
        response = received
        expectedByteCount = received?.bodyLength
        byteCount = 0
        data = Data()
        validator =
            if let received = received as? HTTPURLResponse, let request {
                ContinuationRule.validator(for: received, request: request)
            } else { nil }
    }

    /// Evaluates a response after the first one of a transfer, such as a challenge that FoundationNetworking delivers.
    ///
    /// The earlier part has been discarded by then, and the rest alone is not the body.
    private func judgeLater(_ received: URLResponse) -> Verdict {
        asksForRest && (received as? HTTPURLResponse)?.statusCode == 206 ? .mustStartOver : .begins
    }

    private func judge(_ received: URLResponse, at offset: Int64) -> Verdict {
        guard let received = received as? HTTPURLResponse else { return .mustStartOver }
        let total = expectedByteCount.flatMap { ByteCount($0) }
        let offset = ByteCount(offset) ?? .zero
        switch ContinuationRule.evaluate(.init(received), .init(offset: offset, total: total, validator: validator)) {
        // The rest must be from the same URL as the first part: a redirect may lead elsewhere.
        case .continues: return response.map { $0.url == received.url } ?? false ? .continues : .mustStartOver
        case .restarts, .fails: return .begins
        case .isComplete: return .isComplete
        case .isAnother: return .mustStartOver
        }
    }
}
