import TestSupport
import Testing

@testable import FerryWebSockets

@Suite("Pings of a WebSocket at intervals")
struct KeepAliveTests {
    /// More messages than the reader buffers for a program that does not receive.
    private static let flood = (0..<4).map { _ in ServerFrame(.binary, Data(count: 65_536)).bytes }

    /// An interval within which the server answers on a machine that runs many tests; a later answer is a failure.
    private static let answered = 2 + patience

    private func open(_ server: RawServer, interval: TimeInterval) -> WebSocketTask {
        var options = WebSocketTask.Options()
        options.pingInterval = interval
        let task = CurlSession(configuration: .ephemeral).webSocket(with: server.webSocketURL, options: options)
        task.resume()
        return task
    }

    /// Makes a server that sends many messages, and then answers pings or not.
    private func server(answers: Bool, pings: Watched<Int>) throws -> RawServer {
        try RawServer { connection in
            // In one piece, since the client pings as soon as the handshake is answered.
            var bytes = Data(RawServer.answer(to: connection.readHead()).utf8)
            for frame in Self.flood { bytes.append(frame) }
            connection.write(bytes)
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
        let interval = Self.answered
        let task = open(server, interval: interval)
        try await pings.wait { $0 > 0 }
        try await Task.sleep(for: .seconds(2.4 * interval))
        for _ in Self.flood { #expect(try await task.receive().data.count == 65_536) }
        try await task.ping()
        #expect(task.closeCode == .invalid && server.finished == 0)
        task.cancel()
    }

    @Test("A server that answers no ping ends the connection once the program has received what waited")
    func lostServer() async throws {
        let pings = Watched(0)
        let server = try server(answers: false, pings: pings)
        let task = open(server, interval: 0.5)
        try await pings.wait { $0 > 0 }
        try await Task.sleep(for: .seconds(2))
        #expect(task.closeCode == .invalid)
        for _ in Self.flood { #expect(try await task.receive().data.count == 65_536) }
        let error = await #expect(throws: WebSocketError.self) { try await task.receive() }
        #expect(error?.code == .timedOut)
        try await eventually("the end of the connection") { server.finished == 1 }
    }

    @Test(
        "A ping that waits behind a message that the server reads slowly does not end the connection",
        arguments: [2.5, 1.5]
    )
    func slowServer(intervals: Double) async throws {
        let (interval, count) = (Self.answered, 400_000)
        let server = try RawServer(receiveBuffer: 16_384) { connection in
            connection.write(RawServer.answer(to: connection.readHead()))
            var place = connection.received.count
            let start = ContinuousClock.now
            while connection.readMore() {
                let part = Double(connection.received.count) / Double(count)
                // The last bytes, with the ping, are read after these intervals, and answered after two at least.
                let due = start + .seconds(interval * (part < 1 ? intervals * part : 2.4))
                while ContinuousClock.now < due { usleep(10_000) }
                if part < 1 { continue }
                // The message itself is not decoded, which takes long on a busy machine.
                while let (type, payload, next) = ClientFrame.head(in: connection.received, at: place) {
                    if type == 9 { connection.write(ServerFrame(.pong, payload()).bytes) }
                    place = next
                }
            }
        }
        let task = open(server, interval: interval)
        try await task.send(.data(Data(count: count)))
        try await task.ping()
        #expect(task.closeCode == .invalid && server.finished == 0)
        task.cancel()
    }

    @Test("A suspended task is not taken for one whose server does not answer")
    func suspended() async throws {
        let times = Watched<[ContinuousClock.Instant]>([])
        let server = try server(times)
        let interval = Self.answered
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
        let interval = Self.answered
        let meter = StallMeter()
        let task = open(server, interval: interval)
        try await times.wait { $0.count >= 4 }
        task.cancel()
        let gaps = zip(times.current, times.current.dropFirst()).map { $1 - $0 }
        let least = try #require(gaps.min()) / .seconds(1)
        // Two intervals would be wrong; a delay of the machine does not count.
        #expect(least < 1.8 * interval + 2 * meter.worst)
    }

    @Test("An answer that waits behind a long message of the server does not end the connection")
    func longAnswer() async throws {
        let size = 600_000
        let interval = Self.answered
        let server = try RawServer.webSocket { connection in
            let bytes = ServerFrame(.binary, Data(count: size)).bytes
            for piece in 0..<30 {
                connection.write(bytes[bytes.startIndex + piece * 20_000..<bytes.startIndex + (piece + 1) * 20_000])
                usleep(useconds_t(2.5 * interval * 1_000_000 / 30))
            }
            connection.write(bytes.suffix(bytes.count - 600_000))
            var count = 0
            repeat {
                let frames = ClientFrame.all(in: connection.received).filter { $0.type == 9 }
                for frame in frames.dropFirst(count) { connection.write(ServerFrame(.pong, frame.payload).bytes) }
                count = frames.count
            } while connection.readMore()
        }
        let task = open(server, interval: interval)
        #expect(try await task.receive().data.count == size)
        try await task.ping()
        #expect(task.closeCode == .invalid)
        task.cancel()
    }

    @Test("A ping that waits behind a long message does not end the connection, and pings of the server are answered")
    func longMessage() async throws {
        // More bytes than the sockets' buffers hold.
        let count = 24_000_000
        let interval = Self.answered
        let hasPong = Watched(false)
        let server = try RawServer.webSocket { connection in
            let start = connection.received.count
            connection.write(ServerFrame(.ping, Data("a".utf8)).bytes)
            connection.write(ServerFrame(.ping, Data("b".utf8)).bytes)
            connection.write(ServerFrame(.text, "read").bytes)
            // The first half takes more than two intervals.
            while connection.received.count < start + count + 14 {
                guard connection.readMore() else { return }
                let isSlow = connection.received.count < start + count / 2
                if isSlow { usleep(useconds_t(interval * 2_500_000 / Double(count / 2 / 65_536))) }
            }
            var place = start
            repeat {
                while let (type, payload, next) = ClientFrame.head(in: connection.received, at: place) {
                    if type == 9 { connection.write(ServerFrame(.pong, payload()).bytes) }
                    if type == 10 { hasPong.change { $0 = true } }
                    place = next
                }
            } while connection.readMore()
        }
        let task = open(server, interval: interval)
        let sending = Task { try await task.send(.data(Data(count: count))) }
        #expect(try await task.receive() == .string("read"))
        try await sending.value
        try await hasPong.wait { $0 }
        try await task.ping()
        #expect(task.closeCode == .invalid)
        task.cancel()
    }
}

extension ClientFrame {
    /// Returns the type of the frame at an index, its payload and the index after it, if all of it has arrived.
    fileprivate static func head(in data: Data, at place: Int) -> (type: UInt8, payload: () -> Data, next: Int)? {
        guard data.count >= place + 2 else { return nil }
        let short = data[place + 1] & 0x7F
        let more = short == 126 ? 2 : short == 127 ? 8 : 0
        guard data.count >= place + 6 + more else { return nil }
        let length = more == 0 ? Int(short) : data[place + 2..<place + 2 + more].reduce(0) { $0 << 8 | Int($1) }
        let start = place + 6 + more
        guard data.count >= start + length else { return nil }
        let mask = Array(data[start - 4..<start])
        let payload = { Data(data[start..<start + length].enumerated().map { $1 ^ mask[$0 % 4] }) }
        return (data[place] & 15, payload, start + length)
    }
}
