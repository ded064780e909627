import Foundation
import TestSupport

/// A server that responds to each connection's request with exactly the given bytes, and closes the connection.
final class RawServer: Sendable {
    let port: Int
    private let listener: Int32

    /// Starts listening; `answer` receives the number of the connection, from 0, and the head of its request.
    init(_ answer: @escaping @Sendable (Int, String) -> String) throws {
        let descriptor = LoopbackSocket.make()
        listener = descriptor
        port = try LoopbackSocket.bind(descriptor, backlog: 16)
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
