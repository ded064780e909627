/// A request that has ended, with its response, from which an ``HTTPArchiveRecorder`` makes an entry.
struct RecordedExchange {
    let request: URLRequest
    let response: HTTPURLResponse?
    let body: Data?
    let metrics: TaskMetrics?
    let errorCode: Int?
    let redaction: ArchiveRedaction
    /// The greatest number of bytes of a body that is recorded.
    let bodyLimit: Int

    private var last: TaskMetrics.Transaction? { metrics?.transactions.last }

    var entry: HTTPArchive.Entry {
        let start = metrics?.transactions.first?.startDate
        let before = last.flatMap { last in start.map { last.startDate.timeIntervalSince($0) } } ?? 0
        var entry = HTTPArchive.Entry(
            startDate: start ?? Date(),
            request: requestPart,
            response: responsePart,
            timings: last.map { HTTPArchive.Timings($0, before: before) } ?? HTTPArchive.Timings()
        )
        entry.time = Self.milliseconds(last.map { before + $0.duration } ?? 0)
        entry.serverIPAddress = last?.remoteAddress
        entry.errorCode = errorCode
        return entry
    }

    private var requestPart: HTTPArchive.Request {
        let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.map { (name: $0, value: $1) }
        let url = redaction.url(request.url?.absoluteString ?? "")
        var part = HTTPArchive.Request(
            method: request.httpMethod ?? "GET",
            url: url,
            headers: redaction.fields(fields)
        )
        part.httpVersion = version
        part.queryString = RequestTarget.queryItems(of: String(url.prefix { $0 != "#" })).map {
            .init(name: $0.name, value: $0.value ?? "")
        }
        part.bodySize = request.httpBody?.count ?? (request.httpBodyStream == nil ? 0 : -1)
        if let body = request.httpBody {
            // A body without a type is sent as a form.
            let type = request.value(forHTTPHeaderField: "Content-Type") ?? "application/x-www-form-urlencoded"
            let shown = body.count <= bodyLimit ? redaction.body(body, mimeType: type) : nil
            var data = HTTPArchive.PostData(shown ?? Data(), mimeType: type)
            if shown == nil {
                data.text = nil
                data.comment = Self.comment(body.count)
            }
            part.postData = data
        }
        return part
    }

    private var responsePart: HTTPArchive.Response {
        guard let response else { return HTTPArchive.Response(status: 0) }
        // Fields that came several times, such as `Set-Cookie`, are recorded one by one.
        let fields =
            response.receivedFields
            ?? response.allHeaderFields.compactMap { key, value in
                (key as? String).map { (name: $0, value: (value as? String) ?? "\(value)") }
            }
            .sorted { $0.name < $1.name }
        var part = HTTPArchive.Response(
            status: response.statusCode,
            statusText: ReasonPhrase.of(response.statusCode),
            headers: redaction.fields(fields),
            content: content(of: response)
        )
        part.httpVersion = version
        part.redirectURL = part.headers.first { $0.name.isEqualIgnoringCase("Location") }?.value ?? ""
        if let last {
            part.headersSize = last.receivedHeaderByteCount
            part.bodySize = Int(clamping: last.receivedBodyByteCount)
        }
        return part
    }

    private func content(of response: HTTPURLResponse) -> HTTPArchive.Content {
        let type = response.value(forHTTPHeaderField: "Content-Type") ?? response.mimeType ?? ""
        if let body, body.count <= bodyLimit, let shown = redaction.body(body, mimeType: type) {
            return HTTPArchive.Content(shown, mimeType: type)
        }
        var content = HTTPArchive.Content(mimeType: type)
        let received = last.map { Int(clamping: $0.receivedBodyByteCount) }
        content.size = body?.count ?? received ?? max(0, Int(clamping: response.expectedContentLength))
        if content.size > 0 {
            content.text = nil
            content.comment = Self.comment(content.size)
        }
        return content
    }

    private static func comment(_ count: Int) -> String { "The body of \(count) bytes was not recorded." }

    /// The name of the protocol in a status line; `HTTP/1.1` if it is not known.
    private var version: String {
        switch last?.networkProtocolName {
        case "h2", "h2c": "HTTP/2"
        case "h3": "HTTP/3"
        case "http/1.0": "HTTP/1.0"
        default: "HTTP/1.1"
        }
    }

    /// Returns seconds in milliseconds, without what JSON cannot express.
    static func milliseconds(_ seconds: TimeInterval) -> Double {
        // Rounded to microseconds, the resolution of the measurements.
        seconds.isFinite ? max(0, (seconds * 1_000_000).rounded() / 1000) : 0
    }
}

extension HTTPArchive.Timings {
    /// Creates the phases of a transaction, whose measurements count from its start; earlier ones took `before`
    /// seconds.
    fileprivate init(_ transaction: TaskMetrics.Transaction, before: TimeInterval) {
        self.init()
        let connected = max(transaction.connect, transaction.secureConnect)
        if connected > 0 {
            dns = RecordedExchange.milliseconds(transaction.nameLookup)
            connect = RecordedExchange.milliseconds(connected - transaction.nameLookup)
        }
        if transaction.secureConnect > 0 {
            ssl = RecordedExchange.milliseconds(transaction.secureConnect - transaction.connect)
        }
        // The request is sent while the response is awaited, so the two cannot be measured separately.
        let sent = max(transaction.requestStart, connected)
        let answered = transaction.responseStart > 0 ? transaction.responseStart : transaction.duration
        blocked = RecordedExchange.milliseconds(before + sent - connected)
        wait = RecordedExchange.milliseconds(answered - sent)
        receive = RecordedExchange.milliseconds(transaction.duration - answered)
    }
}
