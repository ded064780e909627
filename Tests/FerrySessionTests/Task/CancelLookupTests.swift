import FerrySession
import FerryTesting
import Testing

/// Cancelling while a name is looked up, with a name server that never answers.
///
/// That takes a name server of one's own: the tests run once more in a child process with its own network and its own
/// `/etc/resolv.conf`, where the system allows that.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CancelLookupTests {
    private static let isChild = ProcessInfo.processInfo.environment["FERRY_SILENT_NAME_SERVER"] != nil
    private static let silence = Result { try SilentNameServer() }

    @Test("A task whose look-up hangs is cancelled at once and delays no other", .enabled(if: !isChild))
    func parent() async throws {
        let file = try TemporaryFile(Data("nameserver 127.0.0.1\noptions timeout:3 attempts:1\n".utf8))
        let script = """
            ip link set lo up && mount --bind '\(file.url.path)' /etc/resolv.conf || exit 77
            export FERRY_SILENT_NAME_SERVER=1
            exec '\(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))' \
            --testing-library swift-testing --filter CancelLookupTests
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c", script]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = Locked("")
        await onThreads(1) { _ in
            let data = output.fileHandleForReading.readDataToEndOfFile()
            said.withLock { $0 = String(decoding: data, as: UTF8.self) }
            process.waitUntilExit()
        }
        let text = said.withLock { $0 }
        if process.terminationStatus == 77 || text.contains("unshare:") || text.contains("unshare’") {
            print("Skipped: this system allows no network of one's own, so no silent name server: \(text.prefix(200))")
            return
        }
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("The look-up that hangs is cancelled"), "\(text)")
        #expect(text.contains("A child process inherits nothing of look-ups that hang"), "\(text)")
        #expect(text.contains("The look-up that hangs gives way to what is kept"), "\(text)")
    }

    @Test("The look-up that hangs is cancelled, and so are 20 more, while others go on", .enabled(if: isChild))
    func child() async throws {
        let silence = try Self.silence.get()
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let url = try #require(URL(string: "http://a-name-nobody-knows.example/"))
        let tasks = (0..<21).map { _ in session.dataTask(with: url) }
        for task in tasks { task.resume() }
        try await eventually("a question") { silence.hasQuestion }
        let start = ContinuousClock.now
        for task in tasks { task.cancel() }
        for task in tasks { #expect(try await delegate.completion(of: task).urlError?.code == .cancelled) }
        let other = session.dataTask(with: server.url("/bytes/1000"))
        other.resume()
        #expect(try await delegate.completion(of: other).error == nil)
        // Another task of the same host waits for none of them either.
        let last = session.dataTask(with: url)
        last.resume()
        last.cancel()
        try await delegate.completion(of: last)
        #expect(ContinuousClock.now - start < .seconds(1 * patience))
        let invalid = ContinuousClock.now
        session.invalidateAndCancel()
        try await eventually("invalidity") { delegate.invalidations == 1 }
        #expect(ContinuousClock.now - invalid < .seconds(1 * patience))
        #expect(delegate.violations == [])
    }

    @Test("A child process inherits nothing of look-ups that hang", .enabled(if: isChild))
    func inheritance() async throws {
        _ = try Self.silence.get()
        let server = try LoopbackServer()
        let before = try Descendant.descriptors()
        let sessions = (0..<5).map { _ in makeSession() }
        for (number, session) in sessions.enumerated() {
            for name in 0..<4 {
                let url = try #require(URL(string: "http://name-\(number)-\(name)-nobody-knows.example/"))
                session.dataTask(with: url).resume()
            }
            // Its turn comes after those of the lookups, which have begun then.
            _ = try await session.data(from: server.url("/bytes/1000"))
        }
        #expect(ProcessUsage.descriptors > 30)
        // A turn of each engine comes after the one in which a lookup begins.
        let isClean = await Wire.eventually { (try? Descendant.descriptors()) == before }
        #expect(isClean)
        for session in sessions { session.invalidateAndCancel() }
    }

    @Test("A look-up that hangs ends with the request's deadline", .enabled(if: isChild)) func deadline() async throws {
        _ = try Self.silence.get()
        let session = makeSession { $0.timeoutIntervalForRequest = 0.5 }
        let url = try #require(URL(string: "http://another-name-nobody-knows.example/"))
        let start = ContinuousClock.now
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(2.5 * patience))
    }

    @Test(
        "A stale response takes the place of a look-up that hangs until it fails, and until the request's deadline",
        .enabled(if: isChild)
    )
    func stale() async throws {
        _ = try Self.silence.get()
        let server = try LoopbackServer { _ in
            .text("kept").adding("Age", "70").adding("Cache-Control", "max-age=60, stale-if-error=600")
        }
        var options = CurlSession.Options()
        options.cache = HTTPCache()
        let url = server.url("/", host: "a-third-name-nobody-knows.example")
        options.network.addresses = ["a-third-name-nobody-knows.example": ["127.0.0.1"]]
        _ = try await makeSession(options: options).data(from: url)
        options.network.addresses = [:]
        let session = makeSession(options: options)
        var request = URLRequest(url: url)
        #expect(try await session.data(for: request).0 == Data("kept".utf8))
        // Look-ups that still run, several at a time, come back to nobody.
        request.timeoutInterval = 0.3
        let start = ContinuousClock.now
        for _ in 0..<3 { #expect(try await session.data(for: request).0 == Data("kept".utf8)) }
        #expect(ContinuousClock.now - start < .seconds(4.5 * patience))
        // What is kept stays kept, and the session is as good as before.
        request = URLRequest(url: url)
        #expect(try await session.data(for: request).0 == Data("kept".utf8))
        #expect(try await session.data(from: server.url("/", host: "127.0.0.1")).0 == Data("kept".utf8))
        #expect(server.requestCount == 2)
        print("The look-up that hangs gives way to what is kept")
    }
}
