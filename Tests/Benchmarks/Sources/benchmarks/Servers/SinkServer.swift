import BenchmarkSupport
import Foundation

/// Takes uploads without looking at them, and answers slowly where it is asked to: a thread for each connection.
///
/// `PUT` or `POST` to any path is answered with the number of bytes that came, `GET /delay/<ms>` with two bytes.
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
