import FerrySession
import FerryTesting
import Testing

/// Using stale responses (RFC 5861).
@Suite(.timeLimit(.minutes(2))) struct CacheStaleTests {
    @Test("stale-while-revalidate uses the stored response immediately and validates it in the background")
    func whileRevalidate()
        async throws
    {
        let bench = try CacheBench { _, number in
            .text("\(number)").adding("ETag", "\"\(number)\"").adding("Age", number == 1 ? "70" : "0")
                .adding("Cache-Control", "max-age=60, stale-while-revalidate=600")
        }
        #expect(try await bench.fetch().text == "1")
        let stale = try await bench.fetch()
        #expect(stale.text == "1" && stale.field("Age").flatMap { Int($0) } ?? 0 >= 70)
        try await bench.server.waitForRequests(2, timeout: 40 * patience)
        #expect(bench.lastHeader("If-None-Match") == "\"1\"")
        // The new response is available as soon as it is stored.
        try await eventuallyAsync("the new response") { try await bench.fetch().text == "2" }
        #expect(bench.count == 2)
    }

    @Test("A validation in the background reads no body that is not stored")
    func unstorable() async throws {
        let bench = try CacheBench { _, number in
            guard number > 1 else {
                return .text("1").adding("Age", "70").adding("Cache-Control", "max-age=60, stale-while-revalidate=600")
            }
            return .pattern(count: 1_000_000).adding("Cache-Control", "no-store")
        }
        for _ in 0..<2 { #expect(try await bench.fetch().text == "1") }
        try await bench.server.waitForRequests(2, timeout: 40 * patience)
        // A connection whose body was read to its end would be kept.
        try await eventually("the end of the connection") { bench.server.openConnectionCount == 0 }
    }

    @Test("The validation of a redirect's target at another origin has no secret of the session's")
    func validationElsewhere() async throws {
        let target = try LoopbackServer { request in
            .text(request.header("Authorization") ?? "none").adding("Age", "70").adding("ETag", "\"a\"")
                .adding("Cache-Control", "max-age=60, stale-while-revalidate=600")
        }
        let server = try LoopbackServer { _ in .redirect(to: target.url("/target", host: "localhost").absoluteString) }
        let session = CacheBench.session(HTTPCache()) { $0.httpAdditionalHeaders = ["Authorization": "Bearer secret"] }
        for _ in 0..<2 { #expect(try await session.data(from: server.url).0 == Data("none".utf8)) }
        try await target.waitForRequests(2, timeout: 40 * patience)
        #expect(target.requests.map { $0.header("Authorization") } == [nil, nil])
        #expect(target.requests.last?.header("If-None-Match") == "\"a\"")
    }

    @Test("Many requests for a stale response cause one validation at a time") func oneValidation() async throws {
        let gate = Gate()
        let bench = try CacheBench { _, number in
            var response = number == 1 ? LoopbackResponse.text("1") : .stream { gate.wait($0) }
            response.headers.add("Age", "70")
            response.headers.add("Cache-Control", "max-age=60, stale-while-revalidate=600")
            return response
        }
        for _ in 0..<10 { #expect(try await bench.fetch().text == "1") }
        try await eventually("the validation") { gate.arrived == 1 }
        #expect(bench.count == 2)
        gate.open()
    }

    @Test("A session that is released or invalidated ends its validations", arguments: [true, false])
    func ending(_ isInvalidated: Bool) async throws {
        let gate = Gate()
        let cache = HTTPCache()
        let server = try LoopbackServer { request in
            let isFirst = request.connectionRequestIndex == 0 && request.path == "/first"
            var response = isFirst ? LoopbackResponse.text("1") : .stream { gate.wait($0) }
            response.headers.add("Age", "70")
            response.headers.add("Cache-Control", "max-age=60, stale-while-revalidate=600")
            return response
        }
        var session: CurlSession? = CacheBench.session(cache)
        for _ in 0..<2 { _ = try await session?.data(from: server.url("/first")) }
        try await eventually("the validation") { gate.arrived == 1 }
        if isInvalidated { session?.invalidateAndCancel() }
        let kept = isInvalidated ? session : nil
        session = nil
        // The server notices that its connection was closed.
        try await eventually("the end") { server.openConnectionCount == 0 }
        #expect(!gate.isOpen)
        withExtendedLifetime(kept) {}
        gate.open()
    }

    @Test(
        "stale-if-error replaces a server's error if the response allows it",
        arguments: [
            ("max-age=60, stale-if-error=600", 503, true), ("max-age=60, stale-if-error=600", 500, true),
            ("max-age=60, stale-if-error=600", 404, false), ("max-age=60", 503, false),
            ("max-age=60, stale-if-error=5", 503, false),
            ("max-age=60, stale-if-error=600, must-revalidate", 503, false),
        ]
    )
    func ifError(_ row: (control: String, status: Int, isUsed: Bool)) async throws {
        let bench = try CacheBench { _, number in
            guard number == 1 else { return .text("error", statusCode: row.status) }
            return .text("1").adding("Age", "70").adding("Cache-Control", row.control).adding("ETag", "\"a\"")
        }
        _ = try await bench.fetch()
        let answer = try await bench.fetch()
        #expect(answer.text == (row.isUsed ? "1" : "error"))
        #expect(answer.status == (row.isUsed ? 200 : row.status))
        #expect(bench.count == 2)
    }

    @Test("stale-if-error replaces the failure to reach a server, also if only the request allows it")
    func unreachable() async throws {
        for (control, headers) in [("stale-if-error=600", [:]), ("", ["Cache-Control": "stale-if-error=600"])] {
            let bench = try CacheBench(["Age": "70", "Cache-Control": "max-age=60, \(control)", "ETag": "\"a\""])
            _ = try await bench.fetch()
            bench.server.stop()
            let closed = try ClosedPort(bench.server.port)
            #expect(try await bench.fetch("/", headers).text == "1")
            withExtendedLifetime(closed) {}
        }
        let bench = try CacheBench(["Age": "70", "Cache-Control": "max-age=60", "ETag": "\"a\""])
        _ = try await bench.fetch()
        bench.server.stop()
        let closed = try ClosedPort(bench.server.port)
        #expect(await bench.failure() != nil)
        withExtendedLifetime(closed) {}
    }

    @Test("A timeout counts as an error") func timeout() async throws {
        let gate = Gate()
        let bench = try CacheBench { _, number in
            var response = LoopbackResponse.text("1")
            if number > 1 {
                response = .stream { gate.wait($0) }
                response.headDelay = 5
            }
            response.headers.add("Cache-Control", "max-age=60, stale-if-error=600")
            response.headers.add("Age", "70")
            return response
        }
        _ = try await bench.fetch()
        var request = bench.request()
        request.timeoutInterval = 0.3
        let (data, _) = try await bench.session.data(for: request)
        #expect(data == Data("1".utf8))
        gate.open()
    }
}

/// Waits for a condition that needs requests to be checked.
func eventuallyAsync(_ what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(40 * patience)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw NeverHappened(description: "Timed out waiting for \(what)")
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
