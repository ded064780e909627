import FerrySession
import FerryTesting
import TestSupport
import Testing

/// The resources that sessions use, measured in separate processes.
@Suite(.slow, .serialized, .timeLimit(.minutes(5)), .ownThreads)
struct FootprintTests {
    @Test("Threads and descriptors of dropped, invalidated and busy sessions are released") func resources() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try LoopbackServer()
                _ = try await makeSession().data(from: server.url("/bytes/10"))
                try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
                try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
                // A session has at least three descriptors; a busy Dispatch may create a few of its own once.
                let limit = ProcessUsage.descriptors + 5
                var sessions: [CurlSession] = []
                for index in 0..<30 {
                    let session = makeSession()
                    _ = try await session.data(from: server.url("/bytes/10"))
                    if index % 3 == 0 { session.invalidateAndCancel() }
                    if index % 3 == 1 { session.dataTask(with: server.url("/delay/100")).resume() }
                    sessions.append(session)
                }
                // On a slow machine the first sessions are idle long enough to end their threads.
                try Child.expect(ProcessUsage.ferryThreads > 0, "no threads")
                sessions = []
                try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
                try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
                try await eventually("at most \(limit) descriptors") { ProcessUsage.descriptors <= limit }
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("A session that never sent anything has no thread") func unused() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let sessions = (0..<10).map { _ in makeSession() }
                for session in sessions { _ = session.dataTask(with: URL(fileURLWithPath: "/")) }
                // A thread would have a moment to begin.
                try await Task.sleep(for: .milliseconds(50))
                try Child.expect(ProcessUsage.ferryThreads == 0, "\(ProcessUsage.ferryThreads) threads")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("Creating and releasing sessions and tasks does not leak memory") func memory() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try LoopbackServer()
                let url = server.url("/bytes/2000")
                func round() async throws {
                    for index in 0..<50 {
                        let session = makeSession(RecordingDelegate())
                        for _ in 0..<4 { _ = try await session.data(from: url) }
                        for _ in 0..<20 { _ = session.dataTask(with: url) }
                        if index % 2 == 0 { session.invalidateAndCancel() }
                    }
                    try await eventually("no thread") { ProcessUsage.ferryThreads == 0 }
                    server.reset()
                }
                try await round()
                try await round()
                let before = ProcessUsage.residentBytes
                for _ in 0..<4 { try await round() }
                let growth = ProcessUsage.residentBytes - before
                // 200 sessions; if one leaked its handle and its thread, it would cost more than 100 KB.
                try Child.expect(growth < 6_000_000, "\(growth)")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("A request that waits two seconds uses almost no processor time") func waiting() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try LoopbackServer()
                _ = try await makeSession().data(from: server.url("/bytes/10"))
                let session = makeSession()
                async let response = session.data(from: server.url("/delay/2000"))
                try await server.waitForRequests(2, timeout: 40 * patience)
                let before = ProcessUsage.ferryProcessorTime
                // This is most of the wait, of which FoundationNetworking uses three quarters of the processor.
                try await Task.sleep(for: .milliseconds(1500))
                let spent = ProcessUsage.ferryProcessorTime - before
                try Child.expect(ProcessUsage.ferryThreads > 0 && spent < 0.1, "\(spent)")
                _ = try await response
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("An idle session uses no processor time") func idle() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let server = try LoopbackServer()
                let session = makeSession()
                _ = try await session.data(from: server.url("/bytes/10"))
                let suspended = session.dataTask(with: server.url("/stall?bytes=10&after=5"))
                suspended.resume()
                try await eventually("five bytes") { suspended.countOfBytesReceived == 5 }
                suspended.suspend()
                try await session.overtake()
                let before = ProcessUsage.ferryProcessorTime
                // The time whose use is measured.
                try await Task.sleep(for: .milliseconds(1000))
                let spent = ProcessUsage.ferryProcessorTime - before
                try Child.expect(spent < 0.1, "\(spent)")
            }
        }
        Child.check(result?.standardOutputContent)
    }

    @Test("An upload that the window of HTTP/2 stops uses almost no processor time") func closedWindow() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            await Child.run {
                let hasBegun = Watched(false)
                let server = try frameServer(settings: FrameConnection.setting(4, 10_000)) { connection in
                    while let frame = connection.next(opensWindows: false) {
                        if frame.kind == .data { hasBegun.change { $0 = true } }
                    }
                }
                var options = CurlSession.Options()
                options.httpVersions = .http2PriorKnowledge
                let session = CurlSession(configuration: .ephemeral, options: options)
                let task = session.uploadTask(with: Wire.request(server.url(), "PUT"), from: Data(count: 100_000))
                task.resume()
                try await eventually("the first bytes") { hasBegun.current }
                let before = ProcessUsage.ferryProcessorTime
                // The time whose use is measured.
                try await Task.sleep(for: .milliseconds(1000))
                let spent = ProcessUsage.ferryProcessorTime - before
                try Child.expect(ProcessUsage.ferryThreads > 0 && spent < 0.2, "\(spent)")
                task.cancel()
            }
        }
        Child.check(result?.standardOutputContent)
    }
}
