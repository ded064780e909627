import TestSupport
import Testing

@testable import FerryWebSockets

/// Servers that violate the protocol.
@Suite("WebSockets with a server that breaks the rules")
struct HostileServerTests {
    private let session = CurlSession(configuration: .ephemeral)

    private func open(
        _ server: RawServer,
        _ options: WebSocketTask.Options = .init(),
        timeout: TimeInterval = 60
    )
        -> WebSocketTask
    {
        let task = session.webSocket(
            with: URLRequest(url: server.webSocketURL, timeoutInterval: timeout),
            options: options
        )
        task.resume()
        return task
    }

    @Test(
        "A violation is an error, and the server gets a close frame with its code",
        arguments: [
            (ServerFrame(.text, "a", reserved: 1).bytes, 1002), (ServerFrame(.continuation, "a").bytes, 1002),
            (ServerFrame(.text, Data([0xFF])).bytes, 1007), (ServerFrame(.binary, Data(count: 2000)).bytes, 1009),
            (ServerFrame(.ping, Data(count: 126)).bytes, 1002), (ServerFrame.close(1005).bytes, 1002),
            (Data("HTTP/1.1 200 OK\r\n\r\n".utf8), 1002),
        ]
    )
    func violations(bytes: Data, code: Int) async throws {
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame(.text, "before").bytes + bytes)
            connection.readAll()
        }
        var options = WebSocketTask.Options()
        options.maximumMessageSize = 1000
        let task = open(server, options)
        #expect(try await task.receive() == .string("before"))
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == (code == 1009 ? .messageTooLarge : .protocolViolation))
        await task.waitForEnd()
        #expect(task.closeCode.rawValue == code)
        try await eventually("the end of the connection") { !server.received.isEmpty }
        let frames = ClientFrame.all(in: try #require(server.received.first))
        #expect(frames.map(\.code) == [code])
        #expect(frames.map(\.isMasked) == [true])
    }

    @Test(
        "A wrong response to the handshake is an error",
        arguments: [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
            "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n",
            "garbage\r\n\r\n", "",
            "HTTP/1.1 101 Swi",
        ]
    )
    func wrongHandshakes(answer: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(answer)
        }
        let task = open(server)
        await #expect(throws: (any Error).self) { try await task.receive() }
        await #expect(throws: (any Error).self) { try await task.send(.string("x")) }
        await #expect(throws: (any Error).self) { try await task.ping() }
        await task.waitForEnd()
    }

    @Test("An extension that was not offered is refused")
    func extensions() async throws {
        let server = try RawServer.webSocket(fields: "Sec-WebSocket-Extensions: permessage-deflate\r\n") {
            $0.readAll()
        }
        var options = WebSocketTask.Options()
        options.offersCompression = false
        let error = await #expect(throws: WebSocketError.self) { try await open(server, options).receive() }
        #expect(error?.code == .invalidHandshake)
    }

    @Test("A server that is silent during the handshake times out")
    func handshakeTimeout() async throws {
        let server = try RawServer { $0.readAll() }
        let task = open(server, timeout: 3 * patience)
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .timedOut)
        await task.waitForEnd()
        try await eventually("the end of the connection") { server.finished == 1 }
    }

    @Test("The limit of the handshake's time stops while the task is suspended")
    func suspendedHandshake() async throws {
        let asking = Watched<WebSocketTask?>(nil)
        let server = try RawServer { connection in
            let head = connection.readHead()
            // On this thread, since the Swift tasks of a busy machine may run only after the limit.
            asking.current?.suspend()
            usleep(useconds_t(5_000_000 * patience))
            asking.current?.resume()
            connection.write(RawServer.answer(to: head))
            connection.write(ServerFrame(.text, "late").bytes)
            connection.readAll()
        }
        let task = session.webSocket(with: URLRequest(url: server.webSocketURL, timeoutInterval: 4 * patience))
        asking.change { $0 = task }
        task.resume()
        #expect(try await task.receive() == .string("late"))
        task.cancel()
    }

    @Test("A timeout that is zero, negative or not a number is none", arguments: [0, -1, .nan, .infinity])
    func noTimeout(_ timeout: Double) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            usleep(100_000)
            connection.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let error = await #expect(throws: WebSocketError.self) { try await open(server, timeout: timeout).receive() }
        #expect(error?.code == .refused)
    }

    @Test("An open connection outlives the limit of the resource")
    func resourceLimit() async throws {
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame(.text, "first").bytes)
            usleep(useconds_t(4_000_000 * patience))
            connection.write(ServerFrame(.text, "second").bytes)
            connection.readAll()
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 3 * patience
        let task = CurlSession(configuration: configuration).webSocket(with: server.webSocketURL)
        task.resume()
        #expect(try await task.receive() == .string("first"))
        #expect(try await task.receive() == .string("second"))
        task.cancel()
    }

    @Test("An open connection outlives the timeout of its handshake")
    func noTimeoutAfterwards() async throws {
        let server = try RawServer.webSocket { connection in
            usleep(useconds_t(5_000_000 * patience))
            connection.write(ServerFrame(.text, "late").bytes)
            connection.readAll()
        }
        let task = open(server, timeout: 4 * patience)
        #expect(try await task.receive() == .string("late"))
        task.cancel()
    }

    @Test("A server that answers no ping ends the connection")
    func pingTimeout() async throws {
        let server = try RawServer.webSocket { $0.readAll() }
        var options = WebSocketTask.Options()
        options.pingInterval = 0.1
        let error = await #expect(throws: WebSocketError.self) { try await open(server, options).receive() }
        #expect(error?.code == .timedOut)
    }

    @Test("The program's close is sent with its reason, and the end waits for the server's only so long")
    func closeTimeout() async throws {
        let server = try RawServer.webSocket { $0.readAll() }
        var options = WebSocketTask.Options()
        options.closeTimeout = 3 * patience
        let task = open(server, options)
        try await task.send(.string("x"))
        task.cancel(with: .init(rawValue: 4000), reason: Data("bye".utf8))
        await task.waitForEnd()
        #expect(task.closeCode.rawValue == 4000)
        try await eventually("the end of the connection") { !server.received.isEmpty }
        let frames = ClientFrame.all(in: try #require(server.received.first))
        #expect(frames.map(\.type) == [1, 8])
        #expect(frames.last?.payload == Data([0x0F, 0xA0]) + Data("bye".utf8))
    }

    @Test("A server's close is answered with its code, and the connection ends when the server ends it")
    func serverCloses() async throws {
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame.close(3456, Data("over".utf8)).bytes)
            while ClientFrame.all(in: connection.received).isEmpty, connection.readMore() {}
        }
        let task = open(server)
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.closeCode?.rawValue == 3456)
        await task.waitForEnd()
        try await eventually("the end of the connection") { !server.received.isEmpty }
        #expect(ClientFrame.all(in: try #require(server.received.first)).map(\.code) == [3456])
    }

    @Test("Pings are answered in order, with their payloads")
    func pongs() async throws {
        let server = try RawServer.webSocket { connection in
            for number in 0..<200 { connection.write(ServerFrame(.ping, "\(number)").bytes) }
            while ClientFrame.all(in: connection.received).count < 200, connection.readMore() {}
            connection.write(ServerFrame.close(1000).bytes)
            connection.readAll()
        }
        let task = open(server)
        for try await _ in task.messages {}
        await task.waitForEnd()
        try await eventually("the end of the connection") { !server.received.isEmpty }
        let frames = ClientFrame.all(in: try #require(server.received.first))
        #expect(frames.filter { $0.type == 10 }.map(\.payload) == (0..<200).map { Data("\($0)".utf8) })
    }

    @Test("Pings that wait behind a message of the program delay no message of the server")
    func pingsBehindMessage() async throws {
        let isRead = DispatchSemaphore(value: 0)
        let server = try RawServer.webSocket { connection in
            // Pings that have been answered do not count.
            for _ in 0..<200 { connection.write(ServerFrame(.ping).bytes) }
            while ClientFrame.all(in: connection.received).count < 200, connection.readMore() {}
            connection.write(ServerFrame(.text, "first").bytes)
            // The client has begun to send its message, and the buffers hold more frames than the message's end.
            _ = connection.readMore()
            for _ in 0..<10 { connection.write(ServerFrame(.ping).bytes) }
            connection.write(ServerFrame(.text, "second").bytes)
            let isInTime = isRead.wait(timeout: .now() + 20 * patience) == .success
            connection.write(ServerFrame(.text, isInTime ? "in time" : "late").bytes)
            connection.readAll()
        }
        let task = open(server)
        #expect(try await task.receive() == .string("first"))
        // More bytes than the sockets' buffers hold.
        let sending = Task { try await task.send(.data(Data(count: 24_000_000))) }
        #expect(try await task.receive() == .string("second"))
        isRead.signal()
        try await sending.value
        #expect(try await task.receive() == .string("in time"))
        task.cancel()
    }

    @Test(
        "A server that floods a socket delays no other request of the session",
        arguments: [ServerFrame(.ping).bytes, ServerFrame(.text).bytes, ServerFrame(.text, isFinal: false).bytes]
    )
    func flood(frame: Data) async throws {
        let isOver = Watched(false)
        let server = try RawServer { connection in
            let head = connection.readHead()
            guard head.lowercased().contains("upgrade: websocket") else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
                return
            }
            connection.write(RawServer.answer(to: head))
            let frames = Data((0..<30_000).flatMap { _ in frame })
            while !isOver.current, connection.write(frames) {}
        }
        let task = open(server)
        let reader = Task { while (try? await task.receive()) != nil {} }
        try await task.send(.string("x"))
        let plain = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        let start = ContinuousClock.now
        for _ in 0..<5 { #expect(try await session.data(from: plain).0 == Data("hi".utf8)) }
        #expect(ContinuousClock.now - start < .seconds(5 * patience))
        isOver.change { $0 = true }
        task.cancel()
        await reader.value
    }

    @Test("A connection that is reset in a message fails")
    func reset() async throws {
        let server = try RawServer.webSocket { connection in
            var frame = ServerFrame(.text, "half")
            frame.claimed = 100
            connection.write(frame.bytes)
            connection.resetOnClose()
        }
        let task = open(server)
        await #expect(throws: (any Error).self) { try await task.receive() }
        await task.waitForEnd()
        #expect(task.closeCode == .abnormalClosure)
    }

    // MARK: - Back-pressure

    @Test("A program that does not receive stops the server")
    func slowReceiver() async throws {
        let sent = Watched(0)
        let server = try RawServer.webSocket { connection in
            let frame = ServerFrame(.binary, Data(count: 65_536)).bytes
            for _ in 0..<2000 {
                guard connection.write(frame) else { return }
                sent.change { $0 += 1 }
            }
            connection.write(ServerFrame.close(1000).bytes)
            connection.readAll()
        }
        let task = open(server)
        _ = try await task.receive()
        // The systems' buffers hold some megabytes; 128 MiB can be sent only if the client receives them.
        try await Task.sleep(for: .milliseconds(500))
        #expect(sent.current < 500)
        var count = 1
        for try await _ in task.messages { count += 1 }
        #expect(count == 2000)
    }

    @Test("Sending waits for a server that does not read, and can be cancelled")
    func slowServer() async throws {
        let mayRead = Watched(false)
        let server = try RawServer.webSocket { connection in
            mayRead.block { $0 }
            connection.readAll()
        }
        let task = open(server)
        let sent = Watched(0)
        let sender = Task {
            for _ in 0..<2000 {
                try await task.send(.data(Data(count: 65_536)))
                sent.change { $0 += 1 }
            }
        }
        try await Task.sleep(for: .milliseconds(500))
        #expect(sent.current < 500)
        sender.cancel()
        await #expect(throws: (any Error).self) { try await sender.value }
        mayRead.change { $0 = true }
        task.cancel()
        await task.waitForEnd()
    }

    // MARK: - Cancelling

    @Test("A receive that is cancelled loses no message")
    func cancelledReceive() async throws {
        let maySend = Watched(false)
        let server = try RawServer.webSocket { connection in
            maySend.block { $0 }
            connection.write(ServerFrame(.text, "kept").bytes)
            connection.readAll()
        }
        let task = open(server)
        try await task.send(.string("x"))
        let receiver = Task { try await task.receive() }
        try await Task.sleep(for: .milliseconds(20))
        receiver.cancel()
        await #expect(throws: CancellationError.self) { try await receiver.value }
        maySend.change { $0 = true }
        #expect(try await task.receive() == .string("kept"))
        task.cancel()
    }

    @Test("Cancelling at any stage ends everything that waits", arguments: 0..<40)
    func cancelAnywhere(step: Int) async throws {
        let server = try RawServer { connection in
            let head = connection.readHead()
            usleep(UInt32(step % 4) * 2000)
            connection.write(RawServer.answer(to: head))
            connection.write(ServerFrame(.text, "hello").bytes)
            connection.readAll()
        }
        let task = session.webSocket(with: server.webSocketURL)
        let work = [
            Task { try? await task.send(.string("x")) }, Task { try? await task.ping() },
            Task { while (try? await task.receive()) != nil {} },
        ]
        task.resume()
        usleep(UInt32(step / 4) * 500)
        if step % 2 == 0 { task.cancel() } else { task.cancel(with: .normalClosure) }
        await task.waitForEnd()
        for work in work { _ = await work.value }
        #expect(task.closeCode != .invalid)
    }

    @Test("A task that never ran can be cancelled")
    func neverResumed() async throws {
        let server = try RawServer.webSocket { $0.readAll() }
        let task = session.webSocket(with: server.webSocketURL)
        task.cancel(with: .goingAway)
        await task.waitForEnd()
        task.resume()
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.closeCode == .goingAway)
        #expect(server.received.isEmpty)
    }
}
