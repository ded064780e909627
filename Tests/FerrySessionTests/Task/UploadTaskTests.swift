import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct UploadTaskTests {
    private func post(_ server: LoopbackServer, _ target: String = "/upload") -> URLRequest {
        var request = URLRequest(url: server.url(target))
        request.httpMethod = "POST"
        return request
    }

    @Test("Data is sent completely, with its length, and counted up to it") func fromData() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let body = LoopbackServer.pattern(count: 3_000_000)
        let task = makeSession(delegate).uploadTask(with: post(server), from: body)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect(record.names == ["sent", "response", "data", "completed"])
        #expect(record.sentTotals == record.sentTotals.sorted())
        #expect(record.sentTotals.last == 3_000_000)
        #expect(task.countOfBytesSent == 3_000_000)
        #expect(task.countOfBytesExpectedToSend == 3_000_000)
        let request = try #require(server.requests.first)
        #expect(request.bodySHA256 == LoopbackServer.patternSHA256(count: 3_000_000))
        #expect(request.header("Content-Length") == "3000000")
        #expect(!request.isChunked)
        #expect(delegate.violations == [])
    }

    @Test("A file is sent completely") func fromFile() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let file = try TemporaryFile(LoopbackServer.pattern(count: 1_000_001))
        let task = makeSession(delegate).uploadTask(with: post(server), fromFile: file.url)
        task.resume()
        #expect(try await delegate.completion(of: task).error == nil)
        #expect(server.requests.first?.bodySHA256 == LoopbackServer.patternSHA256(count: 1_000_001))
        #expect(delegate.violations == [])
    }

    @Test("A streamed request asks the delegate for its stream, and is chunked") func stream() async throws {
        let server = try LoopbackServer()
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: LoopbackServer.pattern(count: 400_000))) }
        let delegate = RecordingDelegate(hooks)
        let task = makeSession(delegate).uploadTask(withStreamedRequest: post(server))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["needsBodyStream", "sent", "response", "data", "completed"])
        #expect(record.sentTotals.last == 400_000)
        #expect(task.countOfBytesExpectedToSend == NSURLSessionTransferSizeUnknown)
        let request = try #require(server.requests.first)
        #expect(request.isChunked)
        #expect(request.header("Content-Length") == nil)
        #expect(request.bodySHA256 == LoopbackServer.patternSHA256(count: 400_000))
        #expect(delegate.violations == [])
    }

    @Test("A stream may be provided late, on another thread; a second one is ignored") func lateStream() async throws {
        let server = try LoopbackServer()
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) {
                answer(InputStream(data: Data("first".utf8)))
                answer(InputStream(data: Data("second".utf8)))
            }
        }
        let delegate = RecordingDelegate(hooks)
        let task = makeSession(delegate).uploadTask(withStreamedRequest: post(server))
        task.resume()
        #expect(try await delegate.completion(of: task).error == nil)
        #expect(server.requests.map(\.bodyText) == ["first"])
        #expect(delegate.completionCount == 1)
    }

    @Test("A streamed request without a stream fails with a clear error") func noStream() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).uploadTask(withStreamedRequest: post(server))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == .requestBodyStreamExhausted)
        #expect(record.error?.ferryCode == .bodyNotReplayable)
        #expect(server.requestCount == 0)
        #expect(delegate.violations == [])
    }

    @Test(
        "A handler receives the response to an upload; no data sends an empty body",
        arguments: [nil, Data("body".utf8)]
    )
    func handler(_ body: Data?) async throws {
        let server = try LoopbackServer()
        let outcome = Watched<[Outcome<Data>]>([])
        let task = makeSession().uploadTask(with: post(server, "/echo"), from: body) {
            outcome.append(Outcome($0, $1, $2))
        }
        task.resume()
        let result = try await outcome.first()
        let echo = try JSONDecoder().decode(LoopbackEcho.self, from: #require(result.value))
        #expect(echo.body == String(decoding: body ?? Data(), as: UTF8.self))
        #expect(server.requests.first?.header("Content-Length") == "\(body?.count ?? 0)")
    }

    @Test("A handler receives the response to a file's upload, and the error for a missing file")
    func fileHandler() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let file = try TemporaryFile(Data("from a file".utf8))
        let good = Watched<[Outcome<Data>]>([])
        session.uploadTask(with: post(server), fromFile: file.url) { good.append(Outcome($0, $1, $2)) }.resume()
        #expect(try await good.first().status == 200)
        #expect(server.requests.first?.bodyText == "from a file")
        let bad = Watched<[Outcome<Data>]>([])
        let missing = file.url.appendingPathExtension("missing")
        session.uploadTask(with: post(server), fromFile: missing) { bad.append(Outcome($0, $1, $2)) }.resume()
        #expect(try await bad.first().code == .fileDoesNotExist)
        #expect(server.requestCount == 1)
    }

    @Test("The count of sent bytes starts again when a redirect sends the body again")
    func redirectedCounts() async throws {
        let server = try LoopbackServer { request in
            request.path == "/first" ? .redirect(to: "/second", statusCode: 307) : .text("done")
        }
        let delegate = RecordingDelegate()
        let body = LoopbackServer.pattern(count: 200_000)
        let task = makeSession(delegate).uploadTask(with: post(server, "/first"), from: body)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil)
        #expect(server.requests.map(\.bodyLength) == [200_000, 200_000])
        #expect(record.sentTotals.last == 200_000)
        #expect(task.countOfBytesSent == 200_000)
        #expect(task.currentRequest?.url?.path == "/second")
        #expect(task.originalRequest?.url?.path == "/first")
        #expect(delegate.violations == [])
    }

    @Test("After a redirect that drops the body, no bytes are expected to be sent")
    func droppedBodyCounts() async throws {
        let server = try LoopbackServer { request in
            request.path == "/first" ? .redirect(to: "/second", statusCode: 303) : .pattern(count: 500_000)
        }
        let fractions = Watched<[Double]>([])
        var hooks = DelegateHooks()
        hooks.onResponse = { task, _, answer in
            fractions.change { $0.append(task.progress.fractionCompleted) }
            answer(.allow)
        }
        let delegate = RecordingDelegate(hooks)
        let task = makeSession(delegate).uploadTask(with: post(server, "/first"), from: Data(count: 200_000))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.data.count == 500_000)
        #expect(task.countOfBytesExpectedToSend == 0)
        #expect(task.countOfBytesSent == 0)
        #expect(fractions.current == [0])
        #expect(delegate.violations == [])
    }
}
