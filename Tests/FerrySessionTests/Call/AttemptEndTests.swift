import Testing

@testable import FerrySession

/// What follows an attempt: each cause alone, and which one decides where several are there.
@Suite struct AttemptEndTests {
    typealias Row = (end: AttemptEnd, next: AttemptEnd.Next)

    private static let causes: [Row] = [
        // The attempt has succeeded.
        (AttemptEnd(hasResponse: true), .finish),
        (AttemptEnd(), .fail(.noResponse)),
        (AttemptEnd(isValidated: true), .serveValidated),
        (AttemptEnd(hasQuestion: true), .ask),
        // Ferry has ended it.
        (AttemptEnd(again: .withoutConditions, hasTransportFailure: true), .again(.withoutConditions)),
        (AttemptEnd(hasTransportFailure: true, servesStale: true), .serveStale),
        (AttemptEnd(again: .fromStart, hasTransportFailure: true), .again(.fromStart)),
        (AttemptEnd(hasOwnFailure: true, hasTransportFailure: true), .fail(.own)),
        (AttemptEnd(again: .withoutCredential, hasTransportFailure: true), .again(.withoutCredential)),
        (AttemptEnd(again: .withoutExpectation, hasTransportFailure: true), .again(.withoutExpectation)),
        (AttemptEnd(again: .onNewConnection, hasTransportFailure: true), .again(.onNewConnection)),
        (AttemptEnd(again: .onNewConnection, hasTransportFailure: true, awaitsTrust: true), .waitForTrust),
        // libcurl has ended it.
        (AttemptEnd(hasTransportFailure: true), .fail(.transport)),
        (AttemptEnd(hasTransportFailure: true, hasTunnelChallenge: true), .askForTunnel),
        (AttemptEnd(hasTransportFailure: true, hasResponse: true, canContinue: true), .again(.forRest)),
        (AttemptEnd(hasTransportFailure: true, needsNewBody: true), .again(.withNewBody)),
        (AttemptEnd(hasTransportFailure: true, isRefused: true), .again(.onNewConnection)),
    ]

    @Test("Each cause alone has one consequence", arguments: causes)
    func alone(_ row: Row) {
        #expect(row.end.next == row.next)
    }

    private static let precedence: [Row] = [
        // A 304 counts only if it is complete; a stale response needs nothing of the attempt.
        (AttemptEnd(hasTransportFailure: true, isValidated: true), .fail(.transport)),
        (AttemptEnd(hasOwnFailure: true, isValidated: true), .fail(.own)),
        (AttemptEnd(hasOwnFailure: true, hasTransportFailure: true, servesStale: true), .serveStale),
        // A redirect is followed although its body is damaged, for whatever reason.
        (AttemptEnd(hasTransportFailure: true, hasQuestion: true), .ask),
        (AttemptEnd(hasOwnFailure: true, hasTransportFailure: true, hasQuestion: true), .ask),
        // A redirect that was cut off is not continued, since its body is not wanted.
        (AttemptEnd(hasTransportFailure: true, hasQuestion: true, canContinue: true), .ask),
        // Ferry's own reason is the cause of libcurl's failure, so nothing is tried in spite of it.
        (AttemptEnd(hasOwnFailure: true, hasTransportFailure: true, canContinue: true), .fail(.own)),
        (AttemptEnd(hasOwnFailure: true, hasTransportFailure: true, needsNewBody: true), .fail(.own)),
        (AttemptEnd(again: .onNewConnection, hasOwnFailure: true, hasTransportFailure: true), .fail(.own)),
        (AttemptEnd(hasOwnFailure: true, hasTransportFailure: true, isRefused: true), .fail(.own)),
        // Connections that refuse a request are tried as often as others.
        (AttemptEnd(hasTransportFailure: true, isRefused: true, reconnections: 3), .fail(.transport)),
        // The rest of a body is asked for before the whole is sent again.
        (AttemptEnd(hasTransportFailure: true, canContinue: true, needsNewBody: true), .again(.forRest)),
        (AttemptEnd(hasTransportFailure: true, hasTunnelChallenge: true, needsNewBody: true), .askForTunnel),
        // A response that is complete is not continued.
        (AttemptEnd(hasResponse: true, canContinue: true), .finish),
        // New bodies are provided as often as connections are looked for.
        (AttemptEnd(hasTransportFailure: true, reconnections: 3, needsNewBody: true), .fail(.transport)),
    ]

    @Test("Of several causes the first in the order of precedence decides", arguments: precedence)
    func together(_ row: Row) {
        #expect(row.end.next == row.next)
    }

    @Test("Another connection is looked for three times in a row, and eight times for decisions about chains")
    func reconnections() {
        for (count, awaitsTrust) in (0...9).flatMap({ [($0, false), ($0, true)] }) {
            let end = AttemptEnd(
                again: .onNewConnection,
                hasTransportFailure: true,
                awaitsTrust: awaitsTrust,
                reconnections: count
            )
            let again: AttemptEnd.Next = awaitsTrust ? .waitForTrust : .again(.onNewConnection)
            #expect(end.next == (count < (awaitsTrust ? 8 : 3) ? again : .fail(.transport)))
        }
    }
}
