import FerrySession
import TestSupport
import Testing

/// Connections whose packets the network loses, or acknowledges slowly.
@Suite(.timeLimit(.minutes(5)))
struct LostConnectionTests {
    private var options: CurlSession.Options {
        var options = CurlSession.Options()
        options.httpVersions = .http2PriorKnowledge
        return options
    }

    private func session() -> CurlSession { Wire.session(options: options) }

    /// Returns how often the system has sent the oldest bytes again on a connection to a port.
    private func repetitions(to port: Int) -> Int {
        guard let file = fopen("/proc/net/tcp", "r") else { return 0 }
        defer { fclose(file) }
        var (line, most) = ([CChar](repeating: 0, count: 512), 0)
        let server = ":" + String(port + 0x10000, radix: 16, uppercase: true).dropFirst()
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let fields = text.split(separator: " ")
            guard fields.count > 6, fields[2].hasSuffix(server) else { continue }
            most = max(most, Int(fields[6], radix: 16) ?? 0)
        }
        return most
    }

    @Test("A request that the program cancels on a lost connection of HTTP/2 is the last one there")
    func cancelled() async throws {
        let (isLost, isOver) = (Watched(false), Watched(false))
        let server = try frameServer { connection in
            guard connection.index == 0 else { return connection.respondToAll() }
            guard let stream = connection.nextRequest() else { return }
            connection.respond(to: stream)
            connection.losePackets()
            isLost.change { $0 = true }
            isOver.block { $0 }
        }
        defer { isOver.change { $0 = true } }
        let (session, url) = (session(), server.url())
        _ = try await session.data(from: url)
        try await isLost.wait { $0 }
        let task = Task { try await session.data(from: url) }
        try await eventually("packets that are sent again") { repetitions(to: server.port) > 1 }
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        let (data, _) = try await session.data(for: Wire.request(url, timeout: 5 * patience))
        #expect(data == Data("ok".utf8))
    }

    @Test("A request whose deadline passes after a silence of a second in its body is the last one on its connection")
    func stalledBody() async throws {
        let isOver = Watched(false)
        let server = try frameServer { connection in
            guard connection.index == 0 else { return connection.respondToAll() }
            guard let stream = connection.nextRequest() else { return }
            connection.sendHead(to: stream)
            connection.sendBody(to: stream, "beginning", ends: false)
            isOver.block { $0 }
        }
        defer { isOver.change { $0 = true } }
        let (recorder, url) = (RecordingDelegate(), server.url())
        let session = Wire.session(recorder, options: options)
        let task = session.dataTask(with: url)
        task.deadline = 1 + patience
        let outcome = try await recorder.run(task)
        #expect(outcome.error?.curlSessionError?.code == .deadlineExceeded)
        #expect(outcome.data == Data("beginning".utf8))
        let (data, _) = try await session.data(for: Wire.request(url, timeout: 5 * patience))
        #expect(data == Data("ok".utf8))
    }

    @Test("Uploads on one connection do not time out while the server acknowledges what the system has taken")
    func acknowledged() async throws {
        let (count, limit) = (1_000_000, 2 * patience)
        let windows = FrameConnection.setting(4, 10_000_000)
        let server = try frameServer(settings: windows, receiveBuffer: 65_536) { connection in
            connection.send(.windowUpdate, FrameConnection.bytes(10_000_000))
            var received = 0
            while let frame = connection.next(opensWindows: false) {
                if frame.endsStream { connection.respond(to: frame.stream) }
                guard frame.kind == .data else { continue }
                received += frame.payload.count
                usleep(UInt32(1_500_000 * limit * Double(frame.payload.count) / Double(count)))
            }
        }
        let (session, request) = (session(), Wire.request(server.url(), "PUT", timeout: limit))
        // With an open connection, the uploads do not open one each.
        _ = try await session.data(from: server.url())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    let (data, _) = try await session.upload(for: request, from: Data(count: count))
                    #expect(data == Data("ok".utf8))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A request whose body was acknowledged times out while another one on its connection is acknowledged")
    func silent() async throws {
        let (count, limit, received) = (1_000_000, patience, Watched(0))
        let windows = FrameConnection.setting(4, 10_000_000)
        let server = try frameServer(settings: windows, receiveBuffer: 65_536) { connection in
            guard let first = connection.nextRequest() else { return }
            connection.respond(to: first)
            connection.send(.windowUpdate, FrameConnection.bytes(10_000_000))
            while let frame = connection.next(opensWindows: false) {
                guard frame.kind == .data else { continue }
                received.change { $0 += frame.payload.count }
                usleep(UInt32(4_000_000 * limit * Double(frame.payload.count) / Double(count)))
            }
        }
        let (session, url) = (session(), server.url())
        // So that the uploads do not open a connection each.
        _ = try await session.data(from: url)
        let request = Wire.request(url, "PUT", timeout: limit)
        let small = Task { try await session.upload(for: request, from: Data(count: 10)) }
        try await received.wait { $0 >= 10 }
        let large = Task { try await session.upload(for: Wire.request(url, "PUT"), from: Data(count: count)) }
        await #expect(throws: URLError.self) { try await small.value }
        #expect((11..<count).contains(received.current))
        large.cancel()
        _ = try? await large.value
    }

    @Test("A limited upload whose connection is lost times out before the system has taken the whole body")
    func limited() async throws {
        let isOver = Watched(false)
        let server = try RawServer(receiveBuffer: 16_384) { connection in
            connection.readHead()
            connection.losePackets()
            isOver.block { $0 }
        }
        defer { isOver.change { $0 = true } }
        var options = CurlSession.Options()
        options.uploadLimit = BandwidthLimit(bytesPerSecond: 500_000)
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder, options: options)
        let task = session.uploadTask(
            with: Wire.request(server.url(), "PUT", timeout: patience),
            from: Data(count: 3_000_000)
        )
        let outcome = try await recorder.run(task)
        #expect(outcome.error?.curlSessionError?.code == .inactivityTimeout)
        #expect(task.countOfBytesSent < 1_000_000)
    }
}
