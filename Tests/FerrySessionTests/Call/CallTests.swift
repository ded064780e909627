import TestSupport
import Testing

@testable import FerryCurl
@testable import FerrySession

/// The steps that follow single events, without an engine.
struct CallTests {
    private static let url = URL(string: "https://example.com/a") ?? URL(fileURLWithPath: "/")
    private static let settings = CurlSessionSettings(.ephemeral, options: CurlSession.Options())
    /// The settings of a session that follows no redirect.
    private static let strictSettings: CurlSessionSettings = {
        var options = CurlSession.Options()
        options.maximumRedirects = 0
        return CurlSessionSettings(.ephemeral, options: options)
    }()

    private static func call(
        _ method: String = "GET",
        body: BodySource = .none,
        retries: Bool = false,
        followsRedirects: Bool = true
    ) -> Call {
        var request = URLRequest(url: url)
        request.httpMethod = method
        let shared = followsRedirects ? settings : strictSettings
        var call = Call(request, body: body, isDownload: false, settings: shared)
        guard retries else { return call }
        let settings = RecoverySettings { $0.retry = .standard }
        let identity = TaskIdentity(session: 0, task: 0)
        call.recover(by: Attempts(settings, request, task: identity, originalURL: url, received: .zero))
        return call
    }

    /// Returns a call whose attempt runs.
    private static func running(_ method: String = "GET", body: BodySource = .none, retries: Bool = false) -> Call {
        var call = call(method, body: body, retries: retries)
        for event in [CallEvent.begin, .verified, .lookedUp(.network)] {
            _ = steps(&call, event)
        }
        return call
    }

    /// Returns a call whose interceptors have decided that its response with the status 503 is delivered.
    private static func decided() -> Call {
        var call = call()
        let settings = RecoverySettings {
            $0.interceptors = RequestInterceptors([ClosureInterceptor(decide: { _, _ in .doNotRetry })])
        }
        let (request, identity) = (URLRequest(url: url), TaskIdentity(session: 0, task: 0))
        call.recover(by: Attempts(settings, request, task: identity, originalURL: url, received: .zero))
        let events: [CallEvent] = [
            .begin, .answered(1, .request(request)), .verified, .lookedUp(.network), head(503),
            end(0), .answered(2, .decision(.doNotRetry)),
        ]
        for event in events { _ = steps(&call, event) }
        return call
    }

