import BenchmarkSupport
import Foundation

/// The server of the WebSocket workloads, a program in C.
final class EchoServer {
    let url: URL
    private let child: Child

    init(_ program: URL, folder: WorkFolder) throws {
        let output = try folder.makeFolder("echo").appending(path: "port.txt")
        child = try Child([program.path], output: output)
        for _ in 0..<400 where child.isRunning {
            let text = try String(contentsOf: output, encoding: .utf8)
            if text.hasSuffix("\n"), let url = URL(string: "http://127.0.0.1:\(text.dropLast())/") {
                self.url = url
                return
            }
            usleep(25_000)
        }
        child.end()
        throw BenchmarkError("the echo server did not start")
    }

    deinit {
        child.end()
    }
}
