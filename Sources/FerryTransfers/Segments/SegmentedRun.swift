/// One run of a ``VerifiedDownload``: opens the file, fetches, checks and publishes.
///
/// Workers are child tasks, each with a part of the plan and one request at a time.
final class SegmentedRun: Sendable {
    struct State: Sendable {
        var plan = SegmentPlan(total: nil)
        var entity: SegmentEntity?
        var sources: [SegmentSource]
        /// The parts that came from mirrors or an earlier run, and are fetched again if the digest is wrong.
        var doubtful: [Range<Int64>] = []
        /// The sources of the bytes that have arrived; -1 is an earlier run.
        var senders: Set<Int> = []
        /// The error of the first file with a wrong digest, and the digest that was announced for it.
        var mismatch: (error: VerifiedDownloadError, announced: ContentDigest?)?
        /// The only source that is used after a wrong digest.
        var only: Int?
        /// Whether the whole file must be fetched again, because it has changed on the server or ranges are not exact.
        var mustRestart = false
        /// Whether the file is fetched as one stream, since an earlier attempt with ranges has failed.
        var isSingle = false
        /// The source whose response with the whole file is being read, if there is one.
        var followed: Int?
        /// Whether a worker has ended because the followed source refused its request.
        var hasRetired = false
        var continuedByteCount: Int64 = 0
        var lastError: (any Error)?
        /// The source of `lastError`.
        var failedSource: Int?
        var rates: [Int: TransferRate] = [:]
        var meter = ProgressMeter()
        /// The time of the last record; the first one is written a quarter of a second after the start.
        var lastSave = MonotonicTime.now().before(.milliseconds(750))

        var usable: [Int] { sources.indices.filter { sources[$0].isUsable && (only ?? $0) == $0 } }

        /// Discards the parts that have arrived, so that the whole file is fetched again.
        mutating func restart() {
            plan = SegmentPlan(total: nil)
            (entity, doubtful, senders, mustRestart, continuedByteCount) = (nil, [], [], false, 0)
            for index in sources.indices { sources[index].hasRanges = true }
        }

        /// Notes the error of a request; a mirror's replaces that of the first source only if it alone is temporary.
        mutating func note(_ error: any Error, of source: Int) {
            let hasHope = mayPass(error) && lastError.map(mayPass) != true
            if source == 0 || failedSource != 0 || hasHope { (lastError, failedSource) = (error, source) }
        }

        /// Notes the source of a part; a part from a mirror may be wrong.
        mutating func note(_ part: Range<Int64>, from source: Int) {
            senders.insert(source)
            guard sources[source].isMirror else { return }
            if let index = doubtful.lastIndex(where: { $0.upperBound == part.lowerBound }) {
                doubtful[index] = doubtful[index].lowerBound..<part.upperBound
            } else {
                doubtful.append(part)
            }
        }
    }

    /// A response whose body is not read yet.
    struct Opened: Sendable {
        let bytes: CurlSession.Bytes
        let response: HTTPURLResponse
        let source: Int
    }

    let session: CurlSession
    let download: VerifiedDownload
    let state: Mutex<State>
    private let progress: (@Sendable (TransferProgress) -> Void)?
    /// Called with the inode of the complete file before it is renamed.
    private let willPublish: (@Sendable (UInt64) async throws -> Void)?

    /// The time between two reports of the progress.
    private static let interval = TimeSpan.milliseconds(100)
    /// The number of times that a download starts again from its first byte.
    private static let maximumRestarts = 3

    init(
        session: CurlSession,
        download: VerifiedDownload,
        progress: (@Sendable (TransferProgress) -> Void)?,
        willPublish: (@Sendable (UInt64) async throws -> Void)? = nil
    ) {
        (self.session, self.download, self.progress, self.willPublish) = (session, download, progress, willPublish)
        state = Mutex(State(sources: SegmentSource.all(of: download)))
    }

    var connections: Int { min(max(download.connections, 1), 64) }

    func run() async throws -> VerifiedDownload.Outcome {
        let file = try await SegmentFile(destination: download.destination.path)
        do {
            return try await run(file)
        } catch {
            // Bytes that were received and discarded stay reported, since they count as progress.
            if state.withLock({ $0.plan.count > 0 }) { report(always: true) }
            await leave(file, after: error)
            throw Task.isCancelled ? URLError.ferryCancelled(url: download.request.url) : error
        }
    }

