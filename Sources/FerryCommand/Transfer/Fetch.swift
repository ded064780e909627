import Ferry

/// The transfer of one URL, from the request to the finished file and the report; used by one Swift task only.
final class Fetch {
    let context: RunContext
    /// The body, or the reason why there is none; transfers share it, since some files can be read only once.
    private let body: Result<UploadBody, CommandFailure>
    /// The index of the URL, from 0.
    let index: Int
    /// The time at which the transfer could have begun, in seconds of the run, if it had to wait for others.
    let ready: Double?
    /// The URL, with the query that the options add to it.
    private(set) var url: URL
    let destination: Destination
    var options: FetchOptions { context.options }

    var target = Target.unnamed
    private(set) var item: ProgressBoard.Item?
    private(set) var clock = FetchClock()
    /// The tasks so far: one, and others where a continuation was not possible or --retry began a new one.
    private(set) var tasks: [FetchTask] = []
    /// Whether the session itself requests the rest of the current response.
    private(set) var sessionContinues = false
    private let startedAt = ContinuousClock.now
    /// The end of `--deadline`.
    var deadline: ContinuousClock.Instant? {
        options.deadline.flatMap { $0 > 0 ? startedAt + .seconds($0) : nil }
    }

    /// The seconds since the start of the transfer.
    var elapsed: Double { (ContinuousClock.now - startedAt) / .seconds(1) }

    init(_ context: RunContext, _ body: Result<UploadBody, CommandFailure>, index: Int, ready: Double? = nil) {
        self.context = context
        self.body = body
        self.index = index
        self.ready = ready
        url = QueryText.adding(context.options.itemQuery, to: context.options.urls[index])
        destination = context.options.destination(at: index)
    }

    func run() async -> FetchResult {
        var result = FetchResult(index: index)
        if case .success(.query(let query)) = body { url = QueryText.adding(query, to: url) }
        context.log?.start(index, url, method: options.effectiveMethod, file: destination.file)
        do {
            let body = try body.get()
            if options.createsFolders { try destination.createFolder(outputFolder: options.outputFolder) }
            if options.verifiedOptions.isEmpty {
                let continues = options.continuesDownloads
                let opened = try Target(destination, url: url, folder: options.outputFolder, continues: continues)
                if continues { try opened.checkOrigin(url) }
                target = opened
                item = context.board.begin(name)
                try await transferWithRetries(body)
                if let part = target.part { result.file = destination.file ?? part.path }
            } else {
                item = context.board.begin(name)
                let path = try await transferVerified(&result)
                result.file = destination.file ?? path
            }
        } catch {
            result.failure = CommandFailure(error, url: url)
            // A partial file that another URL has begun is kept, but --continue would refuse it for this one.
            if case .part(let part) = target, part.abandon(), part.record?.url == url.withoutCredentials {
                result.remainder = .init(path: part.partPath, size: part.size, length: part.record?.length)
            }
        }
        item?.end(isComplete: result.failure == nil)
        await report(&result)
        return result
    }

    /// Transfers the URL, or the rest of a partial file if that is wanted and possible.
    func transfer(_ body: UploadBody, continues: Bool) async throws {
        let continuation = continues ? target.continuation : nil
        var (bytes, response) = try await send(body, continuing: continuation)
        if let (part, record) = continuation {
            let expected = ContinuationRule.Expectation(
                offset: ByteCount(part.size) ?? .zero,
                total: record.length.flatMap { ByteCount($0) },
                validator: record.validator
            )
            switch ContinuationRule.evaluate(.init(response), expected) {
            case .continues(let end):
                context.console.note("\(part.partPath): continuing after \(ByteText.text(part.size))")
                // A response without a length may end early, and the first one may not have had a length either.
                part.expect(end.int64)
                return try await receive(bytes, response, into: part)
            case .isComplete:
                setTime(of: part, response)
                return try part.publish()
            case .restarts: context.console.note("\(part.partPath): the server sends the whole file: starting over")
            case .isAnother:
                context.console.note("\(part.partPath): the server did not send the rest: starting over")
                context.log?.retry(index, reason: "the server did not send the rest")
                (bytes, response) = try await send(body, continuing: nil)
            case .fails: throw failure(for: response)
            }
        }
        try await deliver(bytes, response)
    }

