import FerrySession
import TestSupport

/// A server that sends exactly the given bytes, and records those it received: nothing is parsed or corrected.
final class RawServer: Sendable {
    /// A connection, used only by the script's thread.
    final class Connection {
        private let descriptor: Int32
        private(set) var received = Data()
        /// The position of the connection in the order of acceptance, from zero.
        let index: Int

        init(_ descriptor: Int32, index: Int) {
            self.descriptor = descriptor
            self.index = index
        }

        /// The client's IPv4 address.
        var peer: String {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getpeername(descriptor, $0, &length) }
            }
            return withUnsafeBytes(of: address.sin_addr) { $0.map { "\($0)" }.joined(separator: ".") }
        }

        /// Reads more bytes; returns `false` at the end.
        @discardableResult
        func readMore() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 else { return false }
            received.append(contentsOf: bytes.prefix(count))
            return true
        }

        /// Reads up to and including the empty line of the next head.
        @discardableResult
        func readHead() -> String {
            let mark = Data("\r\n\r\n".utf8)
            var start = received.startIndex
            if let before = headEnd { start = before }
            while received.range(of: mark, in: start..<received.endIndex) == nil, readMore() {}
            let end = received.range(of: mark, in: start..<received.endIndex)?.upperBound ?? received.endIndex
            headEnd = end
            return String(decoding: received[start..<end], as: UTF8.self)
        }

        private var headEnd: Data.Index?
        private var isReset = false

        /// Reads until this number of bytes was received after the last head.
        func readBody(_ count: Int) {
            guard let start = headEnd else { return }
            while received.endIndex - start < count, readMore() {}
            headEnd = min(received.endIndex, start + count)
        }

        func readAll() {
            while readMore() {}
        }

        @discardableResult
        func write(_ data: Data) -> Bool {
            var rest = data
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                rest = Data(rest.dropFirst(count))
            }
            return true
        }

        @discardableResult
        func write(_ text: String) -> Bool {
            write(Data(text.utf8))
        }

        /// Causes the following close to send a reset.
        func resetOnClose() {
            isReset = true
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }

        /// Closes the connection, which the client sees as an orderly end unless a reset was requested.
        ///
        /// With unread bytes, every close would become a reset, and a reset overtakes the response.
        ///
        /// - Parameter didEnd: Called as soon as the end or the reset has been sent.
        fileprivate func close(_ didEnd: () -> Void) {
            if isReset {
                Glibc.close(descriptor)
                return didEnd()
            }
            shutdown(descriptor, Int32(SHUT_WR))
            didEnd()
            var rest = [UInt8](repeating: 0, count: 65_536)
            while recv(descriptor, &rest, rest.count, 0) > 0 {}
            Glibc.close(descriptor)
        }
    }

    let port: Int
    private let listener: Int32
    private let recorded: Locked<[Data]>
    private let ended: Locked<Int>

    /// The bytes that each connection has received, in the order in which they ended.
    var received: [Data] { recorded.withLock { $0 } }

    /// The number of connections whose script has returned and whose end has been sent.
    var finished: Int { ended.withLock { $0 } }

    var texts: [String] { received.map { String(decoding: $0, as: UTF8.self) } }

    /// Starts listening; the script runs once for each connection, on its own thread.
    ///
    /// The port is one that the system chooses, or a given one, which other sockets that allow reuse may be bound to. With
    /// a custom receive buffer, the system receives no more than that for a script that reads slowly. A server for very
    /// many connections does not record their bytes.
    init(
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
        self.port = try LoopbackSocket.bind(descriptor, port: port ?? 0, backlog: 128)
        let recorded = Locked<[Data]>([])
        self.recorded = recorded
        let ended = Locked(0)
        self.ended = ended
        let thread = Thread {
            Self.accept(descriptor) { connection in
                script(connection)
                if isRecording { recorded.withLock { $0.append(connection.received) } }
                connection.close { ended.withLock { $0 += 1 } }
            }
        }
        thread.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    func url(_ target: String = "/") -> URL {
        URL(string: "http://127.0.0.1:\(port)\(target)") ?? URL(fileURLWithPath: "/")
    }

    private static func accept(_ listener: Int32, _ serve: @escaping @Sendable (Connection) -> Void) {
        var index = 0
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            var timeout = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            let number = index
            index += 1
            let thread = Thread { serve(Connection(descriptor, index: number)) }
            thread.start()
        }
        close(listener)
    }
}
