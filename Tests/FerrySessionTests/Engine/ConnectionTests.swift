import TestSupport
import Testing

@testable import FerryCurl
@testable import FerrySession

@Suite("Connections", .ownThreads) struct ConnectionTests {
    /// Two ends of a connection on the loopback interface.
    private final class Pair {
        let client: Int32
        let server: Int32

        let serverPort: Int

        /// Makes a connection, from a free port or from one that is in use by a connection to another server.
        init(from localPort: Int = 0) throws {
            let listener = LoopbackSocket.make()
            defer { close(listener) }
            client = LoopbackSocket.make()
            // A port can be shared only by sockets that all allow it. A port that is chosen while a socket is connected
            // may be shared with any connection of another test, so it is chosen before.
            LoopbackSocket.allowReuse(client)
            let port = try LoopbackSocket.bind(listener, backlog: 1)
            serverPort = Int(port)
            _ = try LoopbackSocket.bind(client, port: localPort)
            try #require(LoopbackSocket.connect(client, to: port))
            server = accept(listener, nil, nil)
        }

        deinit {
            close(client)
            close(server)
        }

        /// The client's port.
        var port: Int {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(client, $0, &length) }
            }
            return Int(UInt16(bigEndian: address.sin_port))
        }

        func send(_ text: String) {
            _ = text.withCString { Glibc.send(server, $0, strlen($0), 0) }
        }
    }

    /// Looks for a connection from an address and port to the server of a pair.
    private func find(_ table: ConnectionTable, _ address: String, _ port: Int, to pair: Pair) -> Connection? {
        address.withCString { local in
            "127.0.0.1".withCString { remote in
                table.connection(
                    from: .init(address: local, port: port),
                    to: .init(address: remote, port: pair.serverPort)
                )
            }
        }
    }

    @Test("A connection is found by its addresses while it is open") func lookup() throws {
        let (first, second) = (try Pair(), try Pair())
        let table = ConnectionTable()
        let connection = table.open(first.client)
        #expect(find(table, "127.0.0.1", first.port, to: first) === connection)
        #expect(find(table, "127.0.0.2", first.port, to: first) == nil)
        #expect(find(table, "127.0.0.1", second.port, to: second) == nil)
        let other = table.open(second.client)
        #expect(find(table, "127.0.0.1", second.port, to: second) === other)
        #expect(table.count == 2)
        table.close(first.client)
        #expect(find(table, "127.0.0.1", first.port, to: first) == nil)
        #expect(table.count == 1)
    }

    @Test("Streams are in progress while a request uses an open connection of HTTP/2") func streams() throws {
        let (first, second) = (try Pair(), try Pair())
        let table = ConnectionTable()
        let (connection, other) = (table.open(first.client), table.open(second.client))
        other.addUser()
        connection.addUser()
        #expect(!table.hasStreams)
        table.noteMultiplexed(connection)
        table.noteMultiplexed(connection)
        #expect(table.hasStreams && connection.isMultiplexed)
        connection.removeUser()
        #expect(!table.hasStreams)
        connection.addUser()
        table.close(first.client)
        #expect(!table.hasStreams)
        table.noteMultiplexed(nil)
        #expect(table.hasStreams)
    }

    @Test("Connections to two servers with the same local port are told apart") func sharedPort() throws {
        let first = try Pair()
        let second = try Pair(from: first.port)
        #expect(first.port == second.port && first.serverPort != second.serverPort)
        let table = ConnectionTable()
        let (one, other) = (table.open(first.client), table.open(second.client))
        for _ in 0..<2 {
            #expect(find(table, "127.0.0.1", first.port, to: first) === one)
            #expect(find(table, "127.0.0.1", first.port, to: second) === other)
        }
        // If libcurl reports another server, neither connection is certain; the remaining one is.
        let third = try Pair()
        #expect(find(table, "127.0.0.1", first.port, to: third) == nil)
        table.close(second.client)
        #expect(find(table, "127.0.0.1", first.port, to: third) === one)
    }

    @Test("A socket that is not connected yet is found later") func unconnected() throws {
        let table = ConnectionTable()
        let lonely = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(lonely) }
        _ = table.open(lonely)
        let pair = try Pair()
        let connection = table.open(pair.client)
        #expect(find(table, "127.0.0.1", pair.port, to: pair) === connection)
        #expect(find(table, "0.0.0.0", 0, to: pair) == nil)
    }

    @Test("It is known how many bytes the server has acknowledged, and when") func acknowledgement() async throws {
        let pair = try Pair()
        let connection = ConnectionTable().open(pair.client)
        let before = try #require(connection.acknowledgement)
        #expect(send(pair.client, "hello", 5, 0) == 5)
        try await eventually("the acknowledgement") { connection.acknowledgement?.bytes == before.bytes + 5 }
        let silence = TimeSpan.milliseconds(300)
        let end = MonotonicTime.now().advanced(by: silence)
        try await Task.sleep(for: .nanoseconds(silence.nanoseconds))
        let last = try #require(connection.acknowledgement)
        // The system counts in its own ticks, of up to ten milliseconds.
        #expect(last.time < end.before(.milliseconds(150)))
        #expect(last.bytes == before.bytes + 5)
    }

    @Test("A server that only acknowledges the probes of its closed window has acknowledged nothing since it closed")
    func probes() async throws {
        let pair = try Pair()
        let connection = ConnectionTable().open(pair.client)
        let bytes = [UInt8](repeating: 0, count: 65_536)
        while send(pair.client, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        func probes() -> UInt8 {
            var (info, length) = (tcp_info(), socklen_t(MemoryLayout<tcp_info>.size))
            getsockopt(pair.client, Int32(IPPROTO_TCP), TCP_INFO, &info, &length)
            return info.tcpi_backoff
        }
        try await eventually("a probe") { probes() > 0 }
        let closed = MonotonicTime.now()
        try await eventually("further probes") { probes() > 2 }
        let last = try #require(connection.acknowledgement)
        #expect(last.time < closed)
        #expect(connection.isSending(since: last.time.before(.milliseconds(100))))
        #expect(!connection.isSending(since: closed))
    }

    @Test("A server is silent if the system has to ask for a connection again") func unanswered() async throws {
        let listener = try UnansweringListener()
        let client = LoopbackSocket.make(isNonblocking: true)
        defer { close(client) }
        LoopbackSocket.connect(client, to: listener.url.port ?? 0)
        let connection = ConnectionTable().open(client)
        #expect(!connection.isUnanswered)
        try await eventually("the second packet") { connection.isUnanswered }
    }

    @Test("An idle connection with unread input carries no request") func input() throws {
        let pair = try Pair()
        let connection = ConnectionTable().open(pair.client)
        // libcurl handles what a server sends before the first request.
        #expect(connection.mayCarryRequest { false })
        connection.addUser()
        pair.send("x")
        #expect(connection.mayCarryRequest { false })
        connection.removeUser()
        #expect(!connection.mayCarryRequest { false })
        connection.isMultiplexed = true
        #expect(connection.mayCarryRequest { false })
    }

    @Test("Unread bytes in the TLS library count too") func unread() throws {
        let pair = try Pair()
        let connection = ConnectionTable().open(pair.client)
        connection.addUser()
        connection.removeUser()
        #expect(connection.mayCarryRequest { false })
        #expect(!connection.mayCarryRequest { true })
    }

    @Test("A stalled connection carries no request until it receives a byte") func stalled() throws {
        let pair = try Pair()
        let connection = ConnectionTable().open(pair.client)
        connection.isMultiplexed = true
        let start = MonotonicTime.now()
        connection.noteReceived(at: start.advanced(by: TimeSpan(nanoseconds: 1)))
        connection.noteTimeout(since: start)
        #expect(connection.mayCarryRequest { false })
        connection.noteTimeout(since: start.advanced(by: TimeSpan(nanoseconds: 2)))
        #expect(!connection.mayCarryRequest { false })
        connection.noteReceived(at: start.advanced(by: TimeSpan(nanoseconds: 3)))
        #expect(connection.mayCarryRequest { false })
        connection.breakDown()
        connection.noteReceived(at: start.advanced(by: TimeSpan(nanoseconds: 4)))
        #expect(!connection.mayCarryRequest { false })
    }

    @Test("Idle connections to an origin are retired that have received nothing since a time") func lost() throws {
        let origins = try ["http://a.invalid", "http://b.invalid"].map { Origin(try #require(URL(string: $0))) }
        let (pairs, table, start) = (try (0..<5).map { _ in try Pair() }, ConnectionTable(), MonotonicTime.now())
        let connections = pairs.map { table.open($0.client) }
        for (index, connection) in connections.prefix(4).enumerated() {
            connection.origin = origins[index == 1 ? 1 : 0]
            connection.addUser()
            connection.noteReceived(at: index == 2 ? start.advanced(by: .milliseconds(1)) : start)
            if index < 3 { connection.removeUser() }
        }
        table.retireIdle(to: origins[0], since: start)
        #expect(connections.map(\.isRetired) == [true, false, false, false, false])
    }

    @Test("A connection on which a response was refused carries no other request") func refused() throws {
        let pair = try Pair()
        let connection = ConnectionTable().open(pair.client)
        connection.isMultiplexed = true
        connection.retire()
        connection.noteReceived(at: .now())
        #expect(!connection.mayCarryRequest { false })
    }

    @Test("After its socket is closed, a connection leaves the next socket with the same number alone")
    func reusedNumber() throws {
        let pair = try Pair()
        let table = ConnectionTable()
        let connection = table.open(pair.client)
        table.close(pair.client)
        #expect(!connection.mayCarryRequest { false })
        #expect(connection.acknowledgement == nil)
        // Here the number still belongs to the same socket, which stays connected.
        connection.breakDown()
        #expect(connection.isBroken)
        let sent = "still here"
        pair.send(sent)
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = recv(pair.client, &bytes, bytes.count, 0)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == sent)
    }
}
