import FerrySession
import TestSupport
import Testing

/// Responses that occupy the engine for a long time, next to requests to a healthy server in the same session.
@Suite("Hostile turns", .ownThreads, .serialized, .timeLimit(.minutes(5)))
struct HostileTurnTests {
    private func server(_ flood: Flood) throws -> RawServer {
        try RawServer(isRecording: false) { connection in
            connection.readHead()
            flood.send(connection)
        }
    }

    /// The longest times that something has taken, and the bound for them.
    private struct Times {
        var slowest: Double
        var cancelling: Double
        var bound: Double

        var areShort: Bool { max(slowest, cancelling) < bound }
    }

    /// Sends hostile requests, each again as soon as it has ended, and expects that meanwhile a healthy server's
    /// responses, with and without a coding, come within 100 ms; a busy machine gets ten times that.
    ///
    /// One of the threads may still be late, so the best of three measurements counts.
    private func expectService(
        _ session: CurlSession,
        beside url: URL,
        _ count: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var best = try await times(session, beside: url, count, sourceLocation)
        for _ in 0..<2 where !best.areShort { best = try await times(session, beside: url, count, sourceLocation) }
        #expect(best.slowest < best.bound, sourceLocation: sourceLocation)
        #expect(best.cancelling < best.bound, sourceLocation: sourceLocation)
    }

