import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// Limits on the bytes per second of bodies.
@Suite(.timeLimit(.minutes(5)))
struct BandwidthLimitTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func session(_ change: (inout CurlSession.Options) -> Void = { _ in }) -> CurlSession {
        var options = CurlSession.Options()
        change(&options)
        return Wire.session(options: options)
    }

    @Test("The wait before bytes is that for the bytes taken before them, at the rate of the moment")
    func delays() {
        let limit = BandwidthLimit(bytesPerSecond: 1_000)
        let now = MonotonicTime(nanoseconds: 1_000_000_000)
        #expect(limit.take(500, at: now) == .zero)
        #expect(limit.take(100, at: now) == .milliseconds(500))
        limit.change(to: 100, at: now)
        #expect(limit.delay(at: now) == .milliseconds(6_000))
        #expect(limit.take(1, at: now.advanced(by: .milliseconds(5_000))) == .milliseconds(1_000))
        limit.change(to: nil, at: now)
        #expect(limit.take(.max, at: now) == .zero)
        #expect(limit.delay(at: now) == .zero && limit.pieceSize == .max)
        limit.change(to: -5, at: now)
        #expect(limit.bytesPerSecond == 1 && limit.pieceSize == 1)
        limit.change(to: .max, at: now)
        _ = limit.take(.max, at: now)
        limit.change(to: 1, at: now)
        #expect(limit.delay(at: now) > .zero)
    }

    @Test("A limited download is read from the socket only as fast as the limit allows") func unread() async throws {
        let session = session { $0.downloadLimit = BandwidthLimit(bytesPerSecond: 2_000_000) }
        defer { session.invalidateAndCancel() }
        let (bytes, _) = try await session.bytes(from: server.url("/bytes/200000000"))
        let reader = Task { for try await _ in bytes.chunks {} }
        defer { reader.cancel() }
        let task = bytes.task
        try await eventually("4 MB") { task.countOfBytesReceived > 4_000_000 }
        // The buffers of the two sockets hold a few megabytes.
        #expect(server.sentByteCount - Int(task.countOfBytesReceived) < 16_000_000)
    }

    @Test("A slow reader's transfer is read from the socket only as fast as the reader") func slowReader() async throws
    {
        let session = session()
        defer { session.invalidateAndCancel() }
        let (bytes, _) = try await session.bytes(from: server.url("/bytes/200000000"))
        var reader = PatternReader()
        for try await chunk in bytes.chunks {
            reader.read(chunk)
            if reader.count > 20_000_000 { break }
            _ = try await settled { Int(bytes.task.countOfBytesReceived) }
        }
        #expect(reader.isExact)
        #expect(server.sentByteCount - Int(bytes.task.countOfBytesReceived) < 16_000_000)
    }

    @Test("Downloads and data tasks of a session share its limit, and go on at once when it is removed")
    func shared() async throws {
        let limit = BandwidthLimit(bytesPerSecond: 100_000)
        let session = session { $0.downloadLimit = limit }
        defer { session.invalidateAndCancel() }
        let url = server.url("/bytes/2000000")
        let tasks = Watched<[URLSessionTask]>([])
        async let sizes = withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var received = 0
                    let (bytes, _) = try await session.bytes(for: URLRequest(url: url))
                    tasks.change { $0.append(bytes.task) }
                    for try await chunk in bytes.chunks { received += chunk.count }
                    return received
                }
            }
            return try await group.reduce(0, +)
        }
        try await eventually("bytes of all tasks") {
            let counts = tasks.current.map(\.countOfBytesReceived)
            return counts.count == 3 && counts.allSatisfy { $0 > 0 }
        }
        // At this rate, all bytes would take a minute.
        #expect(tasks.current.map(\.countOfBytesReceived).reduce(0, +) < 3_000_000)
        limit.bytesPerSecond = nil
        #expect(try await sizes == 6_000_000)
    }

    @Test("Transfers that share a limit have equal parts of it", arguments: [false, true])
    func equalParts(isUpload: Bool) async throws {
        let limit = BandwidthLimit(bytesPerSecond: 1_000_000)
        let session = session { ($0.downloadLimit, $0.uploadLimit) = (limit, limit) }
        defer { session.invalidateAndCancel() }
        let body = LoopbackServer.pattern(count: 8_000_000)
        let tasks = (0..<4).map { _ -> URLSessionTask in
            guard isUpload else { return session.downloadTask(with: server.url("/bytes/8000000")) }
            var request = URLRequest(url: server.url("/upload"))
            request.httpMethod = "POST"
            return session.uploadTask(with: request, from: body)
        }
        for task in tasks { task.resume() }
        let counts = { tasks.map { isUpload ? $0.countOfBytesSent : $0.countOfBytesReceived } }
        // The transfer is long enough that one of the server's threads may be late by seconds.
        try await eventually("8 MB") { counts().reduce(0, +) > 8_000_000 }
        #expect(counts().allSatisfy { $0 > 1_000_000 }, "\(counts())")
    }

    @Test("A transfer over its limit delays no other, and its time limit of inactivity waits")
    func neighbours() async throws {
        let session = session()
        defer { session.invalidateAndCancel() }
        let timeout = 2 + patience
        let slow = session.dataTask(with: URLRequest(url: server.url("/bytes/400000"), timeoutInterval: timeout))
        slow.downloadLimit = BandwidthLimit(bytesPerSecond: 4_000)
        slow.resume()
        try await eventually("the first bytes") { slow.countOfBytesReceived > 0 }
        for _ in 0..<20 { #expect(try await session.data(from: server.url("/bytes/100000")).0.count == 100_000) }
        // Again and again, the limit allows no byte for longer than the time limit of inactivity.
        for _ in 0..<2 {
            slow.downloadLimit?.bytesPerSecond = 1
            try await Task.sleep(for: .seconds(1.4 * timeout))
            let start = slow.countOfBytesReceived
            slow.downloadLimit?.bytesPerSecond = 4_000
            try await eventually("more bytes") { slow.countOfBytesReceived > start }
        }
        #expect(slow.state == .running && slow.error == nil)
        slow.downloadLimit?.bytesPerSecond = nil
        try await eventually("the end") { slow.state == .completed }
        #expect(slow.error == nil && slow.countOfBytesReceived == 400_000)
    }

    @Test("No identical request waits for a task that has a limit of its own")
    func unshared() async throws {
        let session = session { $0.coalescesIdenticalRequests = true }
        defer { session.invalidateAndCancel() }
        let slow = session.dataTask(with: server.url("/bytes/400000"))
        slow.downloadLimit = BandwidthLimit(bytesPerSecond: 1)
        slow.resume()
        try await eventually("the first bytes") { slow.countOfBytesReceived > 0 }
        #expect(try await session.data(from: server.url("/bytes/400000")).0.count == 400_000)
        #expect(slow.state == .running && server.requestCount == 2)
    }

    @Test("Limits of a session and of a task both apply, for uploads too")
    func both() async throws {
        let session = session { $0.uploadLimit = BandwidthLimit(bytesPerSecond: 50_000_000) }
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        let body = LoopbackServer.pattern(count: 300_000)
        let task = session.uploadTask(with: request, from: body)
        let limit = BandwidthLimit(bytesPerSecond: 10_000)
        task.uploadLimit = limit
        task.resume()
        try await eventually("some bytes") { task.countOfBytesSent > 5_000 }
        #expect(task.countOfBytesSent < 200_000)
        limit.bytesPerSecond = 100_000_000
        try await eventually("the end") { task.state == .completed }
        #expect(task.error == nil)
        #expect(server.requests.last?.bodySHA256 == LoopbackServer.patternSHA256(count: 300_000))
    }

    @Test("A deadline, a cancellation and a suspension end the wait for a limit", arguments: [0, 1, 2])
    func ends(way: Int) async throws {
        let session = session { $0.deadline = way == 0 ? 5 * patience : nil }
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: server.url("/bytes/300000"))
        let limit = BandwidthLimit(bytesPerSecond: 1)
        task.downloadLimit = limit
        task.resume()
        try await eventually("the first bytes") { task.countOfBytesReceived > 0 }
        if way == 1 { task.cancel() }
        if way == 2 {
            task.suspend()
            limit.bytesPerSecond = nil
            task.resume()
        }
        try await eventually("the end") { task.state == .completed }
        let code = (task.error as? URLError)?.code
        #expect(code == [.timedOut, .cancelled, nil][way])
        if way == 2 { #expect(task.countOfBytesReceived == 300_000) }
    }
}
