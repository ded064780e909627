import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite(
    "Downloads with --connections, --mirror and --checksum",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct VerifiedTests {
    private static let count = 4_000_000
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ arguments: [String]) async throws -> (status: Int32, errors: String) {
        let outcome = try await FerryProcess.run(arguments, in: folder)
        return (outcome.status, outcome.errors)
    }

    private var isWhole: Bool { folder.data("file") == LoopbackServer.pattern(count: Self.count) }

    @Test("A file is fetched over several connections, and its checksum is checked")
    func connections() async throws {
        var content = RangedContent(count: Self.count)
        content.bytesPerSecond = 2_000_000
        let server = try LoopbackServer(handler: content.handler)
        let outcome = try await run([
            "-s", "--connections", "4", "--checksum", "sha-256=" + content.sha256, "-R", "-o", "file",
            server.url.absoluteString,
        ])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(isWhole)
        #expect(folder.names == ["file"])
        #expect(server.requestCount > 1)
        let date = try FileManager.default.attributesOfItem(atPath: folder.path("file"))[.modificationDate] as? Date
        #expect(date == content.lastModified)
    }

    @Test("A wrong checksum is status 1 and leaves no file", arguments: ["1", "4"])
    func wrong(connections: String) async throws {
        let server = try LoopbackServer(handler: RangedContent(count: Self.count).handler)
        let digest = "sha-256=" + String(repeating: "0", count: 64)
        let outcome = try await run([
            "-s", "--connections", connections, "--checksum", digest, "-o", "file", server.url.absoluteString,
        ])
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("instead of \(digest)"))
        #expect(folder.names.isEmpty)
    }

    @Test("A mirror replaces a server that fails, with the name of -O")
    func mirror() async throws {
        let server = try LoopbackServer { _ in .status(404) }
        let mirror = try LoopbackServer(handler: RangedContent(count: Self.count).handler)
        let outcome = try await run([
            "-sO", "--mirror", mirror.url("other").absoluteString, server.url("folder/file").absoluteString,
        ])
        #expect(outcome.status == 0)
        #expect(isWhole)
    }

    @Test("An interrupted run says how to go on, and the next one continues")
    func interrupted() async throws {
        let content = RangedContent(count: Self.count)
        let requests = Mutex(0)
        let server = try LoopbackServer { request in
            let isFirst = requests.withLock { count in
                count += 1
                return count == 1
            }
            let response = content.response(to: request)
            return isFirst ? response.faulted(.reset(afterBodyBytes: 2_000_000)) : .status(403)
        }
        let arguments = ["--connections", "1", "-o", "file", server.url.absoluteString]
        let outcome = try await run(arguments)
        #expect(outcome.status == 22)
        #expect(outcome.errors.contains("file.segments has "))
        #expect(outcome.errors.contains("to continue: "))
        #expect(folder.names == ["file.segments", "file.segments.state"])
    }

    @Test("The bytes that have arrived are reported, also if nothing takes as long as the time between two reports")
    func short() async throws {
        let content = RangedContent(count: 300_000)
        let server = try LoopbackServer(handler: content.interruptedHandler(after: 200_000))
        let arguments = ["--connections", "1", "--json-log", "log", "-o", "file", server.url.absoluteString]
        let failed = try await run(arguments)
        #expect(failed.status == 22)
        #expect(failed.errors.contains("file.segments has 200 kB of 300 kB\n"), "\(failed.errors)")
        #expect(folder.text("log")?.contains("\"size_download\":200000,") == true)
        let rest = try await run(arguments)
        #expect(rest.status == 0)
        #expect(rest.errors.split(separator: "\n").last?.hasPrefix("file: 100 kB in ") == true, "\(rest.errors)")
        #expect(folder.text("log")?.contains("\"size_download\":100000,") == true)
        let whole = try await run(arguments + ["--checksum", "sha-256=" + content.sha256])
        #expect(whole.errors.split(separator: "\n").last?.hasPrefix("file: 300 kB in ") == true, "\(whole.errors)")
    }

    @Test("The bytes of a file without a length are reported too") func withoutLength() async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")
        let outcome = try await run(["--connections", "2", "-o", "file", server.url().absoluteString])
        #expect(outcome.status == 0)
        #expect(outcome.errors.split(separator: "\n").last?.hasPrefix("file: 5 B in ") == true, "\(outcome.errors)")
    }

    @Test(
        "A time limit is one for the whole download, and not for each of its requests",
        arguments: ["--max-time", "--deadline"]
    )
    func limited(option: String) async throws {
        // Each request makes progress, so the download is continued after a failure.
        var content = RangedContent(count: Self.count)
        content.bytesPerSecond = 20_000
        let server = try LoopbackServer(handler: content.handler)
        let start = ContinuousClock.now
        let outcome = try await run(["--connections", "2", option, "5", "-o", "file", server.url.absoluteString])
        #expect(outcome.status == 28)
        #expect(outcome.errors.contains("the transfer took longer than \(option)"))
        #expect(outcome.errors.contains("to continue: "))
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(folder.names == ["file.segments", "file.segments.state"])
    }

    @Test("A run that is killed again and again is continued from its parts")
    func killed() async throws {
        let content = RangedContent(count: Self.count)
        // The server is so slow that no run ends before it is killed, however busy the machine is.
        let rate = Mutex<Int?>(20_000)
        let server = try LoopbackServer { request in
            var content = content
            content.bytesPerSecond = rate.withLock { $0 }
            return content.response(to: request)
        }
        let arguments = [
            "-s", "--connections", "4", "--checksum", "sha-256=" + content.sha256, "-o", "file",
            server.url.absoluteString,
        ]
        var sizes: [Int64] = [0]
        for _ in 0..<2 {
            let process = try FerryProcess(arguments, in: folder)
            // The record is written after a second; by then it has more bytes than the record of the run before.
            try await eventually("a larger record") { sizes.last.map { $0 < recordedBytes } ?? false }
            process.send(SIGKILL)
            #expect(try await process.outcome().status == -SIGKILL)
            sizes.append(recordedBytes)
            #expect(folder.data("file") == nil)
        }
        let count = server.requestCount
        rate.withLock { $0 = nil }
        #expect(try await run(arguments).status == 0)
        #expect(isWhole)
        #expect(folder.names == ["file"])
        #expect(server.requests.dropFirst(count).allSatisfy { $0.header("Range") != nil })
    }

    /// The number of bytes in the record of the partial file.
    private var recordedBytes: Int64 {
        guard let text = folder.text("file.segments.state"),
            let list = text.firstMatch(of: /"parts":\[([0-9,]*)\]/)?.1
        else { return 0 }
        let parts = list.split(separator: ",").compactMap { Int64($0) }
        return zip(parts, parts.dropFirst()).enumerated().reduce(0) { sum, pair in
            pair.offset % 2 == 0 ? sum + pair.element.1 - pair.element.0 : sum
        }
    }

    @Test("A full disk is status 23, keeps what has arrived, and the next run continues")
    func fullDisk() async throws {
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer(handler: content.handler)
        let arguments = ["-s", "--connections", "1", "-o", "file", server.url.absoluteString]
        // The limit on the size of a file, in KiB, stands for a full disk. A piece of up to 1 MiB may not fit.
        let limited = "trap '' XFSZ; ulimit -f 3000; exec \"$0\" \"$@\""
        let outcome = try await FerryProcess.run(
            ["-c", limited, FerryProcess.path ?? ""] + arguments,
            in: folder,
            program: "/bin/bash"
        )
        #expect(outcome.status == 23, "\(outcome.errors)")
        #expect(outcome.errors.contains("file.segments: "))
        #expect(recordedBytes > 0)
        #expect(try await run(arguments).status == 0)
        #expect(isWhole)
    }

    @Test(
        "Options that a checked download cannot have are refused",
        arguments: [
            ["--connections", "0", "-o", "f"], ["--connections", "65", "-o", "f"], ["--connections", "4"],
            ["--connections", "4", "-o", "f", "-d", "x"], ["--connections", "4", "-o", "f", "-i"],
            ["--checksum", "md5=00", "-o", "f"], ["--checksum", "sha-256=00", "-o", "f"],
            ["--mirror", "ftp://example.com", "-o", "f"],
            ["--mirror", "http://localhost/", "-O", "http://localhost/2"],
        ]
    )
    func refused(options: [String]) async throws {
        let outcome = try await run(options + ["http://localhost/1"])
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(folder.names.isEmpty)
    }

    @Test("A folder that cannot be written is status 23", .enabled(if: geteuid() != 0, "root can write every folder"))
    func readOnly() async throws {
        let server = try LoopbackServer(handler: RangedContent(count: 10).handler)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
        #expect(try await run(["-s", "--connections", "2", "-o", "file", server.url.absoluteString]).status == 23)
    }
}
