import Ferry

/// A program that runs beside the tests, with a pipe as its input.
final class Subprocess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let process = Process()
    private let input = Pipe()
    private let ended = DispatchSemaphore(value: 0)

    /// Where a program is, in the `PATH` or in folders besides; `nil` where it is not installed.
    static func executable(_ program: String, besides folders: [String] = []) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map(String.init) + folders
        return places.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts a program from the `PATH`, or from an absolute path.
    init(_ program: String, _ arguments: [String], output: URL? = nil) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardInput = input
        if let output {
            _ = FileManager.default.createFile(atPath: output.path, contents: nil)
            let handle = try FileHandle(forWritingTo: output)
            process.standardOutput = handle
            process.standardError = handle
        }
        let ended = ended
        process.terminationHandler = { _ in ended.signal() }
        try Self.withAllSignals { try process.run() }
    }

    /// Threads of a pool block signals, and a child inherits that: a shell that cannot hear of its children's end would
    /// wait for it forever.
    private static func withAllSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var previous = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        try body()
    }

    /// Closes the program's input, with a last word where there is one, and waits until it has ended.
    func finish(saying word: String = "", within seconds: Double = 30) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(word.utf8))
        try input.fileHandleForWriting.close()
        guard ended.wait(timeout: .now() + seconds) == .success else {
            process.terminate()
            throw Failure(description: "\(process.arguments ?? []) did not end")
        }
    }

    /// Ends a program that would not end by itself.
    func terminate() {
        process.terminate()
        _ = ended.wait(timeout: .now() + 30)
    }

    /// Runs a program to its end, and throws what it printed when it fails.
    static func run(_ program: String, _ arguments: [String]) throws {
        _ = try output(of: program, arguments)
    }

    /// Runs a program to its end and returns what it printed, which it throws when the program fails.
    static func output(of program: String, _ arguments: [String], within seconds: Double = 30) throws -> String {
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
