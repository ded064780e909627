import Ferry

/// The transfers of one command line.
struct FetchCommand: Sendable {
    private(set) var options: FetchOptions
    let arguments: [String]

    /// Reads the batch if there is one, and transfers everything.
    func run() async -> ExitStatus {
        let console = Console(isSilent: options.isSilent, isVerbose: options.isVerbose)
        guard let batch = options.batchFile else { return await transfer(console) }
        do {
            var whole = self
            whole.options.urls += try BatchFile.urls(in: batch)
            return await whole.transfer(console)
        } catch {
            console.error(error.message)
            return error.status
        }
    }

    private func transfer(_ console: Console) async -> ExitStatus {
        let session: CurlSession
        do {
            session = try CurlSession.make(options)
        } catch {
            console.error(error.message)
            return error.status
        }
        let board = ProgressBoard(console, mode: progressMode(console))
        let queue = FetchQueue(options: options, session: session, console: console, board: board)
        let watcher = SignalWatcher()
        let work = Task {
            await queue.run { tell($0, console) }
        }
        watcher.start { work.cancel() }
        let results = await work.value
        if let interruption = watcher.interruption,
            results.contains(where: { $0.failure != nil }) || isUnfinished(results)
        {
            if !results.contains(where: { $0.remainder != nil }) { console.error("interrupted") }
            return interruption
        }
        return results.lazy.compactMap(\.failure).first?.status ?? .success
    }

    private func isUnfinished(_ results: [FetchResult]) -> Bool {
        results.count < options.urls.count
    }

    /// Tells how a transfer failed, and how it can be taken up again.
    private func tell(_ result: FetchResult, _ console: Console) {
        guard let failure = result.failure, failure.status != .brokenPipe else { return }
        guard let remainder = result.remainder else {
            if failure.status != .interrupted { console.error(failure.message) }
            return
        }
        let size = ByteCount.text(remainder.size) + (remainder.length.map { " of " + ByteCount.text($0) } ?? "")
        let reason = failure.status == .interrupted ? "interrupted" : failure.message
        console.error("\(reason); \(remainder.path) has \(size)")
        console.note("to go on: " + ShellText.resumption(of: arguments, continues: options.continuesDownloads))
    }

    private func progressMode(_ console: Console) -> ProgressBoard.Mode {
        guard !options.isSilent else { return .hidden }
        let hasFiles = options.urls.indices.contains { options.destination(at: $0) != .standardOutput }
        guard hasFiles || options.uploadFile != nil || isatty(STDOUT_FILENO) == 0 else { return .hidden }
        if console.terminal.canRedraw { return .bar }
        return hasFiles || options.uploadFile != nil ? .lines : .hidden
    }
}
