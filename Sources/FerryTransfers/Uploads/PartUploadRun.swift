final class PartUploadRun: Sendable {
    private struct State: Sendable {
        var next = 0
        var receipts: [Int: PartUpload.Receipt]
    }

    private let session: CurlSession
    private let upload: PartUpload
    private let progress: UploadProgress
    private let state: Mutex<State>

    private static let maximumFailures = 6

    init(session: CurlSession, upload: PartUpload, progress: (@Sendable (TransferProgress) -> Void)?) {
        (self.session, self.upload, self.progress) = (session, upload, UploadProgress(progress))
        let receipts = Dictionary(upload.receipts.map { ($0.number, $0) }) { $1 }
        state = Mutex(State(receipts: receipts))
    }

    func run() async throws -> PartUpload.Outcome {
        defer { progress.reset() }
        do {
            let source = try await UploadSource(path: upload.file.path)
            let parts = PartList(size: source.size, partSize: upload.partSize)
            let numbers = state.withLock { state in
                state.receipts = state.receipts.filter { number, receipt in
                    guard (1...parts.count).contains(number) else { return false }
                    let length = Int64(parts[number - 1].range.count)
                    return receipt.length ?? length == length
                }
                return Array(state.receipts.keys)
            }
            for number in numbers { progress.confirm(number, Int64(parts[number - 1].range.count)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<min(max(1, upload.maximumConcurrentParts), parts.count) {
                    group.addTask { while let part = self.next(parts) { try await self.send(part, source) } }
                }
                // The first error ends the others.
                while try await group.next() != nil {}
            }
            let receipts = state.withLock { $0.receipts.values.sorted { $0.number < $1.number } }
            progress.finish(total: source.size)
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
                state.withLock { $0.receipts[part.number] = receipt }
                progress.confirm(part.number, Int64(part.range.count))
                upload.partDidFinish?(receipt)
                return
            } catch {
                failures += 1
                let policy = session.options.retryPolicy ?? .standard
                guard !Task.isCancelled, failures < Self.maximumFailures, mayPass(error),
                    let delay = policy.delay(.milliseconds(100 << UInt64(failures)), after: error)
                else { throw error }
                try await SystemClock.sleep(delay)
            }
        }
    }

    private func attempt(_ part: PartUpload.Part, _ source: UploadSource) async throws -> PartUpload.Receipt {
        let begin = progress.begin(part.number, at: 0, of: source.size)
        let body = RequestBody(length: Int64(part.range.count)) { [upload] in
            UploadPieces(source: source, part: part.range, limit: upload.limit, willSend: begin())
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
