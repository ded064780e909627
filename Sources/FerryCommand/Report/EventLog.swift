import Ferry

/// The JSON log: one object per line for each event.
///
/// Logging never waits for the reader of the log; only ``flush()`` does, at the end of the run.
final class EventLog: Sendable {
    private let output: QueuedOutput
    /// The time at which progress of each transfer was last logged.
    private let progressTimes = Mutex<[Int: ContinuousClock.Instant]>([:])

    /// Creates or empties the file at `path`; `-` is standard error.
    init(path: String) throws(CommandFailure) {
        let flags = O_CREAT | O_TRUNC | O_APPEND
        output = QueuedOutput(path == "-" ? .standardError : try OutputDescriptor(path: path, flags: flags))
    }

    /// The reason why a line could not be written; all later lines are missing too.
    var failure: CommandFailure? { output.failure }

    /// Whether much waits for the reader of the log.
    var isBehind: Bool { output.isBehind }

    func write(_ event: String, transfer: Int? = nil, _ addFacts: (inout JSONLine) -> Void) {
        var line = JSONLine()
        line.add("event", event)
        line.add("time", Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        if let transfer { line.add("id", transfer) }
        addFacts(&line)
        write(line)
    }

    func write(_ line: JSONLine) { output.add(line.text) }

    /// Waits until all lines are written, without a time limit; a signal still ends the process.
    func flush() async { await output.flush() }

    /// Returns whether to log progress of a transfer now: at most once a second, and only if the reader keeps up.
    func isProgressDue(_ transfer: Int) -> Bool {
        let now = ContinuousClock.now
        guard !isBehind else { return false }
        return progressTimes.withLock { times in
            if let last = times[transfer], now - last < .seconds(1) { return false }
            times[transfer] = now
            return true
        }
    }
}

/// The events; the names of their members are a stable interface.
extension EventLog {
    func start(_ transfer: Int, _ url: URL, method: String, file: String?) {
        write("start", transfer: transfer) { line in
            line.add("url", url.presentableText)
            line.add("method", method)
            line.add("file", file)
        }
    }

    func redirect(_ transfer: Int, _ response: HTTPURLResponse, to request: URLRequest) {
        write("redirect", transfer: transfer) { line in
            line.add("url", response.url?.presentableText)
            line.add("http_code", response.statusCode)
            line.add("location", request.url?.presentableText)
            line.add("method", request.httpMethod)
        }
    }

    /// Logs that the request is sent again, after a delay in seconds.
    func retry(_ transfer: Int, reason: String, delay: Double = 0) {
        write("retry", transfer: transfer) { line in
            line.add("reason", reason)
            line.add("delay", .seconds(delay))
        }
    }

    func response(_ transfer: Int, _ response: HTTPURLResponse) {
        write("response", transfer: transfer) { line in
            let length = response.expectedContentLength
            line.add("url", response.url?.presentableText)
            line.add("http_code", response.statusCode)
            line.add("content_type", response.value(forHTTPHeaderField: "Content-Type"))
            line.add("content_length", length < 0 ? nil : length)
        }
    }

    /// Logs progress in one direction, at most once a second for each transfer.
    func progress(_ transfer: Int, _ direction: String, _ count: Int64, of total: Int64?) {
        guard isProgressDue(transfer) else { return }
        write("progress", transfer: transfer) { line in
            line.add("direction", direction)
            line.add("bytes", count)
            line.add("total", total)
        }
    }

    func error(_ failure: CommandFailure, transfer: Int? = nil) {
        write("error", transfer: transfer) { line in
            line.add("code", failure.status.name)
            line.add("exit_status", failure.status.rawValue)
            line.add("url_error", failure.urlErrorCode)
            line.add("message", failure.message)
        }
    }

    func end(_ report: TransferReport, remainder: FetchResult.Remainder?) {
        write("end", transfer: report.index) { line in
            line.add("exit_status", report.status.rawValue)
            line.add("part", remainder?.path)
            line.append(JSONLine(facts: report))
            line.add("requests", .objects(report.requests.map(JSONLine.init(request:))))
        }
    }

    /// Logs the end of the run, and waits for the reader of the log; prints the reason if a line could not be written,
    /// and returns the exit status of the run or of the log.
    func finish(_ status: ExitStatus, transfers: Int, failures: Int, _ console: Console) async -> ExitStatus {
        exit(status, transfers: transfers, failures: failures)
        await flush()
        guard let failure else { return status }
        console.error(failure.message)
        return status == .success ? failure.status : status
    }

    func exit(_ status: ExitStatus, transfers: Int, failures: Int) {
        write("exit") { line in
            line.add("exit_status", status.rawValue)
            line.add("code", status.name)
            line.add("transfers", transfers)
            line.add("failed", failures)
        }
    }
}

extension JSONLine {
    /// Creates the object of a request; `ready`, `wanted` and `start` count from the start of the run, the rest from
    /// `start`.
    fileprivate init(request: RequestTiming) {
        self.init()
        add("url", request.url)
        add("method", request.method)
        add("http_code", request.status)
        add("protocol", request.protocolName)
        add("remote_ip", request.remoteAddress)
        add("remote_port", request.remotePort)
        add("reused", .bool(request.isReused))
        add("size_download", request.bytesReceived)
        add("size_upload", request.bytesSent)
        let times: KeyValuePairs = [
            "ready": request.ready ?? request.wanted, "wanted": request.wanted, "start": request.start,
            "time_namelookup": request.nameLookup, "time_connect": request.connect,
            "time_appconnect": request.secureConnect, "time_pretransfer": request.requestStart,
            "time_starttransfer": request.responseStart, "time_total": request.end,
        ]
        for (name, seconds) in times { add(name, .seconds(seconds)) }
    }
}
