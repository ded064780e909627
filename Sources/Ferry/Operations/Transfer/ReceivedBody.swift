import FerrySession

/// What has arrived of a response, and how the rest of it is asked for (RFC 9110, sections 13.1.5 and 14.2).
struct ReceivedBody: Sendable {
    /// What a response means for what has arrived before it.
    enum Verdict: Sendable, Hashable {
        /// A body begins; what arrived before is not part of it.
        case begins
        /// The rest of the same entity follows.
        case continues
        /// There is no rest: what has arrived is the whole.
        case isComplete
        /// The answer is neither the rest nor the whole, so the whole is to be asked for again.
        case mustStartOver
    }

    /// The response to which the body belongs.
    private(set) var response: URLResponse?

    /// How many bytes of the body have arrived.
    private(set) var byteCount: Int64 = 0

    /// The body, where it is collected in memory.
    private(set) var data = Data()

    /// The strong entity tag or date by which the rest can be asked for; nil if it cannot be.
    private(set) var validator: String?

    /// Where the request under way begins; nil if it asks for the whole.
    private(set) var offset: Int64?

    /// The number of body bytes there will be; nil if it is not known.
    private(set) var expectedByteCount: Int64?

    /// Makes one with nothing in it.
    init() {}

    /// Makes one with what an archive kept.
    init(response: HTTPURLResponse?, request: URLRequest, data: Data, byteCount: Int64) {
        restart(with: response, request: request)
        self.data = data
        self.byteCount = byteCount
    }

    /// The request to send: for the rest, where that is safe, else for the whole.
    mutating func nextRequest(_ request: URLRequest) -> URLRequest {
        guard let validator, byteCount > 0, request.value(forHTTPHeaderField: "Range") == nil else {
            offset = nil
            return request
        }
        offset = byteCount
        var rest = request
        rest.setValue("bytes=\(byteCount)-", forHTTPHeaderField: "Range")
        rest.setValue(validator, forHTTPHeaderField: "If-Range")
        rest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        return rest
    }

    /// Judges a response, and starts over with it unless it brings the rest.
    mutating func take(_ received: URLResponse, request: URLRequest) -> Verdict {
        let asked = offset
        offset = nil
        let verdict = asked.map { judge(received, at: $0) } ?? .begins
        switch verdict {
        case .begins: restart(with: received, request: request)
        case .continues, .isComplete: break
        case .mustStartOver: restart(with: nil, request: request)
        }
        return verdict
    }

    /// Collects a piece of the body.
    mutating func append(_ piece: Data) {
        byteCount += Int64(piece.count)
        if data.isEmpty {
            data = piece
            let expected = min(expectedByteCount ?? 0, TaskState.largestReservation)
            if expected > piece.count { data.reserveCapacity(Int(expected)) }
        } else {
            data.append(piece)
        }
    }

    /// Counts a piece of the body that went elsewhere.
    mutating func count(_ piece: Data) {
        byteCount += Int64(piece.count)
    }

    /// Forgets the body: nothing of it can be continued.
    mutating func forget() {
        restart(with: nil, request: nil)
    }

    private mutating func restart(with received: URLResponse?, request: URLRequest?) {
        response = received
        expectedByteCount = received?.bodyLength
        byteCount = 0
        data = Data()
        validator = nil
        if let received = received as? HTTPURLResponse, let request {
            validator = ContinuationRule.validator(for: received, request: request)
        }
    }

    private func judge(_ received: URLResponse, at offset: Int64) -> Verdict {
        guard let received = received as? HTTPURLResponse else { return .mustStartOver }
        let answer = ContinuationRule.evaluate(
            .init(received),
            .init(
                offset: ByteCount(offset) ?? .zero,
                total: expectedByteCount.flatMap { ByteCount($0) },
                validator: validator
            )
        )
        switch answer {
        case .continues: return isSameEntity(received) ? .continues : .mustStartOver
        case .restarts, .fails: return .begins
        case .isComplete: return .isComplete
        case .isAnother: return .mustStartOver
        }
    }

    /// Whether the part comes from where the beginning came from: a redirect may lead elsewhere.
    private func isSameEntity(_ received: HTTPURLResponse) -> Bool {
        response.map { received.url == $0.url } ?? false
    }
}
