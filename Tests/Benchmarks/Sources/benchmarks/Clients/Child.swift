import BenchmarkSupport
import Dispatch
import Foundation

/// A child process that ends no later than this process.
final class Child {
    private let process = Process()
    private let ended = DispatchSemaphore(value: 0)

    /// Starts a program from the `PATH`, or from an absolute path.
    ///
    /// The system sends it SIGTERM when this process ends for any reason. Must be called on the main thread, since the
    /// signal is sent when the calling thread ends.
    init(_ command: [String], environment: [String: String] = [:], output: URL? = nil, errors: URL? = nil) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["setpriv", "--pdeathsig", "TERM", "--"] + command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        if let output { process.standardOutput = try Self.handle(output) }
        if let errors { process.standardError = try Self.handle(errors) }
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try process.run()
        Children.add(process.processIdentifier)
    }

    var isRunning: Bool { process.isRunning }

    /// Waits for the end and returns the exit status; nil if the process had to be killed.
    func wait(seconds: Double) -> Int32? {
        let inTime = ended.wait(timeout: .now() + seconds) == .success
        if !inTime {
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
        }
        Children.remove(process.processIdentifier)
        return inTime ? process.terminationStatus : nil
    }

    /// Terminates the process, and waits until it has ended.
    func end() {
        process.terminate()
        _ = wait(seconds: 10)
    }

    private static func handle(_ url: URL) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw BenchmarkError("\(url.path) cannot be written")
        }
        return try FileHandle(forWritingTo: url)
    }
}
