import Ferry

/// The state that all transfers of a command line share, and the reports at its end.
struct RunContext: Sendable {
    let options: FetchOptions
    let session: CurlSession
    let console: Console
    let board: ProgressBoard
    let recorder: RunRecorder
    let log: EventLog?
    /// The file of `--dump-header`.
    var heads: HeadFile?

    /// Writes `--timings`, `--timeline` and the last line of the log; returns the exit status: that of the transfers,
    /// or of a report that could not be written.
    func report(_ outcome: RunOutcome) async -> ExitStatus {
        let requests = recorder.all
        if options.showsTimings, !requests.isEmpty {
            for line in TimingTable.lines(requests) { console.line(line) }
        }
        var status = outcome.status
        for failure in [writeTimeline(), heads?.failure, await writeCookies()].compactMap({ $0 }) {
            console.error(failure.message)
            log?.error(failure)
            if status == .success { status = failure.status }
        }
        let (count, failures) = (outcome.results.count, outcome.failureCount)
        return await log?.finish(status, transfers: count, failures: failures, console) ?? status
    }

    /// Prints and logs that a request is sent again, after a delay in seconds.
    func noteRetry(of url: URL, _ index: Int, _ reason: String, after delay: Double, continues: Bool) {
        let what = continues ? "continuing" : "trying again"
        let when = delay > 0 ? "in \(ByteText.elapsed(delay))" : "immediately"
        console.note("\(url.presentableText): \(reason); \(what) \(when)")
        log?.retry(index, reason: reason, delay: delay)
    }

    /// Draws the requests so far; returns the failure if the file could not be written.
    func writeTimeline() -> CommandFailure? {
        do {
            try options.timeline?.write(recorder.all, startedAt: recorder.startedAt)
            return nil
        } catch {
            return error
        }
    }
}

/// Collects the requests of a run for the reports at its end.
final class RunRecorder: Sendable {
    let startedAt = Date()
    private let requests = Mutex<[RequestTiming]>([])

    var now: Double { max(0, Date().timeIntervalSince(startedAt)) }
    func add(_ more: [RequestTiming]) { requests.withLock { $0 += more } }

    /// All requests, sorted by URL and then by start.
    var all: [RequestTiming] { requests.withLock { $0 }.sorted { ($0.transfer, $0.start) < ($1.transfer, $1.start) } }
}

extension CurlSession {
    /// Creates the session for all URLs of a command line; requests are printed on the console with `-v`.
    static func make(_ options: FetchOptions, console: Console? = nil) throws(CommandFailure) -> CurlSession {
        do {
            _ = try CurlRuntime.current()
        } catch {
            throw CommandFailure(.network, error.localizedDescription)
        }
        let configuration = URLSessionConfiguration.ephemeral
        // Each URL is a request, as with curl, also if it is given twice.
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = options.timeout
        if let maxTime = options.maxTime { configuration.timeoutIntervalForResource = maxTime }
        configuration.httpMaximumConnectionsPerHost = max(6, options.parallel)
        var own = Options()
        own.connectTimeout = options.connectTimeout
        // A file gets the server's bytes, even with a content coding that was not requested.
        own.decodesContent = options.asksForCompression || options.hasStandardOutput
        own.omittedHeaders = (options.ownHeaders + options.headers).omitted
        // The type of a file is unknown, and a POST would otherwise be sent as a form.
        if options.uploadFile != nil { own.omittedHeaders.insert("content-type") }
        switch options.proxy {
        case .server(let url)?:
            do {
                own.proxy = try Proxy(url)
            } catch {
                throw CommandFailure(.network, error.message)
            }
            // As in curl, each name in the list also stands for the names below it.
            let lists = ["no_proxy", "NO_PROXY"].compactMap { ProcessInfo.processInfo.environment[$0] }
            let names = lists.first { !$0.isEmpty }?.split { ", \t".contains($0) } ?? []
            own.proxy.exceptions = names.flatMap { ["\($0)", ".\($0)"] }
            // As in curl, with the first request: a body that can be read only once cannot be sent again after a 407.
            own.proxy.sendsCredentialFirst = true
        case ProxyArgument.none?: own.proxy = .none
        case nil: break
        }
        own.network.addresses = options.addresses
        own.dnsOverHTTPS = options.resolverURL
        own.network.ipVersion = options.ipVersion
        own.network.localEndpoint = options.localEndpoint
        own.httpVersions = options.httpVersions
        if let most = options.maxRedirects { own.maximumRedirects = most }
        own.downloadLimit = options.rate.map { BandwidthLimit(bytesPerSecond: $0) }
        own.uploadLimit = options.rate.map { BandwidthLimit(bytesPerSecond: $0) }
        own.network.unixSocket = options.unixSocket.map { .path($0) }
        own.tls.dangerouslyDisablesVerification = options.acceptsAnyCertificate
        if let certificate = options.clientCertificate {
            for path in [certificate.path] + [options.keyFile].compactMap({ $0 }) { try checkReadable(path) }
            own.tls.clientCertificate = certificate.certificate(keyFile: options.keyFile)
        }
        if let path = options.certificateFile {
            try checkReadable(path)
            own.tls.certificateAuthorities = .only([.pemFile(URL(fileURLWithPath: path))])
        }
        // The request does not show whether --digest is used or the field is left out.
        if let file = try options.netrcFile.map(netrcFile), options.credential == nil,
            !options.hasHeader("Authorization")
        {
            own.interceptors.append(NetrcInterceptor(file))
        }
        let cookies = options.hasHeader("Cookie") ? [] : options.cookies
        if !cookies.isEmpty { own.interceptors.append(CookieSigner(text: cookies.joined(separator: ";"))) }
        try addCookies(options, to: configuration.httpCookieStorage, console)
        // The printer is the last interceptor, so that it prints the fields that all others have added.
        if let console, options.isVerbose { own.interceptors.append(RequestPrinter(console: console)) }
        own.setRetries(options)
        if !options.pins.isEmpty { own.tls.publicKeyPins = ["*": options.pins] }
        return CurlSession(configuration: configuration, options: own)
    }

    private static func checkReadable(_ path: String) throws(CommandFailure) {
        guard access(path, R_OK) == 0 else { throw .file(path, "cannot be read", errno: errno) }
    }

    private static func netrcFile(_ path: String) throws(CommandFailure) -> NetrcFile {
        let data = try UploadBody.content(path, limit: NetrcFile.maximumSize)
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.file, "\(path): the netrc file is not UTF-8 text")
        }
        do throws(NetrcError) {
            return try NetrcFile(text)
        } catch {
            throw CommandFailure(.file, "\(path): \(error.message)")
        }
    }
}
