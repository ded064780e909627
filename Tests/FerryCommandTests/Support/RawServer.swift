import Foundation

/// A server that responds to each connection's request with exactly the given bytes, and closes the connection.
final class RawServer: Sendable {
    struct Failure: Error {}

    let port: Int
    private let listener: Int32

    /// Starts listening; `answer` receives the number of the connection, from 0, and the head of its request.
    init(_ answer: @escaping @Sendable (Int, String) -> String) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw Failure() }
        listener = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { Self.serve(descriptor, answer) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    private static func serve(_ listener: Int32, _ answer: (Int, String) -> String) {
        var number = 0
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let bytes = Array(answer(number, head(connection)).utf8)
            _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            // Closing a connection with unread bytes would reset it.
            shutdown(connection, Int32(SHUT_WR))
            var rest = [UInt8](repeating: 0, count: 4096)
            while recv(connection, &rest, rest.count, 0) > 0 {}
            close(connection)
            number += 1
        }
        close(listener)
    }

    private static func head(_ connection: Int32) -> String {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !String(decoding: received, as: UTF8.self).contains("\r\n\r\n") {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer.prefix(count)
        }
        return String(decoding: received, as: UTF8.self)
    }
}
