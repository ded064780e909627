import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite("Event log", .timeLimit(.minutes(5)))
struct EventLogTests {
    private let folder: TemporaryFolder
    private let count = 150

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Starts transfers whose log exceeds a pipe's buffer, and waits until all their requests have arrived.
    private func begin(_ server: LoopbackServer, log: Pipe) async throws -> FerryProcess {
        let urls = (0..<count).map { server.url("/bytes/\($0)").absoluteString }
        try folder.file("urls", urls.joined(separator: "\n"))
        let arguments = ["--json-log", "-", "-O", "--batch", "urls"]
        let process = try FerryProcess(arguments, in: folder, errors: log.fileHandleForWriting)
        try log.fileHandleForWriting.close()
        try await server.waitForRequests(count, timeout: 60 * patience)
        return process
    }

    private func events(_ log: Pipe) throws -> [[String: Any]] {
        let text = String(decoding: try log.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test(
        "A reader that does not read delays no transfer, and gets every line once it does",
        .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests")
    )
    func lateReader() async throws {
        let server = try LoopbackServer()
        let log = Pipe()
        let process = try await begin(server, log: log)
        let events = try events(log).filter { $0["event"] as? String != "progress" }
        #expect(try await process.outcome().status == 0)
        let names = Array(repeating: ["start", "response", "end"], count: count).flatMap { $0 } + ["exit"]
        #expect(events.map { $0["event"] as? String } == names)
        #expect(events.compactMap { $0["id"] as? Int } == (0..<count).flatMap { [$0, $0, $0] })
    }

    @Test(
        "A reader that never reads does not keep SIGINT from ending the command",
        .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests")
    )
    func interrupted() async throws {
        let server = try LoopbackServer()
        let log = Pipe()
        let process = try await begin(server, log: log)
        process.send(SIGINT)
        #expect(try await process.outcome().status == -SIGINT)
        withExtendedLifetime(log) {}
    }

    @Test("Progress of a transfer is logged once a second")
    func progressTimes() throws {
        let pipe = Pipe()
        let (before, started) = (ContinuousClock.now, 3)
        try withLog(pipe) { log in
            for count in 0..<1_000 {
                for transfer in 0..<started { log.progress(transfer, "down", Int64(count), of: 1_000) }
            }
        }
        let seconds = Int(before.duration(to: .now) / .seconds(1))
        let lines = try events(pipe)
        for transfer in 0..<started {
            let count = lines.count { $0["id"] as? Int == transfer }
            #expect((1...seconds + 1).contains(count), "\(count)")
        }
    }

    @Test("Only progress events are dropped when a reader is too slow")
    func progress() throws {
        let pipe = Pipe()
        let told = 50_000
        try withLog(pipe) { log in
            for transfer in 0..<told { log.progress(transfer, "down", 1, of: 2) }
            for _ in 0..<10 { log.retry(0, reason: "a reason") }
            log.exit(.success, transfers: told, failures: 0)
        }
        let lines = try events(pipe).compactMap { $0["event"] as? String }
        #expect(lines.count { $0 == "retry" } == 10)
        #expect(lines.last == "exit")
        let rest = lines.count { $0 == "progress" }
        #expect(rest > 5000 && rest < told, "\(rest)")
    }

    /// Writes events to a log and releases it, so that it closes the pipe once everything is written.
    private func withLog(_ pipe: Pipe, _ tell: (EventLog) -> Void) throws {
        let log = try EventLog(path: "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)")
        try pipe.fileHandleForWriting.close()
        tell(log)
    }
}
