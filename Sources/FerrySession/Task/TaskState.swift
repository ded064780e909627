/// The mutable state of a task, protected by one lock.
struct TaskState: ~Copyable, Sendable {
    enum Lifecycle: Sendable {
        case active
        case canceling
        case completed
    }

    let resultDelivery: ResultDelivery
    let originalRequest: URLRequest?
    var currentRequest: URLRequest?
    var body: BodySource
    var isDownload: Bool
    /// The maximum number of bytes of a body that is collected in memory.
    let largestBody: Int
    /// The reason why the task cannot run, if any.
    var startError: URLError?

    var lifecycle = Lifecycle.active
    var suspendCount = 1
    var isStarted = false
    /// Whether no user code is called before the task's end, so that counts need no hop to the delegate queue.
    var isUnheard = false
    /// Whether the task's own delegate receives the response and the body before the completion handler does.
    ///
    /// As in URLSession, the session's delegate does not.
    var tellsOwnDelegate = false
    /// Whether the end needs no such hop either, because an `async` function waits for it.
    var isInline: Bool { isUnheard && resultDelivery.isAsync }

    /// The session, until the task is complete.
    var session: CurlSession?
    /// The task passed to callbacks, kept from `resume` until it is complete.
    var task: URLSessionTask?
    weak var weakTask: URLSessionTask?
    var driver: (any TaskDriver)?
    var redirectCount = 0
    var ownDelegate: DelegateCasts?

    var response: ReceivedResponse?
    var error: (any Error)?
    var bytesReceived = ByteCount.zero
    var bytesSent = ByteCount.zero
    /// `nil` if the length is not known.
    var bytesExpectedToReceive: ByteCount? = .zero
    /// `nil` if the length is not known.
    var bytesExpectedToSend: ByteCount? = .zero
    var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
    var clientExpectsToSend = NSURLSessionTransferSizeUnknown
    var priority = URLSessionTask.defaultPriority

    /// The header fields that the session adds to those of the current request.
    var additionalHeaders: [HeaderField] = []

    /// The resume data of the download that the task continues.
    var resumeData: ResumeData?
    /// The handler that waits for resume data.
    var resumeDataHandler: UncheckedHandler?
    /// The file of a download with a handler, kept between its last two events.
    var finishedFile: DownloadFile?

    var metrics = TransferMetrics()

    // The event queue.
    var events: [TaskEvent] = []
    /// The bytes of `.data` events, or the whole body for a handler.
    var buffer = ByteBuffer()
    /// The part of the body for a handler that the task's own delegate has received.
    var bodyForHandler = Data()
    var isDraining = false
    /// What delivery waits for, if anything.
    var obstacle: DeliveryObstacle?
    /// The number of questions that the delegate was asked.
    var questionCount = 0
    var isEngineWaiting = false

    var isSuspended: Bool { suspendCount > 0 && lifecycle == .active }

    /// Whether events may be delivered now.
    var canDeliver: Bool { !events.isEmpty && obstacle == nil && !isSuspended }

    /// Whether the response is delivered separately, before the end.
    var tellsResponse: Bool {
        switch resultDelivery {
        case .delegate, .stream: true
        case .data: tellsOwnDelegate
        case .download: false
        }
    }

    mutating func append(_ event: TaskEvent) {
        if let last = events.indices.last, events[last].merge(event) { return }
        // The head, body and end of a short response are queued together.
        if events.isEmpty { events.reserveCapacity(4) }
        events.append(event)
    }

    /// Claims delivery; `false` if there is nothing to deliver or another thread delivers.
    mutating func claimDrain() -> Bool {
        guard canDeliver, !isDraining else { return false }
        isDraining = true
        return true
    }
}

/// Why a task's events are not delivered for now.
enum DeliveryObstacle: Hashable, Sendable {
    /// The delegate has not answered the question with this number; answers to other questions are ignored.
    case question(Int)
    /// The engine has not moved the body of a task that becomes a download to a file yet.
    case conversion
}
