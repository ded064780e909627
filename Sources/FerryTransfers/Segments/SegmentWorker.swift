/// Fetches one part of a download after the other.
struct SegmentWorker: Sendable {
    let run: SegmentedRun
    let file: SegmentFile
    let id: Int

    /// The number of bytes that a request must have fetched so that its failure is not counted.
    private static let progress = 16_384

    private struct Job {
        let source: SegmentSource
        let index: Int
        let part: Range<Int64>
        let entity: SegmentEntity
    }

    func run(_ opened: SegmentedRun.Opened?) async throws {
        if let opened {
            try await follow(opened)
            // If other workers have ended meanwhile, all begin again with the rest.
            if run.state.withLock({ $0.hasRetired }) { return }
        }
        while let job = next() {
            try Task.checkCancellation()
            defer { end(job) }
            guard try await fetch(job) else { return }
        }
    }

    /// Reads the response with the whole file, up to the parts that other workers have.
    private func follow(_ opened: SegmentedRun.Opened) async throws {
        run.state.withLock { state in
            state.sources[opened.source].users += 1
            (state.followed, state.hasRetired) = (opened.source, false)
        }
        defer {
            run.state.withLock { state in
                state.sources[opened.source].users -= 1
                state.followed = nil
            }
            // The rest belongs to other workers.
            opened.bytes.task.cancel()
        }
        _ = try await read(opened.bytes, from: opened.source, isWhole: true)
    }

    /// Returns the next part after assigning it; `nil` if there is nothing to do for this worker.
    private func next() -> Job? {
        run.state.withLock { state in
            guard !state.mustRestart, let entity = state.entity, entity.validator != nil else { return nil }
            let ranged = state.usable.filter { state.sources[$0].hasRanges }
            guard let index = ranged.min(by: { state.sources[$0].users < state.sources[$1].users }) else { return nil }
            let now = MonotonicTime.now()
            let rates = state.rates.mapValues { $0.value(at: now) }
            guard let part = state.plan.assign(to: id, rates: rates) else { return nil }
            state.sources[index].users += 1
            return Job(source: state.sources[index], index: index, part: part, entity: entity)
        }
    }

    private func end(_ job: Job) {
        run.state.withLock { state in
            state.plan.release(id)
            state.sources[job.index].users -= 1
        }
    }

    /// Fetches a part, and returns whether this worker goes on.
    private func fetch(_ job: Job) async throws -> Bool {
        // Another server may have another tag for the same bytes; the digest decides whether they are the same.
        let isFree = job.source.isMirror && job.entity.digest != nil
        let request = job.source.request(for: job.part, ifRange: isFree ? nil : job.entity.validator)
        do {
            let (bytes, answer) = try await run.open(request, of: job.source)
            guard let response = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            let isMirror = job.source.isMirror && job.index != job.entity.source
            switch job.entity.evaluate(response, part: job.part, isMirror: isMirror) {
            case .fits: return try await read(bytes, from: job.index, isWhole: false)
            case .changed: run.state.withLock { $0.mustRestart = true }
            case .refuses: run.state.withLock { $0.sources[job.index].hasRanges = false }
            case .fails: return try await fail(job, VerifiedDownloadError(response))
            case .hasNot: run.drop(job.index, await run.refusal(response, bytes))
            }
        } catch let error as URLError where !Task.isCancelled {
            return try await fail(job, error)
        }
        return true
    }

    /// Counts the failure of a request, and returns whether this worker goes on.
    private func fail(_ job: Job, _ error: any Error) async throws -> Bool {
        if retires(job.index) { return false }
        try await run.fail(job.index, error)
        return true
    }

    /// Releases the part after a failed request, and returns whether the worker ends.
    ///
    /// A server that is sending the whole file may refuse other connections, which are then not needed.
    private func retires(_ index: Int) -> Bool {
        run.state.withLock { state in
            state.plan.release(id)
            guard state.followed == index else { return false }
            state.hasRetired = true
            return true
        }
    }

