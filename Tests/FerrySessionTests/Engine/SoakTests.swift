import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Many requests, cancellations and sessions in one process: each task ends exactly once, and nothing leaks.
///
/// `FERRY_SOAK` scales the numbers: `1`, the default, is 20,000 requests; `0.1` is quick, `50` takes a while.
@Suite(.slow, .serialized, .timeLimit(.minutes(10)), .ownThreads)
struct SoakTests {
    @Test("20,000 requests, 2,000 cancellations and 200 sessions end exactly once, and nothing leaks")
    func soak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let scale = ProcessInfo.processInfo.environment["FERRY_SOAK"].flatMap { Double($0) } ?? 1
                var configuration = LoopbackServer.Configuration()
                configuration.recordsRequests = false
                let server = try LoopbackServer(configuration: configuration)
                let soak = Soak(server)
                try await soak.run(sessions: 20, requestsEach: 20)
                try await soak.settle()
                let before = (descriptors: ProcessUsage.descriptors, bytes: ProcessUsage.residentBytes)
                let start = ContinuousClock.now
                let sessions = max(10, Int(200 * scale))
                try await soak.run(sessions: sessions, requestsEach: 100)
                try await soak.settle()
                print("soak: \(sessions * 100) requests in \(ContinuousClock.now - start)")
                let tally = soak.tally
                try Child.expect(tally.problems == [], "FERRY_TEST_SEED=\(soak.seed): \(tally.problems.prefix(5))")
                try Child.expect(tally.finished == sessions * 100 + 400, "\(tally.finished) ends")
                try Child.expect(tally.cancelled > sessions * 5, "\(tally.cancelled) cancelled")
                let growth = ProcessUsage.residentBytes - before.bytes
                let descriptors = ProcessUsage.descriptors - before.descriptors
                try Child.expect(descriptors <= 2, "\(descriptors) more descriptors")
                // The sanitizer keeps memory for each thread that ever existed.
                try Child.expect(growth < 24_000_000 || ProcessUsage.isThreadSanitized, "\(growth) more bytes")
            }
        }
        Child.check(result?.standardOutputContent)
    }
}

/// Runs sessions full of tasks, and counts how they end.
private final class Soak: Sendable {
    struct Tally: Sendable {
        var finished = 0
        var cancelled = 0
        var problems: [String] = []
    }

    let seed = SeededGenerator.seed()
    private let server: LoopbackServer
    private let state = Watched(Tally())

    init(_ server: LoopbackServer) {
        self.server = server
    }

    var tally: Tally { state.current }

    /// Waits until all threads and connections are gone.
    func settle() async throws {
        try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    func run(sessions: Int, requestsEach: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<sessions {
                if number >= 4 { try await group.next() }
                group.addTask { try await self.session(number, requests: requestsEach) }
            }
            try await group.waitForAll()
        }
    }

    /// Runs one session: starts all tasks, cancels a tenth at random times, then drops, finishes or invalidates the
    /// session.
    private func session(_ number: Int, requests: Int) async throws {
        var random = SeededGenerator(seed &+ UInt64(number))
        let ends = Watched<[Int]>(Array(repeating: 0, count: requests))
        let session = makeSession { $0.httpMaximumConnectionsPerHost = 4 }
        for index in 0..<requests {
            let size = (index * 37) % 3000
            let mayFail = index % 10 == 3
            let task = session.dataTask(with: server.url("/bytes/\(size)")) { [self] data, _, error in
                ends.change { $0[index] += 1 }
                note(data?.count, of: size, error, mayFail: mayFail)
            }
            task.resume()
            guard mayFail else { continue }
            let delay = Int.random(in: 0...8, using: &random)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) { task.cancel() }
        }
        if number % 3 == 0 { session.finishTasksAndInvalidate() }
        try await eventually("\(requests) ends") { ends.change { $0.allSatisfy { $0 > 0 } } }
        if number % 3 == 1 { session.invalidateAndCancel() }
        let twice = ends.change { $0.filter { $0 != 1 }.count }
        if twice > 0 { state.change { $0.problems.append("\(twice) tasks ended more than once") } }
    }

    private func note(_ count: Int?, of size: Int, _ error: (any Error)?, mayFail: Bool) {
        let code = (error as? URLError)?.code
        state.change { tally in
            tally.finished += 1
            if code == .cancelled, mayFail {
                tally.cancelled += 1
            } else if code != nil || count != size {
                tally.problems.append("\(String(describing: error)), \(String(describing: count)) of \(size)")
            }
        }
    }
}
