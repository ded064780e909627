import Ferry

/// The mutable state of a running ``Fetch``, used by one Swift task only.
final class FetchTransfer {
    let fetch: Fetch
    private let body: UploadBody
    let clock = FetchClock()
    var target: Target
    private(set) var item: ProgressBoard.Item?
    /// The tasks so far: one, or a second one for the whole after a continuation was not possible.
    private(set) var exchanges: [Exchange] = []

    /// The last response.
    var response: HTTPURLResponse? { exchanges.last?.response }
    var redirectCount: Int { exchanges.reduce(0) { $0 + $1.requestCount - 1 } }
    var options: FetchOptions { fetch.options }

    init(fetch: Fetch, body: UploadBody, target: Target) {
        self.fetch = fetch
        self.body = body
        self.target = target
    }

    func run() async throws {
        item = fetch.board.begin(fetch.name)
        let continuation = options.continuesDownloads ? target.continuation : nil
        var (bytes, response) = try await send(continuing: continuation)
        if let (part, record) = continuation {
            switch judge(response, part, record) {
            case .continues:
                fetch.console.note("\(part.partPath): continuing after \(ByteText.text(part.size))")
                return try await receive(bytes, response, into: part)
            case .isComplete: return try part.publish()
            case .restarts: fetch.console.note("\(part.partPath): the server sends the whole file: starting over")
            case .isAnother:
                fetch.console.note("\(part.partPath): the server did not send the rest: starting over")
                fetch.log?.retry(fetch.index, reason: "the server did not send the rest")
                (bytes, response) = try await send(continuing: nil)
            case .fails: throw CommandFailure.http(response, fetch.url)
            }
        }
        try await deliver(bytes, response)
    }

    private func judge(
        _ response: HTTPURLResponse,
        _ part: PartFile,
        _ record: PartRecord
    ) -> ContinuationRule.Answer {
        ContinuationRule.evaluate(
            .init(response),
            .init(
                offset: ByteCount(part.size) ?? .zero,
                total: record.length.flatMap { ByteCount($0) },
                validator: record.validator
            )
        )
    }

    private func send(
        continuing continuation: (part: PartFile, record: PartRecord)?
    ) async throws -> (CurlSession.Bytes, HTTPURLResponse) {
        var request = RequestFactory.make(fetch.url, options, body, to: fetch.destination)
        if let (part, record) = continuation, let validator = record.validator {
            request.setValue("bytes=\(part.size)-", forHTTPHeaderField: "Range")
            request.setValue(validator, forHTTPHeaderField: "If-Range")
        }
        let (console, log, index) = (fetch.console, fetch.log, fetch.index)
        let exchange = Exchange(fetch.url, wanted: fetch.recorder.now)
        exchanges.append(exchange)
        let delegate = FetchDelegate(
            followsRedirects: options.followsRedirects,
            body: body,
            collector: exchange.collector,
            didSend: { [item] total, expected in
                item?.update(total, of: expected, isUpload: true)
                log?.progress(index, "up", total, of: expected < 0 ? nil : expected)
            },
            willRedirect: { response, next in
                exchange.noteRedirect(to: next.url)
                log?.redirect(index, response, to: next)
                console.verbose(VerboseText.lines(of: response))
                console.verbose(VerboseText.lines(of: next))
            }
        )
        console.verbose(VerboseText.lines(of: request))
        clock.start()
        let (bytes, response) = try await fetch.session.bytes(for: request, delegate: delegate)
        clock.noteHead()
        guard let response = response as? HTTPURLResponse else {
            throw CommandFailure(.network, "\(fetch.url.presentableText): the response is not HTTP")
        }
        exchange.note(response)
        log?.response(index, response)
        console.verbose(VerboseText.lines(of: response))
        return (bytes, response)
    }
}