    /// Writes the bytes of a response to the worker's part, until the part or the response ends; returns whether the
    /// worker goes on.
    private func read(_ bytes: CurlSession.Bytes, from index: Int, isWhole: Bool) async throws -> Bool {
        defer {
            run.state.withLock { state in
                state.plan.release(id)
                state.rates[id] = nil
            }
        }
        run.state.withLock { $0.rates[id] = TransferRate(start: .now()) }
        let reception = Reception()
        do {
            try await bytes.pass { piece in
                reception.take(piece) { piece in try write(piece, from: index, isWhole: isWhole) }
            }
        } catch let error as URLError where !Task.isCancelled {
            try reception.check()
            // Once the part is complete, it does not matter how the response ends.
            guard isMissing() else { return true }
            return try await lose(index, reception.received, error, isWhole: isWhole)
        }
        try reception.check()
        if reception.isOver {
            run.state.withLock { $0.sources[index].failures = 0 }
            return true
        }
        guard isMissing() else { return true }
        let isAll = run.state.withLock { state -> Bool in
            guard state.plan.total == .max else { return false }
            state.plan.finish(at: state.plan.prefix)
            return true
        }
        if isAll { return true }
        return try await lose(index, reception.received, URLError(.networkConnectionLost), isWhole: isWhole)
    }

    private func isMissing() -> Bool { run.state.withLock { ($0.plan.segments[id]?.missing ?? 0) > 0 } }

    /// Writes a piece on the engine's thread, and returns whether the worker's part goes on.
    private func write(_ piece: UnsafeRawBufferPointer, from index: Int, isWhole: Bool) throws -> Bool {
        var rest = piece[...]
        while let (part, space) = run.state.withLock({ claim(rest.count, in: &$0.plan) }) {
            if let size = run.download.size, part.upperBound > size {
                throw VerifiedDownloadError.sizeMismatch(expected: size, actual: part.upperBound)
            }
            if let space { file.reserve(space) }
            try file.write(UnsafeRawBufferPointer(rebasing: rest.prefix(part.count)), at: part.lowerBound)
            rest = rest.dropFirst(part.count)
            let now = MonotonicTime.now()
            run.state.withLock { state in
                state.plan.confirm(id)
                state.rates[id]?.add(part.count, at: now)
                state.meter.add(part.count, at: now)
                state.note(part, from: index)
                if isWhole { state.plan.extend(id) }
            }
        }
        return run.state.withLock { !$0.mustRestart && ($0.plan.segments[id]?.missing ?? 0) > 0 }
    }

    private func claim(_ count: Int, in plan: inout SegmentPlan) -> (part: Range<Int64>, space: Range<Int64>?)? {
        plan.claim(id, count).map { part in (part, plan.reserve(id)) }
    }

    /// Counts the loss of a connection, unless it had fetched enough bytes, and returns whether the worker goes on.
    private func lose(_ index: Int, _ received: Int, _ error: any Error, isWhole: Bool) async throws -> Bool {
        if received == 0, !isWhole, retires(index) { return false }
        let isRanged = run.state.withLock { state in
            state.plan.release(id)
            if received >= Self.progress { state.sources[index].failures = 0 }
            return state.entity?.validator != nil
        }
        if isRanged, received >= Self.progress {
            run.state.withLock { $0.note(error, of: index) }
        } else {
            try await run.fail(index, error)
        }
        return true
    }
}

/// The state of one response's body, which the engine's thread changes and a worker reads.
private final class Reception: Sendable {
    private let state = Mutex<(received: Int, isOver: Bool, error: (any Error)?)>((0, false, nil))

    /// The number of bytes that have arrived.
    var received: Int { state.withLock { $0.received } }
    /// Whether the worker's part has ended before the body.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Counts a piece and writes it with a closure; returns whether more pieces are wanted.
    func take(_ piece: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws -> Bool) -> Bool {
        let result = Result { try write(piece) }
        return state.withLock { state in
            state.received += piece.count
            switch result {
            case .success(let isWanted): state.isOver = !isWanted
            case .failure(let error): state.error = error
            }
            return !state.isOver && state.error == nil
        }
    }

    /// Throws the error of a piece that could not be written.
    func check() throws { if let error = state.withLock({ $0.error }) { throw error } }
}