    /// Returns a call that retries and whose interceptor has added an `Idempotency-Key` to its POST.
    private static func keyed() -> Call {
        var call = call("POST", body: .data(Data("x".utf8)))
        let settings = RecoverySettings {
            $0.interceptors = RequestInterceptors([ClosureInterceptor()])
            $0.retry = .standard
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let identity = TaskIdentity(session: 0, task: 0)
        call.recover(by: Attempts(settings, request, task: identity, originalURL: url, received: .zero))
        request.setValue("1", forHTTPHeaderField: "Idempotency-Key")
        let events: [CallEvent] = [
            .begin, .answered(1, .request(request)), .verified, .lookedUp(.network),
        ]
        for event in events { _ = steps(&call, event) }
        return call
    }

    private static func response(_ status: Int, _ fields: [String: String]) -> ResponseHead {
        let fields = fields.map { ResponseHead.Field(name: $0.key, value: $0.value) }
        return ResponseHead(version: "HTTP/1.1", status: status, fields: fields)
    }

    private static func head(
        _ status: Int,
        _ fields: [String: String] = [:],
        expectsContinue: Bool = false
    ) -> CallEvent {
        .head(HeadFacts(head: response(status, fields), expectsContinue: expectsContinue))
    }

    private static func end(_ code: Int32, sends: Int = 1) -> CallEvent {
        var end = AttemptEnd(code: code)
        end.sends = sends
        end.hasStatus = code == 0
        if code != 0 { end.failure = URLError(.networkConnectionLost) }
        return .attemptEnded(end)
    }

    private static func steps(
        _ call: inout Call,
        _ event: CallEvent,
        stale: LocalResponse? = nil,
        decoding: Decoding = .none
    ) -> [CallStep] {
        var steps: [CallStep] = []
        call.handle(event, in: QuietSurroundings(stale: stale, decoding: decoding), into: &steps)
        return steps
    }

    /// The names of steps, without their arguments.
    private static func names(_ steps: [CallStep]) -> [String] {
        steps.map { String("\($0)".prefix { $0 != "(" }) }
    }

    /// `@unchecked Sendable`: the steps of a call contain the attempt, but no step is kept after an event.
    struct Row: CustomTestStringConvertible, @unchecked Sendable {
        var testDescription: String
        var call: Call
        var events: [CallEvent]
        var steps: [String]
        var stage: Call.Stage
        /// The stale stored response that may replace an error.
        var stale: LocalResponse?
        /// The known state of decoding the body.
        var decoding = Decoding.none
    }

    static let rows: [Row] = [
        Row(
            testDescription: "a call begins",
            call: call(),
            events: [.begin],
            steps: ["forgetResponse", "attempt", "verify"],
            stage: .preparing
        ),
        Row(
            testDescription: "a suspended call begins",
            call: call(),
            events: [.suspended, .begin],
            steps: ["forgetResponse"],
            stage: .parked
        ),
        Row(
            testDescription: "a parked call is resumed",
            call: call(),
            events: [.suspended, .begin, .resumed],
            steps: ["retakeSlot", "forgetResponse", "attempt", "verify"],
            stage: .preparing
        ),
        Row(
            testDescription: "a body has no stream",
            call: call("POST", body: .delegateStream),
            events: [.begin],
            steps: ["forgetResponse", "report"],
            stage: .waitingForStream
        ),
        Row(
            testDescription: "the delegate has no stream",
            call: call("POST", body: .delegateStream),
            events: [.begin, .bodyStream(nil)],
            steps: ["endSharing", "endAttempt", "fail"],
            stage: .finished
        ),
        Row(
            testDescription: "a call is suspended while its origin is verified",
            call: call(),
            events: [.begin, .suspended, .verified],
            steps: [],
            stage: .parked
        ),
        Row(
            testDescription: "the network is asked",
            call: call(),
            events: [.begin, .verified, .lookedUp(.network)],
            steps: ["admit"],
            stage: .attempting
        ),
        Row(
            testDescription: "a response arrives",
            call: running(),
            events: [head(200)],
            steps: ["deliver", "beginSharing", "beginStoring"],
            stage: .attempting
        ),
        Row(
            testDescription: "a response is complete",
            call: running(),
            events: [head(200), end(0)],
            steps: ["endAttempt", "shareResponse", "endSharing", "endAttempt", "finish"],
            stage: .finished
        ),
        Row(
            testDescription: "a body has come that is not decoded yet",
            call: running(),
            events: [head(200, ["Content-Encoding": "gzip"]), end(0)],
            steps: ["endAttempt"],
            stage: .idle,
            decoding: .waiting
        ),
        Row(
            testDescription: "a decoded body is complete",
            call: running(),
            events: [head(200, ["Content-Encoding": "gzip"]), end(0)],
            steps: ["endAttempt", "shareResponse", "endSharing", "endAttempt", "finish"],
            stage: .finished,
            decoding: .drained(mayEnd: true)
        ),
        Row(
            testDescription: "a decoded body ends too early",
            call: running(),
            events: [head(200, ["Content-Encoding": "gzip"]), end(0)],
            steps: ["endAttempt", "endSharing", "endAttempt", "endSharing", "endAttempt", "fail"],
            stage: .finished,
            decoding: .drained(mayEnd: false)
        ),
        Row(
            testDescription: "a redirect is asked about after its end",
            call: running(),
            events: [head(302, ["Location": "/b", "Content-Length": "0"]), end(0)],
            steps: ["endAttempt", "shareResponse", "storeRedirect", "stopClock", "report"],
            stage: .idle
        ),
        Row(
            testDescription: "a redirect that ends with its connection is asked about at once",
            call: running(),
            events: [head(302, ["Location": "/b"])],
            steps: ["beginSharing", "beginStoring", "setClientFull", "endSharing", "stopClock", "report"],
            stage: .attempting
        ),
        Row(
            testDescription: "a redirect of a HEAD, which has no body, is asked about after its end",
            call: running("HEAD"),
            events: [head(302, ["Location": "/b"])],
            steps: ["beginSharing", "beginStoring"],
            stage: .attempting
        ),
        Row(
            testDescription: "a redirect is followed",
            call: running(),
            events: [
                head(302, ["Location": "/b"]), end(0), .redirected(URLRequest(url: url.appendingPathComponent("b"))),
            ],
            steps: [
                "endSharing", "endAttempt", "endSharing", "endAttempt", "report", "forgetResponse", "attempt", "verify",
            ],
            stage: .preparing
        ),
        Row(
            testDescription: "a stored redirect is one too many",
            call: call(followsRedirects: false),
            events: [
                .begin, .verified,
                .lookedUp(.response(LocalResponse(source: .cache, head: response(302, ["Location": "/b"])))),
            ],
            steps: ["beginServing", "endSharing", "endAttempt", "fail"],
            stage: .finished
        ),
        // RFC 9110, section 10.1.1.
        Row(
            testDescription: "a server refuses the expectation of a request with a body",
            call: running("POST", body: .data(Data("x".utf8))),
            events: [head(417, expectsContinue: true), end(CurlCode.receiveError)],
            steps: [
                "endAttempt", "endSharing", "endSharing", "endAttempt", "report", "forgetResponse", "attempt", "verify",
            ],
            stage: .preparing
        ),
        Row(
            testDescription: "a 417 is the response to a request without a body",
            call: running(),
            events: [head(417, expectsContinue: true)],
            steps: ["deliver", "beginSharing", "beginStoring"],
            stage: .attempting
        ),
        Row(
            testDescription: "a GET that was lost is sent again later",
            call: running(retries: true),
            events: [end(CurlCode.receiveError)],
            steps: [
                "endAttempt", "endSharing", "endSharing", "endAttempt", "report", "report", "setClientFull",
                "forgetResponse", "waitForRetry",
            ],
            stage: .delaying
        ),
        Row(
            testDescription: "a POST that was lost fails",
            call: running("POST", body: .data(Data("x".utf8)), retries: true),
            events: [end(CurlCode.receiveError)],
            steps: ["endAttempt", "endSharing", "report", "endSharing", "endAttempt", "fail"],
            stage: .finished
        ),
        Row(
            testDescription: "a POST whose key an interceptor has added fails",
            call: keyed(),
            events: [end(CurlCode.receiveError), .answered(2, .decision(.proceed))],
            steps: ["endWait", "retakeSlot", "report", "endSharing", "endAttempt", "fail"],
            stage: .finished
        ),
        Row(
            testDescription: "a POST that was not sent is sent again",
            call: running("POST", body: .data(Data("x".utf8)), retries: true),
            events: [end(CurlCode.receiveError, sends: 0)],
            steps: [
                "endAttempt", "endSharing", "endSharing", "endAttempt", "report", "report", "setClientFull",
                "forgetResponse", "waitForRetry",
            ],
            stage: .delaying
        ),
        Row(
            testDescription: "the body of a response whose delivery was decided is damaged",
            call: decided(),
            events: [.bodyFailed],
            steps: ["endSharing", "endAttempt", "endSharing", "endAttempt", "fail"],
            stage: .finished
        ),
        Row(
            testDescription: "the stream of a complete GET is not given up",
            call: running(),
            events: [head(200, ["ETag": "\"a\""]), .mayDetach],
            steps: [],
            stage: .attempting
        ),
        Row(
            testDescription: "a paused stream with a validator is given up",
            call: running(),
            events: [head(200, ["ETag": "\"a\"", "Content-Length": "9"]), .mayDetach],
            steps: ["endSharing", "endAttempt"],
            stage: .detached
        ),
        Row(
            testDescription: "a deadline passes while the response is awaited",
            call: running(),
            events: [.deadline(.resource)],
            steps: ["endSharing", "endSharing", "endAttempt", "fail"],
            stage: .finished
        ),
        Row(
            testDescription: "a stale response is delivered after the deadline of a transfer",
            call: running(),
            events: [.deadline(.resource)],
            steps: ["endSharing", "endSharing", "endAttempt", "beginServing", "deliver", "feed"],
            stage: .attempting,
            stale: LocalResponse(source: .cache, head: response(200, [:]))
        ),
        Row(
            testDescription: "a stale response is not delivered after the deadline of the call",
            call: running(),
            events: [.deadline(.call)],
            steps: ["report", "endSharing", "endSharing", "endAttempt", "fail"],
            stage: .finished,
            stale: LocalResponse(source: .cache, head: response(200, [:]))
        ),
        Row(
            testDescription: "a call is cancelled",
            call: running(),
            events: [.cancelled],
            steps: ["endSharing", "endSharing", "endAttempt", "close"],
            stage: .finished
        ),
        Row(
            testDescription: "a call that has ended is told something",
            call: running(),
            events: [.cancelled, head(200)],
            steps: [],
            stage: .finished
        ),
    ]

    @Test("Each event is followed by its steps", arguments: rows)
    func steps(_ row: Row) {
        var call = row.call
        var last: [CallStep] = []
        for event in row.events {
            last = Self.steps(&call, event, stale: row.stale, decoding: row.decoding)
        }
        #expect(Self.names(last) == row.steps)
        #expect(call.stage == row.stage)
    }

    @Test("A stage ignores events that it does not await", arguments: [CallEvent.delayed, .trustDecided, .verified])
    func ignored(_ event: CallEvent) {
        var call = Self.running()
        let steps = Self.steps(&call, event)
        #expect(steps.isEmpty)
        #expect(call.stage == .attempting)
    }
}
