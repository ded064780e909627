/// Downloads and uploads that are kept in a folder, so that another process can continue them.
///
/// ```swift
/// let queue = try await TransferQueue(directory: folder)
/// try await queue.add(VerifiedDownload(url, to: file, connections: 4))
/// try await queue.add(FileUpload(photo, to: destination))
/// let summary = try await queue.run(with: session) { print($0.file.lastPathComponent, $0.progress) }
/// ```
///
/// A transfer that was added is on the disk, in a journal in the folder, before the method returns. However the process
/// ends, also by `kill -9`, the next ``run(with:progress:)`` goes on: downloads with the bytes that have arrived, of
/// which at most the last second is lost, and uploads with what the server has, where its protocol can tell.
///
/// Several processes may use the folder at the same time, for example to add transfers, but only one runs them. It
/// finds changes by the others within a quarter of a second.
///
/// Passwords, tokens and cookies are not kept unless ``Options/keepsSecrets`` is true: header fields whose names
/// suggest a secret, and users in URLs, are left out. An interceptor or the session's configuration can add them. The
/// query of a URL is kept as it is; only the user of the process can read the files of the folder.
public final class TransferQueue: Sendable {
    /// The settings of a queue.
    public struct Options: Sendable {
        /// The number of transfers that run at the same time, from 1 to 256; 4 by default.
        public var maximumConcurrentTransfers = 4
        /// Whether header fields with secrets and users in URLs are kept; false by default.
        public var keepsSecrets = false
        /// The policy that decides when a transfer begins again after a failure of the connection or the server.
        ///
        /// The default is `RetryPolicy.standard`; with nil, no transfer begins again. Only its number of retries and
        /// its backoff are used, not a server's `Retry-After`. The count begins again for a transfer that has made
        /// progress since its last failure. The session's own policy, where it applies to a transfer, comes in
        /// addition: prefer a session without one.
        public var retryPolicy: RetryPolicy? = .standard
        /// The limit on the bytes per second, which all transfers without their own limit share; nil, the default, for
        /// none.
        public var limit: BandwidthLimit?

        /// Creates the default options, which a closure may change.
        public init(configure: (inout Self) -> Void = { _ in }) { configure(&self) }
    }

    /// The numbers of transfers that a run has ended.
    public struct Summary: Sendable, Hashable {
        /// The number of transfers that have finished.
        public var finishedCount = 0
        /// The number of transfers that have failed.
        public var failedCount = 0
    }

    let store: QueueStore
    let options: Options
    /// The transfers that were added in this process, with their secrets, which are not kept on disk.
    let added = Mutex<[Int: QueueWork]>([:])
    let running = Mutex<[Int: TransferProgress]>([:])

    /// Opens the queue in a folder, or creates it.
    ///
    /// - Parameters:
    ///   - directory: The folder for the journal. If it does not exist, it is created with access for this user only;
    ///     its parent must exist. If others can write to it, it is refused.
    ///   - options: The settings.
    /// - Throws: A ``TransferQueueError``.
    public init(directory: URL, options: Options = Options()) async throws {
        guard directory.isFileURL else { throw TransferQueueError.invalidTransfer("The folder must be a file URL") }
        store = try await QueueStore(folder: directory.standardizedFileURL.path)
        self.options = options
    }

    init(store: QueueStore, options: Options) { (self.store, self.options) = (store, options) }

    /// Adds a download, and returns its number when it is on the disk.
    ///
    /// - Parameters:
    ///   - download: The download; ``VerifiedDownload/keepsPartialFile`` has no effect, and its limit is not kept.
    ///   - priority: Transfers with a greater priority begin first; 0 by default.
    /// - Returns: The number of the download.
    /// - Throws: A ``TransferQueueError``.
    @discardableResult
    public func add(_ download: VerifiedDownload, priority: Int = 0) async throws -> QueuedTransfer.ID {
        try await add([download], priority: priority)[0]
    }

    /// Adds downloads in about the time that one takes; all of them or none, unless the process is killed meanwhile.
    ///
    /// - Parameters:
    ///   - downloads: The downloads.
    ///   - priority: Transfers with a greater priority begin first; 0 by default.
    /// - Returns: The numbers of the downloads, in order.
    /// - Throws: A ``TransferQueueError``.
    @discardableResult
    public func add(_ downloads: [VerifiedDownload], priority: Int = 0) async throws -> [QueuedTransfer.ID] {
        let records = try downloads.map { download in
            let kept = try QueueRecord.Download(download, keepsSecrets: options.keepsSecrets)
            return QueueRecord(id: 0, priority: priority, download: kept)
        }
        return try await add(records, downloads.map { .download($0) })
    }

    /// Adds an upload, and returns its number when it is on the disk.
    ///
    /// The request gets an `Idempotency-Key` field with a random value, unless it has one: without a protocol for
    /// resumable uploads, the request may be sent again after the server has received it. If the file has changed
    /// since, the field gets another value.
    ///
    /// - Parameters:
    ///   - upload: The upload; its limit is not kept.
    ///   - priority: Transfers with a greater priority begin first; 0 by default.
    /// - Returns: The number of the upload.
    /// - Throws: A ``TransferQueueError``.
    @discardableResult
    public func add(_ upload: FileUpload, priority: Int = 0) async throws -> QueuedTransfer.ID {
        var upload = upload
        let makesKey = upload.request.idempotencyKey == nil
        if makesKey { upload.request.idempotencyKey = QueueRecord.Upload.newKey }
        var kept = try QueueRecord.Upload(upload, keepsSecrets: options.keepsSecrets)
        kept.makesKey = makesKey
        return try await add([QueueRecord(id: 0, priority: priority, upload: kept)], [.upload(upload)])[0]
    }

