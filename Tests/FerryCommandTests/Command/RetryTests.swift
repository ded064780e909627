import FerryTesting
import Foundation
import Testing

@testable import FerryCommand

@Suite("Retries", .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"), .timeLimit(.minutes(5)))
struct RetryTests {
    private let folder: TemporaryFolder
    private let size = 600_000

    init() throws {
        folder = try TemporaryFolder()
    }

    private func ferry(_ arguments: String...) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(arguments, in: folder)
    }

    /// Returns a server that responds with 503 a few times, and that asks for no delay.
    private func busy(_ count: Int, then last: LoopbackResponse = .text("yes")) throws -> LoopbackServer {
        let busy = LoopbackResponse.status(503, headers: ["Retry-After": "0"])
        return try LoopbackServer(handler: LoopbackServer.sequence(Array(repeating: busy, count: count) + [last]))
    }

    /// Returns a server that resets each connection after a part of the body, with a validator or without one.
    private func flaky(etag: String?, after count: Int) throws -> LoopbackServer {
        try LoopbackServer { [size] request in
            .resource(.pattern(count: size), etag: etag, for: request).faulted(.truncate(afterBodyBytes: count))
        }
    }

    private func expectWhole(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let digest = folder.data(name).map { SHA256Hash.hash($0).hexadecimal }
        #expect(digest == LoopbackServer.patternSHA256(count: size), sourceLocation: sourceLocation)
        #expect(folder.names == [name], sourceLocation: sourceLocation)
    }

    // MARK: - Statuses

    @Test("--max-time limits the transfer with its retries") func maxTime() async throws {
        let server = try flaky(etag: nil, after: 2_000)
        let start = ContinuousClock.now
        let outcome = try await ferry("-so", "x", "--retry", "20", "-m", "2", server.url.absoluteString)
        #expect(outcome.status != 0)
        // Twenty retries take minutes.
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("503 twice and then 200 succeeds, with a note and an event for each retry")
    func temporary() async throws {
        let server = try busy(2)
        let url = server.url.absoluteString
        let outcome = try await ferry("--retry", "2", "--json-log", "log", "-w", " %{num_requests}", url)
        #expect(outcome.status == 0)
        #expect(outcome.text == "yes 3")
        let note = "ferry: \(url): HTTP 503 Service Unavailable; trying again immediately"
        #expect(outcome.errorLines == [note, note])
        let log = try #require(folder.text("log")).split(separator: "\n").filter { $0.contains("\"event\":\"retry\"") }
        #expect(log.count == 2)
        #expect(log.allSatisfy { $0.contains(#""reason":"HTTP 503 Service Unavailable","delay":0.000000"#) })
        let other = try busy(2)
        #expect(try await ferry("-s", "--retry", "2", other.url.absoluteString).errors == "")
    }

    @Test(
        "Without --retry, with 0, and after the last retry, the error is the result",
        arguments: [nil, "0", "2"] as [String?]
    )
    func exhausted(_ retries: String?) async throws {
        let server = try busy(5)
        let arguments = (retries.map { ["--retry", $0] } ?? []) + ["-s", server.url.absoluteString]
        let outcome = try await FerryProcess.run(arguments, in: folder)
        #expect(outcome.status == 22)
        #expect(outcome.errors.contains("HTTP 503"))
        #expect(server.requestCount == (retries == "2" ? 3 : 1))
    }

    @Test("404 and a POST are tried again only with --retry-all-errors")
    func allErrors() async throws {
        let missing = LoopbackResponse.status(404, headers: ["Retry-After": "0"])
        func server() throws -> LoopbackServer {
            try LoopbackServer(handler: LoopbackServer.sequence([missing, missing, .text("yes")]))
        }
        let first = try server()
        #expect(try await ferry("-s", "--retry", "3", first.url.absoluteString).status == 22)
        #expect(first.requestCount == 1)
        let second = try server()
        let outcome = try await ferry("-s", "--retry", "3", "--retry-all-errors", second.url.absoluteString)
        #expect(outcome.status == 0 && outcome.text == "yes")
        let posts = try busy(3)
        #expect(try await ferry("-s", "--retry", "3", "-d", "x", posts.url.absoluteString).status == 22)
        #expect(posts.requestCount == 1)
        let all = ["-s", "--retry", "3", "--retry-all-errors", "-d", "x", posts.url.absoluteString]
        #expect(try await FerryProcess.run(all, in: folder).text == "yes")
        #expect(posts.requests.allSatisfy { $0.method == "POST" && $0.bodyLength == 1 })
    }

    @Test("An upload is sent again from its first byte, as a file and as a form")
    func uploads() async throws {
        try folder.file("x", "contents")
        for arguments in [["-T", "x"], ["-X", "PUT", "-F", "a=@x"]] {
            let server = try busy(1)
            let outcome = try await FerryProcess.run(
                ["-s", "--retry", "1"] + arguments + [server.url.absoluteString],
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(server.requestCount == 2)
            #expect(server.requests.map(\.bodyLength) == Array(repeating: server.requests[0].bodyLength, count: 2))
            #expect(server.requests[0].bodyLength >= 8)
        }
    }

    // MARK: - Connections

    @Test("A refused connection is tried again, and the error tells the number of attempts")
    func refused() async throws {
        let closed = try ClosedPort()
        let outcome = try await ferry("--retry", "2", closed.url.absoluteString)
        #expect(outcome.status == 7)
        #expect(outcome.errorLines.count == 3)
        #expect(outcome.errors.contains("; trying again in "))
        #expect(outcome.errorLines.last?.contains("(after 3 attempts in ") == true)
    }

    @Test("A download over a link that breaks every so many bytes finishes by Range")
    func flakyDownload() async throws {
        let server = try flaky(etag: "v1", after: 120_000)
        let outcome = try await ferry("--retry", "2", "-o", "x.bin", server.url.absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("; continuing in "))
        #expect(server.requests.dropFirst().allSatisfy { $0.header("If-Range") == "\"v1\"" })
        #expect(server.requestCount >= 5)
        expectWhole("x.bin")
    }

    @Test(
        "A download that stalls continues after --timeout, also one that an earlier run began",
        arguments: [true, false]
    )
    func stalls(_ hasPart: Bool) async throws {
        let server = try LoopbackServer { [size] request in
            .resource(.pattern(count: size), etag: "v1", for: request).faulted(.stall(afterBodyBytes: 250_000))
        }
        let url = server.url.absoluteString
        let arguments = ["-s", "--timeout", "\(5 * patience)", "-o", "x.bin", url]
        if hasPart { #expect(try await FerryProcess.run(arguments, in: folder).status == 28) }
        let outcome = try await FerryProcess.run(["-C", "--retry", "3"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requestCount >= 3)
        expectWhole("x.bin")
    }

    @Test("Standard output gets each byte once")
    func flakyOutput() async throws {
        let server = try flaky(etag: "v1", after: 200_000)
        let outcome = try await ferry("-s", "--retry", "2", server.url.absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == LoopbackServer.pattern(count: size))
    }

    @Test("A file that an earlier run began is completed over a link that breaks")
    func continues() async throws {
        let server = try flaky(etag: "v1", after: 120_000)
        let url = server.url.absoluteString
        #expect(try await ferry("-s", "-o", "x.bin", url).status == 7)
        let outcome = try await ferry("-C", "--retry", "1", "-o", "x.bin", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.dropFirst().allSatisfy { $0.header("Range") != nil })
        expectWhole("x.bin")
    }

    @Test("A server that sends a few bytes each time cannot keep a download going")
    func endless() async throws {
        let server = try flaky(etag: "v1", after: 100)
        let url = server.url.absoluteString
        #expect(try await ferry("-s", "-o", "x.bin", url).status == 7)
        #expect(try await ferry("-C", "-s", "--retry", "2", "-o", "x.bin", url).status == 7)
        #expect(server.requestCount == 4)
        #expect(folder.data("x.bin.part")?.count == 400)
    }

    @Test("Without a validator a download starts over, as often as --retry allows")
    func startsOver() async throws {
        let broken = LoopbackResponse.pattern(count: size).faulted(.truncate(afterBodyBytes: size / 2))
        let server = try LoopbackServer(
            handler: LoopbackServer.sequence([broken, broken, .pattern(count: size)])
        )
        let outcome = try await ferry("--retry", "2", "-o", "x.bin", server.url.absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.allSatisfy { $0.header("Range") == nil })
        expectWhole("x.bin")
        let other = try LoopbackServer(handler: LoopbackServer.sequence([broken, broken, .pattern(count: size)]))
        #expect(try await ferry("-s", "--retry", "1", "-o", "y.bin", other.url.absoluteString).status == 7)
        #expect(other.requestCount == 2)
        #expect(folder.names == ["x.bin"])
    }

    @Test("A download whose entity changes starts over")
    func changed() async throws {
        let size = size
        let count = Watched(0)
        let server = try LoopbackServer { request in
            let index = count.change { count in
                defer { count += 1 }
                return count
            }
            return index == 0
                ? .resource(.data(Data(count: size)), etag: "v1", for: request).faulted(
                    .truncate(afterBodyBytes: 100_000)
                )
                : .resource(.pattern(count: size), etag: "v2", for: request)
        }
        let outcome = try await ferry("--retry", "2", "-o", "x.bin", server.url.absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        expectWhole("x.bin")
    }

    @Test("A server with another entity for each request cannot keep a download going")
    func alwaysAnother() async throws {
        let count = Watched(0)
        let server = try LoopbackServer { [size] request in
            let number = count.change { count in
                count += 1
                return count
            }
            // Each attempt of the command itself receives more than the one before.
            return LoopbackResponse(headers: ["ETag": "\"v\(number)\""], body: .pattern(count: size))
                .faulted(.truncate(afterBodyBytes: 2_000 * number))
        }
        let url = server.url.absoluteString
        let outcome = try await ferry("-s", "--retry", "2", "--deadline", "60", "-o", "x.bin", url)
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(server.requestCount <= 10, "\(server.requestCount)")
    }

    @Test("An interruption ends the wait for the next attempt, and keeps the partial file")
    func interrupted() async throws {
        let server = try LoopbackServer { [size] request in
            request.header("Range") == nil
                ? .resource(.pattern(count: size), etag: "v1", for: request).faulted(.truncate(afterBodyBytes: 100_000))
                : .status(503, headers: ["Retry-After": "60"])
        }
        let process = try FerryProcess(["--retry", "2", "-o", "x.bin", server.url.absoluteString], in: folder)
        try await eventually("the wait") { process.errorsSoFar.contains("HTTP 503") }
        process.send(SIGINT)
        #expect(try await process.outcome().status == -SIGINT)
        #expect(folder.names == ["x.bin.part", "x.bin.part.ferry"])
    }

    // MARK: - Time limits

    @Test("The deadline ends a transfer with the status of a timeout, also while it waits")
    func deadline() async throws {
        let stalling = try LoopbackServer { _ in .text("").faulted(.stallBeforeHead) }
        let outcome = try await ferry("--deadline", "\(3 * patience)", "--retry", "5", stalling.url.absoluteString)
        #expect(outcome.status == 28)
        #expect(
            outcome.errors
                == "ferry: \(stalling.url.absoluteString): timed out: the transfer took longer than --deadline\n"
        )
        try await stalling.waitForRequests(1, timeout: 40 * patience)
        #expect(stalling.requestCount == 1)
        let slow = try LoopbackServer()
        let url = slow.url("/drip?bytes=100000&interval=20").absoluteString
        #expect(try await ferry("--deadline", "0.3", "-so", "x", url).status == 28)
        #expect(try await ferry("-m", "0.3", "-so", "x", url).status == 28)
    }

    @Test("A deadline of zero is no limit") func noDeadline() async throws {
        let server = try LoopbackServer()
        let outcome = try await ferry("-s", "--deadline", "0", server.url("/bytes/5").absoluteString)
        #expect(outcome.status == 0 && outcome.output.count == 5, "\(outcome.errors)")
    }

    @Test(
        "A time limit also counts the request for a rest that the server does not send",
        arguments: ["--deadline", "--max-time"]
    )
    func limitOfContinuation(_ option: String) async throws {
        let server = try LoopbackServer { request in
            let isWhole = request.header("Range") == nil
            let other = LoopbackResponse(
                statusCode: 206,
                headers: ["Content-Range": "bytes 0-9/20"],
                body: .pattern(count: 10)
            )
            return (isWhole ? LoopbackResponse.pattern(count: 20) : other).delayed(2)
        }
        let url = server.url.absoluteString
        try folder.file("x.part", "0123456789")
        try folder.file("x.part.ferry", #"{"url":"\#(url)","validator":"\"v1\"","length":20}"#)
        let outcome = try await ferry("-sC", option, "3", "-o", "x", url)
        #expect(outcome.status == 28, "\(outcome.errors)")
    }

    @Test("A delay that would pass the deadline is not begun")
    func noTime() async throws {
        let server = try LoopbackServer { _ in .status(503, headers: ["Retry-After": "50"]) }
        let outcome = try await ferry("--deadline", "30", "--retry", "5", server.url.absoluteString)
        #expect(outcome.status == 22)
        #expect(server.requestCount == 1)
    }

    @Test("No retry begins after --retry-max-time, and a longer Retry-After is not waited for")
    func retryMaxTime() async throws {
        let server = try LoopbackServer { _ in .status(503, headers: ["Retry-After": "8"]) }
        let outcome = try await ferry("--retry", "50", "--retry-max-time", "20", server.url.absoluteString)
        #expect(outcome.status == 22)
        // Two retries, or only one on a busy machine.
        #expect((2...3).contains(server.requestCount), "\(server.requestCount)")
        let far = try LoopbackServer { _ in .status(503, headers: ["Retry-After": "20"]) }
        #expect(try await ferry("--retry", "5", "--retry-max-time", "10", far.url.absoluteString).status == 22)
        #expect(far.requestCount == 1)
    }
}
