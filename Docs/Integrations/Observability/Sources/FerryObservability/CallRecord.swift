import Ferry
import Logging
import Metrics
import Synchronization
import Tracing

/// The spans and measurements of one call.
///
/// The tracer, the metrics and the logger are called without the lock, and may call the client.
final class CallRecord: Sendable {
    let settings: ObservabilitySettings
    private let context: ServiceContext
    private let tracer: any Tracer
    private let instrument: any Instrument
    private let metrics: any MetricsFactory
    private let target: RequestTarget
    private let state = Mutex(CallState())

    /// Creates the record of a call that the current Swift task makes.
    init(_ request: URLRequest, _ settings: ObservabilitySettings) {
        self.settings = settings
        context = .current ?? .topLevel
        tracer = settings.tracer ?? InstrumentationSystem.tracer
        instrument = settings.tracer ?? InstrumentationSystem.instrument
        metrics = settings.metricsFactory ?? MetricsSystem.factory
        target = RequestTarget(request, settings.redaction)
    }

    // MARK: - Beginning

    /// Notes the start of the call; does nothing after the first time.
    func start() {
        if state.withLock({ $0.begin() }) { log(.trace, "The request begins", target.metadata, context) }
    }

    /// Begins the span of an attempt, and adds its context to the request.
    func beginAttempt(of request: inout AdaptedRequest, _ attempt: RequestAttempt) {
        // The monitor may be notified of the start a little later.
        start()
        switch state.withLock({ $0.begin(attempt) }) {
        case .send(let context): instrument.inject(context, into: &request, using: HeaderFieldInjector())
        case .begin(let attempt, let call, let callStart):
            let call = call ?? beginCall(at: callStart)
            let target = RequestTarget(request.urlRequest, settings.redaction)
            let span = begin(attempt, target, below: call)
            // The attempt cannot end before `begun`, so the number never goes below zero.
            settings.activeRequests.add(1, to: target, metrics)
            perform(state.withLock { $0.begun(attempt, span, target, below: call) })
            instrument.inject(span.context, into: &request, using: HeaderFieldInjector())
        case nil: break
        }
    }

    private func beginCall(at moment: CallState.Moment) -> CallState.OpenSpan {
        let span: any Tracing.Span = tracer.startSpan(
            "HTTP call",
            context: context,
            ofKind: .internal,
            at: moment.instant
        )
        span.updateAttributes { target.set(in: &$0) }
        return CallState.OpenSpan(span)
    }

    private func begin(
        _ attempt: CallState.Attempt,
        _ target: RequestTarget,
        below call: CallState.OpenSpan
    ) -> CallState.OpenSpan {
        let span: any Tracing.Span = tracer.startSpan(
            target.spanName,
            context: call.context,
            ofKind: .client,
            at: attempt.start.instant
        )
        span.updateAttributes { attributes in
            target.set(in: &attributes)
            if attempt.resendCount > 0 { attributes["http.request.resend_count"] = attempt.resendCount }
        }
        return CallState.OpenSpan(span)
    }

    // MARK: - End

    /// Ends an attempt that is followed by another one, which may have begun already.
    func attemptDidFail(_ retry: TaskMetrics.Retry, protocolName: String?) {
        let outcome = AttemptEnd(
            status: retry.statusCode,
            error: retry.errorCode.map { URLError($0) },
            message: retry.message,
            protocolName: protocolName
        )
        let moment = CallState.Moment(instant: DefaultTracerClock.Timestamp(retry.date), time: .now)
        let ending = CallState.Ending(outcome: outcome, moment: moment)
        let (ends, context) = state.withLock { state in
            (state.endAttempt(retry.attempt, ending), state.call?.context ?? self.context)
        }
        perform(ends)
        var metadata = target.metadata
        metadata["http.request.attempt"] = "\(retry.attempt)"
        metadata["http.response.status_code"] = retry.statusCode.map { "\($0)" }
        metadata["error.type"] = outcome.errorType.map { "\($0)" }
        metadata["retry.delay"] = "\(retry.delay)"
        log(.info, "The request is sent again: \(retry.message)", metadata, context)
    }

    /// Ends the open attempts: usually one, or more if the end of an earlier one has not been reported.
    func endAttempts(_ outcome: AttemptEnd) {
        let ending = CallState.Ending(outcome: outcome, moment: .now)
        perform(state.withLock { $0.end(ending) { _ in true } })
    }

    /// Ends the call; a call that has not started leaves no span.
    func end(status: Int?, error: NetworkError?) {
        let outcome = AttemptEnd(status: status, error: error, isFailureByStatus: false)
        let ending = CallState.Ending(outcome: outcome, moment: .now)
        perform(state.withLock { $0.endCall(ending) })
    }

    private func perform(_ ends: CallState.Ends) {
        for (span, target, start, ending) in ends.attempts {
            ending.outcome.set(in: span.span)
            span.span.end(at: ending.moment.instant)
            settings.activeRequests.add(-1, to: target, metrics)
            CoreMetrics.Timer(
                label: "http.client.request.duration",
                dimensions: target.dimensions + ending.outcome.dimensions,
                preferredDisplayUnit: .seconds,
                factory: metrics
            ).record(duration: start.time.duration(to: ending.moment.time))
        }
        guard let (span, start, ending) = ends.call else { return }
        let call = span ?? beginCall(at: start)
        ending.outcome.set(in: call.span)
        call.span.end(at: ending.moment.instant)
        var metadata = target.metadata
        metadata["http.response.status_code"] = ending.outcome.status.map { "\($0)" }
        metadata["error.type"] = ending.outcome.errorType.map { "\($0)" }
        metadata["error.message"] = ending.outcome.message.map { "\($0)" }
        metadata["duration"] = "\(start.time.duration(to: ending.moment.time))"
        let message: Logger.Message = ending.outcome.message == nil ? "The request has ended" : "The request has failed"
        log(.debug, message, metadata, call.context)
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
