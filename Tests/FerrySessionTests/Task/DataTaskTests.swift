import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct DataTaskTests {
    @Test("A delegate receives response, data and completion, in this order") func delegateOrder() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/bytes/300000"))
        #expect(task.state == .suspended)
        #expect(task.response == nil)
        #expect(task.countOfBytesReceived == 0)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["response", "data", "completed"])
        #expect(record.data == LoopbackServer.pattern(count: 300_000))
        #expect(record.error == nil)
        #expect(task.countOfBytesReceived == 300_000)
        #expect(task.countOfBytesExpectedToReceive == 300_000)
        #expect(task.currentRequest?.url == server.url("/bytes/300000"))
        #expect(delegate.violations == [])
    }

    @Test("An empty response completes without data") func empty() async throws {
        let server = try LoopbackServer { _ in .status(204) }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url)
        task.resume()
        #expect(try await delegate.completion(of: task).names == ["response", "completed"])
        #expect(task.progress.fractionCompleted == 1)
        #expect(delegate.violations == [])
    }

    @Test("A completion handler receives body and response once, on the delegate queue, in the completed state")
    func handler() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let outcome = Watched<[Outcome<Data>]>([])
        let place = Watched<[Bool]>([])
        let box = Watched<URLSessionTask?>(nil)
        let task = session.dataTask(with: server.url("/bytes/70000")) { data, response, error in
            let isThere = OperationQueue.current === session.delegateQueue
            place.append(isThere && box.change { $0?.state } == .completed)
            outcome.append(Outcome(data, response, error))
        }
        box.change { $0 = task }
        task.resume()
        let result = try await outcome.first()
        #expect(result.value == LoopbackServer.pattern(count: 70_000))
        #expect(result.status == 200)
        #expect(result.error == nil)
        #expect(place.current == [true])
        #expect(task.countOfBytesReceived == 70_000)
        #expect(task.progress.fractionCompleted == 1)
        // A task with a completion handler does not deliver its body to the session's delegate.
        #expect(delegate[task].names == [])
    }

    @Test("A handler receives no data with an error, but the response") func handlerError() async throws {
        let server = try LoopbackServer()
        let outcome = Watched<[Outcome<Data>]>([])
        let task = makeSession().dataTask(with: server.url("/truncate?bytes=1000&after=500")) {
            outcome.append(Outcome($0, $1, $2))
        }
        task.resume()
        let result = try await outcome.first()
        #expect(result.value == nil)
        #expect(result.status == 200)
        #expect(result.code == .networkConnectionLost)
        #expect((task.error as? URLError)?.code == .networkConnectionLost)
        #expect(task.progress.fractionCompleted < 1)
    }

    @Test("Interim responses are not reported", arguments: [100, 102, 103])
    func interim(_ status: Int) async throws {
        let server = try LoopbackServer { _ in
            .text("final").preceded(by: .init(statusCode: status, headers: ["Link": "</a>"]))
                .preceded(by: .init(statusCode: status))
        }
        let delegate = RecordingDelegate()
        let task = makeSession(delegate).dataTask(with: server.url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.events.first == .response(200))
        #expect(record.names == ["response", "data", "completed"])
        #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Link") == nil)
        #expect(delegate.violations == [])
    }

    @Test("A body of unknown length leaves the progress indeterminate until it is complete")
    func unknownLength() async throws {
        let server = try LoopbackServer()
        let fractions = Watched<[Double]>([])
        var hooks = DelegateHooks()
        hooks.onData = { task, _ in fractions.change { $0.append(task.progress.fractionCompleted) } }
        let delegate = RecordingDelegate(hooks)
        let task = makeSession(delegate).dataTask(with: server.url("/chunked?chunks=20&size=1000&interval=2"))
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.data == LoopbackServer.pattern(count: 20_000))
        #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        #expect(task.response?.expectedContentLength == NSURLSessionTransferSizeUnknown)
        #expect(fractions.change { $0.allSatisfy { $0 == 0 } })
        #expect(task.progress.fractionCompleted == 1)
        #expect(delegate.violations == [])
    }

    @Test("taskDescription and priority belong to the caller") func userProperties() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let task = session.dataTask(with: server.url("/bytes/1"))
        task.taskDescription = "mine"
        task.priority = URLSessionTask.highPriority
        task.countOfBytesClientExpectsToSend = 7
        task.countOfBytesClientExpectsToReceive = 8
        task.resume()
        try await eventually("completion") { task.state == .completed }
        #expect(task.taskDescription == "mine")
        #expect(task.priority == URLSessionTask.highPriority)
        #expect(task.countOfBytesClientExpectsToSend == 7)
        #expect(task.countOfBytesClientExpectsToReceive == 8)
        #expect(task == task && task != session.dataTask(with: server.url))
        #expect(!task.description.isEmpty)
    }

    @Test("Identifiers are unique within a session, across all kinds of tasks") func identifiers() throws {
        let session = makeSession()
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        let request = URLRequest(url: url)
        let tasks: [URLSessionTask] = [
            session.dataTask(with: url), session.dataTask(with: request), session.downloadTask(with: url),
            session.uploadTask(with: request, from: Data()), session.uploadTask(withStreamedRequest: request),
        ]
        #expect(Set(tasks.map(\.taskIdentifier)).count == tasks.count)
    }
}
