import FerrySession
import FerryTesting
import Testing

/// Bodies in memory and in files; streams are in ``StreamUploadTests``.
@Suite(.timeLimit(.minutes(5)))
struct UploadTests {
    private func server(
        _ reading: LoopbackBodyReading = .whole,
        receiveBuffer: Int? = nil,
        at gate: Gate? = nil
    ) throws -> LoopbackServer {
        var configuration = LoopbackServer.Configuration()
        configuration.receiveBufferSize = receiveBuffer
        configuration.bodyReading = { _ in
            gate?.wait()
            return reading
        }
        return try LoopbackServer(configuration: configuration) { .text("got \($0.bodyLength)") }
    }

    private func expectTruthfulCounts(_ outcome: TaskRecord, _ task: URLSessionTask, total: Int64) {
        #expect(outcome.sentTotals == outcome.sentTotals.sorted())
        if total > 0 { #expect(outcome.sentTotals.last == total) }
        for case .sent(let count, let sum, let expected) in outcome.events {
            #expect(count > 0 && sum <= total && expected == total)
        }
        #expect(task.countOfBytesSent == total)
        #expect(task.countOfBytesExpectedToSend == total)
    }

    @Test("Data is sent completely, with its length", arguments: [0, 1, 65_535, 65_537, 20_000_000])
    func data(_ size: Int) async throws {
        let server = try server()
        let recorder = RecordingDelegate()
        let task = Wire.session(recorder).uploadTask(
            with: Wire.request(server.url, "POST"),
            from: LoopbackServer.pattern(count: size)
        )
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil)
        #expect(outcome.text == "got \(size)")
        let seen = try #require(server.requests.first)
        #expect(seen.bodySHA256 == LoopbackServer.patternSHA256(count: size))
        #expect(seen.headers.values(for: "Content-Length") == ["\(size)"] && !seen.isChunked)
        expectTruthfulCounts(outcome, task, total: Int64(size))
        #expect(task.progress.fractionCompleted == 1)
    }

    @Test("A slice of Data is sent from its own first byte") func slice() async throws {
        let server = try server()
        let whole = Data("0123456789".utf8)
        _ = try await Wire.session().upload(for: Wire.request(server.url, "PUT"), from: whole[3..<7])
        #expect(server.requests.first?.bodyText == "3456")
    }

    @Test("An upload task's body takes precedence over its request's") func requestBody() async throws {
        let server = try server()
        let request = Wire.request(server.url, "PUT", body: Data("request".utf8))
        _ = try await Wire.session().upload(for: request, from: Data("task".utf8))
        #expect(server.requests.first?.bodyText == "task")
    }

    // MARK: - Files

