import FerryTesting
import Testing

@testable import FerrySession

/// Bodies that are produced while they are sent, over HTTP/1.1.
@Suite(.timeLimit(.minutes(5)))
struct RequestBodyTests {
    private struct Broken: Error, Equatable {}

    private func post(_ url: URL) -> URLRequest { Wire.request(url, "POST") }

    /// A sequence of pieces of 64 KiB without an end, which counts the requested pieces.
    private struct Endless: AsyncSequence, Sendable {
        let asked = Watched(0)

        struct Iterator: AsyncIteratorProtocol {
            let endless: Endless

            mutating func next() async -> Data? {
                endless.asked.change { $0 += 1 }
                return Data(count: 65_536)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(endless: self) }
    }

    /// A sequence that ends only when its task is cancelled.
    private func silent(_ first: [Data] = []) -> (AsyncStream<Data>, Gate) {
        let isOver = Gate()
        let stream = AsyncStream<Data> { continuation in
            for piece in first { continuation.yield(piece) }
            continuation.onTermination = { _ in isOver.open() }
            // Keeps the stream open.
            Task {
                try? await eventually { isOver.isOpen }
                continuation.finish()
            }
        }
        return (stream, isOver)
    }

    private func pieces(_ sizes: [Int]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            var start = 0
            for size in sizes {
                continuation.yield(LoopbackServer.pattern(count: size, offset: start))
                start += size
            }
            continuation.finish()
        }
    }

    // MARK: - Sending

    @Test("A sequence is sent in chunks without a length, and with one as it is", arguments: [false, true])
    func sequence(_ hasLength: Bool) async throws {
        let server = try LoopbackServer { _ in .text("thanks") }
        let sizes = [0, 1, 70_000, 3, 300_000]
        let body = RequestBody(pieces(sizes), length: hasLength ? 370_004 : nil)
        let (data, _) = try await makeSession().upload(for: post(server.url), body: body)
        #expect(String(decoding: data, as: UTF8.self) == "thanks")
        let request = try #require(server.requests.first)
        #expect(request.bodySHA256 == LoopbackServer.patternSHA256(count: 370_004))
        #expect(request.isChunked == !hasLength)
        #expect(request.header("Content-Length") == (hasLength ? "370004" : nil))
    }

