import Ferry
import Foundation
import Testing

@testable import FerryCommand

@Suite("The task of a transfer", .timeLimit(.minutes(1)))
struct FetchTaskTests {
    private func makeTask() throws -> (task: FetchTask, session: CurlSession) {
        let url = try #require(URL(string: "http://a"))
        let session = CurlSession(configuration: .ephemeral)
        let console = Console(isSilent: true, isMuted: true)
        let context = RunContext(
            options: FetchOptions(),
            session: session,
            console: console,
            board: ProgressBoard(console, mode: .hidden),
            recorder: RunRecorder(),
            log: nil
        )
        return (FetchTask(url, index: 0, body: .none, item: nil, context: context), session)
    }

    @Test("Metrics that never arrive are not waited for")
    func withoutMetrics() async throws {
        let (task, session) = try makeTask()
        #expect(await task.metrics(within: .milliseconds(50)) == nil)
        session.invalidateAndCancel()
    }

    @Test("Metrics that arrive before or during the wait end it")
    func withMetrics() async throws {
        for isEarly in [true, false] {
            let (task, session) = try makeTask()
            let request = session.dataTask(with: try #require(URL(string: "http://a")))
            let tell = { @Sendable in task.urlSession(session, task: request, didFinishCollecting: TaskMetrics()) }
            if isEarly { tell() }
            async let metrics = task.metrics(within: .seconds(3_600))
            if !isEarly { tell() }
            #expect(await metrics != nil)
            session.invalidateAndCancel()
        }
    }

    @Test("Metrics are also waited for after the transfer was cancelled")
    func afterCancellation() async throws {
        let (task, session) = try makeTask()
        let request = session.dataTask(with: try #require(URL(string: "http://a")))
        let wait = Task { await task.metrics(within: .seconds(3_600)) }
        wait.cancel()
        // A wait that ends with the cancellation ends at once.
        try await Task.sleep(for: .milliseconds(50))
        task.urlSession(session, task: request, didFinishCollecting: TaskMetrics())
        #expect(await wait.value != nil)
        session.invalidateAndCancel()
    }
}
