import TestSupport
import Testing

@testable import FerrySession

@Suite("Connections", .ownThreads) struct ConnectionTests {
    /// Two ends of a connection on the loopback interface.
    private final class Pair {
        let client: Int32
        let server: Int32

        init() throws {
            let listener = LoopbackSocket.make()
            defer { close(listener) }
            client = LoopbackSocket.make()
            let port = try LoopbackSocket.bind(listener, backlog: 1)
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

    @Test("A connection is found by its local address while it is open") func lookup() throws {
        let (first, second) = (try Pair(), try Pair())
        let table = ConnectionTable()
        let connection = table.open(first.client)
        #expect(table.connection(address: "127.0.0.1", port: first.port) === connection)
        #expect(table.connection(address: "127.0.0.2", port: first.port) == nil)
        #expect(table.connection(address: "127.0.0.1", port: second.port) == nil)
        let other = table.open(second.client)
        #expect(table.connection(address: "127.0.0.1", port: second.port) === other)
        #expect(table.count == 2)
        table.close(first.client)
        #expect(table.connection(address: "127.0.0.1", port: first.port) == nil)
        #expect(table.count == 1)
    }

    @Test("A socket that is not connected yet is found later") func unconnected() throws {
        let table = ConnectionTable()
        let lonely = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(lonely) }
        _ = table.open(lonely)
        let pair = try Pair()
        let connection = table.open(pair.client)
        #expect(table.connection(address: "127.0.0.1", port: pair.port) === connection)
        #expect(table.connection(address: "0.0.0.0", port: 0) == nil)
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
        connection.noteReceived(at: start.advanced(by: 1))
        connection.noteTimeout(since: start)
        #expect(connection.mayCarryRequest { false })
        connection.noteTimeout(since: start.advanced(by: 2))
        #expect(!connection.mayCarryRequest { false })
        connection.noteReceived(at: start.advanced(by: 3))
        #expect(connection.mayCarryRequest { false })
        connection.breakDown()
        connection.noteReceived(at: start.advanced(by: 4))
        #expect(!connection.mayCarryRequest { false })
    }

    @Test("A connection on which a response was refused carries no other request") func refused() throws {
        let pair = try Pair()
        let connection = ConnectionTable().open(pair.client)
        connection.isMultiplexed = true
        connection.noteRefusedResponse()
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
        #expect(connection.acknowledgedBytes == nil)
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
