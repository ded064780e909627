import Ferry

/// What changes while a ``Fetch`` runs; one Swift task has it.
final class FetchTransfer {
    let fetch: Fetch
    private let body: UploadBody
    private let clock = FetchClock()
    private(set) var target: Target
    private(set) var item: ProgressBoard.Item?
    /// One for each task.
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
            switch ContinueRule.judge(.init(response), offset: part.size, record: record) {
            case .append:
                fetch.console.note("\(part.partPath): going on after \(ByteCount.text(part.size))")
                try part.seekToEnd()
                return try await receive(bytes, response, into: part)
            case .isComplete: return try part.publish()
            case .startOver: fetch.console.note("\(part.partPath): the server has it anew: starting over")
            case .askAgain:
                fetch.console.note("\(part.partPath): the rest cannot be had: starting over")
                fetch.log?.retry(fetch.index, reason: "the rest cannot be had")
                (bytes, response) = try await send(continuing: nil)
            case .refused: throw CommandFailure.http(response, fetch.url)
            }
        }
        try await deliver(bytes, response)
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
            throw CommandFailure(.network, "\(fetch.url.withoutCredentials): the answer is not HTTP")
        }
        exchange.note(response, at: fetch.recorder.now)
        log?.response(index, response)
        console.verbose(VerboseText.lines(of: response))
        return (bytes, response)
    }

    // MARK: - The answer

    private func deliver(_ bytes: CurlSession.Bytes, _ response: HTTPURLResponse) async throws {
        let isError = response.statusCode >= 400
        if case .unnamed = target, !isError { target = .part(try openNamed(response)) }
        switch target {
        case .stream(let output):
            guard !isError || !options.dropsErrorBodies else { break }
            if options.writesHead { try await output.write(HeadText.data(of: response)) }
            guard output === StreamOutput.standard, isatty(STDOUT_FILENO) == 1, response.isJSON else {
                try await receive(bytes, response) { try await output.write($0) }
                break
            }
            var indenter = JSONIndenter(style: Terminal(STDOUT_FILENO).style)
            try await receive(bytes, response) { try await output.write(indenter.take($0)) }
            try await output.write(indenter.finish())
        case .part(let part) where !isError:
            try part.begin(fetch.record(for: response))
            try await receive(bytes, response, into: part)
        case .part, .unnamed: break
        }
        guard isError else { return }
        await drain(bytes, response)
        throw CommandFailure.http(response, fetch.url)
    }

    private func openNamed(_ response: HTTPURLResponse) throws(CommandFailure) -> PartFile {
        let choice = FileName.choose(fetch.url, response)
        if choice.isServersChoice, access(choice.name, F_OK) == 0 {
            throw CommandFailure(
                .file,
                "\(choice.name): the server chose a name that is taken; choose another with --output"
            )
        }
        item?.rename(choice.name)
        return try PartFile(choice.name)
    }

    private func receive(
        _ bytes: CurlSession.Bytes,
        _ response: HTTPURLResponse,
        into part: PartFile
    ) async throws {
        if options.writesHead { try part.append(HeadText.data(of: response)) }
        try await receive(bytes, response, offset: part.size) { try part.append($0) }
        try part.publish()
    }

    private func receive(
        _ bytes: CurlSession.Bytes,
        _ response: HTTPURLResponse,
        offset: Int64 = 0,
        write: (Data) async throws -> Void
    ) async throws {
        let expected = options.asksForHeadOnly ? 0 : response.expectedContentLength
        item?.begin(at: offset, of: expected < 0 ? nil : offset + expected)
        var received = offset
        for try await chunk in bytes.chunks {
            try await write(chunk)
            received += Int64(chunk.count)
            item?.update(received)
            exchanges.last?.noteBytes(received - offset)
            fetch.log?.progress(fetch.index, "down", received, of: expected < 0 ? nil : offset + expected)
        }
        fetch.console.verbose([clock.summary(received: received - offset)])
    }

    /// Reads a small body that nobody wants for a moment, so that its connection is good for the next request.
    private func drain(_ bytes: CurlSession.Bytes, _ response: HTTPURLResponse) async {
        let most: Int64 = 65_536
        guard (0...most).contains(response.expectedContentLength) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // The status is what is told, whatever becomes of the body.
                do { for try await _ in bytes.chunks {} } catch {}
            }
            group.addTask {
                do { try await Task.sleep(for: .seconds(1)) } catch {}
            }
            await group.next()
            group.cancelAll()
        }
    }
}
