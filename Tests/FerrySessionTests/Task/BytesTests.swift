import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct BytesTests {
    @Test("Bytes are delivered one by one, in order") func bytes() async throws {
        let server = try LoopbackServer()
        let (bytes, response) = try await makeSession().bytes(from: server.url("/bytes/70000"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var data = Data()
        for try await byte in bytes { data.append(byte) }
        #expect(data == LoopbackServer.pattern(count: 70_000))
        #expect(bytes.task.state == .completed)
        #expect(bytes.task.countOfBytesReceived == 70_000)
    }

    @Test("Chunks are delivered in order, and none is empty") func chunks() async throws {
        let server = try LoopbackServer()
        let (bytes, _) = try await makeSession().bytes(for: URLRequest(url: server.url("/bytes/5000000")))
        var hash = SHA256Hash()
        for try await chunk in bytes.chunks {
            #expect(!chunk.isEmpty)
            hash.update(chunk)
        }
        #expect(hash.digest.hexadecimal == LoopbackServer.patternSHA256(count: 5_000_000))
    }

    @Test("The response is available before the body") func responseFirst() async throws {
        let server = try LoopbackServer()
        let (bytes, response) = try await makeSession().bytes(from: server.url("/stall?bytes=10&after=0"))
        #expect(response.expectedContentLength == 10)
        #expect(bytes.task.state == .running)
    }

    @Test("Without a reader, the server can send only a limited amount") func backPressure() async throws {
        let server = try LoopbackServer()
        let size = 48_000_000
        let (bytes, _) = try await makeSession().bytes(from: server.url("/bytes/\(size)"))
        let held = try await settled { server.sentByteCount }
        #expect(held < size / 2)
        #expect(bytes.task.countOfBytesReceived < 4_000_000)
        var reader = PatternReader()
        for try await chunk in bytes.chunks { reader.read(chunk) }
        #expect(reader.isExact && reader.count == size)
    }

    @Test("While many transfers are active, less waits for each reader") func manyUnread() async throws {
        let server = try LoopbackServer()
        let (many, size) = (24, 3_000_000)
        let session = makeSession { $0.httpMaximumConnectionsPerHost = many }
        var streams: [CurlSession.Bytes] = []
        for _ in 0..<many { streams.append(try await session.bytes(from: server.url("/bytes/\(size)")).0) }
        _ = try await settled { server.sentByteCount }
        // The first streams were alone when they began.
        for stream in streams.suffix(6) { #expect(stream.task.countOfBytesReceived <= 32_768 + 16_384) }
        for stream in streams {
            var reader = PatternReader()
            for try await chunk in stream.chunks { reader.read(chunk) }
            #expect(reader.isExact && reader.count == size)
        }
    }

    @Test("Dropping the sequence cancels the transfer") func dropped() async throws {
        let server = try LoopbackServer()
        var kept: CurlSession.Bytes? = try await makeSession().bytes(from: server.url("/stall?bytes=100&after=50")).0
        let task = try #require(kept?.task)
        #expect(task.state == .running)
        kept = nil
        try await eventually("cancellation") { task.state == .completed }
        #expect((task.error as? URLError)?.code == .cancelled)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("Leaving a loop early and dropping the sequence cancels the transfer") func leftEarly() async throws {
        let server = try LoopbackServer()
        let task: URLSessionTask
        do {
            let (bytes, _) = try await makeSession().bytes(from: server.url("/bytes/50000000?rate=1000000"))
            task = bytes.task
            for try await byte in bytes where byte == 31 { break }
        }
        try await eventually("cancellation") { task.state == .completed }
        #expect((task.error as? URLError)?.code == .cancelled)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("Cancelling the reading Swift task ends the wait immediately") func cancelledReader() async throws {
        let server = try LoopbackServer()
        let (bytes, _) = try await makeSession().bytes(from: server.url("/stall?bytes=100&after=50"))
        let count = Watched(0)
        let reader = Task {
            for try await _ in bytes { count.change { $0 += 1 } }
        }
        try await eventually("50 bytes") { count.change { $0 == 50 } }
        let start = ContinuousClock.now
        reader.cancel()
        let result = await reader.result
        // The request's own timeout is longer.
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(code(of: result) == .cancelled)
        #expect(bytes.task.state == .completed)
    }

    @Test("Bytes received before a failure are read before the error is thrown") func failureAfterBytes() async throws {
        let server = try LoopbackServer()
        let (bytes, _) = try await makeSession().bytes(from: server.url("/truncate?bytes=1000&after=600"))
        try await eventually("the end") { bytes.task.state == .completed }
        var data = Data()
        let error = await #expect(throws: URLError.self) { for try await byte in bytes { data.append(byte) } }
        #expect(error?.code == .networkConnectionLost)
        #expect(data == LoopbackServer.pattern(count: 600))
    }

    @Test("An error before the response is thrown by the call") func failureBefore() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        await #expect(throws: URLError.self) { try await session.bytes(from: server.url("/empty")) }
    }

    @Test("An empty body ends immediately") func empty() async throws {
        let server = try LoopbackServer { _ in .status(204) }
        let (bytes, response) = try await makeSession().bytes(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == 204)
        for try await _ in bytes { Issue.record("An empty body has no bytes") }
    }

    @Test("Reading after the end returns the end again") func afterTheEnd() async throws {
        let server = try LoopbackServer()
        let (bytes, _) = try await makeSession().bytes(from: server.url("/bytes/3"))
        var iterator = bytes.makeAsyncIterator()
        for _ in 0..<3 { #expect(try await iterator.next() != nil) }
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test("A second reader gets an error and does not hang") func secondReader() async throws {
        let server = try LoopbackServer()
        let (bytes, _) = try await makeSession().bytes(from: server.url("/stall?bytes=100&after=0"))
        let first = Task {
            var iterator = bytes.makeAsyncIterator()
            return try await iterator.next()
        }
        let second = Task {
            var iterator = bytes.makeAsyncIterator()
            return try await iterator.next()
        }
        // No event announces that both wait; a call that does not wait yet fails as well.
        try await Task.sleep(for: .milliseconds(100))
        bytes.task.cancel()
        let results = [await first.result, await second.result]
        #expect(results.allSatisfy { if case .failure = $0 { true } else { false } })
    }

    @Test("Bytes that come before the delegate queue runs are counted once") func countsWithDelegate() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 1_000) }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let session = makeSession(queue: queue)
        async let result = session.bytes(from: server.url, delegate: RecordingDelegate())
        try await eventually("the response is sent") { server.sentByteCount > 1_000 }
        // No event announces that the engine has read the response.
        try await Task.sleep(for: .milliseconds(100))
        queue.isSuspended = false
        let bytes = try await result.0
        #expect(try await bytes.reduce(0) { count, _ in count + 1 } == 1_000)
        #expect(bytes.task.countOfBytesReceived == 1_000)
        #expect(bytes.task.countOfBytesExpectedToReceive == 1_000)
    }

    @Test("Suspending the task stops the bytes, resuming delivers the rest") func suspended() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .gated(gate, first: 100_000, of: 400_000) }
        let session = makeSession()
        let (bytes, _) = try await session.bytes(from: server.url)
        try await eventually("a part") { bytes.task.countOfBytesReceived == 100_000 }
        bytes.task.suspend()
        try await session.overtake()
        let sent = server.sentByteCount
        gate.open()
        try await eventually("the rest") { server.sentByteCount > sent }
        try await session.overtake()
        #expect(bytes.task.countOfBytesReceived < 400_000)
        bytes.task.resume()
        var hash = SHA256Hash()
        for try await chunk in bytes.chunks { hash.update(chunk) }
        #expect(hash.digest.hexadecimal == LoopbackServer.patternSHA256(count: 400_000))
    }
}
