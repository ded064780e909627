import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// The reasons for `Sources/FerrySession/Workarounds`; if a test fails, code there can be deleted.
@Suite(.timeLimit(.minutes(5)))
struct WorkaroundTests {
    /// A session that counts the calls of the methods that make tasks.
    private final class CountingSession: URLSession, @unchecked Sendable {
        let calls = Watched(0)

        override func dataTask(with request: URLRequest) -> URLSessionDataTask {
            calls.change { $0 += 1 }
            return super.dataTask(with: request)
        }

        override func dataTask(
            with request: URLRequest,
            completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
        ) -> URLSessionDataTask {
            calls.change { $0 += 1 }
            return super.dataTask(with: request, completionHandler: completionHandler)
        }
    }

    @Test("FoundationNetworking's async functions call no method that a subclass overrides") func asyncFunctions()
        async throws
    {
        let server = try LoopbackServer()
        let session = CountingSession(configuration: .ephemeral, delegate: nil, delegateQueue: nil)
        let (data, _) = try await session.data(for: URLRequest(url: server.url("/bytes/10")))
        #expect(data.count == 10)
        #expect(session.calls.current == 0)
        session.invalidateAndCancel()
    }

    @Test(
        "A supported version of libcurl has each of its limits",
        arguments: [
            CurlRuntime.versionsTruncatingHeads, CurlRuntime.versionsReadingWhilePaused,
            CurlRuntime.versionsOmittingFields, CurlRuntime.versionsLookingUpLocalhost,
            CurlRuntime.versionsRepeatingPrefaces, CurlRuntime.versionsConfusingStreamEnds,
            CurlRuntime.versionsHidingCutResponses, CurlRuntime.versionsDroppingExcess,
            CurlRuntime.versionsMixingUpPausedStreams, CurlRuntime.versionsOmittingBodies,
            CurlRuntime.versionsIgnoringClosedWindows, CurlRuntime.versionsWithDanglingHeaders,
        ] + CurlRuntime.versionsReadingPausedSockets
    ) func limits(versions: Range<Int>) {
        #expect(versions.upperBound > CurlRuntime.oldestVersionNumber)
    }
}
