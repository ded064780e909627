import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

@Suite("Races of operations", .serialized, .timeLimit(.minutes(10))) struct OperationRaceTests {
    private let manager = makeOperationManager()

    private let rounds = ProcessUsage.isThreadSanitized ? 40 : 150

    @Test("Starting, pausing, resuming and cancelling from many threads completes each operation once")
    func controls() async throws {
        let entity = PacedEntity(count: 200_000)
        let server = try LoopbackServer(handler: entity.handler)
        for round in 0..<rounds {
            let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/\(round)")), manager: manager)
            let ends = Watched<[NetworkError?]>([])
            let blocks = Watched(0)
            operation.setCompletion { _, _ in
                ends.change { $0.append(nil) }
            } failure: { _, error in
                ends.change { $0.append(error) }
            }
            operation.completionBlock = { blocks.change { $0 += 1 } }
            let cancels = round % 2 == 0
            await withTaskGroup(of: Void.self) { group in
                group.addTask { operation.start() }
                for index in 0..<3 {
                    group.addTask {
                        for step in 0..<6 {
                            if (index + step) % 2 == 0 { operation.pause() } else { operation.resume() }
                            if step % 3 == index { await Task.yield() }
                        }
                    }
                }
                if cancels { group.addTask { operation.cancel() } }
            }
            operation.resume()
            try await operation.settled()
            #expect(ends.current.count == 1)
            #expect(blocks.current == 1)
            if let error = ends.current.first ?? nil {
                #expect(cancels && error.isCancelled, "\(error)")
            } else {
                #expect(operation.responseData == entity.body)
            }
        }
        try await eventually { manager.tasks.isEmpty }
    }

    @Test("Operations in a queue finish while they are paused, resumed and cancelled")
    func queued() async throws {
        let entity = PacedEntity(count: 50_000)
        let server = try LoopbackServer(handler: entity.handler)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        let operations = (0..<rounds).map {
            RequestOperation(request: URLRequest(url: server.url("/\($0)")), manager: manager)
        }
        let completions = Watched([Int](repeating: 0, count: operations.count))
        for (index, operation) in operations.enumerated() {
            operation.completionBlock = { completions.change { $0[index] += 1 } }
            if index % 5 == 4 { operation.addDependency(operations[index - 3]) }
        }
        let batch = RequestOperation.batch(of: operations) { _ in }
        queue.add(batch)
        await withTaskGroup(of: Void.self) { group in
            for operation in operations {
                group.addTask {
                    operation.pause()
                    await Task.yield()
                    operation.resume()
                }
                group.addTask { operation.queuePriority = .high }
            }
            for operation in operations where operation.hash % 7 == 0 { group.addTask { operation.cancel() } }
        }
        for operation in operations { operation.resume() }
        try await eventually { queue.operationCount == 0 }
        try await completions.wait { $0.allSatisfy { $0 == 1 } }
        for operation in operations where operation.error == nil { #expect(operation.responseData == entity.body) }
        #expect(operations.allSatisfy { $0.error.map(\.isCancelled) ?? true })
    }

    @Test("A cancellation that races with the end yields exactly one of the two results", arguments: [0, 1])
    func cancelAgainstEnd(_ spread: Int) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        for round in 0..<rounds {
            let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
            let completions = Watched(0)
            operation.completionBlock = { completions.change { $0 += 1 } }
            operation.start()
            try await Task.sleep(for: .microseconds(spread * (round % 20) * 100))
            operation.cancel()
            try await operation.settled()
            #expect(completions.current == 1)
            #expect(operation.error.map(\.isCancelled) ?? (operation.responseString == "ok"))
        }
    }

    @Test("Settings and results may be used from any thread while an operation runs")
    func settings() async throws {
        let entity = PacedEntity(count: 500_000)
        let server = try LoopbackServer(handler: entity.handler)
        let operations = (0..<10).map {
            HTTPRequestOperation(request: URLRequest(url: server.url("/\($0)")), manager: manager)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for operation in operations {
                group.addTask {
                    operation.start()
                    try await operation.settled()
                }
                group.addTask {
                    for number in 0..<50 {
                        operation.userInfo["number"] = number
                        operation.downloadProgress = { _ in }
                        operation.completionBlock = {}
                        operation.responseSerializer = .data
                        _ = (operation.responseData, operation.responseObject, operation.error, operation.description)
                        _ = operation.copy()
                        await Task.yield()
                    }
                }
                group.addTask { _ = try? operation.archivedData() }
                group.addTask {
                    while !operation.isFinished {
                        operation.resume()
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
            }
            try await group.waitForAll()
        }
        for operation in operations { #expect(operation.responseData == entity.body) }
    }

    @Test("Invalidating the session ends its operations")
    func invalidation() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("ok").faulted(.stallBeforeHead) }
        let manager = makeOperationManager()
        let operations = (0..<20).map { _ in
            RequestOperation(request: URLRequest(url: server.url), manager: manager)
        }
        await withTaskGroup(of: Void.self) { group in
            for operation in operations { group.addTask { operation.start() } }
            group.addTask { manager.invalidate(cancellingTasks: true) }
        }
        for operation in operations {
            try await operation.settled()
            #expect(operation.error != nil)
        }
    }
}
