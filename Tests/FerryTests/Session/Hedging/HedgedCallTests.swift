import FerryTesting
import TestSupport
import Testing

@testable import Ferry

/// The calls with a completion handler; awaited calls share their code (`HedgingTests`).
@Suite("Hedged calls with a completion handler", .timeLimit(.minutes(5)))
struct HedgedCallTests {
    /// A server that holds the response to the first task until `release`.
    private struct Fixture {
        let release = Watched(false)
        let server: LoopbackServer
        let manager: HTTPSessionManager
        let responses = Watched<[TaskResponse<String>]>([])

        init(after seconds: Double = 0.05, later: LoopbackResponse = .text("in time")) throws {
            let release = release
            server = try LoopbackServer { request in
                guard TaskNumbering.isFirst(request) == true else { return later }
                for _ in 0..<4_000 where !release.current { usleep(5_000) }
                return .text("late")
            }
            manager = HTTPSessionManager(baseURL: server.url)
            manager.interceptors = [TaskNumbering()]
            var rule = Hedging.Rule()
            (rule.delay, rule.budget) = (.seconds(seconds), 1)
            manager.hedging = Hedging(rule)
        }

        func send() throws -> URLSessionDataTask {
            let task = manager.send(Request(.get, "a", serializer: .string)) { responses.append($0) }
            return try #require(task)
        }

        /// Waits until the handler was called and no task is left, and returns the only response.
        func response() async throws -> TaskResponse<String> {
            try await eventually("the response") { !responses.current.isEmpty }
            release.change { $0 = true }
            try await eventually("the end of all tasks") { manager.tasks.isEmpty }
            await completion(of: manager)
            #expect(responses.current.count == 1)
            return try #require(responses.current.first)
        }

        /// Waits until all handlers have returned.
        private func completion(of manager: HTTPSessionManager) async {
            await withCheckedContinuation { continuation in
                manager.completionGroup.notify(queue: .global()) { continuation.resume() }
            }
        }
    }

    @Test("The handler receives the second request's response if the first one's is late, and the task is cancelled")
    func secondWins() async throws {
        let fixture = try Fixture()
        let task = try fixture.send()
        let response = try await fixture.response()
        #expect(response.value == "in time" && response.error == nil)
        #expect(fixture.server.requests.map(\.path) == ["/a", "/a"])
        #expect((task.error as? URLError)?.code == .cancelled)
        #expect(fixture.manager.hedging?.counts == .init(calls: 1, second: 1, used: 1))
    }

    @Test("A verb's handler receives the first response if the second one is bad")
    func verb() async throws {
        let fixture = try Fixture(later: .status(503))
        let values = Watched<[Int?]>([])
        fixture.manager.responseSerializer = HTTPDataResponseSerializer()
        fixture.manager.get("a") { response in values.append(response.statusCode) }
        try await fixture.server.waitForRequests(2, timeout: 40 * patience)
        #expect(values.current.isEmpty)
        fixture.release.change { $0 = true }
        try await eventually("the response") { !values.current.isEmpty }
        #expect(values.current == [200])
        #expect(fixture.manager.hedging?.counts == .init(calls: 1, second: 1, used: 0))
    }

    @Test("Cancelling the task ends the call and both requests", arguments: [1, 2])
    func cancelling(requests: Int) async throws {
        let fixture = try Fixture(after: requests == 1 ? 60 : 0.05, later: .status(503))
        let task = try fixture.send()
        try await fixture.server.waitForRequests(requests, timeout: 40 * patience)
        task.cancel()
        let response = try await fixture.response()
        #expect(response.error?.code == .cancelled)
        #expect(fixture.server.requestCount == requests)
    }

    @Test("A request that is suspended has no second one until it has been resumed")
    func suspended() async throws {
        let fixture = try Fixture(after: 2 * patience)
        let task = try fixture.send()
        task.suspend()
        try await Task.sleep(for: .seconds(2.5 * patience))
        #expect(fixture.manager.hedging?.counts == .init(calls: 1))
        task.resume()
        #expect(try await fixture.response().value == "in time")
    }

    @Test("A task that the caller resumes itself has no second one")
    func ownTask() async throws {
        let fixture = try Fixture()
        let task = fixture.manager.task(for: Request(.get, "a", serializer: .string)) { fixture.responses.append($0) }
        task?.resume()
        try await fixture.server.waitForRequests(1, timeout: 40 * patience)
        fixture.release.change { $0 = true }
        #expect(try await fixture.response().value == "late")
        #expect(fixture.manager.hedging?.counts == .init())
    }
}
