/// Drives a class of the configuration's `protocolClasses` for a task.
///
/// The class is called on the loading queue of its session, and what it reports to its client, on any thread, is
/// handled in order on the client queue. Every task takes the same steps on both, so that the order of the tasks is
/// kept.
///
/// `@unchecked Sendable`: all mutable state is accessed only on `queue`, the client queue.
final class ProtocolLoad: NSObject, @unchecked Sendable {
    enum Question {
        case redirect(HTTPURLResponse, to: URLRequest)
        case bodyStream(URLProtocol.Type)
    }

    var queue: DispatchQueue { settings.protocols.clientQueue }
    var loadingQueue: DispatchQueue { settings.protocols.loadingQueue }
    let settings: CurlSessionSettings
    var client: TaskCore?
    var request: URLRequest
    var body: BodySource
    var run: ProtocolRun?
    /// The response that Ferry's own class for stored responses delivers.
    private var stored: CachedURLResponse?
    /// The file that the body of the response goes to; otherwise the client has it.
    var file: DownloadFile?
    var question: Question?
    /// The challenges that the client has received and not answered; `nil` for one that the class has cancelled.
    var challenges: [URLAuthenticationChallenge?] = []
    var hasResponse = false
    var isFinished = false

    init(_ request: URLRequest, body: BodySource, toFile: Bool, client: TaskCore, session: CurlSession) {
        self.request = request
        self.body = body
        self.client = client
        settings = session.settings
        file = toFile ? DownloadFile(in: settings.temporaryDirectory, for: request.url) : nil
    }

    // MARK: - Starting

    /// Chooses a class for the request; must be called on `queue`, like everything below.
    func choose() {
        guard let client, let task = client.protocolTask else { return }
        let classes = settings.protocols
        // The classes are asked about the task's current request.
        client.receive(.sends(CurrentRequest(request, additions: additionalHeaders), bodyLength: .zero))
        loadingQueue.async { [self] in
            let choice = classes.first(for: task)
            queue.async { [self] in
                guard let client = self.client else { return }
                guard let choice else {
                    release()
                    return client.protocolLoadIsUnclaimed(self, request, body)
                }
                guard client.protocolLoadMayBegin(self) else { return release() }
                stored = choice.stored
                prepareBody(for: choice.type)
            }
        }
    }

    private var additionalHeaders: [HeaderField] {
        settings.additionalHeaders(hasLeftOrigin: client?.hasLeftOrigin ?? true)
    }

    /// Puts the body where a protocol class looks for it.
    private func prepareBody(for type: URLProtocol.Type) {
        switch body {
        case .none: break
        case .data(let data): request.httpBody = data
        case .file(let url):
            do throws(URLError) { try FileReader(url).close() } catch { return end(error) }
            request.httpBodyStream = InputStream(url: url)
        case .stream(let box):
            // A stream can be read once; if it is needed again, the delegate is asked for a new one.
            body = .delegateStream
            request.httpBodyStream = box.stream
        case .made(let made):
            if !made.isReplayable { body = .delegateStream }
            if let coding = made.contentCoding, request.value(forHTTPHeaderField: "Content-Encoding") == nil {
                request.setValue(coding.name, forHTTPHeaderField: "Content-Encoding")
            }
            request.httpBodyStream = RequestBodyStream(RequestBody(made))
        case .delegateStream:
            question = .bodyStream(type)
            client?.receive(.event(.needsBodyStream))
            return
        }
        begin(type)
    }

    func begin(_ type: URLProtocol.Type) {
        guard let task = client?.protocolTask else { return }
        hasResponse = false
        let (request, stored) = (CurrentRequest(request, additions: additionalHeaders).complete, stored)
        loadingQueue.async { [self] in
            let canonical = type.canonicalRequest(for: request)
            let readable = ProtocolRequest.readable(canonical)
            let loader = type.init(request: readable, cachedResponse: stored, client: self)
            loader.task = task
            let run = ProtocolRun(loader, on: loadingQueue)
            queue.async { [self] in
                guard let client else { return }
                self.request = canonical
                self.run = run
                client.receive(.sends(CurrentRequest(canonical), bodyLength: bodyLength))
                run.start()
            }
        }
    }

    private var bodyLength: ByteCount? {
        switch body {
        case .none: .zero
        case .data(let data): ByteCount(clamping: data.count)
        case .file(let url): (try? FileReader(url))?.length
        case .stream, .delegateStream: nil
        case .made(let made): made.length
        }
    }

    // MARK: - Ending

    /// The error of a body that could not be made, even if the class has not looked for it.
    var bodyFailure: (any Error)? {
        let error = (request.httpBodyStream as? RequestBodyStream)?.streamError
        guard let error = error as? CurlSessionError else { return error }
        return URLError.ferry(.requestBodyStreamExhausted, url: request.url, underlying: error)
    }

    /// Reports the end to the client, once, and stops the class.
    func end(_ error: (any Error)?) {
        guard let client else { return }
        var failure = error
        var finished: DownloadFile?
        if let file, error == nil {
            do throws(URLError) {
                try file.finish()
                finished = file
                self.file = nil
            } catch {
                failure = error
            }
        }
        isFinished = failure == nil
        release()
        client.receive(.finished(failure, file: finished))
    }

    /// Stops the class and releases everything.
    func release() {
        client = nil
        (question, challenges) = (nil, [])
        run?.stop()
        run = nil
        closeBody()
        file?.remove()
    }

    /// Ends the wait of the body's writer for a class that no longer reads it.
    func closeBody() { (request.httpBodyStream as? RequestBodyStream)?.close() }

    func misuse(_ message: String) {
        end(URLError.ferry(.badServerResponse, url: request.url, reason: .protocolMisuse, message))
    }
}

/// One instance of a protocol class, started and stopped at most once, in that order.
///
/// `@unchecked Sendable`: the instance is called only on its session's loading queue, where it may block; elsewhere
/// only its identity is compared.
final class ProtocolRun: @unchecked Sendable {
    private let loader: URLProtocol
    private let queue: DispatchQueue
    private let isStopped = Mutex(false)
    private var isStarted = false

    let identifier: ObjectIdentifier

    init(_ loader: URLProtocol, on queue: DispatchQueue) {
        self.loader = loader
        self.queue = queue
        identifier = ObjectIdentifier(loader)
    }

    func start() {
        queue.async { [self] in
            if isStopped.withLock({ $0 }) { return }
            isStarted = true
            loader.startLoading()
        }
    }

    /// Stops a started instance, once `startLoading` has returned.
    func stop() {
        guard isStopped.claim() else { return }
        queue.async { [self] in
            if isStarted { loader.stopLoading() }
        }
    }
}
