import FerrySession
import FerryTesting
import TestSupport
import Testing

/// Very many requests with the standard policy to a server that fails a fifth of them.
///
/// `FERRY_SOAK` scales the numbers: `1`, the default, is 10,000 requests; `10` is 100,000.
@Suite("Retry soak", .slow, .serialized, .timeLimit(.minutes(60)), .ownThreads)
struct RetrySoakTests {
    @Test("Of 10,000 requests to a server that fails a fifth of them, at least 99.9 % succeed, and no POST is repeated")
    func soak() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let scale = ProcessInfo.processInfo.environment["FERRY_SOAK"].flatMap { Double($0) } ?? 1
                do {
                    let soak = try RetrySoak()
                    try await soak.run(500)
                    let before = (descriptors: ProcessUsage.descriptors, bytes: ProcessUsage.residentBytes)
                    let start = ContinuousClock.now
                    let count = max(1_000, Int(10_000 * scale))
                    try await soak.run(count)
                    let tally = soak.tally.current
                    print("retry soak: \(count) requests in \(ContinuousClock.now - start): \(tally.summary)")
                    print("retry soak: FERRY_TEST_SEED=\(soak.seed), faults: \(soak.script.counts)")
                    print("retry soak: failures: \(tally.failures)")
                    try Child.expect(tally.problems == [], "\(tally.problems.prefix(5))")
                    try Child.expect(tally.finished == count + 500, "\(tally.finished) ends")
                    // A small number of requests has a higher share of failures than one in a thousand.
                    let failed = tally.repeatable - tally.succeeded
                    try Child.expect(failed <= max(8, tally.repeatable / 1_000), "\(failed) requests failed")
                    try Child.expect(tally.retried > tally.repeatable / 10, "\(tally.retried) retries")
                    try soak.checkRestarts(count + 500)
                    let growth = ProcessUsage.residentBytes - before.bytes
                    var descriptors: Int { ProcessUsage.descriptors - before.descriptors }
                    print("retry soak: \(growth) more bytes, \(descriptors) more descriptors")
                    // Both ends of idle connections are in this process, and their number varies.
                    try await eventually("at most 80 more descriptors") { descriptors <= 80 }
                    // The sanitizer keeps memory for each thread that ever existed.
                    try Child.expect(growth < 32_000_000 || ProcessUsage.isThreadSanitized, "\(growth) more bytes")
                }
                try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
            }
        }
        Child.check(result?.standardOutputContent)
        let lines = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        for line in lines where line.hasPrefix("retry soak:") { print(line) }
    }

    @Test("A server that is down receives about 1.1 times the load of clients without retries")
    func deadServer() async throws {
        let scale = ProcessInfo.processInfo.environment["FERRY_SOAK"].flatMap { Double($0) } ?? 1
        // 200 clients with a request in each second: for 3 s, or for 30 s at a scale of 10.
        let (clients, seconds) = (200, max(1, Int(3 * scale)))
        let isDown = Watched(true)
        var configuration = LoopbackServer.Configuration()
        configuration.recordsRequests = false
        let seen = Watched(0)
        let server = try LoopbackServer(configuration: configuration) { _ in
            seen.change { $0 += 1 }
            return isDown.current ? .status(503) : .text("yes")
        }
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        let session = Wire.session(options: options)
        let begin = ContinuousClock.now
        let calls = Watched((count: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<clients {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(client * 1_000 / clients))
                    for _ in 0..<seconds {
                        let start = ContinuousClock.now
                        calls.change { $0 = ($0.count + 1, max($0.most, $0.count + 1)) }
                        _ = try await session.data(from: server.url)
                        calls.change { $0.count -= 1 }
                        try await Task.sleep(until: start + .seconds(1), clock: .continuous)
                    }
                }
            }
            try await group.waitForAll()
        }
        let (requests, load) = (clients * seconds, seen.current)
        // A busy machine takes longer.
        let passed = max(seconds, Int(begin.duration(to: .now) / .seconds(1)))
        print("retry soak: a server that is down received \(load) requests of \(requests) calls")
        // In a short time, the minimum, one retry in each second, and retries that are under way when the budget is
        // used up count more: as many as there are calls, if the machine is slow.
        #expect(load > requests + 10)
        #expect(load <= requests * 11 / 10 + 10 + passed * 4 + calls.current.most)
        isDown.change { $0 = false }
        #expect(String(decoding: try await session.data(from: server.url).0, as: UTF8.self) == "yes")
    }

    @Test("A large download over a link that resets its connections finishes by itself") func largeDownload()
        async throws
    {
        let scale = ProcessInfo.processInfo.environment["FERRY_SOAK"].flatMap { Double($0) } ?? 1
        // 50 MB in pieces of 2 MB, or 500 MB in pieces of 20 MB at a scale of 10.
        let piece = max(100_000, Int(2_000_000 * scale))
        let content = RangedContent(count: 25 * piece + 1, resetsEvery: piece)
        let server = try LoopbackServer(handler: content.handler)
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.retryPolicy?.backoff = .init(base: 0.01)
        let session = Wire.session(options: options)
        let start = ContinuousClock.now
        let (file, _) = try await session.download(from: server.url)
        defer { Wire.remove(file) }
        print("retry soak: \(content.count) bytes in \(server.requests.count) requests, \(ContinuousClock.now - start)")
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var offset = 0
        while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty {
            guard data == LoopbackServer.pattern(count: data.count, offset: offset) else {
                Issue.record("The file differs after byte \(offset)")
                return
            }
            offset += data.count
        }
        #expect(offset == content.count)
        #expect(server.requests.count == 26)
    }
}
