import Ferry
import Logging
import Metrics
import Tracing

/// An event monitor that traces, measures and logs the calls of a manager.
///
/// ```swift
/// manager.eventMonitors = [Observability(logger: Logger(label: "billing"))]
/// ```
///
/// A call has a span of the kind `internal`. Each of its attempts, including redirects and answers to challenges, has a
/// span of the kind `client` below it, whose context the tracer sends with the request, as `traceparent` for example.
/// Their attributes and the metrics `http.client.request.duration` and `http.client.active_requests` are those of
/// OpenTelemetry's semantic conventions.
///
/// The parent of a call's span is the service context of the code that makes the task, which is
/// `ServiceContext.current` there, whatever thread sends the request later. A tracer or a metrics factory that is bound
/// to a Swift task, by `withTracer` for example, is found in the same way.
///
/// A request that the session repeats on a new connection, because the server has closed one that was to be used again,
/// remains within its attempt. The tasks of another session than a `CurlSession`, the managers' default transport, have
/// neither interceptors nor spans.
public struct Observability: EventMonitor {
    private let settings: ObservabilitySettings

    /// Creates a monitor; by default it uses the tracer and the metrics of the program.
    ///
    /// - Parameters:
    ///   - tracer: The tracer; `nil` for that of the `InstrumentationSystem`.
    ///   - metricsFactory: The factory of the metrics; `nil` for that of the `MetricsSystem`.
    ///   - logger: The logger; `nil` to log nothing. The start of a call is logged as `trace`, its end as `debug`, and
    ///     a retry as `info`. An error is not logged with a higher level, because the caller receives it.
    ///   - redaction: The parts of URLs that are left out of spans and logs.
    public init(
        tracer: (any Tracer)? = nil,
        metricsFactory: (any MetricsFactory)? = nil,
        logger: Logger? = nil,
        redaction: Redaction = Redaction()
    ) {
        settings = ObservabilitySettings(
            tracer: tracer,
            metricsFactory: metricsFactory,
            logger: logger,
            redaction: redaction
        )
    }

    /// Attaches the record of a call to its task, with the service context of the current Swift task.
    public func taskDidCreate(_ task: URLSessionTask) {
        guard let request = task.originalRequest else { return }
        // The task owns its record, so that a task that never runs leaves nothing behind. A table by task identifier
        // would not work, because each of a manager's sessions numbers its tasks from the beginning.
        task.interceptors.append(AttemptTracer(call: CallRecord(request, settings)))
    }

    /// Notes the start of a call.
    public func taskDidResume(_ task: URLSessionTask) { record(of: task)?.start() }

    /// Ends the spans of an attempt that is followed by another one.
    public func task(_ task: URLSessionTask, willRetry retry: TaskMetrics.Retry) {
        let transaction = task.metrics?.transactions.last { $0.statusCode == retry.statusCode }
        record(of: task)?.attemptDidFail(retry, protocolName: transaction?.networkProtocolName)
    }

    /// Ends the span of the attempt that was redirected.
    public func task(_ task: URLSessionTask, didRedirectBy response: HTTPURLResponse, to request: URLRequest?) {
        // A redirect that is refused becomes the response, which ends the attempt.
        guard request != nil else { return }
        record(of: task)?.endAttempts(AttemptEnd(status: response.statusCode))
    }

    /// Ends the span of the attempt that was challenged, if another one may follow.
    public func task(_ task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) {
        guard let response = challenge.failureResponse as? HTTPURLResponse else { return }
        record(of: task)?.endAttempts(AttemptEnd(status: response.statusCode))
    }

    /// Ends the span of the last attempt.
    public func task(_ task: URLSessionTask, didCompleteWith error: (any Error)?) {
        let transaction = task.metrics?.transactions.last
        record(of: task)?.endAttempts(
            AttemptEnd(
                status: (task.response as? HTTPURLResponse)?.statusCode,
                error: error,
                protocolName: transaction?.networkProtocolName,
                isFromCache: transaction?.isFromCache ?? false
            )
        )
    }

    /// Ends the span of the call, with the error of the response serializer if there is one.
    public func task(_ task: URLSessionTask, didFinishWith completion: TaskCompletion) {
        record(of: task)?.end(status: completion.response.statusCode, error: completion.response.error)
    }

    private func record(of task: URLSessionTask) -> CallRecord? {
        // There may be several monitors, each with a record of its own.
        for case let tracer as AttemptTracer in task.interceptors where tracer.call.settings === settings {
            return tracer.call
        }
        return nil
    }
}

/// The values that the records of all calls share.
final class ObservabilitySettings: Sendable {
    let tracer: (any Tracer)?
    let metricsFactory: (any MetricsFactory)?
    let logger: Logger?
    let redaction: Redaction
    let activeRequests = ActiveRequests()

    init(tracer: (any Tracer)?, metricsFactory: (any MetricsFactory)?, logger: Logger?, redaction: Redaction) {
        self.tracer = tracer
        self.metricsFactory = metricsFactory
        self.logger = logger
        self.redaction = redaction
    }
}

/// The interceptor that begins the span of each attempt of one call, and adds its context to the request.
struct AttemptTracer: ImmediateRequestInterceptor {
    let call: CallRecord

    /// Empty, so that no response is held back.
    var failureStatusCodes: Set<Int> { [] }

    func adaptImmediately(_ request: inout AdaptedRequest, for attempt: RequestAttempt) -> Bool {
        call.beginAttempt(of: &request, attempt)
        return true
    }
}

/// Sets the fields by which a tracer sends a span's context.
struct HeaderFieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into request: inout AdaptedRequest) {
        request.setValue(value, forHTTPHeaderField: key)
    }
}
