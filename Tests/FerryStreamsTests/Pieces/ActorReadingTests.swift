import FerryStreams
import TestSupport
import Testing

/// Runs the jobs of an actor on a queue, and counts them.
private final class CountingExecutor: SerialExecutor {
    let jobs = Watched(0)
    private let queue = DispatchQueue(label: "ActorReadingTests")

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.change { $0 += 1 }
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

private actor Reader {
    private let executor = CountingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Returns the number of elements, and the number of times that the actor was entered to read them.
    func read(_ elements: some AsyncSequence) async throws -> (count: Int, jobs: Int) {
        let before = executor.jobs.current
        var count = 0
        for try await _ in elements { count += 1 }
        return (count, executor.jobs.current - before)
    }
}

@Suite("Reading on an actor")
struct ActorReadingTests {
    private let count = 5_000
    private let reader = Reader()

    /// Returns a server that sends a text as often as there are elements.
    private func server(_ text: String, type: String = "text/plain") throws -> (RawServer, URL) {
        let body = String(repeating: text, count: count)
        let server = try RawServer { connection in
            connection.readHead()
            let fields = "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
            let isAgain = connection.index > 0 && type == "text/event-stream"
            connection.write(isAgain ? "HTTP/1.1 204 No Content\r\n\r\n" : "HTTP/1.1 200 OK\r\n\(fields)\r\n\(body)")
        }
        return (server, try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
    }

    private func bytes(_ url: URL) async throws -> CurlSession.Bytes {
        try await CurlSession(configuration: .ephemeral).bytes(from: url).0
    }

    /// The actor is entered again when more of the body has arrived, but not for each element.
    private func check(_ result: (count: Int, jobs: Int), of count: Int) {
        #expect(result.count == count)
        #expect(result.jobs < count / 10, "\(result.jobs) jobs for \(count) elements")
    }

    @Test("Bytes and lines are read without leaving the actor for each")
    func lines() async throws {
        let (server, url) = try server("12\n")
        defer { withExtendedLifetime(server) {} }
        check(try await reader.read(bytes(url)), of: count * 3)
        check(try await reader.read(bytes(url).lines), of: count)
        check(try await reader.read(bytes(url).jsonLines(as: Int.self)), of: count)
        check(try await reader.read(HTTPSessionManager(baseURL: url).stream(.get("")).lines), of: count)
        let checked = try await bytes(url).chunks.checked(maximumLength: .max)
        check(try await reader.read(BodyLines(checked)), of: count)
    }

    @Test("Events are read without leaving the actor for each")
    func events() async throws {
        let (server, url) = try server("data: 1\n\n", type: "text/event-stream")
        defer { withExtendedLifetime(server) {} }
        var options = EventSource.Options()
        options.reconnectionTime = 0
        let session = CurlSession(configuration: .ephemeral)
        check(try await reader.read(session.eventSource(from: url, options: options)), of: count)
    }
}
