import FerryStreams

/// The format that `--sse` or `--lines` reads.
enum StreamFormat: String, Sendable {
    case events = "sse"
    case lines
}

/// `ferry --sse URL` and `ferry --lines URL`: write the elements of a stream as they arrive.
struct StreamCommand: Sendable {
    let options: FetchOptions
    let format: StreamFormat
    let watcher: SignalWatcher
    private let output = QueuedOutput(.standardOutput)

    func run() async -> ExitStatus {
        let console = Console(options)
        guard var url = options.urls.first else { return .usage }
        var log: EventLog?
        var status = ExitStatus.success
        do {
            log = try options.eventLog.map { path throws(CommandFailure) in try EventLog(path: path) }
            let body = try UploadBody(options)
            url = QueryText.adding(options.itemQuery, to: url)
            if case .query(let query) = body { url = QueryText.adding(query, to: url) }
            let request = URLRequest(url, options, body, to: .standardOutput)
            var own = options
            // A stream of events repeats its connections itself.
            if format == .events { own.retries = nil }
            let session = try CurlSession.make(own, console: console)
            let work = Task { [log] in
                try await options.inTime { try await read(request, body, session, console, log) }
            }
            watcher.start { work.cancel() }
            output.setFailureHandler { work.cancel() }
            try await work.value
            await output.flush()
            if let failure = output.failure { throw failure }
        } catch {
            let failure = output.failure ?? Self.failure(error, url)
            await output.flush()
            status = watcher.interruption ?? failure.status
            if watcher.interruption == nil, failure.status != .brokenPipe {
                console.error(failure.message)
                log?.error(failure)
            }
        }
        return await log?.finish(status, transfers: 1, failures: status == .success ? 0 : 1, console) ?? status
    }

    private func read(
        _ request: URLRequest,
        _ body: UploadBody,
        _ session: CurlSession,
        _ console: Console,
        _ log: EventLog?
    ) async throws {
        switch format {
        case .events:
            var sourceOptions = EventSource.Options()
            if let policy = options.retryPolicy { sourceOptions.retryPolicy = policy }
            if options.retries == 0 { sourceOptions.retryPolicy.maximumRetries = 0 }
            if let delay = options.retryDelay, delay > 0 { sourceOptions.reconnectionTime = delay }
            sourceOptions.stateDidChange = { state in
                guard case .waiting(let delay) = state else { return }
                console.note("the stream has ended; opening it again in \(ByteText.elapsed(delay))")
            }
            var request = request
            request.setValue(nil, forHTTPHeaderField: "Accept")
            for try await event in session.eventSource(for: request, options: sourceOptions) {
                await log?.event(event)
                await output.write(event.data)
            }
        case .lines:
            let url = request.url ?? options.urls[0]
            let context = RunContext(
                options: options,
                session: session,
                console: console,
                board: ProgressBoard(console, mode: .hidden),
                recorder: RunRecorder(),
                log: log
            )
            // The delegate prints and logs redirects and retries.
            let task = FetchTask(url, index: 0, body: body, item: nil, context: context)
            let (bytes, response) = try await session.bytes(for: request, delegate: task)
            if let response = response as? HTTPURLResponse {
                if let failure = options.refusedRedirect(response, from: url) { throw failure }
                if response.statusCode >= 400 { throw CommandFailure.http(response, url) }
            }
            for try await line in bytes.lines { await output.write(line) }
        }
    }

    private static func failure(_ error: any Error, _ url: URL) -> CommandFailure {
        guard let error = error as? EventSourceError else { return CommandFailure(error, url: url) }
        return CommandFailure(
            error.code == .unacceptableStatusCode ? .http : .network,
            "\(url.presentableText): \(error.message)"
        )
    }
}

extension EventLog {
    /// Logs an event of a stream, and waits for the reader of the log if too many lines wait.
    ///
    /// The stream determines the member `event`. Other lines have a member `time` and no `data`.
    func event(_ event: ServerSentEvent) async {
        var line = JSONLine()
        line.add("event", event.type)
        line.add("data", event.data)
        line.add("id", event.id)
        write(line)
        if isBehind { await flush() }
    }
}
