import FerryTesting
import Foundation
import Testing

@testable import Ferry

@Suite("Batches of requests", .timeLimit(.minutes(5))) struct RequestBatchTests {
    private func requests(_ count: Int) -> [Request<Int>] {
        (0..<count).map { .get("\($0)", as: Int.self) }
    }

    private func server(_ running: Watched<(now: Int, most: Int)> = Watched((0, 0))) throws -> LoopbackServer {
        try LoopbackServer { request in
            running.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            Thread.sleep(forTimeInterval: 0.002)
            running.change { $0.now -= 1 }
            let number = Int(request.path.dropFirst()) ?? 0
            return .json("\(number * 2)", statusCode: number % 5 == 4 ? 500 : 200)
        }
    }

    private func manager(_ server: LoopbackServer) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        manager.notificationQueue = nil
        return manager
    }

    @Test("Responses arrive as they complete, failures included, and no more requests run than the limit")
    func sequence() async throws {
        let running = Watched((now: 0, most: 0))
        let server = try server(running)
        let progress = Watched<[BatchProgress]>([])
        var seen: [Int: Int?] = [:]
        var failures = 0
        for try await response in manager(server).batch(
            requests(50),
            maximumConcurrentRequests: 4,
            progress: { update in progress.change { $0.append(update) } }
        ) {
            seen[response.index] = .some(response.value)
            if response.error?.code == .unacceptableStatusCode { failures += 1 }
            #expect(response.response.statusCode == (response.index % 5 == 4 ? 500 : 200))
        }
        #expect(seen.count == 50)
        for index in 0..<50 where index % 5 != 4 { #expect(seen[index] == Int??(index * 2)) }
        #expect(failures == 10)
        #expect((1...4).contains(running.current.most))
        let updates = progress.current
        #expect(updates.last?.finishedCount == 50)
        #expect(updates.last?.failedCount == 10)
        #expect(updates.last?.fractionCompleted == 1)
        #expect(updates.allSatisfy { $0.totalCount == 50 })
        #expect(updates.map(\.finishedCount) == updates.map(\.finishedCount).sorted())
        let bodies = (0..<50).map { "\($0 * 2)" }.joined()
        #expect(updates.last?.completedByteCount == Int64(bodies.utf8.count))
    }

    @Test("Bytes are reported before the request that receives them has ended")
    func bytes() async throws {
        let reported = Watched<Set<Int64>>([])
        let server = try LoopbackServer { request in
            let before: Int64 = request.path == "/0" ? 0 : 2
            return LoopbackResponse(
                body: .stream { stream in
                    guard stream.write(Data("1".utf8)) else { return }
                    let deadline = ContinuousClock.now + .seconds(20 * patience)
                    while !reported.current.contains(before + 1), ContinuousClock.now < deadline {
                        guard stream.wait(0.01) else { return }
                    }
                    stream.write(Data((reported.current.contains(before + 1) ? "2" : "3").utf8))
                }
            )
            .adding("Content-Type", "application/json")
        }
        let responses = try await manager(server).responses(
            for: requests(2),
            maximumConcurrentRequests: 1,
            progress: { update in reported.change { _ = $0.insert(update.completedByteCount) } }
        )
        #expect(responses.map(\.value) == [12, 12])
    }

    @Test("The collected responses are in the order of the requests")
    func allAtOnce() async throws {
        let server = try server()
        let responses = try await manager(server).responses(for: requests(30), maximumConcurrentRequests: 8)
        #expect(responses.count == 30)
        for (index, response) in responses.enumerated() {
            #expect(response.request?.url?.lastPathComponent == "\(index)")
            #expect((response.error == nil) == (index % 5 != 4))
        }
    }

    @Test("An empty batch ends immediately, and a limit below one counts as one")
    func edges() async throws {
        let running = Watched((now: 0, most: 0))
        let server = try server(running)
        let manager = manager(server)
        for try await _ in manager.batch(requests(0)) { Issue.record("There is nothing to receive") }
        #expect(try await manager.responses(for: requests(0)).isEmpty)
        #expect(try await manager.responses(for: requests(3), maximumConcurrentRequests: -1).count == 3)
        #expect(running.current.most == 1)
    }

    @Test("A request that cannot be made yields a response with an error")
    func unmakeable() async throws {
        let server = try server()
        let requests = [Request.get("http:///", as: Int.self), .get("1", as: Int.self)]
        let responses = try await manager(server).responses(for: requests)
        #expect(responses[0].error?.code == .badURL)
        #expect(responses[1].value == 2)
    }

    @Test("Nothing is sent before the first response is requested, and little more than is read")
    func pacing() async throws {
        let server = try server()
        let manager = manager(server)
        let batch = manager.batch(requests(50), maximumConcurrentRequests: 3)
        #expect(server.requestCount == 0)
        var iterator = batch.makeAsyncIterator()
        #expect(server.requestCount == 0)
        _ = try await iterator.next()
        try await eventually { manager.tasks.isEmpty }
        #expect((3...4).contains(server.requestCount))
    }

    @Test("Leaving the loop cancels the requests that are running")
    func leaving() async throws {
        let server = try LoopbackServer { request in
            request.path == "/0" ? .json("0") : LoopbackResponse.json("1").faulted(.stallBeforeHead)
        }
        let manager = manager(server)
        for try await response in manager.batch(requests(20), maximumConcurrentRequests: 4) {
            #expect(response.index == 0)
            break
        }
        try await eventually { manager.tasks.isEmpty }
        #expect(server.requestCount <= 5)
    }

    @Test("Cancelling the Swift task cancels the batch, and the loop throws")
    func cancelling() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.json("1").faulted(.stallBeforeHead) }
        let manager = manager(server)
        let requests = requests(20)
        let task = Task { try await manager.responses(for: requests, maximumConcurrentRequests: 4) }
        try await server.waitForRequests(4, timeout: 40 * patience)
        task.cancel()
        await #expect(throws: NetworkError.self) { try await task.value }
        try await eventually { manager.tasks.isEmpty }
        #expect(server.requestCount == 4)
    }

    @Test("A batch that is cancelled while a request is adapted does not send it")
    func cancelledWhileAdapted() async throws {
        let server = try LoopbackServer { _ in .json("1") }
        let gate = Gate()
        let manager = AdaptingManager(baseURL: server.url) { request in
            gate.wait()
            return request
        }
        let requests = requests(3)
        let task = Task { try await manager.responses(for: requests, maximumConcurrentRequests: 1) }
        try await eventually("adapt(_:)") { gate.arrived == 1 }
        task.cancel()
        gate.open()
        await #expect(throws: NetworkError.self) { try await task.value }
        try await eventually { manager.tasks.isEmpty }
        // Requests that overtake one that must not be sent.
        for _ in 0..<3 { _ = try await manager.session.data(from: server.url) }
        #expect(server.requestCount == 3)
    }
}
