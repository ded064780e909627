import Ferry
import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite("Many concurrent tasks", .timeLimit(.minutes(5)), .ownThreads)
struct ManagerConcurrencyTests {
    #if FERRY_THREAD_SANITIZER
    private static let mixedRequests = 2_000
    #else
    private static let mixedRequests = 10_000
    #endif

    @Test("A hundred tasks created concurrently have a hundred identifiers", arguments: TestTransport.all)
    func identifiers(_ transport: TestTransport) async throws {
        let manager = transport.manager()
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))
        let identifiers = Watched<Set<Int>>([])
        DispatchQueue.concurrentPerform(iterations: 100) { _ in
            let task = manager.dataTask(with: request) { _ in }
            identifiers.change { $0.insert(task.taskIdentifier) }
        }
        #expect(identifiers.current.count == 100)
        #expect(manager.tasks.count == 100)
        manager.invalidate(cancellingTasks: true)
    }

    @Test("Mixed requests with random cancellations complete once each", arguments: TestTransport.all)
    func mixedRequests(_ transport: TestTransport) async throws {
        // Cancelling a task of FoundationNetworking while it completes ends the process.
        let cancels = transport.abilities.contains(.cancellationAnywhere)
        let count = cancels ? Self.mixedRequests : 1_000
        let server = try LoopbackServer { _ in .json("[1]") }
        let scratch = try TemporaryFolder()
        let manager = transport.manager()
        manager.eventMonitors = [RequestLogger(output: { _ in })]
        let completions = Watched([Int](repeating: 0, count: count))
        let unexpected = Watched<[String]>([])
        let group = manager.completionGroup
        let seed = SeededGenerator.seed()
        var generator = SeededGenerator(seed)
        for index in 0..<count {
            var request = URLRequest(url: server.url("/\(index)"))
            if index % 4 == 0 { request.httpMethod = "POST" }
            let note: @Sendable (NetworkError?) -> Void = { error in
                completions.change { $0[index] += 1 }
                if let error, !error.isCancelled { unexpected.change { $0.append("\(index): \(error)") } }
            }
            let task: URLSessionTask
            switch index % 4 {
            case 0: task = manager.uploadTask(with: request, from: Data(repeating: 1, count: 1000)) { note($0.error) }
            case 1:
                let place = scratch.url.appendingPathComponent("\(index)")
                task = manager.downloadTask(with: request, destination: .file(place)) { note($0.error) }
            default: task = manager.dataTask(with: request) { note($0.error) }
            }
            task.resume()
            if cancels, Int.random(in: 0..<3, using: &generator) == 0 {
                let delay = Double.random(in: 0..<0.01, using: &generator)
                DispatchQueue.global().asyncAfter(deadline: .now() + delay) { task.cancel() }
            }
            // Limits concurrent tasks to fewer than the ports of a test machine.
            try await eventually { manager.tasks.count <= 100 }
        }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(completions.current.allSatisfy { $0 == 1 }, "FERRY_TEST_SEED=\(seed)")
        #expect(unexpected.current.isEmpty, "FERRY_TEST_SEED=\(seed)")
        #expect(manager.tasks.isEmpty, "FERRY_TEST_SEED=\(seed)")
    }

    @Test("Invalidating while tasks are created neither traps nor loses a completion", arguments: TestTransport.all)
    func invalidationRace(_ transport: TestTransport) async throws {
        let cancels = transport.abilities.contains(.cancellationAnywhere)
        let server = try LoopbackServer { _ in .json("[1]") }
        for _ in 0..<20 {
            let manager = transport.manager()
            let completions = Watched(0)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<5 {
                            manager.dataTask(with: URLRequest(url: server.url)) { _ in
                                completions.change { $0 += 1 }
                            }.resume()
                        }
                    }
                }
                group.addTask { manager.invalidate(cancellingTasks: cancels, resettingSession: Bool.random()) }
            }
            try await completions.wait { $0 == 20 }
        }
    }

    @Test("Settings may change while requests run", arguments: TestTransport.all)
    func changingSettings(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let manager = transport.manager(baseURL: server.url)
        var loud = SessionHooks()
        loud.taskDidComplete = { _, _, _ in }
        await withTaskGroup(of: Void.self) { [loud] group in
            group.addTask {
                for index in 0..<200 {
                    manager.hooks = index.isMultiple(of: 2) ? SessionHooks() : loud
                    manager.requestSerializer = HTTPRequestSerializer()
                    manager.responseSerializer = JSONResponseSerializer()
                    manager.eventMonitors = [RequestLogger(output: { _ in })]
                    await Task.yield()
                }
            }
            for _ in 0..<20 {
                group.addTask {
                    let value = try? await manager.send(.get("x", serializer: .json))
                    #expect(value == [1])
                }
            }
        }
    }
}
