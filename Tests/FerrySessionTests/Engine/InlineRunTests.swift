import FerrySession
import FerryTesting
import Testing

/// Sequential requests, each of which runs the sleeping engine inline.
@Suite(.timeLimit(.minutes(5)))
struct InlineRunTests {
    @Test("Sequential requests use one connection") func one() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        for _ in 0..<200 {
            #expect(try await session.data(from: server.url("/bytes/1000")).0.count == 1000)
        }
        #expect(server.connectionCount == 1)
    }

    @Test("A connection that the server closes while the engine sleeps fails no request") func closed() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        for round in 0..<60 {
            #expect(try await session.data(from: server.url("/bytes/1000")).0.count == 1000)
            server.closeIdleConnections()
            // Immediately, and after the engine's thread has noticed the close.
            if round % 2 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    @Test("Connections to two servers, closed in turn, are never confused") func two() async throws {
        let servers = [try LoopbackServer(), try LoopbackServer()]
        let session = makeSession()
        for round in 0..<120 {
            let server = servers[round / 2 % 2]
            #expect(try await session.data(from: server.url("/bytes/\(round)")).0.count == round)
            if round % 3 == 0 { servers[round % 2].closeIdleConnections() }
        }
    }

    @Test("A request in progress does not delay a later one, on the same connection or on a new one")
    func underWay() async throws {
        let gate = Gate()
        let arrived = Watched<Set<String>>([])
        let slow = try LoopbackServer { request in
            arrived.change { $0.insert(request.path) }
            return .stream { gate.wait($0) }
        }
        let server = try LoopbackServer()
        for round in 0..<40 {
            let session = makeSession()
            if round % 2 == 0 { _ = try await session.data(from: server.url("/bytes/10")) }
            let task = session.dataTask(with: slow.url("/\(round)"))
            task.resume()
            if round % 4 < 2 { try await eventually("the slow one") { arrived.change { $0.contains("/\(round)") } } }
            #expect(try await session.data(from: server.url("/bytes/\(round)")).0.count == round)
            task.cancel()
        }
        gate.open()
    }

    @Test("A request that runs the engine inline times out") func timeout() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        for seconds in [60, 0.3, 0.3] {
            _ = try await session.data(from: server.url("/bytes/10"))
            var request = URLRequest(url: server.url(seconds < 1 ? "/stall-before" : "/bytes/10"))
            request.timeoutInterval = seconds
            do {
                _ = try await session.data(for: request)
                #expect(seconds == 60)
            } catch {
                #expect((error as? URLError)?.code == .timedOut)
                #expect(seconds < 1 * patience)
            }
        }
    }

    @Test("Threads that find the engine asleep at the same time all get their responses") func rush() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        let count = Watched(0)
        for round in 1...150 {
            await onThreads(4) { worker in
                session.dataTask(with: server.url("/bytes/\(worker)")) { data, _, _ in
                    if data?.count == worker { count.change { $0 += 1 } }
                }.resume()
            }
            try await eventually("round \(round)") { count.change { $0 == 4 * round } }
        }
    }

    @Test("A session that is invalidated while a request begins completes it and is released")
    func invalidated() async throws {
        let server = try LoopbackServer()
        for round in 0..<100 {
            let delegate = RecordingDelegate()
            let count = Watched(0)
            var session: CurlSession? = makeSession(delegate)
            weak let released = session
            if let session { try await invalidate(session, server, count, isCancelling: round % 2 == 0) }
            session = nil
            try await eventually("the end of request and session") {
                count.change { $0 == 1 } && delegate.invalidations == 1 && released == nil
            }
        }
    }

    /// Invalidates a session while another thread begins a request.
    private func invalidate(
        _ session: CurlSession,
        _ server: LoopbackServer,
        _ count: Watched<Int>,
        isCancelling: Bool
    ) async throws {
        _ = try await session.data(from: server.url("/bytes/10"))
        let task = session.dataTask(with: server.url("/bytes/1000")) { _, _, _ in count.change { $0 += 1 } }
        await onThreads(2) { worker in
            if worker == 0 {
                task.resume()
            } else if isCancelling {
                session.invalidateAndCancel()
            } else {
                session.finishTasksAndInvalidate()
            }
        }
    }

    @Test("A thread that runs the engine inline keeps its signal mask") func signals() async throws {
        let server = try LoopbackServer()
        let session = makeSession()
        for _ in 0..<10 {
            _ = try await session.data(from: server.url("/bytes/10"))
            await onThreads(1) { _ in
                let task = session.dataTask(with: server.url("/bytes/10"))
                let before = blocksPipe()
                task.resume()
                #expect(blocksPipe() == before)
            }
        }
    }
}

private func blocksPipe() -> Bool {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return sigismember(&mask, SIGPIPE) == 1
}
