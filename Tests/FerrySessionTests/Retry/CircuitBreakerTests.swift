import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

/// Circuit breakers over sockets.
@Suite(.timeLimit(.minutes(5)))
struct CircuitBreakerTests {
    private func session(_ breaker: CircuitBreaker) -> CurlSession {
        var options = CurlSession.Options()
        options.circuitBreaker = breaker
        return makeSession(options: options)
    }

    private func rule() -> CircuitBreaker.Rule {
        var rule = CircuitBreaker.Rule()
        (rule.minimumRequests, rule.openTime) = (4, 0.2)
        return rule
    }

    @Test("A server that keeps failing receives no more requests until it is tried again")
    func opensAndCloses() async throws {
        let isWell = Watched(false)
        let server = try LoopbackServer { _ in isWell.current ? .text("well") : .status(503) }
        let changes = Watched<[CircuitBreaker.State]>([])
        var rule = rule()
        rule.openTime = 600
        let breaker = CircuitBreaker(rule) { change in changes.append(change.state) }
        let session = session(breaker)
        for _ in 0..<4 { _ = try await session.data(from: server.url) }
        #expect(breaker.state(of: server.url) == .open)
        let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.ferryCode == .circuitOpen)
        #expect(server.requests.count == 4)
        // Other origins are not affected.
        let other = try LoopbackServer { _ in .text("well") }
        _ = try await session.data(from: other.url)
        breaker.reset()
        isWell.change { $0 = true }
        _ = try await session.data(from: server.url)
        #expect(breaker.state(of: server.url) == .closed)
        try await eventually("the changes") { changes.current == [.open, .closed] }
        session.invalidateAndCancel()
    }

    @Test("A server that does not respond before the deadline of a call fails", arguments: ["call", "resource"])
    func deadlines(kind: String) async throws {
        let server = try RawServer { $0.readAll() }
        let breaker = CircuitBreaker(rule())
        var options = CurlSession.Options()
        options.circuitBreaker = breaker
        if kind == "call" { options.deadline = 0.2 }
        let session = makeSession(options: options) { if kind == "resource" { $0.timeoutIntervalForResource = 0.2 } }
        // On a busy machine, a call may end before its request is sent.
        for _ in 0..<100 where breaker.state(of: server.url()) == .closed {
            let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url()) }
            #expect(error?.code == .timedOut)
        }
        #expect(breaker.state(of: server.url()) != .closed)
    }

    @Test("A body that the program fails to make says nothing about the server")
    func ownBody() async throws {
        let server = try LoopbackServer { _ in .text("well") }
        let breaker = CircuitBreaker(rule())
        let session = session(breaker)
        for _ in 0..<6 {
            let body = RequestBody(
                AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CocoaError(.fileReadUnknown)) }
            )
            await #expect(throws: (any Error).self) {
                _ = try await session.upload(for: Wire.request(server.url, "POST"), body: body)
            }
        }
        #expect(breaker.state(of: server.url) == .closed)
    }

    @Test("One trial is sent after the time, and its success closes the circuit")
    func trial() async throws {
        let isWell = Watched(false)
        let server = try LoopbackServer { _ in isWell.current ? .text("well") : .status(500) }
        let breaker = CircuitBreaker(rule())
        let session = session(breaker)
        for _ in 0..<4 { _ = try await session.data(from: server.url) }
        isWell.change { $0 = true }
        try await eventually("the trial") { breaker.state(of: server.url) == .halfOpen }
        let (data, _) = try await session.data(from: server.url)
        #expect(String(decoding: data, as: UTF8.self) == "well")
        #expect(breaker.state(of: server.url) == .closed)
        session.invalidateAndCancel()
    }

    @Test("Connections that are refused count, and a task's own breaker takes precedence")
    func refused() async throws {
        let port = try ClosedPort()
        let url = port.url
        let (shared, own) = (CircuitBreaker(rule()), CircuitBreaker(rule()))
        let session = session(shared)
        for _ in 0..<5 {
            let task = session.dataTask(with: url)
            task.circuitBreaker = own
            task.resume()
            try await eventually("the end") { task.state == .completed }
        }
        #expect(own.state(of: url) != .closed)
        #expect(shared.state(of: url) == .closed)
        session.invalidateAndCancel()
    }

    @Test("A task that is cancelled says nothing about its server")
    func cancelled() async throws {
        let server = try RawServer { $0.readAll() }
        let breaker = CircuitBreaker(rule())
        let session = session(breaker)
        for _ in 0..<8 {
            let task = session.dataTask(with: server.url())
            task.resume()
            task.cancel()
            try await eventually("the end") { task.state == .completed }
        }
        #expect(breaker.state(of: server.url()) == .closed)
        session.invalidateAndCancel()
    }

    @Test("No retry follows a refusal by the breaker")
    func retries() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        var rule = rule()
        rule.openTime = 600
        var options = CurlSession.Options()
        options.circuitBreaker = CircuitBreaker(rule)
        options.retryPolicy = .standard
        options.retryPolicy?.backoff = .init(base: 0)
        options.retryPolicy?.maximumRetries = 100
        options.retryPolicy?.budget = nil
        let session = makeSession(options: options)
        let error = await #expect(throws: URLError.self) { _ = try await session.data(from: server.url) }
        #expect(error?.ferryCode == .circuitOpen)
        #expect(server.requests.count == 4)
        session.invalidateAndCancel()
    }

    /// The events while a trial that waits for a connection is suspended.
    enum Suspension: CaseIterable, Sendable { case keepsPlace, losesPlace, letsOtherTry }

    @Test(
        "A trial that is suspended while it waits for a connection is one again when it is resumed, and others may try",
        arguments: Suspension.allCases
    )
    func suspendedTrial(_ suspension: Suspension) async throws {
        let gate = Gate()
        let isWell = Watched(false)
        let server = try LoopbackServer { request in
            if request.path == "/held" { gate.wait() }
            return isWell.current || request.path == "/held" ? .text("well") : .status(503)
        }
        var rule = rule()
        rule.openTime = 0.05
        let breaker = CircuitBreaker(rule)
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.circuitBreaker = breaker
        let session = makeSession(delegate, options: options) { $0.httpMaximumConnectionsPerHost = 1 }
        for _ in 0..<4 { _ = try await session.data(from: server.url) }
        try await eventually("the trial") { breaker.state(of: server.url) == .halfOpen }
        isWell.change { $0 = true }
        // This task has another breaker, and keeps the only connection.
        let held = session.dataTask(with: server.url("/held"))
        held.circuitBreaker = CircuitBreaker(rule)
        held.resume()
        try await eventually("the other request") { gate.arrived == 1 }
        let trial = session.dataTask(with: server.url)
        trial.resume()
        try await session.overtake()
        trial.suspend()
        try await session.overtake()
        if suspension != .keepsPlace {
            gate.open()
            try await eventually("the end of the other request") { held.state == .completed }
            try await session.overtake()
        }
        if suspension == .letsOtherTry {
            #expect(try await session.data(from: server.url).0 == Data("well".utf8))
            #expect(breaker.state(of: server.url) == .closed)
        }
        trial.resume()
        gate.open()
        #expect(try await delegate.completion(of: trial).error == nil)
        #expect(breaker.state(of: server.url) == .closed)
        session.invalidateAndCancel()
    }

    @Test("Requests that waited for a connection are not sent once the circuit is open")
    func waiting() async throws {
        let server = try LoopbackServer { _ in .status(503) }
        var rule = rule()
        rule.openTime = 600
        let breaker = CircuitBreaker(rule)
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.circuitBreaker = breaker
        let session = makeSession(delegate, options: options) { $0.httpMaximumConnectionsPerHost = 1 }
        let tasks = (0..<40).map { _ in session.dataTask(with: server.url) }
        for task in tasks { task.resume() }
        for task in tasks.suffix(30) {
            let error = try await delegate.completion(of: task).error
            #expect(error?.ferryCode == .circuitOpen)
        }
        #expect(server.requestCount == 4)
        session.invalidateAndCancel()
    }

    @Test("The number of origins is limited, and healthy ones are forgotten first")
    func origins() throws {
        var rule = rule()
        (rule.minimumRequests, rule.openTime) = (1, 600)
        let origins = (0..<1_100).map { Origin(scheme: "http", name: "h\($0)", port: nil) }
        let (start, later) = (MonotonicTime(nanoseconds: 1_000_000_000), MonotonicTime(nanoseconds: 21_000_000_000))
        let breaker = CircuitBreaker(rule)
        let eras = try origins.prefix(1_024).map { try #require(breaker.admit($0, at: start)) }
        breaker.note(.failure, of: origins[0], since: eras[0], at: start)
        #expect(breaker.admit(origins[1_024], at: later) != nil)
        #expect(breaker.admit(origins[0], at: later) == nil)
        #expect(breaker.admit(origins[1], at: later) != eras[1])

        let failing = CircuitBreaker(rule)
        for origin in origins {
            let era = try #require(failing.admit(origin, at: start))
            failing.note(.failure, of: origin, since: era, at: start)
        }
        // Only a forgotten circuit has no era of its own.
        #expect(origins.count { !failing.isUnchanged($0, since: 0) } == 1_024)
    }

    @Test("The end of a request from before the opening does not decide about the trial", arguments: [true, false])
    func earlierRequest(isCancelled: Bool) async throws {
        let (earlier, trial, isWell) = (Gate(), Gate(), Watched(false))
        let server = try LoopbackServer { request in
            if request.path == "/earlier" { earlier.wait() }
            if isWell.current, request.path == "/" { trial.wait() }
            return isWell.current && request.path == "/" ? .text("well") : .status(503)
        }
        var rule = rule()
        rule.openTime = 0.05
        let breaker = CircuitBreaker(rule)
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.circuitBreaker = breaker
        let session = makeSession(delegate, options: options)
        let old = session.dataTask(with: server.url("/earlier"))
        old.resume()
        try await eventually("the earlier request") { earlier.arrived == 1 }
        for _ in 0..<4 { _ = try await session.data(from: server.url) }
        try await eventually("the time of the trial") { breaker.state(of: server.url) == .halfOpen }
        isWell.change { $0 = true }
        let task = session.dataTask(with: server.url)
        task.resume()
        try await eventually("the trial") { trial.arrived == 1 }
        if isCancelled { old.cancel() } else { earlier.open() }
        _ = try await delegate.completion(of: old)
        let second = await #expect(throws: URLError.self) { try await session.data(from: server.url) }
        #expect(second?.ferryCode == .circuitOpen)
        trial.open()
        #expect(try await delegate.completion(of: task).error == nil)
        #expect(breaker.state(of: server.url) == .closed)
        earlier.open()
        session.invalidateAndCancel()
    }
}
