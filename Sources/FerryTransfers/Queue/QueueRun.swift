/// One run of a queue.
///
/// All decisions are made in one loop; each transfer is a Swift task, whose end is an event of the loop.
struct QueueRun: Sendable {
    private enum Event: Sendable {
        /// It is time to look for changes.
        case tick
        case ended(Int, Ending)
        /// It is time for the next attempt of a transfer.
        case due(Int)
        case cancelled
    }

    private enum Ending: Sendable {
        case finished(Int64)
        case failed(any Error)
        /// The journal could not be written before the file was renamed to its destination.
        case unrecorded(any Error)
        /// A resource of the system is missing, such as disk space; the transfer itself has not failed.
        case obstructed(TransferQueueError)
        /// The loop has stopped the transfer.
        case cancelled
    }

    /// An error of the journal, which ends the run and not only one transfer.
    private struct JournalFailure: Error {
        let error: any Error
    }

    /// The number of failures of a transfer, and the bytes that it had transferred then.
    private struct Failures {
        var count = 0
        var bytes: Int64 = 0
    }

    let queue: TransferQueue
    let session: CurlSession
    let report: (@Sendable (QueuedTransfer) -> Void)?

    private static let interval = TimeSpan.milliseconds(250)
    private static let obstacles: Set<Int32> = [ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE]

    private var maximumRunning: Int { min(max(queue.options.maximumConcurrentTransfers, 1), 256) }

