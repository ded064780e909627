final class PartUploadRun: Sendable {
    private struct State: Sendable {
        var next = 0
        var receipts: [Int: PartUpload.Receipt]
        /// The bytes of the parts that the server has, and those that have been sent of the others.
        var finished: Int64 = 0
        var inFlight: [Int: (request: Int, body: Int, sent: Int64)] = [:]
        var lastNumber = 0
        var meter = ProgressMeter()

        mutating func progress(of total: Int64, always: Bool) -> TransferProgress? {
            let sent = inFlight.values.reduce(finished) { $0 + $1.sent }
            return meter.progress(of: sent, total: total, always: always)
        }
    }

    private let session: CurlSession
    private let upload: PartUpload
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private let state: Mutex<State>

    private static let maximumFailures = 6

    init(session: CurlSession, upload: PartUpload, progress: (@Sendable (TransferProgress) -> Void)?) {
        (self.session, self.upload, self.progress) = (session, upload, progress)
        let receipts = Dictionary(upload.receipts.map { ($0.number, $0) }) { $1 }
        state = Mutex(State(receipts: receipts))
    }

    func run() async throws -> PartUpload.Outcome {
        // The tasks that make bodies may not have ended yet.
        defer { state.withLock { $0.inFlight = [:] } }
        do {
            let source = try await UploadSource(path: upload.file.path)
            let parts = PartList(size: source.size, partSize: upload.partSize)
            state.withLock { state in
                state.receipts = state.receipts.filter { number, receipt in
                    guard (1...parts.count).contains(number) else { return false }
                    let length = Int64(parts[number - 1].range.count)
                    return receipt.length ?? length == length
                }
                state.finished = state.receipts.keys.reduce(0) { $0 + Int64(parts[$1 - 1].range.count) }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<min(max(1, upload.maximumConcurrentParts), parts.count) {
                    group.addTask { while let part = self.next(parts) { try await self.send(part, source) } }
                }
                // The first error ends the others.
                while try await group.next() != nil {}
            }
            let (receipts, last) = state.withLock { state in
                let receipts = state.receipts.values.sorted { $0.number < $1.number }
                return (receipts, state.progress(of: source.size, always: true))
            }
            if let progress, let last { progress(last) }
            guard let manifest = upload.manifest else { return PartUpload.Outcome(receipts: receipts) }
            let (data, answer) = try await session.data(for: try await manifest(receipts))
            let response = try Self.success(data, answer)
            return PartUpload.Outcome(receipts: receipts, manifest: (response, data))
        } catch {
            throw Task.isCancelled ? URLError.ferryCancelled(url: nil) : error
        }
    }

    private func next(_ parts: PartList) -> PartUpload.Part? {
        state.withLock { state in
            while state.next < parts.count {
                defer { state.next += 1 }
                if state.receipts[state.next + 1] == nil { return parts[state.next] }
            }
            return nil
        }
    }

    /// Sends a part, and sends it again after temporary failures.
    private func send(_ part: PartUpload.Part, _ source: UploadSource) async throws {
        var failures = 0
        while true {
            do {
                let receipt = try await attempt(part, source)
                state.withLock { state in
                    state.receipts[part.number] = receipt
                    state.inFlight[part.number] = nil
                    state.finished += Int64(part.range.count)
                }
                upload.partDidFinish?(receipt)
                return
            } catch {
                failures += 1
                let policy = session.options.retry ?? .standard
                guard !Task.isCancelled, failures < Self.maximumFailures, mayPass(error),
                    let delay = policy.delay(.milliseconds(100 << UInt64(failures)), after: error)
                else { throw error }
                try await SystemClock.sleep(delay)
            }
        }
    }

    private func attempt(_ part: PartUpload.Part, _ source: UploadSource) async throws -> PartUpload.Receipt {
        let request = state.withLock { state in
            state.lastNumber += 1
            state.inFlight[part.number] = (state.lastNumber, 0, 0)
            return state.lastNumber
        }
        let body = RequestBody(length: Int64(part.range.count)) { [self] in
            let number = state.withLock { state in
                state.lastNumber += 1
                if state.inFlight[part.number]?.request == request {
                    state.inFlight[part.number] = (request, state.lastNumber, 0)
                }
                return state.lastNumber
            }
            return UploadPieces(source: source, part: part.range, limit: upload.limit) { [self] count in
                note(count, of: number, part.number, source.size)
            }
        }
        var sent = try await upload.request(part)
        sent.setTypeOfFile(in: session)
        // Each attempt has a request of its own.
        let (data, answer) = try await session.exchange(sent, body: body) { $0.retryPolicy = nil }
        let response = try Self.success(data, answer)
        let tag = response.value(forHTTPHeaderField: "ETag")
        return PartUpload.Receipt(number: part.number, entityTag: tag, length: Int64(part.range.count))
    }

    private static func success(_ data: Data, _ answer: URLResponse) throws -> HTTPURLResponse {
        guard let response = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        guard 200..<300 ~= response.statusCode else { throw FileUploadError((data, response)) }
        return response
    }

    // MARK: - Progress

    private func note(_ count: Int, of body: Int, _ number: Int, _ total: Int64) {
        let current = state.withLock { state -> TransferProgress? in
            guard state.inFlight[number]?.body == body else { return nil }
            state.inFlight[number]?.sent += Int64(count)
            state.meter.add(count, at: .now())
            return state.progress(of: total, always: false)
        }
        if let progress, let current { progress(current) }
    }
}

/// The parts of a file; an empty file has one.
struct PartList: Sendable, Equatable {
    let size: Int64
    let partSize: Int64

    init(size: Int64, partSize: Int64) { (self.size, self.partSize) = (max(0, size), max(1, partSize)) }

    var count: Int { max(1, Int(size / partSize) + (size % partSize > 0 ? 1 : 0)) }

    subscript(index: Int) -> PartUpload.Part {
        let start = Int64(index) * partSize
        return PartUpload.Part(number: index + 1, range: start..<(start + min(partSize, size - start)))
    }
}
