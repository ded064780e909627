import FerrySession
import FerryTesting
import Testing

/// Cancelling during a name lookup, with a name server that never responds, and a host whose address changes.
///
/// This needs its own name server: the tests run again in a child process with its own network and its own
/// `/etc/resolv.conf` and `/etc/hosts`, if the system allows it.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct CancelLookupTests {
    private static let isChild = ProcessInfo.processInfo.environment["FERRY_SILENT_NAME_SERVER"] != nil
    private static let silence = Result { try SilentNameServer() }

    /// The seconds after which a lookup fails, the most that glibc allows: so long that a busy machine does not matter.
    private static let hangingTime = 30
    /// The time limit for operations that must not wait for a lookup.
    private static let limit = Duration.seconds(20)

    /// Returns the settings for lookups that fail after a number of seconds.
    private static func settings(failingAfter seconds: Int) -> Data {
        Data("nameserver 127.0.0.1\noptions timeout:\(seconds) attempts:1\n".utf8)
    }

    /// Changes the settings in the child process; they apply to new lookups.
    private static func setLookups(failingAfter seconds: Int) throws {
        try settings(failingAfter: seconds).write(to: URL(fileURLWithPath: "/etc/resolv.conf"))
    }

    @Test("A task with a hanging lookup is cancelled immediately and delays no other", .enabled(if: !isChild))
    func parent() async throws {
        let file = try TemporaryFile(Self.settings(failingAfter: Self.hangingTime))
        let hosts = try TemporaryFile(Data())
        let script = """
            ip link set lo up && mount --bind '\(file.url.path)' /etc/resolv.conf || exit 77
            mount --bind '\(hosts.url.path)' /etc/hosts || exit 77
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
        let said = Watched("")
        await onThreads(1) { _ in
            let data = output.fileHandleForReading.readDataToEndOfFile()
            said.change { $0 = String(decoding: data, as: UTF8.self) }
            process.waitUntilExit()
        }
        let text = said.current
        if process.terminationStatus == 77 || text.contains("unshare:") || text.contains("unshare’") {
            print(
                "Skipped: this system does not allow a separate network with a silent name server: \(text.prefix(200))"
            )
            return
        }
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("A hanging lookup is cancelled"), "\(text)")
        #expect(text.contains("A child started by Process inherits no socket of hanging lookups"), "\(text)")
        #expect(text.contains("A stale response replaces a hanging lookup"), "\(text)")
        #expect(text.contains("A POST whose lookup hangs is retried"), "\(text)")
        #expect(text.contains("A host that has moved is found"), "\(text)")
    }

    @Test("A hanging lookup is cancelled, and so are 20 more, while other requests continue", .enabled(if: isChild))
    func child() async throws {
        let silence = try Self.silence.get()
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let url = try #require(URL(string: "http://unknown-name.example/"))
        let tasks = (0..<21).map { _ in session.dataTask(with: url) }
        for task in tasks { task.resume() }
        try await eventually("a question") { silence.hasQuestion }
        let start = ContinuousClock.now
        for task in tasks { task.cancel() }
        for task in tasks { #expect(try await delegate.completion(of: task).error?.code == .cancelled) }
        let other = session.dataTask(with: server.url("/bytes/1000"))
        other.resume()
        #expect(try await delegate.completion(of: other).error == nil)
        // Another task for the same host does not wait for any of them either.
        let last = session.dataTask(with: url)
        last.resume()
        last.cancel()
        try await delegate.completion(of: last)
        session.invalidateAndCancel()
        try await eventually("invalidity") { delegate.invalidations == 1 }
        // No lookup has ended yet.
        #expect(ContinuousClock.now - start < Self.limit)
        #expect(delegate.violations == [])
    }

    @Test("A child started by Process inherits no socket of hanging lookups", .enabled(if: isChild))
    func inheritance() async throws {
        _ = try Self.silence.get()
        let server = try LoopbackServer()
        let sessions = (0..<5).map { _ in makeSession() }
        for (number, session) in sessions.enumerated() {
            for name in 0..<4 {
                let url = try #require(URL(string: "http://name-\(number)-\(name)-unknown.example/"))
                session.dataTask(with: url).resume()
            }
            // This task runs in a turn after the turns of the lookups, which have begun by then.
            _ = try await session.data(from: server.url("/bytes/1000"))
        }
        #expect(ProcessUsage.descriptors > 30)
        #expect(try Descendant.inheritedSockets() == [])
        for session in sessions { session.invalidateAndCancel() }
    }

    @Test("A host that could not be reached is looked up again", .enabled(if: isChild)) func moved() async throws {
        let server = try LoopbackServer { _ in .text("found") }
        let (session, url) = (makeSession(), server.url("/", host: "moving.example"))
        let hosts = URL(fileURLWithPath: "/etc/hosts")
        try Data("127.0.0.2 moving.example\n".utf8).write(to: hosts)
        #expect(await Wire.error { try await session.data(from: url) }?.code == .cannotConnectToHost)
        try Data("127.0.0.1 moving.example\n".utf8).write(to: hosts)
        #expect(try await session.data(from: url).0 == Data("found".utf8))
        print("A host that has moved is found")
    }

    @Test("A hanging lookup ends when the request times out", .enabled(if: isChild)) func deadline() async throws {
        _ = try Self.silence.get()
        let session = makeSession { $0.timeoutIntervalForRequest = 0.5 }
        let url = try #require(URL(string: "http://another-unknown-name.example/"))
        let start = ContinuousClock.now
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .timedOut)
        #expect(ContinuousClock.now - start < Self.limit)
    }

    @Test("A POST counts as not sent, and is retried, if its lookup hangs until a timeout", .enabled(if: isChild))
    func unsent() async throws {
        _ = try Self.silence.get()
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.retryPolicy?.maximumRetries = 2
        options.retryPolicy?.backoff = .init(base: 0.01)
        let url = try #require(URL(string: "http://fourth-unknown-name.example/"))
        for reason in [CurlSessionError.Code.connectTimeout, .inactivityTimeout] {
            if reason == .connectTimeout { options.connectTimeout = 0.3 } else { options.connectTimeout = nil }
            let session = makeSession(options: options)
            let timeout = reason == .inactivityTimeout ? 0.3 : 60
            let request = Wire.request(url, "POST", body: Data("x".utf8), timeout: timeout)
            let error = await Wire.error { try await session.data(for: request) }
            #expect(error?.code == .timedOut)
            #expect(error?.ferryCode == reason)
            #expect(error?.localizedDescription.contains("(after 3 attempts in ") == true, "\(error as Any)")
        }
        print("A POST whose lookup hangs is retried")
    }

    @Test(
        "A stale response is used if a hanging lookup fails or the request times out",
        .enabled(if: isChild)
    )
    func stale() async throws {
        _ = try Self.silence.get()
        try Self.setLookups(failingAfter: 1)
        let server = try LoopbackServer { _ in
            .text("kept").adding("Age", "70").adding("Cache-Control", "max-age=60, stale-if-error=600")
        }
        var options = CurlSession.Options()
        options.cache = HTTPCache()
        let url = server.url("/", host: "third-unknown-name.example")
        options.network.addresses = ["third-unknown-name.example": ["127.0.0.1"]]
        _ = try await makeSession(options: options).data(from: url)
        options.network.addresses = [:]
        let session = makeSession(options: options)
        var request = URLRequest(url: url)
        #expect(try await session.data(for: request).0 == Data("kept".utf8))
        // The results of lookups that still run, several at a time, are ignored.
        try Self.setLookups(failingAfter: Self.hangingTime)
        request.timeoutInterval = 0.3
        let start = ContinuousClock.now
        for _ in 0..<3 { #expect(try await session.data(for: request).0 == Data("kept".utf8)) }
        #expect(ContinuousClock.now - start < Self.limit)
        try Self.setLookups(failingAfter: 1)
        // The stored response is kept, and the session works as before.
        request = URLRequest(url: url)
        #expect(try await session.data(for: request).0 == Data("kept".utf8))
        #expect(try await session.data(from: server.url("/", host: "127.0.0.1")).0 == Data("kept".utf8))
        #expect(server.requestCount == 2)
        try Self.setLookups(failingAfter: Self.hangingTime)
        print("A stale response replaces a hanging lookup")
    }
}
