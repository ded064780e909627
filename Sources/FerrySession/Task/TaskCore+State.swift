extension TaskCore {
    /// The mutable state of a task, protected by one lock.
    struct State: ~Copyable, Sendable {
        enum Lifecycle: Sendable { case active, canceling, completed }

        /// Of a task that is complete, it has no handler, so that a handler may retain its own task.
        var resultDelivery: ResultDelivery
        let originalRequest: URLRequest?
        var currentRequest: CurrentRequest?
        var body: BodySource
        var isDownload: Bool
        /// The maximum number of bytes of a body that is collected in memory.
        let maximumBodySize: Int
        /// The task's own policy, interceptors and deadline, if they differ from the session's.
        var recovery: RecoverySettings?
        /// The task's limits on bytes per second, besides the session's.
        var bandwidth = (download: BandwidthLimit?.none, upload: BandwidthLimit?.none)
        /// Whether the delegate collects the body and uses it at the end.
        var delegateCollects = false
        /// The reason why the task cannot run, if any.
        var startError: URLError?

        var lifecycle = Lifecycle.active
        var suspendCount = 1
        var isStarted = false
        /// Whether no user code is called before the task's end, so that counts need no hop to the delegate queue.
        var isUnheard = false
        /// Whether the task's own delegate, but not the session's, receives response and body before the handler does.
        var tellsOwnDelegate = false
        /// The core of the session, until the task is complete.
        var sessionCore: CurlSessionCore?
        /// The session passed to callbacks, kept from `resume` until the task is complete.
        var session: CurlSession?
        /// The task passed to callbacks, kept from `resume` until it is complete.
        var task: URLSessionTask?
        weak var weakTask: URLSessionTask?
        var driver: (any TaskDriver)?
        /// Whether the task does not wait for the response to an identical request.
        var isUnshareable = false
        var redirectCount = 0
        /// The body of the request that the network has redirected last, if it still has one.
        var redirectedBody: BodySource?
        /// Whether a redirect has led to another origin, which must not receive the session's secrets.
        var hasLeftOrigin = false
        var ownDelegate: DelegateCasts?
        /// The session's delegate, kept from `resume` until the task is complete.
        var sessionDelegate: DelegateCasts?

        var response: ReceivedResponse?
        var error: (any Error)?
        var counts = TransferCounts()
        var clientExpectsToReceive = NSURLSessionTransferSizeUnknown
        var clientExpectsToSend = NSURLSessionTransferSizeUnknown
        var metrics = TaskMetrics()
        /// The time of the start, from which the duration of the metrics is measured.
        var startTime = MonotonicTime(nanoseconds: 0)

        /// The resume data of the download that the task continues.
        var resumeData: ResumeData?
        var resumeDataHandler: (@Sendable (Data?) -> Void)?
        /// The resume data of a failure that came before the transfer was cancelled with resume data.
        var resumeDataOfFailure: Data?
        /// The file of a download with a handler, kept between its last two events.
        var finishedFile: DownloadFile?

        // The event queue.
        var events: [TaskEvent] = []
        /// The bytes of `.data` events, or the whole body for a handler.
        var buffer = ByteBuffer()
        /// The part of the body for a handler that the task's own delegate has received.
        var bodyForHandler = Data()
        var isDraining = false
        /// Whether the delegate ends the record of a durable session.
        var keepsDurableRecord = false
        /// The obstacle that delivery waits for, if any.
        var obstacle: Obstacle?
        var questionCount = 0
        var isEngineWaiting = false
        /// Whether the protocol that the task has switched to has ended, so that the task succeeds.
        var isClosed = false
        /// The error of a task whose server has not switched protocols correctly, even if the transfer succeeds.
        var refusal: URLError?
    }

    /// The reason why a task's events are not delivered for now.
    enum Obstacle: Hashable, Sendable {
        /// The delegate has not answered the question with this number; answers to other questions are ignored.
        case question(Int)
        /// The engine has not moved the body of a task that becomes a download to a file yet.
        case conversion
    }
}

extension TaskCore.State {
    /// Keeps what callbacks receive, until the task is complete; returns `false` if the task is being released.
    mutating func start(in session: CurlSession) -> Bool {
        guard sessionCore != nil else { return false }
        task = weakTask
        guard task != nil else { return false }
        (metrics.startDate, startTime) = (Date.current, .now())
        self.session = session
        sessionDelegate = session.core.casts
        if let own = ownDelegate { ownDelegate = inFrontOfSession(own) }
        isStarted = true
        return true
    }

    /// Sets the duration of the metrics.
    mutating func measure() { metrics.duration = MonotonicTime.now().since(startTime).seconds }

    /// The delegate that receives the task's events; `nil` before `resume` and once the task is complete.
    var delegate: DelegateCasts? { ownDelegate ?? sessionDelegate }

    /// Returns the casts that a started task uses: those of its own delegate, in front of the session's.
    func inFrontOfSession(_ own: DelegateCasts) -> DelegateCasts {
        guard let sessionDelegate, sessionDelegate.task !== own.task else { return own }
        return DelegateCasts(own, before: sessionDelegate, receivesBody: resultDelivery.isDelegate)
    }

