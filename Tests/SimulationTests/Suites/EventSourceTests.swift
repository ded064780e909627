import FerryStreams
import Testing

/// Streams of events that last for days.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedEventSourceTests {
    /// A host that sends an event each minute, and whose connections do not last.
    private static func news(seed: UInt64, _ times: Watched<[Double]>) -> SimulatedHost {
        let generator = Watched(SeededGenerator(seed))
        return SimulatedHost { request in
            times.append(request.time)
            let last = Int(request.field("Last-Event-ID") ?? "") ?? 0
            guard last < 2_000 else { return SimulatedResponse(204) }
            let failure = generator.change { Int.random(in: 0..<4, using: &$0) }
            if failure == 0 { return SimulatedResponse(503) }
            // Ten thousand minutes of events of the same length; each connection ends in the middle of an event.
            let body = (last + 1...last + 500).map { number in
                "id: \(number)\ndata: \(String(repeating: "x", count: 80 - String(number).count))\n\n"
            }
            let count = generator.change { Int.random(in: 100..<20_000, using: &$0) }
            let type = [(name: "Content-Type", value: "text/event-stream")]
            var response = SimulatedResponse(200, Array(body.joined().utf8), fields: type)
            (response.pieceSize, response.pieceDelay, response.hasLength) = (90, 60, false)
            response.end = failure == 1 ? .reset(after: count) : .close(after: count)
            return response
        }
    }

    @Test(
        "Each event of a day is received once, over connections that do not last",
        arguments: 1...3 as ClosedRange<UInt64>
    )
    func day(seed: UInt64) async {
        await #expect(processExitsWith: .success) { [seed] in
            try await Simulation.shared.run {
                let times = Watched<[Double]>([])
                Simulation.shared.add(Self.news(seed: seed, times), named: "news.test")
                let session = Simulated.session { $0.timeoutIntervalForRequest = 90 }
                var options = EventSource.Options()
                options.retryPolicy.backoff.hasJitter = false
                options.retryPolicy.maximumRetries = 50
                var expected = 1
                let url = try Simulated.url("http://news.test/")
                for try await event in session.eventSource(from: url, options: options) {
                    #expect(event.id == "\(expected)", "seed \(seed)")
                    expected += 1
                }
                #expect(expected >= 2_000, "seed \(seed)")
                #expect(Simulation.shared.seconds > 86_400, "seed \(seed)")
                let pauses = zip(times.current.dropFirst(), times.current).map { $0 - $1 }
                #expect(pauses.count > 10 && pauses.allSatisfy { $0 >= 0.5 }, "seed \(seed): \(pauses)")
            }
        }
    }

    @Test("A server that is away for good is given up after the delays of the policy")
    func away() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost(path: { SimulatedPath(outcome: .refused) }, respond: { _ in .text("") })
                Simulation.shared.add(host, named: "news.test")
                var options = EventSource.Options()
                options.retryPolicy.backoff = RetryPolicy.Backoff(base: 600, cap: 3_600, hasJitter: false)
                options.retryPolicy.maximumRetries = 5
                let source = Simulated.session().eventSource(
                    from: try Simulated.url("http://news.test/"),
                    options: options
                )
                let failure = await Simulated.failure { for try await _ in source {} }
                #expect(failure.error?.code == .cannotConnectToHost)
                // The second connection follows after the reconnection time of 3 s.
                #expect((7_803..<7_804).contains(failure.seconds), "\(failure.seconds)")
            }
        }
    }
}