    private func times(
        _ session: CurlSession,
        beside url: URL,
        _ count: Int,
        _ sourceLocation: SourceLocation
    ) async throws -> Times {
        let gzip = Samples.gzip
        let healthy = try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let isCoded = head.contains("/coded")
                let coding = isCoded ? "Content-Encoding: gzip\r\nContent-Length: \(gzip.count)" : "Content-Length: 2"
                connection.write(Data("HTTP/1.1 200 OK\r\n\(coding)\r\n\r\n".utf8) + (isCoded ? gzip : Data("ok".utf8)))
            }
        }
        let isOver = Watched(false)
        let hostile = (0..<count).map { _ in
            Task {
                while !isOver.current { _ = try? await session.data(from: url) }
            }
        }
        let meter = StallMeter()
        let start = ContinuousClock.now
        var slowest = 0.0
        while Wire.seconds(since: start) < 0.6 {
            for (path, expected) in [("/", Data("ok".utf8)), ("/coded", Samples.text)] {
                let start = ContinuousClock.now
                #expect(try await session.data(from: healthy.url(path)).0 == expected, sourceLocation: sourceLocation)
                slowest = max(slowest, Wire.seconds(since: start))
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        // Cancelling is not delayed either.
        isOver.change { $0 = true }
        let end = ContinuousClock.now
        for task in hostile { task.cancel() }
        for task in hostile { await task.value }
        let cancelling = Wire.seconds(since: end)
        return Times(slowest: slowest, cancelling: cancelling, bound: meter.bound(1))
    }

    @Test("Bodies that decode to nothing delay no other request", arguments: Flood.codings, [1, 16])
    func codings(_ flood: Flood, _ count: Int) async throws {
        let server = try server(flood)
        try await expectService(Wire.session(), beside: server.url(), count)
    }

    @Test("Bodies in very small chunks delay no other request", arguments: Flood.framings, [1, 16])
    func framings(_ flood: Flood, _ count: Int) async throws {
        let server = try server(flood)
        try await expectService(Wire.session(), beside: server.url(), count)
    }

    @Test("Heads and trailers with very many fields delay no other request", arguments: Flood.heads, [1, 16])
    func heads(_ flood: Flood, _ count: Int) async throws {
        let server = try server(flood)
        try await expectService(Wire.session(), beside: server.url(), count)
    }

    @Test("Responses to CONNECT that are very long delay no other request", arguments: Flood.tunnels, [1, 16])
    func tunnels(_ flood: Flood, _ count: Int) async throws {
        let server = try server(flood)
        var options = CurlSession.Options()
        options.proxy = .http("127.0.0.1", port: server.port, except: ["127.0.0.1"])
        let url = try #require(URL(string: "https://example.invalid/"))
        try await expectService(Wire.session(options: options), beside: url, count)
    }

    @Test(
        "A deadline ends a task of any kind whose body decodes to nothing",
        arguments: TaskKind.allCases,
        [Flood.codings[0], Flood.codings[2]]
    )
    func deadline(_ kind: TaskKind, _ flood: Flood) async throws {
        let server = try server(flood)
        var options = CurlSession.Options()
        options.deadline = 0.3
        let session = Wire.session(options: options)
        var (time, bound) = (Double.infinity, 0.0)
        // One of the threads may still be late.
        for _ in 0..<3 where time >= bound {
            let meter = StallMeter()
            let start = ContinuousClock.now
            // Other responses of the same kind keep the engine busy.
            let errors = await withTaskGroup(of: URLError?.self) { group in
                for _ in 0..<8 {
                    group.addTask { await Wire.error { try await kind.send(Wire.request(server.url()), in: session) } }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            (time, bound) = (Wire.seconds(since: start), 0.3 + meter.bound(1))
            #expect(errors.allSatisfy { $0?.code == .timedOut })
        }
        #expect(time < bound)
    }

    /// The body of such a response is never complete.
    @Test(
        "A redirect is followed, and a refused request sent again, although the response's body decodes to nothing",
        arguments: TaskKind.allCases,
        [Flood.codings[0], Flood.codings[2]]
    )
    func held(_ kind: TaskKind, _ flood: Flood) async throws {
        let isRefused = Watched(false)
        let server = try RawServer(isRecording: false) { connection in
            let head = connection.readHead()
            if head.contains(" /start ") {
                flood.send(connection, status: "307 Elsewhere", fields: "Location: /next\r\n")
            } else if isRefused.current {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")
            } else {
                isRefused.change { $0 = true }
                flood.send(connection, status: "503 Busy", fields: "Retry-After: 0\r\n")
            }
        }
        let other = try self.server(flood)
        var options = CurlSession.Options()
        options.retryPolicy = .standard
        options.retryPolicy?.additionalMethods = ["POST"]
        let session = Wire.session(options: options)
        let hostile = (0..<8).map { _ in Task { _ = try? await session.data(from: other.url()) } }
        let body = try await kind.send(Wire.request(server.url("/start")), in: session)
        #expect(body == Data("here".utf8))
        for task in hostile { task.cancel() }
        for task in hostile { await task.value }
    }

    @Test("A coding that ends early is an error beside a flood too", arguments: TaskKind.allCases)
    func truncated(_ kind: TaskKind) async throws {
        let flood = try server(Flood.codings[2])
        let body = Data((0..<4_000).flatMap { _ in Samples.gzip }).dropLast(9)
        let server = try RawServer(isRecording: false) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.write(body)
        }
        let session = Wire.session()
        let hostile = (0..<8).map { _ in Task { _ = try? await session.data(from: flood.url()) } }
        let error = await Wire.error { try await kind.send(Wire.request(server.url()), in: session) }
        #expect(error?.code == .cannotDecodeContentData && error?.ferryCode == .incompleteContentCoding)
        for task in hostile { task.cancel() }
        for task in hostile { await task.value }
    }

    @Test("Tasks that wait for their turn can be suspended, resumed and cancelled, and their session ends")
    func control() async throws {
        let server = try server(Flood.codings[2])
        let session = Wire.session()
        let ends = Watched<[URLError.Code?]>([])
        let tasks = (0..<16).map { _ in
            session.dataTask(with: server.url()) { _, _, error in ends.append((error as? URLError)?.code) }
        }
        for task in tasks { task.resume() }
        try await eventually("responses") { tasks.allSatisfy { $0.response != nil || $0.countOfBytesReceived > 0 } }
        for _ in 0..<5 {
            for task in tasks { task.suspend() }
            try await Bystander.expectService(of: session)
            for task in tasks { task.resume() }
            try await Bystander.expectService(of: session)
        }
        for task in tasks[..<8] { task.cancel() }
        try await ends.wait { $0.count == 8 }
        for task in tasks[8..<12] { task.suspend() }
        session.invalidateAndCancel()
        try await ends.wait { $0.count == 16 }
        #expect(ends.current.allSatisfy { $0 == .cancelled })
    }

    /// libcurl would mix up the lines of interim responses that come while an attempt is paused.
    @Test("A response after very many interim responses arrives whole beside a flood", arguments: TaskKind.allCases)
    func interim(_ kind: TaskKind) async throws {
        let flood = try server(Flood.codings[0])
        let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 400)
        let fields = (0..<190).map { "X-\($0): \($0)\r\n" }.joined()
        let chunks = String(repeating: "1\r\nx\r\n", count: 5_000)
        let server = try RawServer { connection in
            connection.readHead()
            let head = "\(interim)HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(fields)\r\n"
            connection.write("\(head)\(chunks)0\r\nX-End: yes\r\n\r\n")
        }
        let session = Wire.session()
        let hostile = (0..<8).map { _ in Task { _ = try? await session.data(from: flood.url()) } }
        for _ in 0..<5 {
            let body = try await kind.send(Wire.request(server.url()), in: session)
            #expect(body == Data(repeating: UInt8(ascii: "x"), count: 5_000))
        }
        let response = try await session.data(from: server.url()).1 as? HTTPURLResponse
        #expect((0..<190).allSatisfy { response?.value(forHTTPHeaderField: "X-\($0)") == "\($0)" })
        for task in hostile { task.cancel() }
        for task in hostile { await task.value }
    }

    @Test("Large bodies arrive whole beside each other and beside a flood", arguments: TaskKind.allCases)
    func whole(_ kind: TaskKind) async throws {
        let flood = try server(Flood.codings[2])
        // Members of gzip that have little content take as many steps as empty ones.
        let (count, size) = (4_000, Samples.text.count)
        let body = Data((0..<count).flatMap { _ in Samples.gzip })
        let server = try RawServer(isRecording: false) { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.write(body)
        }
        let session = Wire.session()
        let hostile = Task { _ = try? await session.data(from: flood.url()) }
        let results = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<4 { group.addTask { try await kind.send(Wire.request(server.url()), in: session) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        hostile.cancel()
        let expected = Data((0..<count).flatMap { _ in Samples.text })
        #expect(results.allSatisfy { $0.count == count * size && $0 == expected })
        await hostile.value
    }
}
