import FerryTesting
import TestSupport
import Testing

@testable import Ferry

@Suite("Hedged requests", .timeLimit(.minutes(5)))
struct HedgingTests {
    /// Returns a manager that sends a second request after some seconds.
    private func manager(
        _ server: LoopbackServer,
        after seconds: Double = 0.05,
        budget: Double = 1
    ) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url)
        manager.interceptors = [TaskNumbering()]
        var rule = Hedging.Rule()
        (rule.delay, rule.budget) = (.seconds(seconds), budget)
        manager.hedging = Hedging(rule)
        return manager
    }

    /// Returns a server whose response to the first task waits until `release` is true, or to the request that arrives
    /// first if they have no numbers.
    private func server(
        _ release: Watched<Bool>,
        first: LoopbackResponse,
        later: LoopbackResponse
    ) throws -> LoopbackServer {
        let arrived = Watched(0)
        return try LoopbackServer { request in
            let number = arrived.change { count in
                count += 1
                return count
            }
            guard TaskNumbering.isFirst(request) ?? (number == 1) else { return later }
            for _ in 0..<4_000 where !release.current { usleep(5_000) }
            return first
        }
    }

    @Test("The second request's response is used if the first one's is late, and the first one is cancelled")
    func secondWins() async throws {
        let release = Watched(false)
        let server = try server(release, first: .text("late"), later: .text("in time"))
        defer { release.change { $0 = true } }
        let manager = manager(server)
        #expect(try await manager.send(Request(.get, "a", serializer: .string)) == "in time")
        #expect(server.requests.map(\.path) == ["/a", "/a"])
        try await eventually("the end of the first task") { manager.tasks.isEmpty }
        #expect(manager.hedging?.counts == .init(calls: 1, second: 1, used: 1))
    }

    @Test("The second request is sent also if the session has identical requests wait for each other")
    func coalescing() async throws {
        let release = Watched(false)
        let server = try server(release, first: .text("late"), later: .text("in time"))
        defer { release.change { $0 = true } }
        var options = CurlSession.Options()
        options.coalescesIdenticalRequests = true
        let manager = HTTPSessionManager(
            baseURL: server.url,
            configuration: .ephemeral,
            transport: .curl(options: options)
        )
        manager.hedging = self.manager(server).hedging
        #expect(try await manager.send(Request(.get, "a", serializer: .string)) == "in time")
        #expect(server.requestCount == 2)
    }

    @Test("The deadline of the call is also that of the second request") func deadline() async throws {
        let seen = Watched<[TimeInterval?]>([])
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .text("late")
        }
        defer { gate.open() }
        let manager = manager(server)
        let deadline = 5 * patience
        manager.deadline = deadline
        manager.hooks.taskDidComplete = { _, task, _ in seen.append(task.deadline) }
        let error = await manager.response(for: URLRequest(url: server.url("/a")), serializer: .string).error
        #expect(error?.isTimeout == true)
        try await seen.wait { $0.count == 2 }
        #expect(seen.current.contains { ($0 ?? 1_000) <= deadline - 0.04 })
    }

    @Test("A first request that ends in time, or fails before the second one is sent, is the only one")
    func firstWins() async throws {
        let server = try LoopbackServer { request in request.path == "/a" ? .text("a") : .status(503) }
        let manager = manager(server, after: 60)
        let request = URLRequest(url: server.url("/a"))
        #expect(await manager.response(for: request, serializer: .string).value == "a")
        let failing = await manager.response(for: URLRequest(url: server.url("/b")), serializer: .string)
        #expect(failing.statusCode == 503 && failing.error?.code == .unacceptableStatusCode)
        #expect(server.requestCount == 2)
        #expect(manager.hedging?.counts == .init(calls: 2))
    }

    @Test("A bad response is used only if the other request has none that is better", arguments: [503, 404])
    func badResponses(status: Int) async throws {
        let release = Watched(false)
        let server = try server(release, first: .text("good"), later: .status(status))
        let manager = manager(server)
        async let response = manager.response(for: URLRequest(url: server.url("/a")), serializer: .string)
        try await server.waitForRequests(2, timeout: 40 * patience)
        // A 404 is an answer, and a 503 is waited out.
        if status == 503 { release.change { $0 = true } }
        let result = await response
        release.change { $0 = true }
        #expect(result.value == (status == 503 ? "good" : ""))
        #expect(result.statusCode == (status == 503 ? 200 : 404))
    }

    @Test("If both fail, the response is that of one of them, and both have ended")
    func bothFail() async throws {
        let release = Watched(false)
        let server = try server(release, first: .status(500), later: .status(503))
        let manager = manager(server)
        async let response = manager.response(for: URLRequest(url: server.url("/a")), serializer: .string)
        try await server.waitForRequests(2, timeout: 40 * patience)
        release.change { $0 = true }
        let status = await response.statusCode
        #expect(status == 500 || status == 503)
        #expect(manager.hedging?.counts.second == 1 && manager.tasks.isEmpty)
    }

    @Test("The delay follows from how long earlier calls took")
    func percentile() async throws {
        let release = Watched(false)
        let count = HedgingState.minimumDurations
        let arrived = Watched(0)
        let server = try LoopbackServer { _ in
            let number = arrived.change { count in
                count += 1
                return count
            }
            for _ in 0..<4_000 where number == count + 1 && !release.current { usleep(5_000) }
            return .text("\(number)")
        }
        defer { release.change { $0 = true } }
        let manager = HTTPSessionManager(baseURL: server.url)
        var rule = Hedging.Rule()
        // The delay is the longest of the earlier times, and the budget allows only the first extra request.
        (rule.delay, rule.budget) = (.percentile(1), 0)
        manager.hedging = Hedging(rule)
        for number in 1...count {
            #expect(try await manager.send(Request(.get, "a", serializer: .string)) == "\(number)")
        }
        #expect(manager.hedging?.counts == .init(calls: count))
        #expect(try await manager.send(Request(.get, "a", serializer: .string)) == "\(count + 2)")
        #expect(manager.hedging?.counts == .init(calls: count + 1, second: 1, used: 1))
    }

    @Test("Without a budget, for unsafe methods and with progress, there is no second request")
    func notHedged() async throws {
        let arrived = Watched(0)
        let server = try LoopbackServer { _ in
            let number = arrived.change { count in
                count += 1
                return count
            }
            // The second request must be sent before the first call has a response.
            for _ in 0..<4_000 where number == 1 && arrived.current < 2 { usleep(5_000) }
            if number > 2 { usleep(300_000) }
            return .text("x")
        }
        let manager = manager(server, after: 0.01, budget: 0)
        // The first extra request is always allowed.
        for _ in 0..<2 { _ = await manager.response(for: URLRequest(url: server.url), serializer: .string) }
        #expect(server.requestCount == 3)
        manager.hedging = self.manager(server, after: 0.01).hedging
        var post = URLRequest(url: server.url)
        post.httpMethod = "POST"
        _ = await manager.response(for: post, serializer: .string)
        _ = await manager.response(for: Request(.post, "", serializer: .string))
        _ = await manager.response(
            for: URLRequest(url: server.url),
            serializer: .string,
            downloadProgress: { _ in }
        )
        #expect(server.requestCount == 6)
        #expect(manager.hedging?.counts == .init())
    }

    @Test("An infinite delay sends no second request") func infinite() async throws {
        let server = try LoopbackServer { _ in
            usleep(100_000)
            return .text("x")
        }
        for delay in [Double.infinity, 1e10, .greatestFiniteMagnitude] {
            let manager = manager(server, after: delay)
            #expect(await manager.response(for: URLRequest(url: server.url), serializer: .string).value == "x")
            #expect(manager.hedging?.counts == .init(calls: 1))
        }
        #expect(server.requestCount == 3)
    }

    @Test("Cancelling the Swift task ends the call while the second response is awaited after a bad first one")
    func cancellingAfterFirst() async throws {
        let release = Watched(false)
        let server = try server(release, first: .status(503), later: LoopbackResponse().faulted(.stallBeforeHead))
        let manager = manager(server)
        let task = Task { await manager.response(for: URLRequest(url: server.url("/a")), serializer: .string) }
        try await server.waitForRequests(2, timeout: 40 * patience)
        release.change { $0 = true }
        try await eventually("the end of the first request") { manager.tasks.count == 1 }
        task.cancel()
        #expect(await task.value.error?.code == .cancelled)
        try await eventually("the end of all tasks") { manager.tasks.isEmpty }
    }

    @Test("Cancelling the Swift task ends both requests")
    func cancelling() async throws {
        let release = Watched(false)
        let server = try server(release, first: .text("a"), later: .text("b"))
        defer { release.change { $0 = true } }
        let manager = manager(server, after: 60)
        let task = Task { await manager.response(for: URLRequest(url: server.url("/a")), serializer: .string) }
        try await server.waitForRequests(1, timeout: 40 * patience)
        task.cancel()
        #expect(await task.value.error?.code == .cancelled)
        try await eventually("the end of all tasks") { manager.tasks.isEmpty }
        #expect(server.requestCount == 1)
    }
}