    private func run(_ file: SegmentFile) async throws -> VerifiedDownload.Outcome {
        try await load(file)
        // The first report includes the bytes that an earlier run has left.
        report(always: true)
        do { return try await fetchAll(file) } catch {
            guard Self.isOfSource(error), let mismatch = state.withLock({ $0.mismatch }) else { throw error }
            // A source that has sent all bytes of a wrong file would send the same bytes again.
            let rest = state.withLock { state in
                state.sources.indices.filter { state.sources[$0].isUsable && state.senders != [$0] }
            }
            for source in rest {
                do { return try await fetchAll(file, from: source) } catch {
                    guard Self.isOfSource(error) else { throw error }
                }
            }
            throw rest.isEmpty ? error : mismatch.error
        }
    }

    /// Whether a source has caused the failure, so that another source may have the file.
    private static func isOfSource(_ error: any Error) -> Bool {
        if case VerifiedDownloadError.file = error { return false }
        return !Task.isCancelled && (error is URLError || error is VerifiedDownloadError)
    }

    /// Fetches the file and publishes it; with a source, fetches it only from there, as one stream.
    private func fetchAll(_ file: SegmentFile, from source: Int? = nil) async throws -> VerifiedDownload.Outcome {
        if let source {
            state.withLock { state in
                (state.only, state.isSingle) = (source, true)
                state.restart()
            }
            try await file.begin(hashing: nil, keepsBytes: false)
        }
        var hasChanged = false
        for _ in 0...Self.maximumRestarts {
            if try await fetch(file) { return try await finish(file) }
            state.withLock { state in
                hasChanged = state.mustRestart
                state.restart()
            }
        }
        throw state.withLock { hasChanged ? nil : $0.lastError } ?? VerifiedDownloadError.keepsChanging
    }

    /// Reads what an earlier run has left.
    private func load(_ file: SegmentFile) async throws {
        guard let url = download.request.url, let saved = try await file.state(), let ranges = saved.ranges,
            download.continuesOtherURL || saved.source == SegmentState.hash(of: url),
            download.size == nil || download.size == saved.total
        else { return }
        let announced = download.checksAnnouncedDigest ? saved.digest.flatMap { ContentDigest($0) } : nil
        let entity = SegmentEntity(
            validator: saved.validator,
            total: saved.total,
            digest: download.digest ?? announced,
            announced: announced
        )
        state.withLock { state in
            state.plan = SegmentPlan(total: saved.total, done: ranges)
            // A request for the last byte shows whether the server still has this file.
            if state.plan.isComplete, download.digest == nil { state.plan.forget([saved.total - 1..<saved.total]) }
            (state.entity, state.doubtful, state.continuedByteCount) = (entity, ranges, state.plan.count)
            state.senders = [-1]
        }
        try await file.begin(hashing: entity.digest?.algorithm, keepsBytes: true)
    }

    /// Fetches all that is missing; returns `false` if the download must start again.
    private func fetch(_ file: SegmentFile) async throws -> Bool {
        var opened: Opened?
        if state.withLock({ $0.entity == nil }) {
            let whole = try await openWhole()
            let entity = try describe(whole)
            state.withLock { state in
                state.entity = entity
                state.plan = SegmentPlan(total: entity.total)
                _ = state.plan.assign(to: 0)
            }
            try await file.begin(hashing: entity.digest?.algorithm, keepsBytes: false)
            opened = whole
        }
        while !state.withLock({ $0.plan.isComplete }) {
            try await work(file, opened)
            opened = nil
            let (canGoOn, mustRestart, error) = state.withLock { state in
                let isRanged = state.entity?.validator != nil && state.usable.contains { state.sources[$0].hasRanges }
                return (isRanged && !state.mustRestart, !state.usable.isEmpty, state.lastError)
            }
            if state.withLock({ $0.plan.isComplete }) { break }
            if canGoOn { continue }
            guard mustRestart else { throw error ?? URLError(.networkConnectionLost) }
            state.withLock { $0.isSingle = $0.isSingle || !$0.mustRestart }
            return false
        }
        return true
    }

