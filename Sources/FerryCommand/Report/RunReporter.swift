import Ferry

/// Writes the reports at the end of a run: `--timings`, `--timeline` and the last line of the log.
struct RunReporter: Sendable {
    let options: FetchOptions
    let console: Console
    let log: EventLog?
    let recorder: RunRecorder

    /// Reports that the run could not begin, and returns the exit status.
    func end(failure: CommandFailure) async -> ExitStatus {
        console.error(failure.message)
        log?.error(failure)
        log?.exit(failure.status, transfers: 0, failures: 0)
        await log?.flush()
        return failure.status
    }

    /// Writes the reports and returns the exit status: that of the transfers, or of a report that could not be written.
    func end(_ outcome: RunOutcome) async -> ExitStatus {
        let requests = recorder.all
        if options.showsTimings, !requests.isEmpty {
            for line in TimingTable.lines(requests) { console.line(line) }
        }
        var status = outcome.status
        if let failure = writeTimeline() {
            console.error(failure.message)
            log?.error(failure)
            if status == .success { status = failure.status }
        }
        log?.exit(status, transfers: outcome.results.count, failures: outcome.failureCount)
        await log?.flush()
        if let failure = log?.failure {
            console.error(failure.message)
            if status == .success { status = failure.status }
        }
        return status
    }

    /// Draws the requests so far; returns the failure if the file could not be written.
    func writeTimeline() -> CommandFailure? {
        guard let file = options.timeline else { return nil }
        do {
            try file.write(recorder.all, startedAt: recorder.startedAt)
            return nil
        } catch {
            return error
        }
    }
}
