import Ferry
import FerryTransfers

/// `ferry queue`: keeps transfers in a folder, and runs them until all are done, also after it was killed.
struct QueueCommand: Sendable {
    let action: QueueAction
    let watcher: SignalWatcher

    /// The only console of the command, since a console can print lines only above its own progress bar.
    private let console: Console

    private var options: FetchOptions { action.options }

    init(action: QueueAction, watcher: SignalWatcher) {
        (self.action, self.watcher) = (action, watcher)
        console = Console(action.options)
    }

    func run() async -> ExitStatus {
        do {
            var queueOptions = TransferQueue.Options()
            queueOptions.maximumConcurrentTransfers = options.parallelMax ?? 4
            if let retries = options.retries { queueOptions.retryPolicy?.maximumRetries = retries }
            let folder = try URL(file: action.folder)
            let queue = try await TransferQueue(directory: folder, options: queueOptions)
            let damaged = try await queue.damagedRecordCount
            if damaged > 0 { console.note("\(damaged) records of the queue were damaged, and are ignored") }
            switch action.verb {
            case .add: try await add(to: queue)
            case .list: try await list(queue)
            case .run: return try await run(queue)
            case .pause where action.ids.isEmpty: try await queue.pause()
            case .pause: for id in action.ids { try await queue.pause(id) }
            case .resume where action.ids.isEmpty: try await queue.resume()
            case .resume: for id in action.ids { try await queue.resume(id) }
            case .remove where action.removesFinished: try await queue.removeFinished()
            case .remove: for id in action.ids { try await queue.remove(id) }
            }
            return .success
        } catch {
            let failure = Self.failure(error)
            if failure.status != .brokenPipe { console.error(failure.message) }
            return watcher.interruption ?? failure.status
        }
    }

