import FerrySession
import FerryTesting
import Testing

/// The cases of the HTTP client conformance suite about bodies that are sent and read in parts, also alternately, and
/// about cancelling a request before its response and before its body's end.
@Suite(.timeLimit(.minutes(5)))
struct ConformanceBodyTests {
    private let session = makeSession()

    /// The number of letters that are sent one at a time.
    private static let turns = 1000

    // MARK: - Echoes

    @Test("What is written comes back")
    func echoString() async throws {
        let server = try ConformanceServer.echo()
        let (body, writer) = RequestBody.writer()
        try await writer.write(Data("Hello World".utf8))
        writer.finish()
        let (data, response) = try await session.upload(for: Wire.request(server.url(), "POST"), body: body)
        #expect(response.status == 200)
        #expect(data == Data("Hello World".utf8))
    }

    @Test("A megabyte that is sent comes back, with its length and in chunks", arguments: [true, false])
    func echoLarge(_ hasLength: Bool) async throws {
        let letters = ConformanceServer.letters(ConformanceServer.largeCount)
        let body = RequestBody(length: hasLength ? Int64(letters.count) : nil) {
            AsyncStream { continuation in
                continuation.yield(letters)
                continuation.finish()
            }
        }
        // The server that sends while it receives sends chunks back.
        let whole = try LoopbackServer { .data($0.body) }
        let piped = try ConformanceServer.echo()
        let request = Wire.request(hasLength ? whole.url : piped.url(), "POST")
        let (data, response) = try await session.upload(for: request, body: body)
        #expect(response.status == 200)
        #expect(data == letters)
        #expect(whole.requests.map(\.isChunked) == (hasLength ? [false] : []))
    }

    @Test("Each letter comes back, one by one, before the next one is written")
    func echoInterleave() async throws {
        let server = try ConformanceServer.echo()
        let (body, writer) = RequestBody.writer()
        let (bytes, response) = try await session.bytes(for: Wire.request(server.url(), "POST"), body: body)
        #expect(response.status == 200)
        var pieces = bytes.chunks.makeAsyncIterator()
        for _ in 0..<Self.turns {
            try await writer.write(ConformanceServer.letters(1))
            #expect(try await pieces.next() == ConformanceServer.letters(1))
        }
        writer.finish()
        #expect(try await pieces.next() == nil)
    }

    @Test("A server that speaks first has each letter sent back by a sequence that is made from the response")
    func speakInterleave() async throws {
        let server = try ConformanceServer.speak(Self.turns)
        let (answers, continuation) = AsyncStream<Data>.makeStream()
        let request = Wire.request(server.url(), "POST")
        let (bytes, response) = try await session.bytes(for: request, body: RequestBody(answers))
        #expect(response.status == 200)
        var count = 0
        for try await piece in bytes.chunks {
            #expect(piece == ConformanceServer.letters(1))
            count += piece.count
            continuation.yield(piece)
            // The suite waits for the response's end here. libcurl does not report it while a body that has not ended
            // has nothing to send, so the number of letters decides.
            if count == Self.turns { continuation.finish() }
        }
        #expect(count == Self.turns)
    }

    // MARK: - Reading

    @Test("The first byte of a body is read and the rest is not, which ends the transfer and not the session")
    func underRead() async throws {
        let server = try ConformanceServer.start()
        let task = try await {
            let (bytes, response) = try await session.bytes(from: server.url("/1mb_body"))
            #expect(response.status == 200)
            #expect(try await bytes.first { _ in true } == UInt8(ascii: "A"))
            return bytes.task
        }()
        try await eventually("the end of the transfer") { task.state == .completed }
        #expect(try await session.data(from: server.url("/identity")).0 == ConformanceServer.plain)
    }

    @Test("A body is read byte by byte")
    func dripRead() async throws {
        let server = try ConformanceServer.start()
        let (bytes, response) = try await session.bytes(from: server.url("/1mb_body"))
        #expect(response.status == 200)
        var data = Data()
        for try await byte in bytes { data.append(byte) }
        #expect(data == ConformanceServer.letters(ConformanceServer.largeCount))
    }

    // MARK: - Cancelling

    @Test("A request that has no response is cancelled with its Swift task")
    func cancelPreHeaders() async throws {
        let server = try ConformanceServer.start()
        let task = Task { try await session.data(from: server.url("/stall")) }
        try await server.waitForRequests(1, timeout: 40 * patience)
        task.cancel()
        #expect(code(of: await task.result) == .cancelled)
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }

    @Test("A response that does not end is cancelled with its Swift task, after what has come")
    func cancelPreBody() async throws {
        let server = try ConformanceServer.start()
        let count = Watched<Int?>(nil)
        let task = Task {
            let (bytes, response) = try await session.bytes(from: server.url("/stall_body"))
            #expect(response.status == 200)
            count.change { $0 = 0 }
            for try await piece in bytes.chunks { count.change { $0 = ($0 ?? 0) + piece.count } }
        }
        try await count.wait { $0 != nil }
        task.cancel()
        #expect(code(of: await task.result) == .cancelled)
        #expect([0, 1000].contains(count.current))
        try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
    }
}
