import Ferry
import Tracing

/// The open spans of a call, and the rules for which span begins or ends next.
///
/// It calls neither a tracer nor a span, so that a lock can protect it. An attempt is added before its span begins. If
/// the attempt ends meanwhile, its end is kept here, and returned to the thread that begins the span.
struct CallState {
    /// A span that has begun.
    struct OpenSpan {
        let span: any Tracing.Span
        let context: ServiceContext

        init(_ span: any Tracing.Span) {
            self.span = span
            context = span.context
        }
    }

    /// A moment, for spans and for durations.
    struct Moment {
        let instant: DefaultTracerClock.Timestamp
        let time: ContinuousClock.Instant

        static var now: Moment { Moment(instant: DefaultTracerClock.now, time: .now) }
    }

    /// How and when an attempt or the call has ended.
    struct Ending {
        let outcome: AttemptEnd
        let moment: Moment
    }

    /// The action before an attempt is sent.
    enum Step {
        /// Send the context of the span that has begun already.
        case send(ServiceContext)
        /// Begin the span of the attempt, and before it the span of the call if it has not begun.
        case begin(Attempt, call: OpenSpan?, callStart: Moment)
    }

    /// An attempt that has not ended.
    struct Attempt {
        /// The number of requests before this one, for any reason.
        let resendCount: Int
        let start: Moment
        fileprivate let number: Int
        fileprivate let redirectCount: Int
        /// The span and the target of the request; `nil` while the span begins.
        fileprivate var begun: (span: OpenSpan, target: RequestTarget)?
        /// How the attempt ended while its span began.
        fileprivate var ending: Ending?
    }

    /// Spans to end: first the spans of attempts, then the span of the call.
    struct Ends {
        var attempts: [(span: OpenSpan, target: RequestTarget, start: Moment, ending: Ending)] = []
        /// The span is `nil` if nothing was sent; then it begins only to be ended.
        var call: (span: OpenSpan?, start: Moment, ending: Ending)?
    }

    private(set) var call: OpenSpan?
    private var start: Moment?
    private var attempts: [Attempt] = []
    private var sent = 0
    private var hasEnded = false
    /// How the call ended while the span of an attempt began.
    private var ending: Ending?

    /// Notes the start of the call, and returns whether it is the first time.
    mutating func begin() -> Bool {
        guard start == nil, !hasEnded else { return false }
        start = .now
        return true
    }

    /// Adds an attempt, and returns the action for it; `nil` if the call has ended or not started.
    mutating func begin(_ attempt: RequestAttempt) -> Step? {
        guard let start, !hasEnded else { return nil }
        // If one interceptor has to wait, all interceptors are asked again.
        if let same = attempts.last, same.number == attempt.number, same.redirectCount == attempt.redirectCount {
            return same.begun.map { .send($0.span.context) }
        }
        // Interceptors are asked for one attempt at a time, so the first one has begun the span of the call.
        guard call != nil || sent == 0 else { return nil }
        let entered = Attempt(
            resendCount: sent,
            start: .now,
            number: attempt.number,
            redirectCount: attempt.redirectCount
        )
        attempts.append(entered)
        sent += 1
        return .begin(entered, call: call, callStart: start)
    }

    /// Notes that the span of an attempt has begun, and returns what has ended in the meantime.
    mutating func begun(_ attempt: Attempt, _ span: OpenSpan, _ target: RequestTarget, below call: OpenSpan) -> Ends {
        self.call = call
        guard let index = attempts.firstIndex(where: { $0.resendCount == attempt.resendCount }) else { return Ends() }
        attempts[index].begun = (span, target)
        guard let ending = attempts[index].ending else { return Ends() }
        return end(ending) { $0.resendCount == attempt.resendCount }
    }

    /// Ends attempts, and returns their spans; a span that is still beginning is returned later.
    mutating func end(_ ending: Ending, where isEnding: (Attempt) -> Bool) -> Ends {
        var ends = Ends()
        var remaining: [Attempt] = []
        for var attempt in attempts {
            if let begun = attempt.begun, isEnding(attempt) {
                ends.attempts.append((begun.span, begun.target, attempt.start, ending))
                continue
            }
            if attempt.ending == nil, isEnding(attempt) { attempt.ending = ending }
            remaining.append(attempt)
        }
        attempts = remaining
        if attempts.isEmpty, let start, let callEnding = self.ending {
            ends.call = (call, start, callEnding)
            self.ending = nil
        }
        return ends
    }

    /// Ends the attempt with a number.
    mutating func endAttempt(_ number: Int, _ ending: Ending) -> Ends { end(ending) { $0.number == number } }

    /// Ends the call with its attempts; does nothing after the first time.
    mutating func endCall(_ ending: Ending) -> Ends {
        guard !hasEnded else { return Ends() }
        hasEnded = true
        self.ending = ending
        // A call that was cancelled before it was started has sent nothing, and leaves no span.
        return end(ending) { _ in true }
    }
}
