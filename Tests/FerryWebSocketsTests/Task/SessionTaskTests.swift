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

    @Test("A Content-Length of the request is not sent, and limits nothing", arguments: ["0", "3"])
    func announcedLength(length: String) async throws {
        let server = try server()
        var request = URLRequest(url: server.webSocketURL)
        request.setValue(length, forHTTPHeaderField: "Content-Length")
        let task = session.webSocket(with: request)
        task.resume()
        #expect(try await task.receive() == .string("hello"))
        task.cancel(with: .normalClosure)
        await task.waitForEnd()
        #expect(task.error == nil)
        try await eventually { server.received.count == 1 }
        #expect(server.texts.first?.lowercased().contains("content-length") == false)
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

    @Test("A Swift task that is cancelled does not wait for the end any more", .timeLimit(.minutes(2)))
    func cancelledWait() async throws {
        let server = try server()
        let task = session.webSocket(with: server.webSocketURL)
        task.resume()
        #expect(try await task.receive() == .string("hello"))
        let waiters = (0..<20).map { _ in Task { await task.waitForEnd() } }
        for waiter in waiters.dropLast() {
            waiter.cancel()
            await waiter.value
        }
        #expect(task.state == .running)
        task.cancel(with: .normalClosure)
        await waiters.last?.value
        #expect(task.closeCode == .normalClosure)
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
            mayGoOn.block { $0 }
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

    private func digestSession(_ server: RawServer) throws -> CurlSession {
        let configuration = URLSessionConfiguration.ephemeral
        let storage = URLCredentialStorage()
        let space = URLProtectionSpace(
            host: "127.0.0.1",
            port: server.port,
            protocol: "http",
            realm: "here",
            authenticationMethod: NSURLAuthenticationMethodHTTPDigest
        )
        storage.setDefaultCredential(URLCredential(user: "ada", password: "love", persistence: .forSession), for: space)
        configuration.urlCredentialStorage = storage
        return CurlSession(configuration: configuration)
    }

    @Test("A server that asks for a Digest credential gets what is sent after the handshake")
    func digest() async throws {
        let server = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                if head.lowercased().contains("authorization: digest") {
                    connection.write(RawServer.answer(to: head))
                    // The frame has a head of two bytes and a mask of four.
                    connection.readBody(11)
                    connection.write(ServerFrame(.text, "got it").bytes)
                    return connection.readAll()
                }
                connection.write(
                    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n"
                        + "WWW-Authenticate: Digest realm=\"here\", nonce=\"one\", qop=\"auth\"\r\n\r\n"
                )
            }
        }
        let task = try digestSession(server).webSocket(with: server.webSocketURL)
        task.resume()
        try await task.send(.string("hello"))
        #expect(try await task.receive() == .string("got it"))
        task.cancel()
    }

    @Test("The subprotocols of the request's field are offered, and that of the response is accepted")
    func protocolField() async throws {
        let server = try RawServer.webSocket(fields: "Sec-WebSocket-Protocol: chat\r\n") { connection in
            connection.write(ServerFrame(.text, "open").bytes)
            connection.readAll()
        }
        var request = URLRequest(url: server.webSocketURL)
        request.setValue("other, chat", forHTTPHeaderField: "Sec-WebSocket-Protocol")
        let task = session.webSocket(with: request)
        task.resume()
        #expect(try await task.receive() == .string("open"))
        task.cancel()
        try await eventually("the end of the connection") { !server.received.isEmpty }
        #expect(server.texts.first?.lowercased().contains("sec-websocket-protocol: other, chat\r\n") == true)
    }

    @Test("A program that receives no more gets the end of a busy connection that it closes")
    func closedWithoutReceiving() async throws {
        let hasWritten = Watched(false)
        let server = try RawServer.webSocket { connection in
            let frame = ServerFrame(.binary, Data(count: 65_536)).bytes
            for _ in 0..<4 { connection.write(frame) }
            hasWritten.change { $0 = true }
            while !ClientFrame.all(in: connection.received).contains(where: { $0.type == 8 }), connection.readMore() {}
            for _ in 0..<4 { connection.write(frame) }
            connection.write(ServerFrame.close(1000).bytes)
        }
        var options = WebSocketTask.Options()
        options.closeTimeout = 2 * patience
        let task = session.webSocket(with: server.webSocketURL, options: options)
        task.resume()
        #expect(try await task.receive().data.count == 65_536)
        try await hasWritten.wait { $0 }
        task.cancel(with: .normalClosure)
        await task.waitForEnd()
        try await ended.wait { $0.count == 1 }
        #expect(ended.current[0].error == nil && task.closeCode == .normalClosure)
    }

    @Test(
        "A connection that both sides have closed ends without an error if the server then leaves it open or resets it",
        arguments: [false, true],
        [false, true]
    )
    func closedByBoth(isServerFirst: Bool, isReset: Bool) async throws {
        let isOver = Watched(false)
        let server = try RawServer.webSocket { connection in
            // The close frame with a code has eight bytes.
            if !isServerFirst { connection.readBody(8) }
            connection.write(ServerFrame.close(4001, Data("bye".utf8)).bytes)
            guard isReset else { return connection.readAll() }
            isOver.block { $0 }
            connection.resetOnClose()
        }
        var options = WebSocketTask.Options()
        options.closeTimeout = isReset ? 60 : isServerFirst ? 0.2 : 2 * patience
        let task = session.webSocket(with: server.webSocketURL, options: options)
        task.resume()
        try await task.waitUntilOpen()
        if !isServerFirst { task.cancel(with: .normalClosure) }
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .closed && error?.closeCode?.rawValue == 4001)
        isOver.change { $0 = true }
        await task.waitForEnd()
        try await ended.wait { $0.count == 1 }
        #expect(ended.current[0].task === task && ended.current[0].error == nil)
        #expect(task.state == .completed && task.error == nil)
        #expect(task.closeCode.rawValue == 4001 && task.closeReason == Data("bye".utf8))
        try await eventually("the end of the connection") { server.finished == 1 }
    }

    @Test("A program that closes the connection receives what the server sends before its own close frame, in order")
    func receivedAfterClosing() async throws {
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame(.text, "open").bytes)
            while !ClientFrame.all(in: connection.received).contains(where: { $0.type == 8 }), connection.readMore() {}
            for number in 0..<10 {
                connection.write(ServerFrame(.binary, Data(repeating: UInt8(number), count: 65_536)).bytes)
            }
            connection.write(ServerFrame.close(1000).bytes)
        }
        var options = WebSocketTask.Options()
        options.closeTimeout = 10 * patience
        let task = session.webSocket(with: server.webSocketURL, options: options)
        task.resume()
        #expect(try await task.receive() == .string("open"))
        task.cancel(with: .normalClosure)
        for number in 0..<10 {
            try await Task.sleep(for: .milliseconds(50))
            #expect(try await task.receive().data.first == UInt8(number))
        }
        await task.waitForEnd()
        #expect(task.closeCode == .normalClosure)
    }

    @Test("A server that refuses a Digest credential ends the handshake")
    func refusedDigest() async throws {
        let server = try RawServer { connection in
            var number = 0
            while !connection.readHead().isEmpty {
                number += 1
                connection.write(
                    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n"
                        + "WWW-Authenticate: Digest realm=\"here\", nonce=\"\(number)\", qop=\"auth\"\r\n\r\n"
                )
            }
        }
        let task = try digestSession(server).webSocket(with: URLRequest(url: server.webSocketURL, timeoutInterval: 30))
        task.resume()
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .refused)
        #expect(error?.response?.statusCode == 401)
    }

    @Test("A close frame that waits behind a message is waited for")
    func closedWhileSending() async throws {
        let count = 24_000_000
        let server = try RawServer.webSocket { connection in
            let start = connection.received.count
            while connection.received.count < start + count + 14 {
                guard connection.readMore() else { return }
                usleep(useconds_t(5_000_000 * patience / Double(count / 65_536)))
            }
            while connection.received.count < start + count + 22, connection.readMore() {}
            connection.write(ServerFrame.close(1000).bytes)
        }
        var options = WebSocketTask.Options()
        options.closeTimeout = 2 * patience
        let task = session.webSocket(with: server.webSocketURL, options: options)
        task.resume()
        try await task.waitUntilOpen()
        let isSent = Watched<Bool?>(nil)
        task.send(.data(Data(count: count))) { error in isSent.change { $0 = error == nil } }
        try await eventually("the beginning of the message") { task.countOfBytesSent > 0 }
        task.cancel(with: .normalClosure)
        await task.waitForEnd()
        #expect(try await isSent.wait { $0 != nil } == true)
        try await ended.wait { $0.count == 1 }
        #expect(ended.current[0].error == nil)
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

    @Test("Calls that wait for a task that was not resumed end with the task")
    func endBeforeResume() async throws {
        let server = try server()
        let cancelled = session.webSocket(with: server.webSocketURL)
        let first = Task { try await cancelled.receive() }
        cancelled.progress.cancel()
        await #expect { try await first.value } throws: { ($0 as? URLError)?.code == .cancelled }
        let invalidated = session.webSocket(with: server.webSocketURL)
        let second = Task { try await invalidated.send(.string("early")) }
        session.invalidateAndCancel()
        await invalidated.waitForEnd()
        await #expect { try await second.value } throws: { ($0 as? WebSocketError)?.code == .closed }
    }

    @Test("Handlers of a task that is released without having been resumed are called")
    func handlersOfUnused() async throws {
        let server = try server()
        let errors = Watched<[(any Error)?]>([])
        func use() {
            let unused = CurlSession(configuration: .ephemeral).webSocket(with: server.webSocketURL)
            unused.send(.string("early")) { error in errors.change { $0.append(error) } }
            unused.receive { result in errors.change { $0.append(result.failure) } }
            unused.sendPing { error in errors.change { $0.append(error) } }
        }
        use()
        try await errors.wait { $0.count == 3 }
        #expect(errors.current.allSatisfy { $0 is WebSocketError })
    }

    @Test("What a server sends before it closes is delivered to a handler, also if nothing retains the task")
    func lastMessages() async throws {
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame(.text, "last").bytes + ServerFrame.close(1000).bytes)
        }
        let session = CurlSession(configuration: .ephemeral)
        for _ in 0..<20 {
            let received = Watched<[Result<WebSocketTask.Message, any Error>]>([])
            func use() {
                let task = session.webSocket(with: server.webSocketURL)
                task.receive { result in received.change { $0.append(result) } }
                task.resume()
            }
            use()
            try await received.wait { $0.count == 1 }
            #expect(try received.current[0].get() == .string("last"))
        }
    }

    @Test(
        "The delegate is told why a handshake has failed, and not of a cancellation or success",
        arguments: [
            ("403 No\r\nContent-Length: 1000000\r\n\r\nno", .refused),
            ("401 Who\r\nContent-Length: 0\r\n\r\n", .refused),
            ("200 OK\r\nContent-Length: 0\r\n\r\n", .refused),
            ("503 No\r\nContent-Length: 2\r\n\r\nno", .refused),
            ("101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", .invalidHandshake),
        ] as [(String, WebSocketError.Code)]
    )
    func failedHandshake(response: String, code: WebSocketError.Code) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 \(response)")
            if response.contains("1000000") { connection.readAll() }
        }
        let task = session.webSocket(with: server.webSocketURL)
        task.resume()
        await #expect { try await task.receive() } throws: { ($0 as? WebSocketError)?.code == code }
        try await ended.wait { $0.count == 1 }
        for error in [ended.current[0].error, task.error] {
            let error = try #require(error as? URLError)
            #expect(error.code == .badServerResponse)
            let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? WebSocketError)
            #expect(cause.code == code)
            #expect(error.localizedDescription == cause.message)
        }
    }

    @Test("A server that keeps the connection after its close frame leaves no error")
    func lingeringServer() async throws {
        let mayClose = Watched(false)
        let server = try RawServer.webSocket { connection in
            mayClose.block { $0 }
            connection.write(ServerFrame.close(1000).bytes)
            connection.readAll()
        }
        var options = WebSocketTask.Options()
        options.closeTimeout = 0.05
        let task = session.webSocket(with: server.webSocketURL, options: options)
        task.resume()
        try await task.waitUntilOpen()
        // The delegate is notified of the end only after the program has read the error.
        session.delegateQueue.isSuspended = true
        mayClose.change { $0 = true }
        await task.waitForEnd()
        #expect(task.error == nil && task.closeCode == .normalClosure)
        session.delegateQueue.isSuspended = false
        try await ended.wait { $0.count == 1 }
        #expect(ended.current[0].error == nil && task.error == nil)
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

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
