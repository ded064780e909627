import FerrySession
import FerryTesting
import TestSupport
import Testing

/// The limits on the number of attempts: the progress that they must make, and the budget.
@Suite(.timeLimit(.minutes(5)))
struct RetryLimitTests {
    private func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        budget: RetryPolicy.Budget? = RetryPolicy.Budget()
    ) -> CurlSession {
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.retryPolicy?.backoff = .init(base: 0.01, cap: 0.05)
        options.retryPolicy?.budget = budget
        return Wire.session(delegate, options: options)
    }

    /// Returns a server that sends at most `piece` bytes in each response.
    private func trickling(_ size: Int, piece: Int) throws -> LoopbackServer {
        try LoopbackServer { request in
            .resource(.pattern(count: size), etag: "v1", for: request).faulted(.truncate(afterBodyBytes: piece))
        }
    }

    // MARK: - Progress

    @Test(
        "A server that sends less than 1,024 new bytes in each attempt causes no more attempts than the policy allows",
        arguments: [1, 1_023],
        [true, false]
    )
    func trickle(_ piece: Int, _ isDownload: Bool) async throws {
        let server = try trickling(1_000_000, piece: piece)
        let recorder = RecordingDelegate()
        let session = session(recorder)
        let task: URLSessionTask =
            isDownload ? session.downloadTask(with: server.url) : session.dataTask(with: server.url)
        let record = try await recorder.run(task)
        #expect(record.error?.code == .networkConnectionLost)
        #expect(record.received == Int64(4 * piece))
        let ranges = (1...3).map { "bytes=\($0 * piece)-" as String? }
        #expect(server.requests.map { $0.header("Range") } == [nil] + ranges)
        #expect(recorder.violations == [])
    }

    @Test("An attempt that brings 1,024 new bytes resets the count") func progress() async throws {
        let size = 20 * 1_024
        let server = try trickling(size, piece: 1_024)
        let recorder = RecordingDelegate()
        let record = try await recorder.run(session(recorder).dataTask(with: server.url))
        #expect(record.error == nil)
        #expect(record.data == LoopbackServer.pattern(count: size))
        #expect(server.requests.count == 20)
    }

    // MARK: - The budget

    @Test("A retry that succeeds costs nothing") func success() async throws {
        let failed = Watched<Set<String>>([])
        let server = try LoopbackServer { request in
            failed.change { $0.insert(request.path).inserted } ? .text("busy", statusCode: 503) : .text("yes")
        }
        let session = session(budget: .init(share: 0, minimum: 1))
        for index in 0..<50 {
            let (data, _) = try await session.data(from: server.url("/\(index)"))
            #expect(String(decoding: data, as: UTF8.self) == "yes")
        }
        #expect(server.requests.count == 100)
    }

    @Test("A retry that fails is taken from the budget", arguments: [true, false])
    func spent(_ hasResponse: Bool) async throws {
        let server = try LoopbackServer { _ in
            hasResponse ? .text("busy", statusCode: 503) : .text("").faulted(.closeBeforeHead)
        }
        let session = session(budget: .init(share: 0, minimum: 1))
        let start = ContinuousClock.now
        for _ in 0..<20 {
            let status = try? await (session.data(from: server.url).1 as? HTTPURLResponse)?.statusCode
            #expect(status == (hasResponse ? 503 : nil))
        }
        // The budget allows one retry at first, and one more in each second.
        #expect(server.requests.count >= 21)
        #expect(server.requests.count <= 22 + Int(Wire.seconds(since: start)))
    }
}
