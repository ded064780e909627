import Foundation
import Testing

/// A trait that runs the tests of a suite on separate threads.
///
/// Swift Concurrency has one thread for each core. Tests that block their thread (on a socket, on a child process as
/// exit tests do, on long calculations) would delay the tests that measure time.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    package static var ownThreads: OwnThreads { OwnThreads() }
}

/// An executor with a fixed number of threads.
///
/// There are more threads than exit tests need, which wait for minutes for the pipes of their child processes.
private final class BlockingExecutor: TaskExecutor {
    static let shared = BlockingExecutor(threads: 40)

    private struct Jobs {
        var waiting: [UnownedJob] = []
        var next = 0
    }

    private let condition = NSCondition()
    // Accessed only with the condition locked.
    nonisolated(unsafe) private var jobs = Jobs()

    init(threads: Int) {
        for _ in 0..<threads { Thread.detachNewThread { self.run() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.waiting.append(job)
        condition.unlock()
        condition.signal()
    }

    private func run() {
        while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob {
        condition.lock()
        defer { condition.unlock() }
        while jobs.next == jobs.waiting.count { condition.wait() }
        let job = jobs.waiting[jobs.next]
        jobs.next += 1
        if jobs.next == jobs.waiting.count { jobs = Jobs() }
        return job
    }
}
