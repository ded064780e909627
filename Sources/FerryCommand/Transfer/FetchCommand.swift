import Ferry

struct FetchCommand: Sendable {
    private(set) var options: FetchOptions
    /// The name under which the command was called.
    let program: String
    let arguments: [String]
    let watcher: SignalWatcher

    /// Reads the batch file if there is one, transfers all URLs, writes the reports and returns the exit status.
    func run() async -> ExitStatus {
        let console = Console(options)
        var log: EventLog?
        do throws(CommandFailure) {
            if let path = options.eventLog { log = try EventLog(path: path) }
            let recorder = RunRecorder()
            var whole = self
            try whole.options.addBatch()
            if let text = whole.options.missingFile { throw CommandFailure(.usage, text) }
            try UploadBody.checkUpload(whole.options)
            if let condition = options.timeCondition, condition.date == nil {
                let text = UsageError.quoted(condition.text)
                console.note("--time-cond: \(text) is neither a date nor a file, so there is no condition")
            }
            try options.timeline?.check()
            let context = RunContext(
                options: whole.options,
                session: try CurlSession.make(whole.options, console: console),
                console: console,
                board: ProgressBoard(console, mode: whole.progressMode(console)),
                recorder: recorder,
                log: log,
                heads: try options.headFile.map({ (path) throws(CommandFailure) in try HeadFile(path: path) })
            )
            return await context.report(await whole.transfer(context))
        } catch {
            console.error(error.message)
            log?.error(error)
            return await log?.finish(error.status, transfers: 0, failures: 0, console) ?? error.status
        }
    }

    private func transfer(_ context: RunContext) async -> RunOutcome {
        let console = context.console
        // A signal may arrive before there is work to cancel.
        let begun = Mutex<Task<[FetchResult], Never>?>(nil)
        watcher.start({ begun.withLock { $0 }?.cancel() }, atDeadline: { _ = context.writeTimeline() })
        let work = Task { await transferAll(context) }
        begun.withLock { $0 = work }
        if watcher.interruption != nil { work.cancel() }
        var outcome = RunOutcome(results: await work.value, urlCount: options.urls.count)
        outcome.interruption = outcome.isWhole ? nil : watcher.interruption
        if outcome.interruption != nil, !outcome.results.contains(where: { $0.remainder != nil }) {
            console.error("interrupted")
        }
        tellHowToGoOn(outcome, console)
        return outcome
    }

    /// Runs the transfers, a few at a time, and returns the results in the order of the URLs.
    ///
    /// Results are missing for transfers that had not begun when the Swift task was cancelled, or when standard output
    /// was closed by its reader.
    private func transferAll(_ context: RunContext) async -> [FetchResult] {
        let indices = options.urls.indices
        let body = Result { () throws(CommandFailure) in try UploadBody(options) }
        // Bodies on one standard output must not be mixed.
        let isMixed = options.hasStandardOutput
        let ready = context.recorder.now
        let ended = await withTaskGroup(of: FetchResult.self) { group in
            var results: [FetchResult] = []
            var waiting = indices.makeIterator()
            func beginNext(waitingSince ready: Double? = nil) {
                guard !Task.isCancelled, let index = waiting.next() else { return }
                group.addTask { await Fetch(context, body, index: index, ready: ready).run() }
            }
            for _ in 0..<(isMixed ? 1 : options.parallel) { beginNext() }
            while let result = await group.next() {
                tell(result, context.console)
                results.append(result)
                if result.failure?.status != .brokenPipe { beginNext(waitingSince: ready) }
            }
            return results
        }
        return ended.sorted { $0.index < $1.index }
    }

    /// Prints how a transfer failed, and the partial file that it left.
    private func tell(_ result: FetchResult, _ console: Console) {
        guard let failure = result.failure, failure.status != .brokenPipe else { return }
        guard let remainder = result.remainder else {
            if failure.status != .interrupted { console.error(failure.message) }
            return
        }
        let size = ByteText.text(remainder.size) + (remainder.length.map { " of " + ByteText.text($0) } ?? "")
        let reason = failure.status == .interrupted ? "interrupted" : failure.message
        console.error("\(reason); \(remainder.path) has \(size)")
    }

    /// Prints the command that continues with the unfinished transfers, if a partial file was left.
    private func tellHowToGoOn(_ outcome: RunOutcome, _ console: Console) {
        guard outcome.results.contains(where: { $0.remainder != nil }) else { return }
        var words = arguments
        // Standard input cannot be read again.
        if outcome.unfinished.count < options.urls.count || options.batchFile == "-" {
            words = ShellText.arguments(
                arguments,
                withURLs: outcome.unfinished,
                of: options.urls,
                batchOutputs: options.batchOutputs
            )
        }
        let command = ShellText.resumption(program, words, continues: options.continuesDownloads)
        console.note("to continue: " + command)
    }

    private func progressMode(_ console: Console) -> ProgressBoard.Mode {
        guard !options.isSilent, !options.logsToStandardError else { return .hidden }
        let hasFiles =
            options.uploadFile != nil
            || options.urls.indices.contains { options.destination(at: $0) != .standardOutput }
        guard hasFiles || isatty(STDOUT_FILENO) == 0 else { return .hidden }
        return console.terminal.canRedraw ? .bar : hasFiles ? .lines : .hidden
    }
}

/// The outcome of all transfers of a command line.
struct RunOutcome: Sendable {
    /// The results in the order of the URLs; those of transfers that were not begun are missing.
    var results: [FetchResult] = []
    var urlCount = 0
    /// The status for the signal that ended the run before it was complete.
    var interruption: ExitStatus?

    var failureCount: Int { results.filter { $0.failure != nil }.count }
    var isWhole: Bool { failureCount == 0 && results.count == urlCount }
    var status: ExitStatus { interruption ?? results.lazy.compactMap(\.failure).first?.status ?? .success }

    /// The indices of the URLs that have not been transferred.
    var unfinished: Set<Int> { Set(0..<urlCount).subtracting(results.filter { $0.failure == nil }.map(\.index)) }
}
