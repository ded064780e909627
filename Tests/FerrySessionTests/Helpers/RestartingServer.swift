import FerrySession
import TestSupport

/// A server that stops at intervals, so that its port refuses connections, and starts again.
final class RestartingServer: Sendable {
    let port: Int
    private let isDone = Watched(false)
    private let failure = Watched<String?>(nil)

    /// Why the server could not be started again, if it could not.
    var problem: String? { failure.current }

    /// Starts the server, whose connections run the script; see ``RawServer``.
    ///
    /// It is down for a random time of up to 40 ms, and up about ten times as long.
    init(seed: UInt64, _ script: @escaping @Sendable (RawServer.Connection) -> Void) throws {
        // No other process gets the port while nothing listens.
        let reservation = LoopbackSocket.make()
        LoopbackSocket.allowReuse(reservation)
        let port = try LoopbackSocket.bind(reservation)
        self.port = port
        let (isDone, failure) = (isDone, failure)
        let thread = Thread {
            var random = SeededGenerator(seed)
            while !isDone.current {
                do {
                    let server = try RawServer(port: port, isRecording: false, script)
                    Thread.sleep(forTimeInterval: .random(in: 0.05...0.35, using: &random))
                    withExtendedLifetime(server) {}
                } catch {
                    failure.change { $0 = "\(error)" }
                    break
                }
                Thread.sleep(forTimeInterval: .random(in: 0.001...0.04, using: &random))
            }
            close(reservation)
        }
        thread.start()
    }

    deinit {
        isDone.change { $0 = true }
    }

    func url(_ target: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(target)") ?? URL(fileURLWithPath: "/")
    }
}
