import BenchmarkSupport
import Foundation

/// A server that discards uploads and can respond slowly, with a thread for each connection.
///
/// The response to `PUT` or `POST` to any path is the number of bytes received, to `GET /delay/<ms>` two bytes.
final class SinkServer: Sendable {
    private let socket: ListeningSocket

    init() throws {
        socket = try ListeningSocket()
    }

    func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(socket.port)/\(path)") ?? Package.root
    }

    func start() {
        let socket = socket
        Thread.detachNewThread {
            while true {
                let descriptor = accept(socket.descriptor, nil, nil)
                guard descriptor >= 0 else { continue }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                let thread = Thread { SinkConnection(descriptor).serve() }
                thread.stackSize = 262_144
                thread.start()
            }
        }
    }
}
