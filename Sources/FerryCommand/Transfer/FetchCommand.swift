import Ferry

/// The transfers of one command line.
struct FetchCommand: Sendable {
    private(set) var options: FetchOptions
    /// The name under which the command was called.
    let program: String
    let arguments: [String]

    /// Reads the batch file if there is one, transfers all URLs, writes the reports and returns the exit status.
    func run() async -> ExitStatus {
        let console = Console(
            isSilent: options.isSilent,
            isVerbose: options.isVerbose,
            isMuted: options.logsToStandardError
        )
        let log: EventLog?
        do {
            log = try options.eventLog.map { path throws(CommandFailure) in try EventLog(path: path) }
        } catch {
            console.error(error.message)
            return error.status
        }
        let reporter = RunReporter(options: options, console: console, log: log, recorder: RunRecorder())
        do {
            var whole = self
            if let batch = options.batchFile { whole.options.urls += try BatchFile.urls(in: batch) }
            try options.timeline?.check()
            return await reporter.end(await whole.transfer(try CurlSession.make(options), reporter))
        } catch {
            return await reporter.end(failure: error)
        }
    }

    private func transfer(_ session: CurlSession, _ reporter: RunReporter) async -> RunOutcome {
        let console = reporter.console
        let queue = FetchQueue(
            options: options,
            session: session,
            console: console,
            board: ProgressBoard(console, mode: progressMode(console)),
            recorder: reporter.recorder,
            log: reporter.log
        )
        // A signal may arrive before there is work to cancel.
        let begun = Locked<Task<[FetchResult], Never>?>(nil)
        let watcher = SignalWatcher()
        watcher.start({ begun.withLock { $0 }?.cancel() }, atDeadline: { _ = reporter.writeTimeline() })
        let work = Task {
            await queue.run { tell($0, console) }
        }
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
            words = ShellText.arguments(arguments, withURLs: outcome.unfinished, of: options.urls)
        }
        let command = ShellText.resumption(program, words, continues: options.continuesDownloads)
        console.note("to continue: " + command)
    }

    private func progressMode(_ console: Console) -> ProgressBoard.Mode {
        guard !options.isSilent, !options.logsToStandardError else { return .hidden }
        let hasFiles = options.urls.indices.contains { options.destination(at: $0) != .standardOutput }
        guard hasFiles || options.uploadFile != nil || isatty(STDOUT_FILENO) == 0 else { return .hidden }
        if console.terminal.canRedraw { return .bar }
        return hasFiles || options.uploadFile != nil ? .lines : .hidden
    }
}
