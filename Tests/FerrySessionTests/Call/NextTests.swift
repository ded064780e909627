import Testing

@testable import FerryCurl
@testable import FerrySession

/// The step after an attempt: for each cause alone, and for several causes at once.
@Suite struct NextTests {
    /// The end of an attempt, and the call that it belongs to.
    struct Situation: Sendable {
        /// The decision of the response's head.
        var chosen: Call.Next?
        /// Whether libcurl has found no connection that may carry the request.
        var needsNewConnection = false
        var hasOwnFailure = false
        var hasTransportFailure = false
        var hasQuestion = false
        var hasResponse = false
        var awaitsTrust = false
        /// Whether the server has said that it has not processed the request.
        var isRefused = false
        var reconnections = 0
        var isSuspended = false
        var hasTunnelChallenge = false
        /// Whether the task was suspended, and its response has a validator.
        var canContinue = false
        /// Whether libcurl cannot rewind a body that the delegate can provide again.
        var needsNewBody = false

        private static let url = URL(string: "https://example.com/a") ?? URL(fileURLWithPath: "/")
        private static let settings = CurlSessionSettings(.ephemeral, options: CurlSession.Options())

        var next: Call.Next {
            var request = URLRequest(url: Self.url)
            request.httpMethod = needsNewBody ? "PUT" : "GET"
            let body: BodySource = needsNewBody ? .delegateStream : .none
            var call = Call(request, body: body, isDownload: false, settings: Self.settings)
            (call.incoming.next, call.reconnections, call.isSuspended) = (chosen, reconnections, isSuspended)
            if hasOwnFailure { call.incoming.failure = URLError(.cannotDecodeContentData) }
            if hasQuestion,
                let response = HTTPURLResponse(url: Self.url, statusCode: 302, httpVersion: nil, headerFields: nil)
            {
                call.held = HeldResponse(response: response, kind: .redirect(request, keepsBody: false))
            }
            if hasResponse {
                let fields = [
                    ResponseHead.Field(name: "ETag", value: "\"a\""), .init(name: "Content-Length", value: "9"),
                ]
                let head = ResponseHead(version: "HTTP/1.1", status: 200, fields: fields)
                call.deliver(ReceivedResponse(head, url: Self.url, isDecoded: false), isDecoded: false)
                if canContinue { call.rest.noteSuspension() }
            }
            let failure = needsNewBody ? CurlCode.cannotRewind : isRefused ? CurlCode.http2 : CurlCode.receiveError
            var end = AttemptEnd(code: hasTransportFailure ? failure : 0)
            (end.needsNewConnection, end.wasRefused, end.hasStatus) = (needsNewConnection, isRefused, hasResponse)
            if awaitsTrust { end.trust = .pending }
            return call.next(after: end, asksForTunnel: hasTunnelChallenge, QuietSurroundings())
        }
    }

    typealias Row = (end: Situation, next: Call.Next)

    private static let causes: [Row] = [
        // The attempt has succeeded.
        (Situation(hasResponse: true), .finish),
        (Situation(), .fail(.noResponse)),
        (Situation(chosen: .serveValidated), .serveValidated),
        (Situation(hasQuestion: true), .ask),
        // Ferry has ended it.
        (Situation(chosen: .again(.withoutConditions), hasTransportFailure: true), .again(.withoutConditions)),
        (Situation(chosen: .serveStale, hasTransportFailure: true), .serveStale),
        (Situation(chosen: .again(.fromStart), hasTransportFailure: true), .again(.fromStart)),
        (Situation(hasOwnFailure: true, hasTransportFailure: true), .fail(.own)),
        (Situation(chosen: .again(.withoutCredential), hasTransportFailure: true), .again(.withoutCredential)),
        (Situation(chosen: .again(.withoutExpectation), hasTransportFailure: true), .again(.withoutExpectation)),
        (Situation(needsNewConnection: true, hasTransportFailure: true), .again(.onNewConnection)),
        (Situation(needsNewConnection: true, hasTransportFailure: true, awaitsTrust: true), .waitForTrust),
        // libcurl has ended it.
        (Situation(hasTransportFailure: true), .fail(.transport)),
        (Situation(hasTransportFailure: true, hasTunnelChallenge: true), .askForTunnel),
        (Situation(hasTransportFailure: true, hasResponse: true, canContinue: true), .again(.forRest)),
        (Situation(hasTransportFailure: true, needsNewBody: true), .again(.withNewBody)),
        (Situation(hasTransportFailure: true, isRefused: true), .again(.onNewConnection)),
    ]

    @Test("Each cause alone has one consequence", arguments: causes)
    func alone(_ row: Row) {
        #expect(row.end.next == row.next)
    }

    private static let precedence: [Row] = [
        // A 304 counts only if it is complete; a stale response does not depend on the attempt.
        (Situation(chosen: .serveValidated, hasTransportFailure: true), .fail(.transport)),
        (Situation(chosen: .serveValidated, hasOwnFailure: true), .fail(.own)),
        (Situation(chosen: .serveStale, hasOwnFailure: true, hasTransportFailure: true), .serveStale),
        // A redirect is followed even if its body is damaged.
        (Situation(hasTransportFailure: true, hasQuestion: true), .ask),
        (Situation(hasOwnFailure: true, hasTransportFailure: true, hasQuestion: true), .ask),
        // A redirect that was cut off is not continued, since its body is not wanted.
        (Situation(hasTransportFailure: true, hasQuestion: true, hasResponse: true, canContinue: true), .ask),
        // Ferry's own reason causes libcurl's failure, so the failure is not recovered from.
        (Situation(hasOwnFailure: true, hasTransportFailure: true, hasResponse: true, canContinue: true), .fail(.own)),
        (Situation(hasOwnFailure: true, hasTransportFailure: true, needsNewBody: true), .fail(.own)),
        (Situation(needsNewConnection: true, hasOwnFailure: true, hasTransportFailure: true), .fail(.own)),
        (Situation(hasOwnFailure: true, hasTransportFailure: true, isRefused: true), .fail(.own)),
        // Connections that refuse a request are replaced as often as others.
        (Situation(hasTransportFailure: true, isRefused: true, reconnections: 3), .fail(.transport)),
        (Situation(hasTransportFailure: true, hasTunnelChallenge: true, needsNewBody: true), .askForTunnel),
        // A complete response is not continued.
        (Situation(hasResponse: true, canContinue: true), .finish),
        // New bodies are provided as often as new connections are tried.
        (Situation(hasTransportFailure: true, reconnections: 3, needsNewBody: true), .fail(.transport)),
    ]

    @Test("Of several causes the first in the order of precedence decides", arguments: precedence)
    func together(_ row: Row) {
        #expect(row.end.next == row.next)
    }

    @Test("Another connection is looked for three times in a row, and eight times for decisions about chains")
    func reconnections() {
        for (count, awaitsTrust) in (0...9).flatMap({ [($0, false), ($0, true)] }) {
            var end = Situation(needsNewConnection: true, hasTransportFailure: true, awaitsTrust: awaitsTrust)
            end.reconnections = count
            let again: Call.Next = awaitsTrust ? .waitForTrust : .again(.onNewConnection)
            #expect(end.next == (count < (awaitsTrust ? 8 : 3) ? again : .fail(.transport)))
            // A suspended task has not tried a new connection meanwhile.
            end.isSuspended = true
            #expect(end.next == again)
        }
    }
}
