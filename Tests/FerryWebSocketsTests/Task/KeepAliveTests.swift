import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("Pings of a WebSocket at intervals")
struct KeepAliveTests {
    /// More than the reader leaves waiting for a program that does not receive.
    private static let flood = (0..<4).map { _ in ServerFrame(.binary, Data(count: 65_536)).bytes }

    private func open(_ server: RawServer, interval: TimeInterval) -> WebSocketTask {
        var options = WebSocketTask.Options()
        options.pingInterval = interval
        let task = CurlSession(configuration: .ephemeral).webSocket(with: server.webSocketURL, options: options)
        task.resume()
        return task
    }

    /// Makes a server that sends many messages, and then answers pings or not.
    private func server(answers: Bool, pings: Watched<Int>) throws -> RawServer {
        try RawServer.webSocket { connection in
            for frame in Self.flood { connection.write(frame) }
            var count = 0
            while connection.readMore() {
                let frames = ClientFrame.all(in: connection.received).filter { $0.type == 9 }
                for frame in frames.dropFirst(count) where answers {
                    connection.write(ServerFrame(.pong, frame.payload).bytes)
                }
                count = frames.count
                pings.change { $0 = count }
            }
        }
    }

    /// Makes a server that answers pings and notes their times.
    private func server(_ times: Watched<[ContinuousClock.Instant]>) throws -> RawServer {
        try RawServer.webSocket { connection in
            while connection.readMore() {
                let frames = ClientFrame.all(in: connection.received).filter { $0.type == 9 }
                for frame in frames.dropFirst(times.current.count) {
                    times.append(.now)
                    connection.write(ServerFrame(.pong, frame.payload).bytes)
                }
            }
        }
    }

    @Test("An answer that waits behind messages for a slow program does not end the connection")
    func slowProgram() async throws {
        let pings = Watched(0)
        let server = try server(answers: true, pings: pings)
        let task = open(server, interval: 0.5 * patience)
        try await pings.wait { $0 > 0 }
        try await Task.sleep(for: .seconds(1.2 * patience))
        for _ in Self.flood { #expect(try await task.receive().data.count == 65_536) }
        try await task.ping()
        #expect(task.closeCode == .invalid && server.finished == 0)
        task.cancel()
    }

    @Test("A server that answers no ping ends the connection once the program has received what waited")
    func lostServer() async throws {
        let pings = Watched(0)
        let server = try server(answers: false, pings: pings)
        let task = open(server, interval: 0.1)
        try await pings.wait { $0 > 0 }
        try await Task.sleep(for: .milliseconds(500))
        #expect(task.closeCode == .invalid)
        for _ in Self.flood { #expect(try await task.receive().data.count == 65_536) }
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .timedOut)
        try await eventually("the end of the connection") { server.finished == 1 }
    }

    @Test("A suspended task is not taken for one whose server does not answer")
    func suspended() async throws {
        let times = Watched<[ContinuousClock.Instant]>([])
        let server = try server(times)
        let interval = 0.5 * patience
        let task = open(server, interval: interval)
        try await times.wait { $0.count > 0 }
        task.suspend()
        try await Task.sleep(for: .seconds(4 * interval))
        #expect(task.closeCode == .invalid && server.finished == 0)
        task.resume()
        let count = times.current.count
        try await times.wait { $0.count > count + 1 }
        #expect(task.closeCode == .invalid)
        task.cancel()
    }

    @Test("A ping follows the one before it after one interval")
    func interval() async throws {
        let times = Watched<[ContinuousClock.Instant]>([])
        let server = try server(times)
        // A server that takes longer to answer than one interval is given up.
        let interval = 0.5 * patience
        let task = open(server, interval: interval)
        try await times.wait { $0.count >= 5 }
        task.cancel()
        let gaps = zip(times.current, times.current.dropFirst()).map { $1 - $0 }
        #expect(try #require(gaps.min()) < .seconds(1.8 * interval))
    }
}
