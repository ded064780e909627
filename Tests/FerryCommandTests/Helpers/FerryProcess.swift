import Foundation
import Synchronization

/// The built command, run in a separate process.
final class FerryProcess: Sendable {
    struct Outcome: Sendable {
        /// The exit status, or the negated number of the signal that ended the process.
        var status: Int32
        var output: Data
        var errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    /// The command at the path in the environment variable `FERRY_COMMAND`, or next to the test bundle if it was built.
    static let path: String? = {
        if let path = ProcessInfo.processInfo.environment["FERRY_COMMAND"] { return path }
        guard let bundle = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return nil
        }
        let path = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent("ferry").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    static var isBuilt: Bool { path != nil }

    /// Runs the command, or another program, until it ends.
    static func run(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: String? = nil,
        environment: [String: String] = [:],
        program: String? = nil
    ) async throws -> Outcome {
        let process = try FerryProcess(
            arguments,
            in: folder,
            input: input,
            environment: environment,
            program: program
        )
        return try await process.outcome()
    }

    private struct State {
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let process = Process()
    private let results: TemporaryFolder
    private let state = Mutex(State())

    /// Starts the command; `standardInput`, `output` and `errors` replace the files for its standard descriptors.
    init(
        _ arguments: [String],
        in folder: TemporaryFolder,
        input: String? = nil,
        standardInput: FileHandle? = nil,
        environment: [String: String] = [:],
        output: FileHandle? = nil,
        errors: FileHandle? = nil,
        program: String? = nil
    ) throws {
        results = try TemporaryFolder()
        process.executableURL = URL(fileURLWithPath: program ?? Self.path ?? "")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = environment.merging(["PATH": "/usr/bin:/bin", "HOME": results.url.path]) { own, _ in own }
        try results.file("input", input ?? "")
        let inputFile = results.url.appendingPathComponent("input")
        let ownInput = try standardInput == nil ? FileHandle(forReadingFrom: inputFile) : nil
        let ownOutput = try output == nil ? Self.file("output", in: results) : nil
        let ownErrors = try errors == nil ? Self.file("errors", in: results) : nil
        // Foundation never releases a process, and with more than 1,024 descriptors it misses the end of others.
        defer { for handle in [ownInput, ownOutput, ownErrors] { try? handle?.close() } }
        process.standardInput = standardInput ?? ownInput
        process.standardOutput = output ?? ownOutput
        process.standardError = errors ?? ownErrors
        process.terminationHandler = { [weak self] _ in self?.end() }
        try Self.withAllSignals { try process.run() }
    }

    private static func file(_ name: String, in folder: TemporaryFolder) throws -> FileHandle {
        try folder.file(name, "")
        return try FileHandle(forWritingTo: folder.url.appendingPathComponent(name))
    }

    /// Runs a closure with no signal blocked: threads of a pool block signals, and child processes inherit this.
    private static func withAllSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var previous = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        try body()
    }

    private func end() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// The command's standard error so far.
    var errorsSoFar: String { results.text("errors") ?? "" }

    /// The command's standard output so far.
    var outputSoFar: Data { results.data("output") ?? Data() }

    /// Waits until the command ends.
    func outcome() async throws -> Outcome {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiters.append(waiter) }
                return state.isOver
            }
            if isOver { waiter.resume() }
        }
        let status = process.terminationStatus
        return Outcome(
            status: process.terminationReason == .exit ? status : -status,
            output: results.data("output") ?? Data(),
            errors: errorsSoFar
        )
    }
}