    private func add(_ records: [QueueRecord], _ works: [QueueWork]) async throws -> [QueuedTransfer.ID] {
        try await store.add(records) { [self] ids in
            added.withLock { added in
                for (id, work) in zip(ids, works) { added[id] = work }
            }
        }
    }

    /// Returns all transfers, in the order in which they begin.
    ///
    /// - Throws: A ``TransferQueueError``.
    public func transfers() async throws -> [QueuedTransfer] {
        let (records, claimed) = try await store.all()
        let running = running.withLock { $0 }
        return records.compactMap { record in
            var transfer = QueuedTransfer(record, isRunning: claimed.contains(record.id))
            if let known = running[record.id] ?? record.savedProgress { transfer?.progress = known }
            return transfer
        }
    }

    /// The number of records of the journal that could not be read, since they were damaged or not written completely.
    ///
    /// The state of a transfer is then that of its last readable record.
    public var damagedRecordCount: Int {
        get async throws { try await store.damagedRecords() }
    }

    /// Stops a transfer, or all transfers, until they are resumed; a running one keeps what has arrived.
    ///
    /// - Parameter id: The number of the transfer, or nil for all of them.
    /// - Throws: A ``TransferQueueError``.
    public func pause(_ id: QueuedTransfer.ID? = nil) async throws {
        try await store.change(id) { $0.state == .waiting ? $0.with(.paused) : nil }
    }

    /// Resumes a transfer that was paused or has failed, or all of them: they wait for their turn again.
    ///
    /// - Parameter id: The number of the transfer, or nil for all of them.
    /// - Throws: A ``TransferQueueError``.
    public func resume(_ id: QueuedTransfer.ID? = nil) async throws {
        try await store.change(id) { $0.state == .paused || $0.state == .failed ? $0.with(.waiting) : nil }
    }

    package func retryFailed() async throws {
        try await store.change(nil) { $0.state == .failed ? $0.with(.waiting) : nil }
    }

    /// Removes a transfer; a running one is cancelled, and the partial file of a download is deleted.
    ///
    /// - Parameter id: The number of the transfer.
    /// - Throws: A ``TransferQueueError``.
    public func remove(_ id: QueuedTransfer.ID) async throws {
        let record = try await store.all().records.first { $0.id == id }
        try await store.change(id) { $0.removed }
        added.withLock { $0[id] = nil }
        // A file that is being written is deleted when the run of the transfer ends.
        await record?.discardPartialFile()
    }

    /// Removes the transfers that have finished; their files stay.
    ///
    /// - Throws: A ``TransferQueueError``.
    public func removeFinished() async throws {
        try await store.change(nil) { $0.state == .finished ? $0.removed : nil }
    }

    // MARK: - Running

    /// Runs the transfers that wait, until none waits or runs.
    ///
    /// Transfers that were added, paused, resumed or removed meanwhile, also by other processes, are taken into
    /// account. Transfers that are paused, or have failed before, are not run. Cancelling the Swift task stops the
    /// transfers, which wait for the next run; the method then throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - session: The session that transfers.
    ///   - progress: Called when the state of a transfer has changed, and about ten times per second while it runs, on
    ///     threads of the concurrency pool; nil by default.
    /// - Returns: The number of transfers that have ended.
    /// - Throws: A ``TransferQueueError``, in particular if another process runs the queue, or if transfers wait for
    ///   the next run because a disk is full.
    @discardableResult
    public func run(
        with session: CurlSession,
        progress: (@Sendable (QueuedTransfer) -> Void)? = nil
    ) async throws -> Summary {
        let lock = try lockForRunning()
        defer { lock.unlock() }
        return try await QueueRun(queue: self, session: session, report: progress).run()
    }

    private func lockForRunning() throws -> RegularFile {
        do throws(FileError) {
            let file = try RegularFile(updating: store.runPath)
            if file.tryLock() { return file }
        } catch {
            throw TransferQueueError(error)
        }
        throw TransferQueueError.isRunning(path: store.folder)
    }
}

/// The download or upload of a transfer.
enum QueueWork: Sendable {
    case download(VerifiedDownload)
    case upload(FileUpload)
}

extension QueueRecord {
    func with(_ state: State) -> Self {
        var record = self
        (record.state, record.error) = (state, nil)
        return record
    }

    var work: QueueWork? { download?.value.map(QueueWork.download) ?? upload.map { .upload($0.value) } }

    /// The progress of a download according to its partial file; `nil` if there is none.
    var savedProgress: TransferProgress? {
        guard download != nil, state != .finished, let saved = SegmentState.read(path + ".segments.state"),
            let ranges = saved.ranges
        else { return nil }
        return TransferProgress(
            completedByteCount: ranges.reduce(0) { $0 + Int64($1.count) },
            totalByteCount: saved.total
        )
    }

    /// Deletes the partial file of a download, unless another download is writing it.
    func discardPartialFile() async {
        guard download != nil, state != .finished else { return }
        try? await SegmentFile(destination: path).remove()
    }
}

extension QueuedTransfer {
    init?(_ record: QueueRecord, isRunning: Bool) {
        guard let request = record.request else { return nil }
        (id, priority, url) = (record.id, record.priority, request.url)
        kind = record.download != nil ? .download : .upload
        file = URL(fileURLWithPath: record.path, isDirectory: false)
        progress = TransferProgress()
        switch record.state {
        case .waiting: state = isRunning ? .running : .waiting
        case .paused: state = .paused
        case .finished: state = .finished
        case .failed: state = .failed(record.error ?? "")
        case .removed: return nil
        }
        if let bytes = record.bytes { progress = TransferProgress(completedByteCount: bytes, totalByteCount: bytes) }
    }
}
