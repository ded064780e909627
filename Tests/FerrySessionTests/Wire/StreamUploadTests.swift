import FerrySession
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamUploadTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { .text("got \($0.bodyLength)") }
    }

    /// Sends streams that `make` provides on request, as an upload task.
    private func upload(
        headers: [String: String] = [:],
        to url: URL? = nil,
        _ answer: @escaping @Sendable (URLSessionTask, @escaping @Sendable (InputStream?) -> Void) -> Void
    ) async throws -> (outcome: TaskRecord, task: URLSessionTask) {
        var hooks = DelegateHooks()
        hooks.onBodyStream = answer
        let recorder = RecordingDelegate(hooks)
        let request = Wire.request(url ?? server.url, "POST", headers: headers)
        let task = Wire.session(recorder).uploadTask(withStreamedRequest: request)
        return (try await recorder.run(task), task)
    }

    @Test("A stream of the delegate is sent in chunks, with correct counts", arguments: [0, 1, 65_536, 5_000_001])
    func whole(_ size: Int) async throws {
        let (outcome, task) = try await upload { _, answer in
            answer(InputStream(data: LoopbackServer.pattern(count: size)))
        }
        #expect(outcome.error == nil)
        let seen = try #require(server.requests.first)
        #expect(seen.bodySHA256 == LoopbackServer.patternSHA256(count: size))
        #expect(seen.isChunked && seen.header("Content-Length") == nil)
        #expect(outcome.events.first == .needsBodyStream)
        #expect(outcome.sentTotals.last ?? 0 == Int64(size))
        for case .sent(_, _, let expected) in outcome.events { #expect(expected == NSURLSessionTransferSizeUnknown) }
        #expect(task.countOfBytesSent == Int64(size))
    }

    @Test("hasBytesAvailable does not mean the end, and single bytes are sent") func oddStream() async throws {
        let (outcome, _) = try await upload { _, answer in
            answer(ScriptedStream(LoopbackServer.pattern(count: 3000), largestRead: 1))
        }
        #expect(outcome.text == "got 3000")
        #expect(server.requests.first?.bodySHA256 == LoopbackServer.patternSHA256(count: 3000))
    }

    @Test("A stream of the request is used if the delegate provides none") func requestStream() async throws {
        var request = Wire.request(server.url, "POST")
        request.httpBodyStream = ScriptedStream(Data("from the request".utf8))
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(Wire.session(recorder).uploadTask(withStreamedRequest: request))
        #expect(outcome.error == nil)
        #expect(server.requests.first?.bodyText == "from the request")
    }

    @Test("Gap 11: a stream that blocks delays no other transfer") func blocking() async throws {
        let gate = Gate()
        let session = Wire.session()
        var request = Wire.request(server.url("/slow"), "POST")
        request.httpBodyStream = ScriptedStream([.bytes(Data("a".utf8)), .gate(gate), .bytes(Data("b".utf8))])
        let streamed = request
        async let slow = session.data(for: streamed)
        try await eventually { server.connectionCount == 1 }
        for _ in 0..<20 { _ = try await session.data(from: server.url("/fast")) }
        #expect(server.requests.map(\.path) == Array(repeating: "/fast", count: 20))
        gate.open()
        #expect(try await slow.0 == Data("got 2".utf8))
    }

    @Test("A stream that fails midway fails the task, with its own error as the underlying one") func failing()
        async throws
    {
        let (outcome, _) = try await upload { _, answer in
            answer(ScriptedStream([.bytes(Data(count: 1000)), .wait(0.05), .fail]))
        }
        #expect(outcome.error?.code == .requestBodyStreamExhausted)
        #expect(outcome.error?.userInfo[NSUnderlyingErrorKey] is ScriptedStream.Broken)
        #expect(outcome.completions == 1)
        try await eventually { server.requestCount == 1 }
        #expect(server.requests.first?.isComplete == false)
    }

    @Test("A stream that fails immediately fails the task") func failingAtOnce() async throws {
        let (outcome, _) = try await upload { _, answer in answer(ScriptedStream([.fail])) }
        #expect(outcome.error?.code == .requestBodyStreamExhausted)
    }

    @Test("A Foundation stream of a missing file fails the task") func missingFile() async throws {
        let (outcome, _) = try await upload { _, answer in answer(InputStream(fileAtPath: "/nowhere/at/all")) }
        #expect(outcome.error?.code == .requestBodyStreamExhausted)
    }

    // MARK: - The delegate's stream

    @Test("The stream may be provided late and on any thread") func late() async throws {
        let (outcome, _) = try await upload { _, answer in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { answer(InputStream(data: Data("late".utf8))) }
        }
        #expect(outcome.text == "got 4")
    }

    @Test("A missing stream is a typed error, and does not hang") func none() async throws {
        let (outcome, _) = try await upload { _, answer in answer(nil) }
        #expect(outcome.error?.code == .requestBodyStreamExhausted)
        #expect(outcome.underlying?.code == .bodyNotReplayable)
        #expect(outcome.completions == 1)
        #expect(server.connectionCount == 0)
    }

    @Test("A second stream is ignored") func twice() async throws {
        let (outcome, _) = try await upload { _, answer in
            answer(InputStream(data: Data("first".utf8)))
            answer(InputStream(data: Data("the second".utf8)))
            answer(nil)
        }
        #expect(outcome.text == "got 5")
        #expect(outcome.completions == 1)
    }

    @Test("A stream after the task was cancelled is harmless") func afterCancel() async throws {
        let held = Watched<(@Sendable () -> Void)?>(nil)
        let (outcome, _) = try await upload { task, answer in
            held.change { $0 = { answer(InputStream(data: Data("late".utf8))) } }
            task.cancel()
        }
        #expect(outcome.error?.code == .cancelled)
        held.current?()
        // No other event follows: a connection has a moment to begin.
        try await Task.sleep(for: .milliseconds(50))
        #expect(outcome.completions == 1 && server.connectionCount == 0)
    }

    @Test("A task that waits for a stream can be cancelled") func neverAnswered() async throws {
        let (outcome, _) = try await upload { task, _ in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { task.cancel() }
        }
        #expect(outcome.error?.code == .cancelled)
    }

    // MARK: - Announced lengths

    @Test("A stream as long as announced is sent with that length") func announced() async throws {
        let (outcome, task) = try await upload(headers: ["Content-Length": "100000"]) { _, answer in
            answer(ScriptedStream(LoopbackServer.pattern(count: 100_000), largestRead: 777))
        }
        #expect(outcome.error == nil)
        #expect(server.requests.first?.bodySHA256 == LoopbackServer.patternSHA256(count: 100_000))
        #expect(server.requests.first?.isChunked == false)
        #expect(task.countOfBytesExpectedToSend == 100_000)
    }

    @Test("A stream shorter than announced is a typed error") func shorter() async throws {
        let (outcome, _) = try await upload(headers: ["Content-Length": "10"]) { _, answer in
            answer(ScriptedStream(Data("hello".utf8)))
        }
        #expect(outcome.error?.code == .requestBodyStreamExhausted)
        #expect(outcome.underlying?.code == .bodyLengthMismatch)
    }

    @Test("A stream longer than announced is sent only up to that length", arguments: [0, 5])
    func longer(_ length: Int) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.readBody(length)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            connection.readAll()
        }
        let (outcome, _) = try await upload(headers: ["Content-Length": "\(length)"], to: server.url()) { _, answer in
            answer(ScriptedStream(Data("hello, world".utf8)))
        }
        #expect(outcome.completions == 1)
        try await eventually { !server.texts.isEmpty }
        let body = server.texts.first?.components(separatedBy: "\r\n\r\n").last
        #expect(body.map { "hello, world".prefix(length).hasPrefix($0) } == true)
    }

    @Test("A data task's stream longer than announced is cut, and the connection can still be used")
    func longerBodyStream() async throws {
        let session = Wire.session()
        var request = Wire.request(server.url, "PUT", headers: ["Content-Length": "100000"])
        request.httpBodyStream = ScriptedStream(LoopbackServer.pattern(count: 300_000), largestRead: 7777)
        let (data, _) = try await session.data(for: request)
        #expect(data == Data("got 100000".utf8))
        #expect(try await session.data(from: server.url).0 == Data("got 0".utf8))
        #expect(server.requests.first?.bodySHA256 == LoopbackServer.patternSHA256(count: 100_000))
        #expect(server.requestCount == 2 && server.connectionCount == 1)
        #expect(server.protocolViolations.isEmpty)
    }

    @Test("A cancelled upload releases a stream that blocks") func cancelled() async throws {
        let gate = Gate()
        let (outcome, _) = try await upload { task, answer in
            answer(ScriptedStream([.bytes(Data(count: 10)), .gate(gate)]))
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { task.cancel() }
        }
        #expect(outcome.error?.code == .cancelled)
        gate.open()
    }
}
