import FerrySession
import FerryTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct CallbackQueueTests {
    /// Runs tasks of every kind; the delegate checks that every callback is on the session's queue.
    private func exercise(_ session: CurlSession, _ delegate: RecordingDelegate, _ server: LoopbackServer) async throws
    {
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        var tasks: [URLSessionTask] = []
        for _ in 0..<10 {
            tasks.append(session.dataTask(with: server.url("/redirect-to?url=/bytes/200000")))
            tasks.append(session.downloadTask(with: server.url("/bytes/200000")))
            tasks.append(session.uploadTask(with: request, from: Data(count: 200_000)))
        }
        for task in tasks { task.resume() }
        for task in tasks { #expect(try await delegate.completion(of: task).error == nil) }
        #expect(delegate.violations == [])
    }

    @Test("A given queue is used; its callbacks are serial") func given() async throws {
        let server = try LoopbackServer()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, queue: queue)
        #expect(session.delegateQueue === queue)
        try await exercise(session, delegate, server)
    }

    @Test("Without a queue the session creates a serial one") func none() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        #expect(session.delegateQueue.maxConcurrentOperationCount == 1)
        try await exercise(session, delegate, server)
    }

    @Test("A queue with an underlying dispatch queue runs callbacks there") func underlying() async throws {
        let server = try LoopbackServer()
        let key = DispatchSpecificKey<String>()
        let dispatch = DispatchQueue(label: "callbacks")
        dispatch.setSpecific(key: key, value: "here")
        let queue = OperationQueue()
        queue.underlyingQueue = dispatch
        queue.maxConcurrentOperationCount = 1
        let places = Watched<Set<String>>([])
        var hooks = DelegateHooks()
        hooks.onData = { _, _ in places.change { _ = $0.insert(DispatchQueue.getSpecific(key: key) ?? "elsewhere") } }
        hooks.onCompleted = { _, _ in
            places.change { _ = $0.insert(DispatchQueue.getSpecific(key: key) ?? "elsewhere") }
        }
        let delegate = RecordingDelegate(hooks)
        try await exercise(makeSession(delegate, queue: queue), delegate, server)
        #expect(places.current == ["here"])
    }

    /// Returns the order of events, and of the operations that the delegate adds to the queue in each of them.
    private func order(_ session: (RecordingDelegate) -> CurlSession) async throws -> [String] {
        let server = try LoopbackServer()
        let order = Watched<[String]>([])
        let queue = Watched<OperationQueue?>(nil)
        let note: @Sendable (String) -> Void = { name in
            order.change { $0.append(name) }
            queue.current?.addOperation { order.change { $0.append("after " + name) } }
        }
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in
            note("response")
            answer(.allow)
        }
        hooks.onData = { _, _ in note("data") }
        hooks.onCompleted = { _, _ in note("end") }
        let delegate = RecordingDelegate(hooks)
        let session = session(delegate)
        queue.change { $0 = session.delegateQueue }
        let task = session.dataTask(with: server.url("/bytes/10"))
        task.resume()
        #expect(try await delegate.completion(of: task).data.count == 10)
        try await eventually("all operations") { order.change { $0.count } == 6 }
        return order.current
    }

    @Test("An operation that a delegate adds to its queue runs before the next event", arguments: [true, false])
    func between(_ hasUnderlyingQueue: Bool) async throws {
        let underlying = DispatchQueue(label: "callbacks")
        for _ in 0..<10 {
            let order = try await order { delegate in
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                if hasUnderlyingQueue { queue.underlyingQueue = underlying }
                return makeSession(delegate, queue: queue)
            }
            #expect(order == ["response", "after response", "data", "after data", "end", "after end"])
        }
    }

    @Test("The main queue can be used like any other") func main() async throws {
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        try await exercise(makeSession(delegate, queue: .main), delegate, server)
    }

    @Test("On a concurrent queue, the callbacks of each task are still sequential") func concurrent() async throws {
        let server = try LoopbackServer()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        let running = Watched<Set<Int>>([])
        let overlaps = Watched(0)
        let enter: @Sendable (URLSessionTask) -> Void = { task in
            let isAlone = running.change { $0.insert(task.taskIdentifier).inserted }
            if !isAlone { overlaps.change { $0 += 1 } }
            usleep(200)
            running.change { _ = $0.remove(task.taskIdentifier) }
        }
        var hooks = DelegateHooks()
        hooks.onData = { task, _ in enter(task) }
        hooks.onWrote = { task, _ in enter(task) }
        hooks.onSent = { task, _ in enter(task) }
        hooks.onCompleted = { task, _ in enter(task) }
        let delegate = RecordingDelegate(hooks, isSerial: false)
        try await exercise(makeSession(delegate, queue: queue), delegate, server)
        #expect(overlaps.current == 0)
    }

    @Test("While the queue is suspended there are no callbacks and memory is bounded; afterwards all are made")
    func suspendedQueue()
        async throws
    {
        let server = try LoopbackServer()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, queue: queue)
        let task = session.dataTask(with: server.url("/bytes/40000000"))
        task.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        let sent = try await settled { server.sentByteCount }
        #expect(sent < 20_000_000)
        #expect(delegate[task].events == [])
        queue.isSuspended = false
        let record = try await delegate.completion(of: task)
        #expect(record.data == LoopbackServer.pattern(count: 40_000_000))
    }

    @Test("Cancelling the queue's operations loses no callback") func cancelledOperations() async throws {
        let server = try LoopbackServer()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let delegate = RecordingDelegate()
        let session = makeSession(delegate, queue: queue)
        queue.isSuspended = true
        let task = session.dataTask(with: server.url("/bytes/100000"))
        task.resume()
        try await eventually("news") { queue.operationCount > 0 }
        queue.cancelAllOperations()
        queue.isSuspended = false
        #expect(try await delegate.completion(of: task).data.count == 100_000)
        session.finishTasksAndInvalidate()
        queue.cancelAllOperations()
        try await eventually("invalidity") { delegate.invalidations == 1 }
    }

    @Test("A blocked delegate of one session delays no other session") func independent() async throws {
        let server = try LoopbackServer()
        let gate = Gate()
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in
            gate.wait()
            answer(.allow)
        }
        let blocked = RecordingDelegate(hooks)
        let task = makeSession(blocked, queue: BlockableQueue()).dataTask(with: server.url("/bytes/10"))
        task.resume()
        try await eventually("the block") { gate.arrived == 1 }
        let delegate = RecordingDelegate()
        let other = makeSession(delegate).dataTask(with: server.url("/bytes/10"))
        other.resume()
        #expect(try await delegate.completion(of: other).error == nil)
        #expect(blocked[task].completions == 0)
        gate.open()
        try await blocked.completion(of: task)
    }

    @Test("A callback can make, resume, suspend and cancel tasks, and get all tasks") func reentrance()
        async throws
    {
        let server = try LoopbackServer()
        let made = Watched<[URLSessionTask]>([])
        let box = Watched<CurlSession?>(nil)
        let lists = Watched<[Int]>([])
        var hooks = DelegateHooks()
        hooks.onCompleted = { task, _ in
            guard let session = box.current, made.change({ $0.count }) < 20 else { return }
            let next = session.dataTask(with: server.url("/bytes/10"))
            let cancelled = session.dataTask(with: server.url("/bytes/10"))
            made.change { $0 += [next, cancelled] }
            next.resume()
            next.suspend()
            next.resume()
            cancelled.resume()
            cancelled.cancel()
            session.getAllTasks { lists.append($0.count) }
        }
        let delegate = RecordingDelegate(hooks)
        let session = makeSession(delegate)
        box.change { $0 = session }
        session.dataTask(with: server.url("/bytes/10")).resume()
        try await eventually("21 completions") { delegate.completionCount >= 21 }
        try await eventually("lists") { lists.current.count >= 10 }
        box.change { $0 = nil }
        #expect(delegate.violations == [])
    }
}
