/// All that changes in a task; it stands behind one lock.
struct TaskState: ~Copyable, Sendable {
    enum Lifecycle: Sendable {
        case active
        case canceling
        case completed
    }

    let face: TaskFace
    let originalRequest: URLRequest?
    var currentRequest: URLRequest?
    var body: BodySource
    var isDownload: Bool
    /// How many bytes of a body are collected in memory.
    let largestBody: Int
    /// Why the task cannot run at all.
    var startError: URLError?

    var lifecycle = Lifecycle.active
    var suspendCount = 1
    var isStarted = false
    /// Whether no user code hears of the task before its end, so that counts need no hop to the delegate queue.
    var isUnheard = false
    /// Whether the task's own delegate is told of the response and the body, though a handler gets them in the end.
    ///
    /// As in URLSession, the session's delegate is not.
    var tellsOwnDelegate = false
    /// Whether the end needs no hop either, since an `async` function waits for it.
    var isInline: Bool { isUnheard && face.isAsync }

    /// The session, until the task is complete.
    var session: CurlSession?
    /// The task that callbacks name, kept from `resume` until it is complete.
    var task: URLSessionTask?
    weak var weakTask: URLSessionTask?
    var driver: (any TaskDriver)?
    var redirectCount = 0
    var ownDelegate: DelegateFaces?

    var response: ReceivedResponse?
    var error: (any Error)?
    var bytesReceived = ByteCount.zero
    var bytesSent = ByteCount.zero
    /// `nil` where the length is not known.
    var bytesExpectedToReceive: ByteCount? = .zero
    /// `nil` where the length is not known.
    var bytesExpectedToSend: ByteCount? = .zero
    var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    var clientExpectsToSend = NSURLSessionTransferSizeUnknown
    var priority = URLSessionTask.defaultPriority

    /// What the session adds to the fields of the current request.
    var additionalHeaders: [HeaderField] = []

    /// What a download continues.
    var resumeData: ResumeData?
    /// Who waits for resume data.
    var resumeDataHandler: UncheckedHandler?
    /// The file of a download with a handler, between its two last events.
    var finishedFile: DownloadFile?

    var metrics = TransferMetrics()

    // The mailbox.
    var events: [TaskEvent] = []
    /// The bytes behind `.data`, or the whole body for a handler.
    var buffer = ByteBuffer()
    /// The body for a handler, so far as the task's own delegate has been told of it.
    var bodyForHandler = Data()
    var isDraining = false
    /// Set while an answer of the user is waited for; another number makes an answer stale.
    var awaitedAnswer: Int?
    var answerCount = 0
    var isEngineWaiting = false

    var isSuspended: Bool { suspendCount > 0 && lifecycle == .active }

    /// Whether events may be delivered now.
    var canDeliver: Bool { !events.isEmpty && awaitedAnswer == nil && !isSuspended }

    /// Whether the response is delivered by itself, before the end.
    var tellsResponse: Bool {
        switch face {
        case .delegate, .stream: true
        case .data: tellsOwnDelegate
        case .download: false
        }
    }

    mutating func append(_ event: TaskEvent) {
        if let last = events.indices.last, events[last].merge(event) { return }
        // Head, body and end of a short response wait together.
        if events.isEmpty { events.reserveCapacity(4) }
        events.append(event)
    }

    /// Takes the duty to deliver, if there is something to deliver and nobody has it.
    mutating func claimDrain() -> Bool {
        guard canDeliver, !isDraining else { return false }
        isDraining = true
        return true
    }
}