    /// Runs the workers until none of them has anything to do.
    private func work(_ file: SegmentFile, _ opened: Opened?) async throws {
        let count = state.withLock { $0.isSingle || $0.entity?.validator == nil } ? 1 : connections
        try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<count {
                let first = worker == 0 ? opened : nil
                group.addTask { [self] in
                    try await SegmentWorker(run: self, file: file, id: worker).run(first)
                    return 1
                }
            }
            group.addTask { [self] in
                while (try? await SystemClock.sleep(Self.interval)) != nil { try await tick(file) }
                return 0
            }
            if state.withLock({ $0.entity?.digest }) != nil {
                // Reports do not wait for a hash that is slower than the network.
                group.addTask { [self] in
                    while (try? await SystemClock.sleep(Self.interval)) != nil {
                        try await file.hash(upTo: state.withLock { $0.plan.prefix })
                    }
                    return 0
                }
            }
            // The first error ends the others.
            var ended = 0
            while ended < count, let more = try await group.next() { ended += more }
            group.cancelAll()
        }
    }

    /// Checks the complete file and publishes it.
    private func finish(_ file: SegmentFile) async throws -> VerifiedDownload.Outcome {
        let (total, expected) = state.withLock { ($0.plan.total, $0.entity?.digest) }
        if let size = download.size, size != total {
            throw VerifiedDownloadError.sizeMismatch(expected: size, actual: total)
        }
        if let expected {
            let bytes = try await file.digest(of: total)
            if let actual = bytes.flatMap({ ContentDigest(expected.algorithm, $0) }), actual != expected {
                let error = VerifiedDownloadError.digestMismatch(expected: expected, actual: actual)
                state.withLock { $0.mismatch = $0.mismatch ?? (error, $0.entity?.announced) }
                try await refetch(file, or: error)
                return try await finish(file)
            }
        }
        try Task.checkCancellation()
        if let willPublish { try await willPublish(try await file.inode()) }
        try await file.publish(total: total, synchronized: download.synchronizes)
        report(always: true)
        return state.withLock { state in
            VerifiedDownload.Outcome(
                byteCount: total,
                continuedByteCount: state.continuedByteCount,
                lastModified: state.entity?.lastModified,
                digest: expected
            )
        }
    }

    /// Fetches the parts that may be wrong again, from the first server; throws the error if there are none.
    private func refetch(_ file: SegmentFile, or error: VerifiedDownloadError) async throws {
        let (isPossible, algorithm) = state.withLock { state -> (Bool, ContentDigest.Algorithm?) in
            guard state.only == nil, !state.doubtful.isEmpty, state.sources[0].isUsable, state.sources[0].hasRanges
            else { return (false, nil) }
            state.plan.forget(state.doubtful)
            (state.doubtful, state.continuedByteCount, state.only) = ([], 0, 0)
            return (true, state.entity?.digest?.algorithm)
        }
        guard isPossible else { throw error }
        try await file.begin(hashing: algorithm, keepsBytes: true)
        guard try await fetch(file) else { throw error }
        state.withLock { $0.senders = [0] }
    }

    /// Keeps or deletes what has arrived, after a failure.
    private func leave(_ file: SegmentFile, after error: any Error) async {
        if case .digestMismatch = error as? VerifiedDownloadError { return await file.remove() }
        let isWrong = if case .sizeMismatch = error as? VerifiedDownloadError { true } else { false }
        // If there is no record, the bytes may be those of an earlier download, whose record is still valid.
        guard !isWrong, let record = record() else { return await file.remove(ifOwn: true) }
        guard download.keepsPartialFile else { return await file.remove() }
        // The caller throws the failure itself. If this record is not written, the earlier one is still valid.
        try? await file.save(record, synchronized: download.synchronizes)
        try? await file.close()
    }

    /// The record of the file's parts; `nil` if the download cannot be continued.
    private func record() -> SegmentState? {
        guard let url = download.request.url else { return nil }
        return state.withLock { state in
            guard let entity = state.entity, let validator = entity.validator, state.plan.count > 0 else { return nil }
            return SegmentState(
                source: url,
                validator: validator,
                digest: entity.announced,
                plan: state.plan,
                isSynchronized: download.synchronizes
            )
        }
    }

    /// Reports the progress, and saves the record each second.
    private func tick(_ file: SegmentFile) async throws {
        report(always: false)
        let isDue = state.withLock { state in
            guard MonotonicTime.now().since(state.lastSave) >= TimeSpan(seconds: 1) else { return false }
            state.lastSave = .now()
            return true
        }
        if isDue, let record = record() { try await file.save(record, synchronized: download.synchronizes) }
    }

    private func report(always: Bool) {
        guard let progress else { return }
        let current = state.withLock { state in
            let plan = state.plan
            let total = plan.total == .max ? nil : plan.total
            return state.meter.progress(of: plan.count, total: total, always: always)
        }
        if let current { progress(current) }
    }
}
