import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("A WebSocket as a task of its session")
struct SessionTaskTests {
    private let ended = Watched<[(task: URLSessionTask, error: (any Error)?)]>([])
    private let session: CurlSession

    init() {
        var hooks = DelegateHooks()
        hooks.onCompleted = { [ended] task, error in ended.change { $0.append((task, error)) } }
        session = CurlSession(configuration: .ephemeral, delegate: RecordingDelegate(hooks), delegateQueue: nil)
    }

    /// A server that echoes no message, and answers the client's close frame.
    private func server() throws -> RawServer {
        try RawServer.webSocket { connection in
            connection.write(ServerFrame(.text, "hello").bytes)
            // The close frame with a code has eight bytes.
            connection.readBody(8)
            connection.write(ServerFrame.close(1000).bytes)
        }
    }

    @Test("The task that is returned is that of the session and its delegate, from its beginning to its end")
    func identity() async throws {
        let server = try server()
        let task = session.webSocket(with: server.webSocketURL)
        task.taskDescription = "chat"
        #expect(task.state == .suspended)
        task.resume()
        #expect(try await task.receive() == .string("hello"))
        #expect(await session.allTasks == [task])
        #expect(task.state == .running)
        #expect(task.response?.statusCode == 101 && task.currentRequest?.url?.scheme == "http")
        task.cancel(with: .normalClosure)
        await task.waitForEnd()
        try await ended.wait { $0.count == 1 }
        #expect(ended.current[0].task === task && ended.current[0].error == nil)
        #expect(task.state == .completed && task.error == nil && task.closeCode == .normalClosure)
        #expect(task.taskDescription == "chat")
        #expect(await session.allTasks == [])
    }

    @Test("A handler gets its message also if it was given in a cancelled task")
    func handlerInCancelledTask() async throws {
        let server = try server()
        let task = session.webSocket(with: server.webSocketURL)
        task.resume()
        let received = Watched<[WebSocketTask.Message]>([])
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            task.receive { result in
                if let message = try? result.get() { received.change { $0.append(message) } }
            }
        }
        await caller.value
        try await received.wait { $0 == [.string("hello")] }
        task.cancel()
    }

    @Test("A task that is cancelled, or whose session is, ends with the error of any task", arguments: [false, true])
    func cancelling(isSession: Bool) async throws {
        let server = try server()
        let task = session.webSocket(with: server.webSocketURL)
        task.resume()
        #expect(try await task.receive() == .string("hello"))
        if isSession { session.invalidateAndCancel() } else { (task as URLSessionTask).cancel() }
        await #expect(throws: (any Error).self) { try await task.receive() }
        await task.waitForEnd()
        try await ended.wait { $0.count == 1 }
        #expect(ended.current[0].task === task)
        #expect((ended.current[0].error as? URLError)?.code == .cancelled)
        #expect((task.error as? URLError)?.code == .cancelled)
    }

    @Test("A task that is cancelled or closed before it is resumed sends nothing", arguments: [false, true])
    func cancelledEarly(isClosed: Bool) async throws {
        let server = try server()
        let task = session.webSocket(with: server.webSocketURL)
        if isClosed { task.cancel(with: .normalClosure) } else { task.cancel() }
        task.resume()
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .closed)
        try await ended.wait { $0.count == 1 }
        #expect(server.received.isEmpty)
    }

    @Test("An invalid request fails for the messages and for the delegate")
    func invalid() async throws {
        let task = session.webSocket(with: URL(fileURLWithPath: "/etc/passwd"))
        task.resume()
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .invalidRequest)
        try await ended.wait { $0.count == 1 }
        let failure = ended.current[0].error as? URLError
        #expect(failure?.code == .badURL)
        #expect((failure?.userInfo[NSUnderlyingErrorKey] as? WebSocketError)?.code == .invalidRequest)
    }

    @Test("A suspended task receives nothing until it is resumed")
    func suspension() async throws {
        let mayGoOn = Watched(false)
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame(.text, "first").bytes)
            while !mayGoOn.current { usleep(5_000) }
            connection.write(ServerFrame(.text, "second").bytes)
            connection.readAll()
        }
        let task = session.webSocket(with: server.webSocketURL)
        task.resume()
        #expect(try await task.receive() == .string("first"))
        task.suspend()
        #expect(task.state == .suspended)
        let received = Watched<[String]>([])
        task.receive { result in
            if case .success(.string(let text)) = result { received.append(text) }
        }
        mayGoOn.change { $0 = true }
        try await Task.sleep(for: .milliseconds(200))
        #expect(received.current == [])
        task.resume()
        try await received.wait { $0 == ["second"] }
        task.cancel()
    }

    @Test("A connection that was suspended and resumed is not one of those for requests")
    func slot() async throws {
        let server = try RawServer { connection in
            let head = connection.readHead()
            guard head.lowercased().contains("upgrade: websocket") else {
                connection.write("HTTP/1.1 204 No Content\r\n\r\n")
                return
            }
            connection.write(RawServer.answer(to: head))
            connection.write(ServerFrame(.text, "first").bytes)
            connection.readAll()
        }
        var options = CurlSession.Options()
        options.maximumConnectionsPerHost = 1
        let session = CurlSession(configuration: .ephemeral, options: options)
        let task = session.webSocket(with: server.webSocketURL)
        task.resume()
        #expect(try await task.receive() == .string("first"))
        task.suspend()
        task.resume()
        let (_, response) = try await session.data(from: server.url("/"))
        #expect((response as? HTTPURLResponse)?.statusCode == 204)
        #expect(task.closeCode == .invalid)
        task.cancel()
    }

    @Test("A task that has ended, and one that is never resumed and whose session is dropped, are released")
    func release() async throws {
        final class References {
            weak var ended: WebSocketTask?
            weak var unused: WebSocketTask?
        }
        let server = try server()
        let references = References()
        func use() async throws {
            let unused = CurlSession(configuration: .ephemeral).webSocket(with: server.webSocketURL)
            let task = session.webSocket(with: server.webSocketURL)
            (references.ended, references.unused) = (task, unused)
            task.resume()
            #expect(try await task.receive() == .string("hello"))
            task.cancel(with: .normalClosure)
            await task.waitForEnd()
        }
        try await use()
        try await ended.wait { $0.count == 1 }
        ended.change { $0 = [] }
        try await eventually("the release of the tasks") { references.ended == nil && references.unused == nil }
    }
}