    func run() async throws -> TransferQueue.Summary {
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        let clock = Task {
            while (try? await SystemClock.sleep(Self.interval)) != nil { sink.yield(.tick) }
        }
        defer { clock.cancel() }
        // In a cancelled Swift task, the sequence of events would end, but the transfers must be waited for.
        let work = Task {
            do {
                let summary = try await loop(events, sink)
                await queue.store.releaseAll()
                return summary
            } catch {
                await queue.store.releaseAll()
                throw error
            }
        }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            sink.yield(.cancelled)
        }
    }

    /// The state of the loop: the transfers that it has begun, and the result of the run so far.
    private struct State {
        var started: [Int: QueueRecord] = [:]
        /// The tasks of transfers that run.
        var tasks: [Int: Task<Void, Never>] = [:]
        /// The tasks that wait for the time of a transfer's next attempt.
        var delays: [Int: Task<Void, Never>] = [:]
        /// The transfers whose next attempt is due.
        var due: [Int] = []
        var failures: [Int: Failures] = [:]
        var summary = TransferQueue.Summary()
        var isEnding = false
        var error: (any Error)?

        var isIdle: Bool { tasks.isEmpty && delays.isEmpty && due.isEmpty }

        func cancel(_ id: Int) {
            tasks[id]?.cancel()
            delays[id]?.cancel()
        }
    }

    private func loop(
        _ events: AsyncStream<Event>,
        _ sink: AsyncStream<Event>.Continuation
    ) async throws -> TransferQueue.Summary {
        var state = State()
        sink.yield(.tick)
        for await event in events {
            do {
                try await take(event, &state, sink)
                try await start(&state, sink)
            } catch {
                // A later process could not continue transfers that are missing in the journal.
                state.error = state.error ?? error
                state.isEnding = true
            }
            if state.isEnding {
                state.due = []
                for id in state.started.keys { state.cancel(id) }
            }
            if state.isIdle { break }
        }
        if let error = state.error { throw error }
        if state.isEnding { throw CancellationError() }
        return state.summary
    }

    private func take(_ event: Event, _ state: inout State, _ sink: AsyncStream<Event>.Continuation) async throws {
        switch event {
        case .tick: break
        case .cancelled: state.isEnding = true
        case .due(let id):
            state.delays[id] = nil
            state.due.append(id)
        case .ended(let id, .unrecorded(let error)):
            postpone(id, &state)
            throw error
        case .ended(let id, .obstructed(let error)):
            // Other transfers go on, since they may write to another disk.
            postpone(id, &state)
            state.error = state.error ?? error
        case .ended(let id, let ending):
            state.tasks[id] = nil
            if let delay = retryDelay(id, ending, &state.failures[id, default: Failures()]), !state.isEnding {
                state.delays[id] = Task {
                    try? await SystemClock.sleep(delay)
                    sink.yield(.due(id))
                }
            } else {
                try await end(id, ending, &state)
            }
        }
    }

    /// Leaves a transfer to the next run; it stays claimed until this run has ended.
    private func postpone(_ id: Int, _ state: inout State) {
        state.tasks[id] = nil
        queue.running.withLock { $0[id] = nil }
    }

    /// Stops the transfers that were paused or removed, and starts those that may run now.
    private func start(_ state: inout State, _ sink: AsyncStream<Event>.Continuation) async throws {
        let room = state.isEnding ? 0 : max(0, maximumRunning - state.tasks.count)
        let again = state.due.prefix(room)
        let (new, stopped) = try await queue.store.next(room - again.count)
        state.due.removeFirst(again.count)
        for record in new {
            state.started[record.id] = record
            tell(record, isRunning: true)
        }
        for id in again + new.map(\.id) {
            state.tasks[id] = Task { sink.yield(.ended(id, await attempt(id))) }
        }
        for id in stopped {
            state.cancel(id)
            guard state.tasks[id] == nil, state.delays[id] == nil else { continue }
            state.due.removeAll { $0 == id }
            try await end(id, .cancelled, &state)
        }
    }

    // MARK: - One transfer

    /// Runs a transfer once, from its current state.
    private func attempt(_ id: Int) async -> Ending {
        do {
            try Task.checkCancellation()
            return .finished(try await transfer(id))
        } catch let failure as JournalFailure {
            return .unrecorded(failure.error)
        } catch VerifiedDownloadError.file(let path, let code, let reason) where Self.obstacles.contains(code) {
            return .obstructed(.file(path: path, code: code, reason: reason))
        } catch FileUploadError.file(let path, let code, let reason) where Self.obstacles.contains(code) {
            return .obstructed(.file(path: path, code: code, reason: reason))
        } catch {
            return Task.isCancelled ? .cancelled : .failed(error)
        }
    }

    private func transfer(_ id: Int) async throws -> Int64 {
        let record = try await queue.store.record(id)
        if let size = Self.publishedSize(record) { return size }
        guard let kept = record.work else { throw TransferQueueError.invalidTransfer("The digest is not valid") }
        let store = queue.store
        // The last piece of an upload may be asked for after the upload was cancelled.
        let isOver = Mutex(false)
        defer { isOver.withLock { $0 = true } }
        let tell = { @Sendable (progress: TransferProgress) in
            let isKnown = queue.running.withLock { running in
                guard !isOver.withLock({ $0 }) else { return false }
                running[id] = progress
                return true
            }
            if isKnown { self.tell(record, isRunning: true) }
        }
        switch queue.added.withLock({ $0[id] }) ?? kept {
        case .download(var download):
            download.keepsPartialFile = true
            download.limit = download.limit ?? queue.options.limit
            let run = SegmentedRun(session: session, download: download, progress: tell) { inode in
                try await note(id) { $0.published = inode }
            }
            return try await run.run().byteCount
        case .upload(var upload):
            if case .upload(let kept) = kept { upload.location = kept.location }
            let path = upload.file.path
            guard let version = FileVersion(path: path) else { throw FileUploadError(FileError("open", path: path)) }
            if version != record.upload?.version { try await begin(&upload, record, version) }
            upload.limit = upload.limit ?? queue.options.limit
            upload.locationDidChange = { [other = upload.locationDidChange] location in
                store.noteLocation(location, of: version, for: id)
                other?(location)
            }
            return try await session.upload(upload, progress: tell).byteCount
        }
    }

    /// Notes the version of an upload's file before it is sent, and begins again if an earlier one was sent.
    private func begin(_ upload: inout FileUpload, _ record: QueueRecord, _ version: FileVersion) async throws {
        if record.upload?.version != nil {
            // The server's part, and a response to the earlier request, belong to the earlier version.
            upload.location = nil
            if record.upload?.makesKey == true { upload.request.idempotencyKey = QueueRecord.Upload.newKey }
        }
        let begun = upload
        queue.added.withLock { if $0[record.id] != nil { $0[record.id] = .upload(begun) } }
        try await note(record.id) { record in
            record.upload?.note(begun.location, of: version)
            record.upload?.request.fields["Idempotency-Key"] = begun.request.idempotencyKey
        }
    }

    /// Records a change of a running transfer; if that fails, the run ends.
    private func note(_ id: Int, _ change: @escaping @Sendable (inout QueueRecord) -> Void) async throws {
        do {
            try await queue.store.note(id, change)
        } catch {
            throw JournalFailure(error: error)
        }
    }

    /// Returns the size of a file that was renamed before the process ended, without a record of that in the journal.
    private static func publishedSize(_ record: QueueRecord) -> Int64? {
        var info = stat()
        guard let inode = record.published, stat(record.path, &info) == 0, info.st_mode & S_IFMT == S_IFREG,
            UInt64(info.st_ino) == inode
        else { return nil }
        let size = Int64(info.st_size)
        let part = record.path + VerifiedDownload.partSuffix
        // If there is a partial file, the record beside it belongs to that file and not to this one.
        if access(part, F_OK) != 0 {
            // Another file may have got the same inode.
            if let state = SegmentState.read(part + ".state"), state.total != size { return nil }
            unlink(part + ".state")
        }
        return size
    }

    /// Returns the delay before a transfer begins again; `nil` if it does not.
    private func retryDelay(_ id: Int, _ ending: Ending, _ failures: inout Failures) -> TimeSpan? {
        guard case .failed(let error) = ending, let policy = queue.options.retryPolicy, mayPass(error) else {
            return nil
        }
        let bytes = queue.running.withLock { $0[id]?.completedByteCount } ?? 0
        let hasProgress = bytes >= failures.bytes + RetryPolicy.minimumProgress
        failures = Failures(count: hasProgress ? 1 : failures.count + 1, bytes: max(bytes, failures.bytes))
        guard failures.count <= policy.maximumRetries else { return nil }
        let delay = policy.backoff.delay(retry: failures.count - 1, random: .random(in: 0...1))
        return policy.delay(TimeSpan(seconds: delay), after: error)
    }

    private func end(_ id: Int, _ ending: Ending, _ state: inout State) async throws {
        let started = state.started.removeValue(forKey: id)
        state.failures[id] = nil
        queue.running.withLock { $0[id] = nil }
        let isFinished = if case .finished = ending { true } else { false }
        let last = try await queue.store.release(id, isFinished: isFinished) { record in
            switch ending {
            case .finished(let bytes): (record.state, record.bytes, record.published) = (.finished, bytes, nil)
            case .failed(let error):
                (record.state, record.error, record.published) = (.failed, error.localizedDescription, nil)
            case .cancelled, .unrecorded, .obstructed: break
            }
        }
        guard let last else {
            // It was removed while it ran.
            queue.added.withLock { $0[id] = nil }
            await started?.discardPartialFile()
            return
        }
        if last.state == .finished {
            state.summary.finishedCount += 1
            queue.added.withLock { $0[id] = nil }
        }
        if last.state == .failed { state.summary.failedCount += 1 }
        if last.state != .waiting { tell(last, isRunning: false) }
    }

    private func tell(_ record: QueueRecord, isRunning: Bool) {
        guard let report, var transfer = QueuedTransfer(record, isRunning: isRunning) else { return }
        if isRunning, let known = queue.running.withLock({ $0[record.id] }) ?? record.savedProgress {
            transfer.progress = known
        }
        report(transfer)
    }
}
