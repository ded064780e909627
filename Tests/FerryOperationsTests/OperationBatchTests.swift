import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

@Suite("Batches of operations", .timeLimit(.minutes(5))) struct OperationBatchTests {
    private let manager = makeOperationManager()

    private func operations(_ count: Int, _ server: LoopbackServer) -> [HTTPRequestOperation] {
        (0..<count).map { HTTPRequestOperation(request: URLRequest(url: server.url("/\($0)")), manager: manager) }
    }

    @Test("Of two hundred operations twenty fail and ten are cancelled, and the completion is called last")
    func largeBatch() async throws {
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return .text("ok", statusCode: number % 10 == 3 ? 500 : 200)
        }
        let operations = operations(200, server)
        let log = Watched<[String]>([])
        for operation in operations {
            operation.setCompletion { _, _ in
                log.change { $0.append("success") }
            } failure: { _, error in
                log.change { $0.append(error.isCancelled ? "cancelled" : "failure") }
            }
        }
        let finished = Watched<[RequestOperation]?>(nil)
        let batch = RequestOperation.batch(of: operations) { count, total in
            log.change { $0.append("\(count) of \(total)") }
        } completion: { operations in
            log.change { $0.append("complete") }
            finished.change { $0 = operations }
        }
        #expect(batch.count == 201)
        for number in 0..<10 { operations[number * 20 + 7].cancel() }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 6
        queue.add(batch)
        try await finished.wait { $0 != nil }
        #expect(finished.current?.map(ObjectIdentifier.init) == operations.map(ObjectIdentifier.init))
        let lines = log.current
        #expect(lines.last == "complete")
        #expect(lines.filter { $0 == "complete" }.count == 1)
        #expect(lines.filter { $0 == "success" }.count == 170)
        #expect(lines.filter { $0 == "failure" }.count == 20)
        #expect(lines.filter { $0 == "cancelled" }.count == 10)
        #expect(lines.filter { $0.hasSuffix("of 200") } == (1...200).map { "\($0) of 200" })
        try await eventually { queue.operationCount == 0 && batch.allSatisfy(\.isFinished) }
    }

    @Test("An empty batch completes")
    func emptyBatch() async throws {
        let completions = Watched<[Int]>([])
        let batch = RequestOperation.batch(of: []) { operations in completions.change { $0.append(operations.count) } }
        #expect(batch.count == 1)
        let queue = OperationQueue()
        queue.add(batch)
        try await completions.wait { $0 == [0] }
        try await eventually { batch[0].isFinished && queue.operationCount == 0 }
    }

    @Test("The completion follows every operation's own handlers and precedes operations that depend on the batch")
    func afterHandlers() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let operations = operations(5, server)
        let log = Watched<[String]>([])
        for operation in operations {
            operation.setCompletion { _, _ in
                Thread.sleep(forTimeInterval: 0.02)
                log.change { $0.append("handler") }
            }
            operation.completionBlock = { log.change { $0.append("block") } }
        }
        let batch = RequestOperation.batch(of: operations) { _ in log.change { $0.append("complete") } }
        let after = BlockOperation { log.change { $0.append("after") } }
        after.addDependency(try #require(batch.last))
        let queue = OperationQueue()
        queue.add(batch + [after])
        try await log.wait { $0.contains("after") }
        #expect(log.current.suffix(2) == ["complete", "after"])
        #expect(log.current.dropLast(2).filter { $0 == "handler" }.count == 5)
        #expect(log.current.dropLast(2).filter { $0 == "block" }.count == 5)
    }

    @Test("A batch completes with one slot, on a chosen queue, and with operations that had already finished")
    func narrowQueue() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let operations = operations(4, server)
        operations[0].start()
        try await operations[0].settled()
        let key = DispatchSpecificKey<Bool>()
        let mine = DispatchQueue(label: "mine")
        mine.setSpecific(key: key, value: true)
        let seen = Watched<[Bool]>([])
        let batch = RequestOperation.batch(of: operations, queue: mine) { _, _ in
            seen.change { $0.append(DispatchQueue.getSpecific(key: key) == true) }
        } completion: { _ in
            seen.change { $0.append(DispatchQueue.getSpecific(key: key) == true) }
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.add(Array(batch.dropFirst()))
        try await seen.wait { $0.count == 5 }
        #expect(seen.current.allSatisfy { $0 })
        try await eventually { queue.operationCount == 0 }
    }

    @Test("Cancelling all operations of a queue completes its batch")
    func cancelledQueue() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("ok").faulted(.stallBeforeHead) }
        let operations = operations(20, server)
        let codes = Watched<[NetworkError.Code?]?>(nil)
        let batch = RequestOperation.batch(of: operations) { operations in
            usleep(50_000)
            codes.change { $0 = operations.map { $0.error?.code } }
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 3
        let isAfter = Watched<Bool?>(nil)
        let after = BlockOperation { isAfter.change { $0 = codes.current != nil } }
        after.addDependency(try #require(batch.last))
        OperationQueue().addOperation(after)
        queue.add(batch)
        try await server.waitForRequests(3, timeout: 40 * patience)
        queue.cancelAllOperations()
        try await codes.wait { $0 != nil }
        #expect(codes.current == Array(repeating: NetworkError.Code.cancelled, count: 20))
        try await isAfter.wait { $0 != nil }
        #expect(isAfter.current == true)
        try await eventually { queue.operationCount == 0 }
    }

    @Test("A batch that never runs is released, and a batch whose last operation is dropped completes")
    func dropped() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        weak var unrun: RequestOperation?
        do {
            let operations = operations(2, server)
            unrun = operations[0]
            #expect(RequestOperation.batch(of: operations, completion: { _ in }).count == 3)
        }
        #expect(unrun == nil)
        let isComplete = Watched(false)
        let operations = operations(2, server)
        do { _ = RequestOperation.batch(of: operations) { _ in isComplete.change { $0 = true } } }
        for operation in operations { operation.start() }
        try await isComplete.wait { $0 }
    }
}
