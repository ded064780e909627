import Foundation

extension RawServer {
    /// A connection, used only by the script's thread.
    package final class Connection {
        private let descriptor: Int32
        package private(set) var received = Data()
        /// The position of the connection in the order of acceptance, from zero.
        package let index: Int

        init(_ descriptor: Int32, index: Int) {
            self.descriptor = descriptor
            self.index = index
        }

        /// The client's IPv4 address.
        package var peer: String {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getpeername(descriptor, $0, &length) }
            }
            return withUnsafeBytes(of: address.sin_addr) { $0.map { "\($0)" }.joined(separator: ".") }
        }

        /// Reads more bytes; returns `false` at the end.
        @discardableResult
        package func readMore() -> Bool {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var count = 0
            // With a time limit, it is interrupted when a stopped process continues.
            repeat { count = recv(descriptor, &bytes, bytes.count, 0) } while count < 0 && errno == EINTR
            guard count > 0 else { return false }
            received.append(contentsOf: bytes.prefix(count))
            return true
        }

        /// Reads up to and including the empty line of the next head.
        @discardableResult
        package func readHead() -> String {
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
        package func readBody(_ count: Int) {
            guard let start = headEnd else { return }
            while received.endIndex - start < count, readMore() {}
            headEnd = min(received.endIndex, start + count)
        }

        package func readAll() {
            while readMore() {}
        }

        @discardableResult
        package func write(_ data: Data) -> Bool {
            var rest = data
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                rest = Data(rest.dropFirst(count))
            }
            return true
        }

        @discardableResult
        package func write(_ text: String) -> Bool {
            write(Data(text.utf8))
        }

        /// Causes the following close to send a reset.
        package func resetOnClose() {
            isReset = true
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }

        /// Has the system drop all packets of the client, as if the network had lost the connection.
        package func losePackets() {
            // A filter (`BPF_RET`) whose only instruction keeps no byte, and its number of instructions before it.
            let option: Int32 = 26
            var instruction = UInt64(6)
            withUnsafePointer(to: &instruction) { pointer in
                var program = (UInt64(1), UInt64(UInt(bitPattern: pointer)))
                setsockopt(descriptor, SOL_SOCKET, option, &program, socklen_t(MemoryLayout.size(ofValue: program)))
            }
        }

        /// Ends both directions: nothing more is sent or received.
        package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

        /// Closes the connection, which the client sees as an orderly end unless a reset was requested.
        ///
        /// With unread bytes, every close would become a reset, and a reset overtakes the response.
        ///
        /// - Parameter didEnd: Called as soon as the end or the reset has been sent.
        func close(_ didEnd: () -> Void) {
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
}
