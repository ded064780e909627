import FerryTesting
import Foundation
import Testing

/// Runs command lines by curl and by this command, and compares what a server receives and what is written.
///
/// The table has no lines for these intended differences: this command follows redirects without `-L`, ends with 22
/// after an HTTP error, writes the body of an error to a file only if asked to, writes with `-i` only the last head,
/// keeps cookies during a run without `-b`, joins fields of the same name, and leaves dots in paths.
@Suite(
    "The same command line for curl and ferry",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .enabled(if: CurlProgram.isWanted, "curl is not installed"),
    .timeLimit(.minutes(10))
)
struct CurlComparisonTests {
    struct Missing: Error {}

    private func run(
        _ line: ComparedLine,
        by program: String?,
        on server: LoopbackServer
    ) async throws
        -> (run: ComparedRun, status: Int32)
    {
        let folder = try TemporaryFolder()
        let root = "http://127.0.0.1:\(server.port)"
        for (name, text) in ComparedLines.files {
            try folder.file(name, text.replacing("{}", with: root).replacing("{port}", with: "\(server.port)"))
        }
        let arguments = line.arguments.map {
            $0.replacing("{}", with: root).replacing("{port}", with: "\(server.port)")
        }
        server.reset()
        let outcome = try await FerryProcess.run(["-sS"] + arguments, in: folder, input: line.input, program: program)
        return (ComparedRun(server.requests, outcome, in: folder, line), outcome.status)
    }

    @Test("A line is sent and written alike", arguments: ComparedLines.all)
    func compare(_ line: ComparedLine) async throws {
        guard let curl = CurlProgram.path else { throw Missing() }
        let server = try LoopbackServer(handler: ComparedLines.respond)
        let (expected, status) = try await run(line, by: curl, on: server)
        let (actual, ownStatus) = try await run(line, by: nil, on: server)
        #expect(!expected.requests.isEmpty)
        #expect(actual.requests == expected.requests)
        #expect(actual.output == expected.output)
        #expect(actual.files == expected.files)
        let isError = line.arguments.contains { $0.hasPrefix("{}/status/4") }
        #expect(ownStatus == (isError ? 22 : status))
    }

    @Test("The table has at least 60 lines, all of them different")
    func size() {
        #expect(Set(ComparedLines.all.map(\.testDescription)).count == ComparedLines.all.count)
        #expect(ComparedLines.all.count >= 60)
    }
}