    private func send(
        _ body: UploadBody,
        continuing continuation: (part: PartFile, record: PartRecord)?
    ) async throws -> (CurlSession.Bytes, HTTPURLResponse) {
        var request = URLRequest(url, options, body, to: destination)
        if let (part, record) = continuation, let validator = record.validator {
            request.setValue("bytes=\(part.size)-", forHTTPHeaderField: "Range")
            request.setValue(validator, forHTTPHeaderField: "If-Range")
        }
        let task = FetchTask(url, index: index, body: body, item: item, context: context)
        tasks.append(task)
        clock = FetchClock()
        let session = session()
        // A session that was made for one task ends with it.
        defer { if session !== context.session { session.finishTasksAndInvalidate() } }
        let (bytes, response) = try await session.bytes(for: request, delegate: task)
        clock.headAt = .now
        guard let response = response as? HTTPURLResponse else {
            throw CommandFailure(.network, "\(url.presentableText): the response is not HTTP")
        }
        task.note(response)
        sessionContinues = ContinuationRule.validator(for: response, request: request) != nil
        return (bytes, response)
    }

    // MARK: - The report

    /// Reports the outcome of the transfer as the options require: recorder, `--write-out` and log.
    private func report(_ result: inout FetchResult) async {
        var report = TransferReport(index: index, url: url.presentableText, method: options.effectiveMethod)
        report.file = result.file ?? destination.file
        report.contentType = tasks.last?.response?.value(forHTTPHeaderField: "Content-Type")
        report.redirectCount = tasks.reduce(0) { $0 + $1.requestCount - 1 }
        report.requests = await requests(failure: result.failure)
        (report.failure, report.bytesReceived) = (result.failure, result.received)
        context.recorder.add(report.requests)
        if let format = options.writeOut {
            do {
                try await OutputDescriptor.standardOutput.write(Data(format.text(for: report).utf8), until: deadline)
            } catch {
                result.failure = result.failure ?? CommandFailure(error, url: url)
                report.failure = result.failure
            }
        }
        if let failure = result.failure { context.log?.error(failure, transfer: index) }
        context.log?.end(report, remainder: result.remainder)
    }

    /// Waits for the metrics of all tasks and returns their requests.
    private func requests(failure: CommandFailure?) async -> [RequestTiming] {
        var requests: [RequestTiming] = []
        for task in tasks {
            let transactions = await task.metrics()?.transactions ?? []
            context.console.verbose(transactions.map(VerboseText.line))
            var wanted = task.wanted
            for transaction in transactions {
                let origin = context.recorder.startedAt
                let request = RequestTiming(transaction, transfer: index, since: origin, wanted: wanted)
                requests.append(request)
                wanted = request.start + request.end
            }
            guard transactions.count < task.requestCount else { continue }
            // The last request was cancelled before it was sent.
            let url = task.currentURL.presentableText
            var unsent = RequestTiming(transfer: index, url: url, method: options.effectiveMethod, wanted: wanted)
            unsent.start = max(wanted, context.recorder.now)
            requests.append(unsent)
        }
        if let first = requests.indices.first { requests[first].ready = ready }
        if let failure, let last = requests.indices.last {
            requests[last].failure = failure.message(without: url)
            // A certificate may also be refused after the handshake.
            if [.tls, .certificate, .pin].contains(failure.status) { requests[last].failedPhase = .tls }
        }
        return requests
    }

    /// The name under which progress is shown.
    private var name: String {
        switch destination {
        case .file(let path): path.lastPathComponent
        case .remoteName: FileName.name(in: url)
        case .standardOutput:
            if let file = options.uploadFile, file != "-" {
                file.lastPathComponent
            } else {
                url.host(percentEncoded: false) ?? "body"
            }
        }
    }
}

struct FetchResult: Sendable {
    /// A partial file that can be continued.
    struct Remainder: Equatable, Sendable {
        var path: String
        var size: Int64
        var length: Int64?
    }

    /// The index of the URL, from 0.
    let index: Int
    var failure: CommandFailure?
    var remainder: Remainder?
    var file: String?
    /// The bytes that a download with parts and a check has received.
    var received: Int64 = 0
}

extension String {
    /// The last component of a path, or the whole text if it has none.
    var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