    @Test("A file is sent completely, with its length", arguments: [0, 1, 3_000_000])
    func file(_ size: Int) async throws {
        let server = try server()
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let file = folder.appendingPathComponent("body")
        try LoopbackServer.pattern(count: size).write(to: file)
        let recorder = RecordingDelegate()
        let task = Wire.session(recorder).uploadTask(with: Wire.request(server.url, "PUT"), fromFile: file)
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil)
        let seen = try #require(server.requests.first)
        #expect(seen.bodySHA256 == LoopbackServer.patternSHA256(count: size))
        #expect(seen.headers.values(for: "Content-Length") == ["\(size)"])
        expectTruthfulCounts(outcome, task, total: Int64(size))
    }

    @Test("Anything but a readable file is an error before anything is sent") func badFiles() async throws {
        let server = try server()
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let session = Wire.session()
        let fifo = folder.appendingPathComponent("fifo")
        #expect(mkfifo(fifo.path, 0o600) == 0)
        let dangling = folder.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(atPath: dangling.path, withDestinationPath: "/nowhere/at/all")
        let cases: [(URL, URLError.Code)] = [
            (folder.appendingPathComponent("missing"), .fileDoesNotExist), (folder, .fileIsDirectory),
            (dangling, .fileDoesNotExist), (fifo, .cannotOpenFile),
            (URL(fileURLWithPath: "/dev/null"), .cannotOpenFile),
            (server.url, .unsupportedURL), (folder.appendingPathComponent("a/b"), .fileDoesNotExist),
        ]
        for (file, code) in cases {
            let error = await Wire.error {
                try await session.upload(for: Wire.request(server.url, "PUT"), fromFile: file)
            }
            #expect(error?.code == code, "\(file)")
            #expect(error?.localizedDescription.contains(file.isFileURL ? file.path : file.absoluteString) == true)
        }
        #expect(server.requestCount == 0)
    }

    @Test("A file without permission is that error", .enabled(if: geteuid() != 0, "Root may read every file"))
    func unreadable() async throws {
        let server = try server()
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let file = folder.appendingPathComponent("body")
        try Data("x".utf8).write(to: file)
        chmod(file.path, 0)
        let error = await Wire.error {
            try await Wire.session().upload(for: Wire.request(server.url, "PUT"), fromFile: file)
        }
        #expect(error?.code == .noPermissionsToReadFile)
    }

    @Test("A file that shrinks while it is sent is a typed error") func shrinks() async throws {
        let gate = Gate()
        let server = try server(receiveBuffer: 16_384, at: gate)
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let file = folder.appendingPathComponent("body")
        try LoopbackServer.pattern(count: 30_000_000).write(to: file)
        var hooks = DelegateHooks()
        hooks.onSent = { _, _ in
            truncate(file.path, 100_000)
            gate.open()
        }
        let recorder = RecordingDelegate(hooks)
        let outcome = try await recorder.run(
            Wire.session(recorder).uploadTask(with: Wire.request(server.url, "PUT"), fromFile: file)
        )
        #expect(outcome.error?.code == .requestBodyStreamExhausted)
        #expect(outcome.underlying?.code == .bodyLengthMismatch)
        #expect(outcome.completions == 1)
    }

    @Test("A file that grows while it is sent is sent with its original length") func grows() async throws {
        let server = try server(.delayed(0.1), receiveBuffer: 16_384)
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let file = folder.appendingPathComponent("body")
        try LoopbackServer.pattern(count: 8_000_000).write(to: file)
        let hasGrown = Watched(false)
        var hooks = DelegateHooks()
        hooks.onSent = { _, _ in
            guard
                hasGrown.change({ flag in
                    defer { flag = true }
                    return !flag
                })
            else { return }
            guard let handle = try? FileHandle(forWritingTo: file) else { return }
            _ = try? handle.seekToEnd()
            try? handle.write(contentsOf: Data(count: 100_000))
        }
        let recorder = RecordingDelegate(hooks)
        let outcome = try await recorder.run(
            Wire.session(recorder).uploadTask(with: Wire.request(server.url, "PUT"), fromFile: file)
        )
        #expect(outcome.error == nil)
        #expect(hasGrown.current)
        #expect(server.requests.first?.bodySHA256 == LoopbackServer.patternSHA256(count: 8_000_000))
    }

    // MARK: - Responses and ends before the end of the body

    @Test("A response that does not wait for the body is delivered", arguments: [413, 401, 200])
    func early(_ status: Int) async throws {
        let server = try server(.early(.text("enough", statusCode: status), afterBytes: 1000))
        let recorder = RecordingDelegate()
        let body = LoopbackServer.pattern(count: 5_000_000)
        let outcome = try await recorder.run(
            Wire.session(recorder).uploadTask(with: Wire.request(server.url, "POST"), from: body)
        )
        #expect(outcome.error == nil)
        #expect(outcome.status == status)
        #expect(outcome.text == "enough")
        #expect(outcome.completions == 1)
    }

    @Test("A reset within the upload is a lost connection, once") func reset() async throws {
        let server = try server(.early(LoopbackResponse().faulted(.resetBeforeHead), afterBytes: 100_000))
        let recorder = RecordingDelegate()
        let task = Wire.session(recorder).uploadTask(
            with: Wire.request(server.url, "POST"),
            from: Data(count: 5_000_000)
        )
        let outcome = try await recorder.run(task)
        #expect(outcome.error?.code == .networkConnectionLost)
        #expect(outcome.underlying?.curlCode != nil)
        #expect(outcome.error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url)
        #expect(outcome.completions == 1 && outcome.response == nil)
        #expect(server.requestCount == 1)
    }

    // MARK: - Expect: 100-continue

    @Test("The body is sent after waiting for 100-continue") func continues() async throws {
        let server = try server(.delayed(0.2))
        let request = Wire.request(server.url, "POST", headers: ["Expect": "100-continue"])
        let recorder = RecordingDelegate()
        let task = Wire.session(recorder).uploadTask(with: request, from: LoopbackServer.pattern(count: 100_000))
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil)
        #expect(outcome.events.filter { if case .response = $0 { true } else { false } } == [.response(200)])
        #expect(server.requests.first?.bodySHA256 == LoopbackServer.patternSHA256(count: 100_000))
    }

    @Test("A server that ignores 100-continue still receives the body") func continueIgnored() async throws {
        let server = try server(.withoutContinue)
        let request = Wire.request(server.url, "POST", headers: ["Expect": "100-continue"])
        let (data, _) = try await Wire.session().upload(for: request, from: Data(count: 100_000))
        #expect(data == Data("got 100000".utf8))
    }

    /// RFC 9110, section 10.1.1: after 417 the request is repeated without the expectation.
    @Test("After a 417 the same request is sent without Expect", arguments: [0.0, 1.3], [false, true])
    func expectationFailed(_ delay: Double, _ isStreamed: Bool) async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { request in
            guard request.header("Expect") != nil else { return .whole }
            // The later response arrives when the client has stopped waiting and sends the body.
            var reading = LoopbackBodyReading.early(.text("no", statusCode: 417).delayed(delay))
            reading.bytesBeforeEarlyResponse = delay > 0 ? 50_000 : 0
            reading.sendsContinue = false
            return reading
        }
        let server = try LoopbackServer(configuration: configuration) { .text("got \($0.bodyLength)") }
        let body = LoopbackServer.pattern(count: 3_000_000)
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: body)) }
        let recorder = RecordingDelegate(hooks)
        let session = Wire.session(recorder)
        let request = Wire.request(server.url, "POST", headers: ["Expect": "100-continue"])
        let task =
            isStreamed
            ? session.uploadTask(withStreamedRequest: request) : session.uploadTask(with: request, from: body)
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil)
        #expect(outcome.status == 200)
        #expect(outcome.text == "got 3000000")
        #expect(server.requests.last?.header("Expect") == nil)
        #expect(server.requests.last?.bodySHA256 == LoopbackServer.patternSHA256(count: 3_000_000))
        #expect(outcome.events.filter { if case .response = $0 { true } else { false } } == [.response(200)])
        #expect(outcome.sentTotals.last == 3_000_000 && task.countOfBytesSent == 3_000_000)
    }
}