    private static func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: failure
        case let error as UsageError: CommandFailure(.usage, error.message)
        case let error as TransferQueueError:
            switch error {
            case .unknownTransfer, .invalidTransfer: CommandFailure(.usage, error.description)
            case .isRunning(let path), .file(let path, _, _):
                CommandFailure(
                    .file,
                    error.description.replacingOccurrences(of: path, with: PresentableText.path(path))
                )
            }
        case is CancellationError: CommandFailure(.interrupted, "interrupted; run it again to go on")
        default: CommandFailure(.file, error.localizedDescription)
        }
    }

    // MARK: - Adding

    private func add(to queue: TransferQueue) async throws {
        if let name = options.uploadFile {
            guard access(name, R_OK) == 0 else { throw CommandFailure.file(name, "cannot be read", errno: errno) }
            var request = request(for: options.urls[0])
            request.httpMethod = options.method ?? "PUT"
            var upload = FileUpload(try URL(file: name), for: request)
            // With tus, the URL is that of the folder.
            upload.ordinaryURL = URLRequest.target(options.urls[0], options)
            try await write(ids: [try await queue.add(upload)])
            return
        }
        var options = options
        try options.addBatch()
        try QueueAction.checkUsers(options.urls)
        // Two transfers must not write one file.
        let known = try await queue.transfers().filter { $0.kind == .download }
        var taken = Set(known.filter { $0.state != .finished }.map(\.file.path))
        let downloads = try options.urls.enumerated().map { [options] index, url in
            let given = options.outputName(at: index)
            let name = options.path(of: given ?? FileName.name(in: url))
            if given != nil { try Self.checkOutput(name) }
            var file = try URL(file: name.followingLinks).standardizedFileURL
            if given == nil { file = Self.unusedName(for: file, taken) }
            guard taken.insert(file.path).inserted else {
                throw CommandFailure(.usage, "\(PresentableText.path(name)): another transfer of the queue writes it")
            }
            var download = VerifiedDownload(request(for: url), to: file, connections: options.connections ?? 1)
            (download.mirrors, download.digest) = (options.mirrors, options.checksum)
            if options.connections == nil, !options.mirrors.isEmpty { download.connections = options.mirrors.count + 1 }
            return download
        }
        try await write(ids: try await queue.add(downloads))
    }

    private func write(ids: [Int]) async throws {
        try await OutputDescriptor.standardOutput.write(Data(ids.map { "\($0)\n" }.joined().utf8))
    }

    /// Throws an error if the name is of a device or descriptor, which another process cannot write later.
    private static func checkOutput(_ name: String) throws(CommandFailure) {
        guard name.isSpecialFile else { return }
        throw CommandFailure(.usage, "\(PresentableText.path(name)): a queued download needs a regular file")
    }

    /// Returns the file, or with `.1`, `.2` … the first one that neither exists nor is another transfer's.
    private static func unusedName(for file: URL, _ taken: Set<String>) -> URL {
        var (candidate, number) = (file, 0)
        while taken.contains(candidate.path) || access(candidate.path, F_OK) == 0 {
            number += 1
            candidate = URL(fileURLWithPath: file.path + ".\(number)", isDirectory: false)
        }
        return candidate
    }

    private func request(for url: URL) -> URLRequest {
        var request = URLRequest(url: url, timeoutInterval: options.timeout)
        for header in options.headers { request.add(header) }
        return request
    }

    // MARK: - Listing

    private func list(_ queue: TransferQueue) async throws {
        var text = ""
        for transfer in try await queue.transfers() {
            let (state, reason) = Self.words(for: transfer.state)
            var fields = ["\(transfer.id)", state, "\(transfer.progress.completedByteCount)"]
            fields.append(transfer.progress.totalByteCount.map { "\($0)" } ?? "-")
            fields += [transfer.url.presentableText, PresentableText.path(transfer.file.path)]
            if let reason { fields.append(PresentableText.message(reason)) }
            text += fields.map(TextStyle.printable).joined(separator: "\t") + "\n"
        }
        try await OutputDescriptor.standardOutput.write(Data(text.utf8))
    }

    private static func words(for state: QueuedTransfer.State) -> (state: String, reason: String?) {
        switch state {
        case .waiting: ("waiting", nil)
        case .running: ("running", nil)
        case .paused: ("paused", nil)
        case .finished: ("finished", nil)
        case .failed(let reason): ("failed", reason)
        }
    }

    // MARK: - Running

    private func run(_ queue: TransferQueue) async throws -> ExitStatus {
        // The queue repeats transfers itself.
        var own = options
        own.retries = nil
        let session = try CurlSession.make(own, console: console)
        let mode: ProgressBoard.Mode = options.isSilent ? .hidden : console.terminal.canRedraw ? .bar : .lines
        let board = ProgressBoard(console, mode: mode)
        let items = Mutex<[Int: ProgressBoard.Item]>([:])
        let work = Task { [console] in
            try await queue.retryFailed()
            return try await queue.run(with: session) { transfer in
                Self.show(transfer, on: board, items, console)
            }
        }
        watcher.start { work.cancel() }
        defer { session.invalidateAndCancel() }
        let result = await work.result
        // Transfers that wait for the next run, or were removed, are not reported.
        for item in items.withLock({ Array($0.values) }) { item.end(isComplete: false) }
        let summary = try result.get()
        return summary.failedCount == 0 ? .success : .failedCheck
    }

    private static func show(
        _ transfer: QueuedTransfer,
        on board: ProgressBoard,
        _ items: borrowing Mutex<[Int: ProgressBoard.Item]>,
        _ console: Console
    ) {
        switch transfer.state {
        case .running:
            let item = items.withLock { items in
                if let item = items[transfer.id] { return item }
                let item = board.begin(transfer.file.lastPathComponent)
                // The bytes of an earlier run are not counted.
                item.begin(at: transfer.progress.completedByteCount, of: transfer.progress.totalByteCount)
                items[transfer.id] = item
                return item
            }
            let (progress, isUpload) = (transfer.progress, transfer.kind == .upload)
            item.update(progress.completedByteCount, of: progress.totalByteCount, isUpload: isUpload)
        case .finished, .failed, .paused, .waiting:
            if let item = items.withLock({ $0.removeValue(forKey: transfer.id) }) {
                item.end(isComplete: transfer.state == .finished)
            }
            if case .failed(let reason) = transfer.state {
                console.error("\(transfer.url.presentableText): \(PresentableText.message(reason))")
            }
        }
    }
}
