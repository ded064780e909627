import Foundation

/// A server that sends exactly the given bytes, and records the bytes it receives: nothing is parsed or corrected.
package final class RawServer: Sendable {
    package let port: Int
    private let listener: Int32
    private let recorded: Watched<[Data]>
    private let ended: Watched<Int>

    /// The bytes that each connection has received, in the order in which they ended.
    package var received: [Data] { recorded.current }

    /// The number of connections whose script has returned and whose end has been sent.
    package var finished: Int { ended.current }

    package var texts: [String] { received.map { String(decoding: $0, as: UTF8.self) } }

    /// Starts listening; the script runs once for each connection, on its own thread.
    ///
    /// The system chooses the port, unless one is given, to which other sockets that allow reuse may be bound. With a
    /// custom receive buffer, the system receives no more than that for a script that reads slowly. A server for very
    /// many connections does not record their bytes.
    package init(
        port: Int? = nil,
        receiveBuffer: Int32? = nil,
        isRecording: Bool = true,
        _ script: @escaping @Sendable (Connection) -> Void
    ) throws {
        listener = LoopbackSocket.make()
        if var size = receiveBuffer {
            setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let descriptor = listener
        if port != nil { LoopbackSocket.allowReuse(descriptor) }
        do {
            self.port = try LoopbackSocket.bind(descriptor, port: port ?? 0, backlog: 128)
        } catch {
            close(descriptor)
            throw error
        }
        let recorded = Watched<[Data]>([])
        self.recorded = recorded
        let ended = Watched(0)
        self.ended = ended
        let thread = Thread {
            Self.accept(descriptor) { connection in
                script(connection)
                if isRecording { recorded.append(connection.received) }
                connection.close { ended.change { $0 += 1 } }
            }
        }
        thread.start()
    }

    /// Starts a server that answers the first request of each connection with the given text, and closes the
    /// connection.
    package convenience init(port: Int? = nil, answering text: String) throws {
        try self.init(port: port) { connection in
            connection.readHead()
            connection.write(text)
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    package func url(_ target: String = "/") -> URL {
        URL(string: "http://127.0.0.1:\(port)\(target)") ?? URL(fileURLWithPath: "/")
    }

    private static func accept(_ listener: Int32, _ serve: @escaping @Sendable (Connection) -> Void) {
        var index = 0
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var timeout = timeval(tv_sec: Int(20 * patience), tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            let number = index
            index += 1
            let thread = Thread { serve(Connection(descriptor, index: number)) }
            thread.start()
        }
        close(listener)
    }
}
