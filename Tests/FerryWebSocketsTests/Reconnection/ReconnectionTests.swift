import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("WebSockets that are opened again")
struct ReconnectionTests {
    private func error(closedWith code: Int) -> WebSocketError {
        WebSocketError(.closed, "", closeCode: .init(rawValue: code))
    }

    @Test("Failures of the network and temporary close codes lead to another attempt")
    func rule() throws {
        func delay(_ error: any Error, failures: Int = 0) -> TimeInterval? {
            ReconnectionRule.delay(after: error, failures: failures, policy: .standard, random: 1)
        }
        for code in [1001, 1006, 1011, 1012, 1013, 1014] { #expect(delay(error(closedWith: code)) == 0.5) }
        for code in [1000, 1002, 1008, 4000] { #expect(delay(error(closedWith: code)) == nil) }
        for code in [URLError.Code.cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .timedOut] {
            #expect(delay(URLError(code)) == 0.5)
        }
        #expect(delay(URLError(.serverCertificateUntrusted)) == nil)
        #expect(delay(CancellationError()) == nil)
        #expect(delay(WebSocketError(.protocolViolation, "")) == nil)
        #expect(delay(WebSocketError(.timedOut, "")) == 0.5)
        #expect(delay(URLError(.networkConnectionLost), failures: 2) == 2)
        #expect(delay(URLError(.networkConnectionLost), failures: 3) == nil)
        let url = try #require(URL(string: "http://host/"))
        let rows: [(Int, String?, TimeInterval?)] = [
            (503, nil, 0.5), (503, "9", 9), (503, "0", 0.5), (503, "61", nil), (403, nil, nil),
        ]
        for (status, asked, expected) in rows {
            let fields = asked.map { ["Retry-After": $0] }
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)
            #expect(delay(WebSocketError(.refused, "", response: response)) == expected)
        }
    }

    @Test("The messages of several connections are one sequence, and each connection is told what it needs")
    func messages() async throws {
        let server = try RawServer { connection in
            // The third connection is refused, as by a proxy whose server restarts.
            let head = connection.readHead()
            guard connection.index != 2 else {
                connection.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
                return
            }
            connection.write(RawServer.answer(to: head))
            while ClientFrame.all(in: connection.received).isEmpty, connection.readMore() {}
            connection.write(ServerFrame(.text, "\(connection.index)").bytes)
            if connection.index == 3 { connection.write(ServerFrame.close(1000).bytes) }
            if connection.index == 1 { connection.write(ServerFrame.close(1012).bytes) }
        }
        let delays = Watched<[TimeInterval]>([])
        var policy = RetryPolicy.standard
        policy.backoff.hasJitter = false
        let messages = CurlSession(configuration: .ephemeral).webSocketMessages(
            with: URLRequest(url: server.webSocketURL),
            reconnecting: policy,
            opened: { try await $0.send(.string("hello")) },
            sleep: { seconds in delays.change { $0.append(seconds) } }
        )
        var received: [WebSocketTask.Message] = []
        var iterator = messages.makeAsyncIterator()
        while let message = try await iterator.next() { received.append(message) }
        #expect(received == [.string("0"), .string("1"), .string("3")])
        #expect(try await iterator.next() == nil)
        #expect(delays.current == [0.5, 0.5, 1])
        try await eventually("four connections") { server.finished == 4 }
        let greetings = server.received.compactMap { ClientFrame.all(in: $0).first?.payload }
        #expect(greetings == Array(repeating: Data("hello".utf8), count: 3))
    }

    /// Returns the messages of connections, with a clock that advances at each reading: once when a connection has
    /// opened, and once when it is lost.
    private func quietMessages(of server: RawServer, openFor seconds: UInt64) -> ReconnectingMessages {
        let time = Watched(MonotonicTime(nanoseconds: 0))
        return CurlSession(configuration: .ephemeral).webSocketMessages(
            with: URLRequest(url: server.webSocketURL),
            reconnecting: .standard,
            opened: { _ in },
            sleep: { _ in },
            now: {
                time.change { time in
                    time = time.advanced(by: .milliseconds(seconds * 1_000))
                    return time
                }
            }
        )
    }

    @Test("Losses that are far apart do not add up, though no message comes in between")
    func quietConnections() async throws {
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame.close(connection.index == 5 ? 1000 : 1001).bytes)
        }
        for try await message in quietMessages(of: server, openFor: 10) { Issue.record("\(message)") }
        try await eventually("six connections") { server.finished == 6 }
    }

    @Test("A server that accepts connections and drops them at once is not asked for ever")
    func droppedConnections() async throws {
        let server = try RawServer.webSocket { _ in }
        let messages = quietMessages(of: server, openFor: 9)
        let error = await #expect(throws: WebSocketError.self) { for try await _ in messages {} }
        #expect(error?.closeCode == .abnormalClosure)
        try await eventually("four connections") { server.finished == 4 }
    }

    @Test("The program is told of a connection once it is open, and before its first message")
    func opening() async throws {
        let server = try RawServer { connection in
            let head = connection.readHead()
            guard connection.index == 2 else {
                connection.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
                return
            }
            connection.write(RawServer.answer(to: head))
            connection.write(ServerFrame(.text, "first").bytes)
            connection.write(ServerFrame.close(1000).bytes)
        }
        let events = Watched<[String]>([])
        let messages = CurlSession(configuration: .ephemeral).webSocketMessages(
            with: URLRequest(url: server.webSocketURL),
            reconnecting: .standard,
            opened: { task in events.append("opened with \(task.response?.statusCode ?? 0)") },
            sleep: { _ in }
        )
        for try await message in messages { events.append("\(String(decoding: message.data, as: UTF8.self))") }
        #expect(events.current == ["opened with 101", "first"])
    }

    @Test("Messages of a connection that is closed before the program has sent anything are not lost")
    func closedWhileOpening() async throws {
        let server = try RawServer.webSocket { connection in
            connection.write(ServerFrame(.text, "only").bytes)
            connection.write(ServerFrame.close(1000).bytes)
        }
        let messages = CurlSession(configuration: .ephemeral).webSocketMessages(
            with: URLRequest(url: server.webSocketURL),
            reconnecting: .standard,
            opened: { task in
                await task.waitForEnd()
                try await task.send(.string("hello"))
            },
            sleep: { _ in }
        )
        var received: [WebSocketTask.Message] = []
        for try await message in messages { received.append(message) }
        #expect(received == [.string("only")])
    }

    @Test("After too many attempts, the last error is thrown")
    func attempts() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
        }
        let messages = CurlSession(configuration: .ephemeral).webSocketMessages(
            with: URLRequest(url: server.webSocketURL),
            reconnecting: .standard,
            opened: { _ in },
            sleep: { _ in }
        )
        let error = await #expect(throws: WebSocketError.self) { for try await _ in messages {} }
        #expect(error?.code == .refused)
        try await eventually("four connections") { server.finished == 4 }
    }

    @Test("Cancelling ends the connection, and the wait for the next one")
    func cancelling() async throws {
        let server = try RawServer.webSocket { connection in
            if connection.index == 0 { connection.write(ServerFrame(.text, "x").bytes) }
        }
        let waits = Watched(0)
        let messages = CurlSession(configuration: .ephemeral).webSocketMessages(
            with: URLRequest(url: server.webSocketURL),
            reconnecting: .standard,
            opened: { _ in },
            sleep: { _ in
                waits.change { $0 += 1 }
                try await Task.sleep(for: .seconds(3600))
            }
        )
        let reader = Task { for try await _ in messages {} }
        try await waits.wait { $0 == 1 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }
}

extension CurlSession {
    /// Returns messages that wait and read the clock with closures of a test.
    fileprivate func webSocketMessages(
        with request: URLRequest,
        reconnecting policy: RetryPolicy,
        opened: @escaping @Sendable (WebSocketTask) async throws -> Void,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void,
        now: @escaping @Sendable () -> MonotonicTime = { .now() }
    ) -> ReconnectingMessages {
        var messages = webSocketMessages(with: request, reconnecting: policy, opened: opened)
        (messages.sleep, messages.now) = (sleep, now)
        return messages
    }
}
