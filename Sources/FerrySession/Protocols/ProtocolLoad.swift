/// Drives a class of the configuration's `protocolClasses` for a task.
///
/// The class is called on a serial queue of its own for each task, so that one that blocks delays nobody else. What it
/// tells its client, from any thread, is taken in order on a second queue.
///
/// `@unchecked Sendable`: everything that changes is touched on `queue` alone.
final class ProtocolLoad: NSObject, @unchecked Sendable {
    /// What the user is being asked.
    enum Question {
        case redirect(HTTPURLResponse)
        case challenge(URLAuthenticationChallenge)
        case bodyStream(URLProtocol.Type)
    }

    enum Sink {
        case client
        case file(DownloadFile)
    }

    let queue = DispatchQueue(label: "Ferry protocol client")
    let loadingQueue = DispatchQueue(label: "Ferry protocol")
    let classes: ProtocolClasses
    let settings: EngineSettings
    var client: (any ProtocolLoadClient)?
    var request: URLRequest
    var body: BodySource
    var run: ProtocolRun?
    /// What Ferry's own class for stored responses delivers.
    private var stored: CachedURLResponse?
    var sink: Sink
    var question: Question?
    var hasResponse = false
    var isFinished = false

    init(
        _ request: URLRequest,
        body: BodySource,
        toFile: Bool,
        client: any ProtocolLoadClient,
        classes: ProtocolClasses,
        settings: EngineSettings
    ) {
        self.request = request
        self.body = body
        self.client = client
        self.classes = classes
        self.settings = settings
        sink =
            toFile
            ? .file(DownloadFile(directory: settings.temporaryDirectory, requestURL: request.url)) : .client
    }

    // MARK: - The beginning

    /// Finds out whose the request is; called on the queue, as all of the following.
    func choose() {
        guard let task = client?.protocolTask else { return }
        let classes = classes
        loadingQueue.async { [self] in
            let choice = classes.first(for: task)
            queue.async { [self] in
                guard let client else { return }
                guard let choice else {
                    give()
                    return client.protocolLoadIsUnclaimed(self, request, body)
                }
                guard client.protocolLoadMayBegin(self) else { return give() }
                stored = choice.stored
                prepareBody(for: choice.type)
            }
        }
    }

    /// Puts the body where a protocol class looks for it.
    private func prepareBody(for type: URLProtocol.Type) {
        switch body {
        case .none: break
        case .data(let data): request.httpBody = data
        case .file(let url):
            do throws(URLError) {
                try FileReader(url).close()
            } catch {
                return end(error)
            }
            request.httpBodyStream = InputStream(url: url)
        case .stream(let box):
            // A stream is read once; whoever wants it again asks the delegate.
            body = .delegateStream
            request.httpBodyStream = box.stream
        case .delegateStream:
            question = .bodyStream(type)
            client?.transferNeedsBodyStream()
            return
        }
        begin(type)
    }

    func begin(_ type: URLProtocol.Type) {
        guard let task = client?.protocolTask else { return }
        hasResponse = false
        let (request, stored) = (request, stored)
        loadingQueue.async { [self] in
            let canonical = type.canonicalRequest(for: request)
            let loader = type.init(request: canonical, cachedResponse: stored, client: self)
            loader.task = task
            let run = ProtocolRun(loader, on: loadingQueue)
            queue.async { [self] in
                guard let client else { return }
                self.request = canonical
                self.run = run
                client.transfer(willSend: canonical, adding: [], bodyLength: bodyLength)
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
        }
    }

    // MARK: - The end

    /// Tells the client the end, once, and stops the class.
    func end(_ error: (any Error)?) {
        guard let client else { return }
        var failure = error
        var finished: DownloadFile?
        if case .file(let file) = sink, error == nil {
            do throws(URLError) {
                try file.finish()
                finished = file
                sink = .client
            } catch {
                failure = error
            }
        }
        isFinished = failure == nil
        give()
        client.transfer(didFinishWith: failure, file: finished)
    }

    /// Stops the class, and lets go of everything.
    func give() {
        client = nil
        question = nil
        run?.stop()
        run = nil
        if case .file(let file) = sink { file.remove() }
    }

    func misuse(_ message: String) {
        let error = CurlSessionError(.protocolMisuse, message)
        end(URLError.ferry(.badServerResponse, url: request.url, underlying: error))
    }
}

/// What a protocol load asks of its task, beside what the engine does.
protocol ProtocolLoadClient: TransferClient {
    /// The task as users see it, until it is complete.
    var protocolTask: URLSessionTask? { get }

    /// How many redirections the task has had.
    var redirectCount: Int { get }

    /// A class takes the request: whether the task still wants that, and is driven by the load from now on.
    func protocolLoadMayBegin(_ load: ProtocolLoad) -> Bool

    /// No class takes the request, so it is the engine's.
    func protocolLoadIsUnclaimed(_ load: ProtocolLoad, _ request: URLRequest, _ body: BodySource)
}
