import Ferry

/// A program that runs during the tests, with a pipe as its input.
package final class Subprocess: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String

        package init(description: String) {
            self.description = description
        }
    }

    private let process = Process()
    private let input = Pipe()
    private let ended = DispatchSemaphore(value: 0)

    /// Returns the path of a program in the `PATH` or in the given folders; nil if it is not installed.
    package static func executable(_ program: String, besides folders: [String] = []) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map(String.init) + folders
        return places.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts a program from the `PATH`, or from an absolute path.
    package init(_ program: String, _ arguments: [String], output: URL? = nil) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = input
        var handle: FileHandle?
        // Foundation never releases a process.
        defer { try? handle?.close() }
        if let output {
            _ = FileManager.default.createFile(atPath: output.path, contents: nil)
            handle = try FileHandle(forWritingTo: output)
            process.standardOutput = handle
            process.standardError = handle
        }
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try Self.withAllSignals { try process.run() }
    }

    /// Runs a closure with no signal blocked.
    ///
    /// Threads of a pool block signals, and a child process inherits that: a shell that does not receive SIGCHLD would
    /// wait for its children forever.
    private static func withAllSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var previous = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        try body()
    }

    /// Writes a last text, if any, closes the program's input, and waits until the program has ended.
    package func finish(saying word: String = "", within seconds: Double = 30) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(word.utf8))
        try input.fileHandleForWriting.close()
        guard ended.wait(timeout: .now() + seconds) == .success else {
            process.terminate()
            throw Failure(description: "\(process.arguments ?? []) did not end")
        }
    }

    /// Terminates a program that would not end on its own.
    package func terminate() {
        process.terminate()
        _ = ended.wait(timeout: .now() + 30)
    }

    /// Runs a program until it ends, and throws its output if it fails.
    package static func run(_ program: String, _ arguments: [String]) throws {
        _ = try output(of: program, arguments)
    }

    /// Runs a program until it ends and returns its output, or throws it if the program fails.
    package static func output(of program: String, _ arguments: [String], within seconds: Double = 30) throws -> String
    {
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: output) }
        let subprocess = try Subprocess(program, arguments, output: output)
        try subprocess.finish(within: seconds)
        let text = try String(contentsOf: output, encoding: .utf8)
        guard subprocess.process.terminationStatus == 0 else {
            throw Failure(description: "\(program) \(arguments.joined(separator: " ")): \(text)")
        }
        return text
    }
}
