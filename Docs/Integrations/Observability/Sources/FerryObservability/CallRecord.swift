import Ferry
import Logging
import Metrics
import Synchronization
import Tracing

/// The spans and measurements of one call.
///
/// The tracer is called while the lock is held, so that there is one span for each attempt even if the call ends while
/// an attempt begins. A tracer cannot call back, because it does not know the record.
final class CallRecord: Sendable {
    let settings: ObservabilitySettings
    private let context: ServiceContext
    private let tracer: any Tracer
    private let instrument: any Instrument
    private let metrics: any MetricsFactory
    private let target: RequestTarget
    private let state = Mutex(State())

    private struct State {
        var start: (instant: DefaultTracerClock.Timestamp, time: ContinuousClock.Instant)?
        var hasEnded = false
        var span: (any Tracing.Span)?
        var open: [OpenAttempt] = []
        /// The number of requests so far, for any reason.
        var sent = 0
    }

    /// An attempt that has begun.
    private struct OpenAttempt {
        let number: Int
        let redirectCount: Int
        let span: any Tracing.Span
        let target: RequestTarget
        let start: ContinuousClock.Instant
    }

    /// Creates the record of a call that the current Swift task makes.
    init(_ request: URLRequest, _ settings: ObservabilitySettings) {
        self.settings = settings
        context = .current ?? .topLevel
        tracer = settings.tracer ?? InstrumentationSystem.tracer
        instrument = settings.tracer ?? InstrumentationSystem.instrument
        metrics = settings.metricsFactory ?? MetricsSystem.factory
        target = RequestTarget(request, settings.redaction)
    }

    /// Notes the start of the call; does nothing after the first time.
    func start() {
        let isFirst = state.withLock { state in
            guard state.start == nil, !state.hasEnded else { return false }
            state.start = (DefaultTracerClock.now, .now)
            return true
        }
        if isFirst { log(.trace, "The request begins", target.metadata, context) }
    }

    /// Returns the span of the call, which begins when the call has started.
    private func span(_ state: inout State) -> any Tracing.Span {
        if let span = state.span { return span }
        let instant = state.start?.instant ?? DefaultTracerClock.now
        let span: any Tracing.Span = tracer.startSpan(
            "HTTP call",
            context: context,
            ofKind: .internal,
            at: instant
        )
        span.updateAttributes { target.set(in: &$0) }
        state.span = span
        return span
    }

    // MARK: - Attempts

    /// Begins the span of an attempt, and adds its context to the request.
    func beginAttempt(of request: inout AdaptedRequest, _ attempt: RequestAttempt) {
        // The monitor may learn of the start a little later.
        start()
        let attemptContext = state.withLock { state -> ServiceContext? in
            guard !state.hasEnded else { return nil }
            // An interceptor that has to wait causes all of them to be asked once more.
            let same = state.open.last {
                $0.number == attempt.number && $0.redirectCount == attempt.redirectCount
            }
            if let same { return same.span.context }
            let parent = span(&state).context
            let target = RequestTarget(request.urlRequest, settings.redaction)
            let span: any Tracing.Span = tracer.startSpan(target.spanName, context: parent, ofKind: .client)
            span.updateAttributes { attributes in
                target.set(in: &attributes)
                if state.sent > 0 { attributes["http.request.resend_count"] = state.sent }
            }
            state.sent += 1
            state.open.append(
                OpenAttempt(
                    number: attempt.number,
                    redirectCount: attempt.redirectCount,
                    span: span,
                    target: target,
                    start: .now
                )
            )
            settings.activeRequests.add(1, to: target, metrics)
            return span.context
        }
        if let attemptContext { instrument.inject(attemptContext, into: &request, using: HeaderFieldInjector()) }
    }

    /// Ends an attempt that is followed by another one, which may have begun already.
    func attemptDidFail(_ retry: TransferMetrics.Retry, protocolName: String?) {
        let outcome = AttemptOutcome(
            status: retry.status,
            error: retry.errorCode.map { URLError($0) },
            message: retry.message,
            protocolName: protocolName
        )
        let context = state.withLock { state in
            end(&state, outcome, at: DefaultTracerClock.Timestamp(retry.date)) { $0.number == retry.attempt }
            return state.span?.context ?? self.context
        }
        var metadata = target.metadata
        metadata["http.request.attempt"] = "\(retry.attempt)"
        metadata["http.response.status_code"] = retry.status.map { "\($0)" }
        metadata["error.type"] = outcome.errorType.map { "\($0)" }
        metadata["retry.delay"] = "\(retry.delay)"
        log(.info, "The request is sent again: \(retry.message)", metadata, context)
    }

    /// Ends the attempts that are open: one, unless the end of an earlier one has not been reported.
    func endAttempts(_ outcome: AttemptOutcome) {
        state.withLock { end(&$0, outcome, at: DefaultTracerClock.now) { _ in true } }
    }

    private func end(
        _ state: inout State,
        _ outcome: AttemptOutcome,
        at instant: DefaultTracerClock.Timestamp,
        where isEnding: (OpenAttempt) -> Bool
    ) {
        let end = ContinuousClock.now
        for attempt in state.open where isEnding(attempt) {
            outcome.set(in: attempt.span)
            attempt.span.end(at: instant)
            settings.activeRequests.add(-1, to: attempt.target, metrics)
            CoreMetrics.Timer(
                label: "http.client.request.duration",
                dimensions: attempt.target.dimensions + outcome.dimensions,
                preferredDisplayUnit: .seconds,
                factory: metrics
            ).record(duration: attempt.start.duration(to: end))
        }
        state.open.removeAll(where: isEnding)
    }

    // MARK: - End

    /// Ends the call; a call that has not started leaves no span.
    func end(status: Int?, error: NetworkError?) {
        let outcome = AttemptOutcome(status: status, error: error, isFailureByStatus: false)
        let ended = state.withLock { state -> (ServiceContext, Duration)? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            end(&state, outcome, at: DefaultTracerClock.now) { _ in true }
            // A call that was cancelled before it was started has sent nothing.
            guard let start = state.start else { return nil }
            let span = span(&state)
            outcome.set(in: span)
            span.end()
            return (span.context, start.time.duration(to: .now))
        }
        guard let (context, duration) = ended else { return }
        var metadata = target.metadata
        metadata["http.response.status_code"] = status.map { "\($0)" }
        metadata["error.type"] = outcome.errorType.map { "\($0)" }
        metadata["error.message"] = error.map { "\($0.message)" }
        metadata["duration"] = "\(duration)"
        log(.debug, error == nil ? "The request has ended" : "The request has failed", metadata, context)
    }

    /// Logs in a service context, from which a metadata provider takes the identifiers of the trace.
    private func log(
        _ level: Logger.Level,
        _ message: @autoclosure () -> Logger.Message,
        _ metadata: @autoclosure () -> Logger.Metadata,
        _ context: ServiceContext
    ) {
        guard let logger = settings.logger, logger.logLevel <= level else { return }
        ServiceContext.withValue(context) {
            logger.log(level: level, message(), metadata: metadata(), source: "FerryObservability")
        }
    }
}

extension DefaultTracerClock.Timestamp {
    /// Creates the instant of a date; one before 1970 becomes the beginning of that year.
    fileprivate init(_ date: Date) {
        self.init(nanosecondsSinceEpoch: UInt64(max(0, min(date.timeIntervalSince1970, 9_000_000_000)) * 1_000_000_000))
    }
}