    @Test("An empty sequence is an empty body") func empty() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let session = makeSession()
        let announcing = Wire.request(server.url, "POST", headers: ["Content-Length": "0"])
        let rows: [(URLRequest, Int64?)] = [(announcing, nil), (post(server.url), 0), (post(server.url), nil)]
        for (request, length) in rows {
            let (_, response) = try await session.upload(for: request, body: RequestBody(pieces([]), length: length))
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
        }
        #expect(server.requests.map(\.bodyLength) == [0, 0, 0])
        #expect(server.requests.map { $0.header("Content-Length") } == ["0", "0", nil])
        #expect(server.requests.map(\.isChunked) == [false, false, true])
        #expect(server.requests.map(\.connectionRequestIndex) == [0, 1, 2])
    }

    @Test("A request with a length of zero ends with its sequence") func slowEmpty() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        let request = post(server.url)
        let upload = Task { try await makeSession().upload(for: request, body: RequestBody(stream, length: 0)) }
        try await eventually { server.requests.count == 1 }
        continuation.finish(throwing: Broken())
        await #expect(throws: Broken.self) { try await upload.value }
    }

    @Test("A writer with a length of zero may write nothing") func emptyWriter() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let (body, writer) = RequestBody.writer(length: 0)
        writer.finish()
        _ = try await makeSession().upload(for: post(server.url), body: body)
        let (second, secondWriter) = RequestBody.writer(length: 0)
        let error = await #expect(throws: CurlSessionError.self) { try await secondWriter.write(Data(count: 1)) }
        #expect(error?.code == .bodyLengthMismatch)
        let failure = await Wire.error { try await makeSession().upload(for: post(server.url), body: second) }
        #expect(failure?.ferryCode == .bodyLengthMismatch)
    }

    @Test("An upload task sends a body, and so does a request that has it") func tasks() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let task = session.uploadTask(with: post(server.url), body: RequestBody(pieces([100_000]), length: 100_000))
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil)
        #expect(outcome.sentTotals.last == 100_000)
        #expect(task.countOfBytesExpectedToSend == 100_000)
        var request = post(server.url)
        request.setBody(RequestBody(pieces([50_000])))
        _ = try await session.data(for: request)
        #expect(server.requests.map(\.bodyLength) == [100_000, 50_000])
    }

    @Test(
        "A thread can read a body as the stream of its request, whose error is the sequence's",
        arguments: [true, false]
    )
    func stream(_ isWhole: Bool) async throws {
        let pieces = AsyncThrowingStream<Data, any Error> { continuation in
            for _ in 0..<10 { continuation.yield(Data(count: 100_000)) }
            continuation.finish(throwing: isWhole ? nil : Broken())
        }
        let body = RequestBody(pieces)
        let results = Watched<[(count: Int, isBroken: Bool)]>([])
        await onThreads(1) { _ in
            var request = URLRequest(url: URL(fileURLWithPath: "/"))
            request.setBody(body)
            guard let stream = request.httpBodyStream else { return }
            stream.open()
            defer { stream.close() }
            var bytes = [UInt8](repeating: 0, count: 200_000)
            var total = 0
            while true {
                let count = stream.read(&bytes, maxLength: bytes.count)
                guard count > 0 else { break }
                total += count
            }
            results.append((total, stream.streamError is Broken))
        }
        let result = try #require(results.current.first)
        #expect(result.isBroken == !isWhole)
        #expect(!isWhole || result.count == 1_000_000)
    }

    // MARK: - Back-pressure

    @Test("A sequence is asked for no more than a server reads") func backPressure() async throws {
        let gate = Gate()
        let server = try RawServer(receiveBuffer: 65_536, isRecording: false) { connection in
            connection.readHead()
            gate.wait()
        }
        defer { gate.open() }
        let endless = Endless()
        let request = post(server.url())
        let upload = Task { try await makeSession().upload(for: request, body: RequestBody(endless)) }
        let asked = try await settled { endless.asked.current }
        // These pieces fill the connection's buffers in the system, and the buffers of libcurl and of the body.
        #expect(asked > 4 && asked < 160)
        upload.cancel()
        let result = await upload.result
        #expect(code(of: result) == .cancelled)
        #expect(try await settled { endless.asked.current } == asked)
    }

    @Test("A sequence is not asked before the request is sent") func laziness() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .text("ok")
        }
        defer { gate.open() }
        let session = Wire.session { $0.httpMaximumConnectionsPerHost = 1 }
        let first = Task { try await session.data(from: server.url) }
        try await eventually { gate.arrived == 1 }
        let endless = Endless()
        let request = post(server.url)
        let second = Task { try await session.upload(for: request, body: RequestBody(endless)) }
        #expect(try await settled { endless.asked.current } == 0)
        second.cancel()
        _ = await second.result
        gate.open()
        _ = try await first.value
        #expect(endless.asked.current == 0)
    }

    // MARK: - Errors

    @Test("An error of the sequence is the error of the task", arguments: [true, false], [nil, 0, 200_000])
    func brokenSequence(_ isEarly: Bool, _ length: Int64?) async throws {
        guard isEarly || length != 0 else { return }
        let server = try LoopbackServer { _ in .text("ok") }
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            if !isEarly { continuation.yield(Data(count: 100_000)) }
            continuation.finish(throwing: Broken())
        }
        await #expect(throws: Broken.self) {
            try await makeSession().upload(for: post(server.url), body: RequestBody(stream, length: length))
        }
        // The part that was sent does not count as a whole body.
        #expect(server.requests.allSatisfy { !$0.isComplete || length == 0 })
    }

    @Test("A closure that cannot make its sequence fails the task") func brokenFactory() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = RequestBody { () throws -> AsyncStream<Data> in throw Broken() }
        await #expect(throws: Broken.self) { try await makeSession().upload(for: post(server.url), body: body) }
    }

    @Test(
        "More or fewer bytes than announced fail the task",
        arguments: [([60, 30], 100), ([60, 41], 100), ([1], 0)] as [([Int], Int64)],
        [true, false]
    )
    func mismatch(_ row: (sizes: [Int], length: Int64), _ isField: Bool) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = RequestBody(pieces(row.sizes), length: isField ? nil : row.length)
        let request = Wire.request(server.url, "POST", headers: isField ? ["Content-Length": "\(row.length)"] : [:])
        let error = await Wire.error { try await makeSession().upload(for: request, body: body) }
        #expect(error?.code == .requestBodyStreamExhausted)
        #expect(error?.ferryCode == .bodyLengthMismatch)
    }

    @Test("Cancelling a task cancels its sequence, which does not end by itself") func cancelling() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let (stream, isOver) = silent([Data(count: 10)])
        let hasBegun = Gate()
        // A sequence that has not been read has nothing to cancel.
        let pieces = stream.map { piece in
            hasBegun.open()
            return piece
        }
        let request = post(server.url)
        let upload = Task { try await makeSession().upload(for: request, body: RequestBody(pieces)) }
        try await eventually { hasBegun.isOpen }
        upload.cancel()
        #expect(code(of: await upload.result) == .cancelled)
        try await eventually { isOver.isOpen }
    }

    // MARK: - Both directions

    @Test("A final response before the body's end ends the sequence, and is the result") func earlyResponse()
        async throws
    {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { _ in .early(.text("too large", statusCode: 413), afterBytes: 100_000) }
        let server = try LoopbackServer(configuration: configuration) { _ in .text("ok") }
        let endless = Endless()
        let (data, response) = try await makeSession().upload(for: post(server.url), body: RequestBody(endless))
        #expect((response as? HTTPURLResponse)?.statusCode == 413)
        #expect(String(decoding: data, as: UTF8.self) == "too large")
        let asked = try await settled { endless.asked.current }
        #expect(asked < 200)
    }

    @Test("A final response before the body's end stops a writer with an error") func earlyResponseForWriter()
        async throws
    {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { _ in .early(.status(403), afterBytes: 10) }
        let server = try LoopbackServer(configuration: configuration) { _ in .text("ok") }
        let (body, writer) = RequestBody.writer()
        let request = post(server.url)
        let upload = Task { try await makeSession().upload(for: request, body: body) }
        let error = await #expect(throws: CurlSessionError.self) {
            while true { try await writer.write(Data(count: 10_000)) }
        }
        #expect(error?.code == .requestHasEnded)
        let (_, response) = try await upload.value
        #expect((response as? HTTPURLResponse)?.statusCode == 403)
    }

    @Test("A refusal is read to its end while its writer waits", arguments: ["", "no"])
    func refusalForWaitingWriter(_ text: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            connection.readAll()
        }
        let (body, writer) = RequestBody.writer()
        let (data, response) = try await makeSession().upload(for: post(server.url()), body: body)
        #expect((response as? HTTPURLResponse)?.statusCode == 403)
        #expect(String(decoding: data, as: UTF8.self) == text)
        let error = await #expect(throws: CurlSessionError.self) { try await writer.write(Data(count: 1)) }
        #expect(error?.code == .requestHasEnded)
    }

    @Test(
        "A connection that ends while the body waits is lost, unless the response is complete",
        arguments: [
            ("", nil), ("200 OK\r\nContent-Length: 100\r\n\r\npartial", nil),
            ("200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\npartial\r\n", nil),
            ("413 Too Large\r\nContent-Length: 2\r\n\r\nno", "no"),
            ("200 OK\r\nConnection: close\r\n\r\nall", "all"),
        ] as [(String, String?)],
        [true, false]
    )
    func connectionEnds(_ row: (answer: String, body: String?), _ isWriter: Bool) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            while !connection.received.contains("first".utf8), connection.readMore() {}
            if !row.answer.isEmpty { connection.write("HTTP/1.1 \(row.answer)") }
        }
        let (made, writer) = RequestBody.writer()
        let (stream, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("first".utf8))
        if isWriter { try await writer.write(Data("first".utf8)) }
        let body = isWriter ? made : RequestBody(stream)
        do {
            let (data, _) = try await makeSession().upload(for: post(server.url()), body: body)
            #expect(String(decoding: data, as: UTF8.self) == row.body)
        } catch {
            #expect((error as? URLError)?.code == .networkConnectionLost)
            #expect(row.body == nil)
        }
        withExtendedLifetime(source) {}
    }

    @Test("A refusal ends the upload of a stream that waits") func refusalForWaitingStream() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
            connection.readAll()
        }
        var descriptors: [Int32] = [0, 0]
        try #require(pipe(&descriptors) == 0)
        defer { for descriptor in descriptors { close(descriptor) } }
        var request = post(server.url())
        request.httpBodyStream = InputStream(fileAtPath: "/proc/self/fd/\(descriptors[0])")
        let (data, response) = try await makeSession().data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 413)
        #expect(data == Data("no".utf8))
    }

    @Test(
        "A complete success ends the request of a writer that waits",
        arguments: [
            "200 OK\r\nContent-Length: 2\r\n\r\nok", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "200 OK\r\nContent-Length: 0\r\n\r\n", "204 No Content\r\n\r\n",
        ]
    )
    func successForWaitingWriter(_ answer: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 \(answer)")
            connection.readAll()
        }
        let (body, writer) = RequestBody.writer()
        try await writer.write(Data("first".utf8))
        let (data, response) = try await makeSession().upload(for: post(server.url()), body: body)
        #expect((response as? HTTPURLResponse)?.statusCode == Int(answer.prefix(3)))
        #expect(String(decoding: data, as: UTF8.self) == (answer.contains("ok") ? "ok" : ""))
        let error = await #expect(throws: CurlSessionError.self) { try await writer.write(Data(count: 1)) }
        #expect(error?.code == .requestHasEnded)
        try await eventually { server.finished == 1 }
        #expect(server.texts.first?.hasSuffix("5\r\nfirst\r\n") == true)
    }

    @Test("A success that is read slowly does not end the request of a writer that waits") func slowlyReadSuccess()
        async throws
    {
        let text = String(repeating: "0123456789abcdef", count: 200_000)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.write("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
            // A chunk of four bytes, with its size and its end.
            connection.readBody(9)
            connection.write("0\r\n\r\n")
            connection.readAll()
        }
        let (body, writer) = RequestBody.writer()
        let (bytes, _) = try await makeSession().bytes(for: post(server.url()), body: body)
        var count = 0
        for try await chunk in bytes.chunks {
            try await Task.sleep(nanoseconds: 1_000_000)
            count += chunk.count
            if count == text.utf8.count { try await writer.write(Data("more".utf8)) }
        }
        #expect(count == text.utf8.count)
        let error = await #expect(throws: CurlSessionError.self) { try await writer.write(Data(count: 1)) }
        #expect(error?.code == .requestHasEnded)
    }

    @Test("A server that has responded with a success receives all of a sequence") func successBeforeSequence()
        async throws
    {
        let server = try RawServer { connection in
            connection.readHead()
            connection.readBody(10)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.readBody(24)
        }
        let (pieces, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("early".utf8))
        let (bytes, _) = try await makeSession().bytes(for: post(server.url()), body: RequestBody(pieces))
        continuation.yield(Data("late".utf8))
        continuation.finish()
        for try await _ in bytes.chunks {}
        try await eventually { server.finished == 1 }
        #expect(server.texts.first?.hasSuffix("5\r\nearly\r\n4\r\nlate\r\n0\r\n\r\n") == true)
    }

    @Test("When the handler is called, a body that was never read cannot be written any more")
    func unreadBody() async throws {
        let closed = try ClosedPort()
        let (body, writer) = RequestBody.writer()
        let (isCalled, hasWritten) = (Gate(), Gate())
        let task = makeSession().uploadTask(with: post(closed.url), body: body) { _, _, _ in
            isCalled.open()
            hasWritten.wait()
        }
        task.resume()
        try await eventually("the handler") { isCalled.isOpen }
        let error = await #expect(throws: CurlSessionError.self) { try await writer.write(Data(count: 1)) }
        hasWritten.open()
        #expect(error?.code == .requestHasEnded)
    }

    @Test("A server that closes after a whole response, and before the body's end, has responded")
    func closingServer() async throws {
        let hasRead = Gate()
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            hasRead.wait()
            connection.resetOnClose()
        }
        let endless = Endless()
        let request = post(server.url())
        let (bytes, _) = try await makeSession().bytes(for: request, body: RequestBody(endless))
        var body = Data()
        for try await chunk in bytes.chunks {
            body.append(chunk)
            if body.count == 2 { hasRead.open() }
        }
        #expect(body == Data("ok".utf8))
    }

    @Test("A writer and a reader talk while both bodies go on") func bothDirections() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for round in 1...5 {
                // A chunk of four bytes, with its size and its end.
                connection.readBody(9)
                connection.write("2\r\n\(round)\n\r\n")
            }
            connection.readBody(5)
            connection.write("0\r\n\r\n")
        }
        let (body, writer) = RequestBody.writer()
        let (bytes, _) = try await makeSession().bytes(for: post(server.url()), body: body)
        var chunks = bytes.chunks.makeAsyncIterator()
        for round in 1...5 {
            try await writer.write(Data("ask\n".utf8))
            #expect(try await chunks.next() == Data("\(round)\n".utf8))
        }
        writer.finish()
        #expect(try await chunks.next() == nil)
    }

    @Test("A writer that is released without an end fails its task") func releasedWriter() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        var pair: (body: RequestBody, writer: RequestBodyWriter?) = RequestBody.writer()
        try await pair.writer?.write(Data(count: 10))
        pair.writer = nil
        let error = await Wire.error { try await makeSession().upload(for: post(server.url), body: pair.body) }
        #expect(error?.ferryCode == .bodyHasEnded)
    }

    @Test("A writer is told that its task was cancelled before it began") func unusedWriter() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let (body, writer) = RequestBody.writer()
        let task = makeSession().uploadTask(with: post(server.url), body: body)
        task.cancel()
        let error = await #expect(throws: CurlSessionError.self) {
            while true { try await writer.write(Data(count: 100_000)) }
        }
        #expect(error?.code == .requestHasEnded)
    }

    @Test("A writer's own error is the error of the task") func failingWriter() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let (body, writer) = RequestBody.writer()
        writer.fail(Broken())
        await #expect(throws: Broken.self) { try await makeSession().upload(for: post(server.url), body: body) }
        let error = await #expect(throws: CurlSessionError.self) { try await writer.write(Data(count: 1)) }
        #expect(error?.code == .bodyHasEnded)
    }

    // MARK: - Sending again

    private func redirectingServer() throws -> LoopbackServer {
        try LoopbackServer { request in
            request.path == "/start"
                ? .status(307).adding("Location", "/end") : .text("got \(request.bodyLength)")
        }
    }

    @Test("A body that can be made again follows a redirect; another one fails there", arguments: [true, false])
    func redirect(_ isReplayable: Bool) async throws {
        let server = try redirectingServer()
        let start = server.url("/start")
        guard isReplayable else {
            let body = RequestBody(pieces([1_000]))
            let error = await Wire.error { try await makeSession().upload(for: post(start), body: body) }
            #expect(error?.ferryCode == .bodyNotReplayable)
            return
        }
        let body = RequestBody { pieces([1_000, 70_000]) }
        let (data, _) = try await makeSession().upload(for: post(start), body: body)
        #expect(String(decoding: data, as: UTF8.self) == "got 71000")
        #expect(server.requests.map(\.bodyLength) == [71_000, 71_000])
    }

    @Test("The stream of a body that was closed has no bytes, and does not open again") func closedStream() throws {
        let (pieces, isOver) = silent()
        defer { isOver.open() }
        var request = post(URL(fileURLWithPath: "/"))
        request.setBody(RequestBody(pieces))
        let stream = try #require(request.httpBodyStream)
        stream.open()
        #expect(stream.streamStatus == .open)
        stream.close()
        try #require(stream.streamStatus == .closed)
        var byte: UInt8 = 0
        #expect(stream.read(&byte, maxLength: 1) == -1)
        stream.open()
        #expect(stream.streamStatus == .closed)
    }

    @Test("The stream of a file can be sent again, and read by a protocol class") func fileStream() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try LoopbackServer.pattern(count: 71_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try redirectingServer()
        var request = post(server.url("/start"))
        let stream = try #require(FileBodyStream(file))
        request.httpBodyStream = stream
        let (data, _) = try await makeSession().data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "got 71000")
        #expect(server.requests.map(\.bodyLength) == [71_000, 71_000])
        #expect(stream.streamStatus == .notOpen)
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(stream.read(&buffer, maxLength: 100) == 100)
        #expect(Data(buffer) == LoopbackServer.pattern(count: 100))
        stream.close()
    }

    @Test("A body that can be sent once is refused by a second task") func usedTwice() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = RequestBody(pieces([10]))
        _ = try await makeSession().upload(for: post(server.url), body: body)
        let error = await Wire.error { try await makeSession().upload(for: post(server.url), body: body) }
        #expect(error?.ferryCode == .bodyNotReplayable)
    }

    /// A sequence that waits for its second piece until it is cancelled, and records the thread.
    private struct Waiting: AsyncSequence, AsyncIteratorProtocol {
        let asked = Watched(0)
        let names = Watched<[String]>([])
        private let gate = Gate()

        func makeAsyncIterator() -> Waiting { self }

        func next() async -> Data? {
            asked.change { $0 += 1 }
            guard asked.current > 1 else { return Data([1]) }
            return await withTaskCancellationHandler {
                try? await eventually { gate.isOpen }
                return nil
            } onCancel: {
                names.change { $0.append(currentThreadName) }
                gate.open()
            }
        }
    }

    @Test("What a sequence does when it is cancelled does not run on the engine's thread")
    func cancellationHandler() async throws {
        let server = try RawServer { connection in connection.readAll() }
        let pieces = Waiting()
        let task = Task { try await makeSession().upload(for: post(server.url("/")), body: RequestBody(pieces)) }
        try await pieces.asked.wait { $0 == 2 }
        task.cancel()
        _ = try? await task.value
        try await pieces.names.wait { !$0.isEmpty }
        #expect(pieces.names.current.allSatisfy { $0 != "Ferry" })
    }

    @Test("The writer of a body fails if the task is released before it was resumed")
    func releasedTask() async throws {
        let (body, writer) = RequestBody.writer()
        let session = makeSession()
        let url = try #require(URL(string: "http://127.0.0.1/"))
        _ = session.uploadTask(with: post(url), body: body)
        session.finishTasksAndInvalidate()
        let error = await #expect(throws: CurlSessionError.self) {
            for _ in 0..<100 { try await writer.write(Data(count: 65_536)) }
        }
        #expect(error?.code == .requestHasEnded)
    }
}