    var isSuspended: Bool { suspendCount > 0 && lifecycle == .active }
    /// Whether the end needs no hop to the delegate queue either, because an `async` function waits for it.
    var isInline: Bool { isUnheard && resultDelivery.isAsync && resumeDataHandler == nil }
    /// Whether the delegate receives the events of a download, and is asked what to store.
    var tellsDelegate: Bool { resultDelivery.isDelegate || tellsOwnDelegate }

    /// Whether the response is delivered separately, before the end.
    var tellsResponse: Bool {
        switch resultDelivery {
        case .delegate, .stream: true
        case .data: tellsOwnDelegate
        case .download: false
        }
    }

    /// The end of a task that could not begin is delivered also if it is suspended, since nothing else would end it.
    var canDeliver: Bool { !events.isEmpty && obstacle == nil && (!isSuspended || (driver == nil && hasFailed)) }
    /// Whether the task has ended, is being cancelled, or only waits for the delivery of its success.
    var isEnding: Bool { lifecycle != .active || resumeDataHandler != nil }
    /// Whether the task has succeeded and only its end is not delivered yet, so that nothing is left to continue.
    var hasSucceeded: Bool { if obstacle == nil, case .completed(nil)? = events.last { true } else { false } }
    var hasFailed: Bool { events.contains { if case .completed(.some) = $0 { true } else { false } } }

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

    /// Removes and returns the events that have not been delivered and never will be.
    mutating func takeUndelivered() -> [TaskEvent] {
        defer {
            events = []
            buffer = ByteBuffer()
        }
        return events
    }

    mutating func note(_ response: ReceivedResponse) {
        self.response = response
        // For a continued download, this is the length of the rest; the length of the whole follows.
        if counts.received == .zero || resumeData == nil { counts.expectedToReceive = response.expectedLength }
        counts.hasResponse = true
    }

    /// Adds what an event says to the counts, and returns whether it says nothing else.
    @discardableResult
    mutating func count(_ event: TaskEvent) -> Bool {
        switch event {
        case .sent(let count, let expected):
            counts.sent.add(count)
            counts.expectedToSend = expected
        case .wrote(let count): counts.received.add(count)
        case .rewound: counts.sent = .zero
        case .resumed(let offset, let total):
            counts.received = offset
            counts.expectedToReceive = total
        default: return false
        }
        return true
    }
}

/// The bytes that a task has transferred and expects to transfer; `nil` for a length that is not known.
struct TransferCounts: Sendable {
    var sent = ByteCount.zero
    var received = ByteCount.zero
    var expectedToSend: ByteCount? = .zero
    var expectedToReceive: ByteCount? = .zero
    var hasResponse = false

    /// The bytes of both directions together.
    var completed: ByteCount { sent.adding(received) ?? .max }

    /// The length of both bodies together, if both are known and the sum does not overflow.
    ///
    /// Until the response announces its length, one extra unit stands for it, so that an upload does not look finished.
    var total: ByteCount? {
        let pending = hasResponse ? expectedToReceive : ByteCount(clamping: 1)
        return expectedToSend.flatMap { toSend in pending.flatMap { toSend.adding($0) } }
    }
}

/// An event of a task, to be delivered in the order of occurrence.
///
/// Cases that are large and rare are `indirect`, so that the type is small.
enum TaskEvent: Sendable {
    case redirect(HTTPURLResponse, URLRequest)
    case needsBodyStream
    indirect case challenge(AuthenticationQuestion)
    /// Bytes of the request's body have been passed to the network; `expected` is the length of the body, if known.
    case sent(ByteCount, expected: ByteCount?)
    /// The request's body starts again, so earlier counts of sent bytes no longer apply.
    case rewound
    indirect case willRetry(TaskMetrics.Retry)
    case interim(HTTPURLResponse)
    case response(ReceivedResponse)
    /// Bytes are waiting in the task's buffer.
    case data
    /// Bytes of the body have been written to the task's file.
    case wrote(ByteCount)
    /// The body continues after bytes that an earlier task has received.
    case resumed(at: ByteCount, expectedTotal: ByteCount?)
    case becameDownload(CurlDownloadTask)
    case downloaded(DownloadFile)
    /// A complete response may be stored.
    case willCache(CacheCandidate)
    case completed((any Error)?)

    /// Merges the next event into this one if both are of one kind, so that a fast transfer does not fill the queue.
    mutating func merge(_ next: TaskEvent) -> Bool {
        switch (self, next) {
        case (.data, .data): break
        case (.wrote(var count), .wrote(let more)):
            count.add(more)
            self = .wrote(count)
        case (.sent(var count, _), .sent(let more, let expected)):
            count.add(more)
            self = .sent(count, expected: expected)
        default: return false
        }
        return true
    }
}

extension [TaskEvent] {
    /// Deletes the files, complete or partial, of events that are not delivered; not to be called under a lock.
    func discardFiles(keepingResumeData: Bool = false) {
        for event in self {
            switch event {
            case .downloaded(let file): file.remove()
            case .completed(let error): if !keepingResumeData { ResumeData.discard(error) }
            default: break
            }
        }
    }

    /// The resume data of the failure among the events.
    var resumeData: Data? {
        for case .completed(let error?) in self { return ResumeData.data(of: error) }
        return nil
    }
}
