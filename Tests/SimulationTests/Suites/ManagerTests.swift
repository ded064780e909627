import Testing

@testable import Ferry

/// The additions of managers to sessions, over hours.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedManagerTests {
    private struct Slow: Authenticator {
        func apply(_ token: String, to request: inout AdaptedRequest) {
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }

        func isRequest(_ request: URLRequest, authenticatedWith token: String) -> Bool {
            request.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)"
        }

        func refresh(_ token: String?) async throws -> String {
            await Simulation.shared.sleep(7_200)
            return "late"
        }
    }

    /// Returns the durations of calls in ascending order, and the number of requests.
    private static func durations(_ count: Int, hedging: Hedging?) async throws -> (sorted: [Double], requests: Int) {
        let generator = Watched(SeededGenerator(1))
        let requests = Watched(0)
        let host = SimulatedHost { _ in
            requests.change { $0 += 1 }
            var response = SimulatedResponse.text("x")
            // One of ten servers with the same name takes seconds for four of ten requests.
            response.delay = generator.change { random in
                let isSlow = Int.random(in: 0..<25, using: &random) == 0
                return isSlow ? .random(in: 1...3, using: &random) : .random(in: 0.01...0.05, using: &random)
            }
            return response
        }
        Simulation.shared.add(host, named: "a.test")
        let manager = HTTPSessionManager(baseURL: try Simulated.url("http://a.test/"), configuration: .ephemeral)
        manager.hedging = hedging
        var durations: [Double] = []
        for _ in 0..<count {
            let start = Simulation.shared.seconds
            #expect(try await manager.send(Request(.get, "x", serializer: .string)) == "x")
            durations.append(Simulation.shared.seconds - start)
        }
        return (durations.sorted(), requests.current)
    }

    @Test("Hedging halves the 99th percentile of a manager's calls for 5 % more requests")
    func hedging() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let count = 1_000
                let plain = try await Self.durations(count, hedging: nil)
                let hedging = Hedging()
                let hedged = try await Self.durations(count, hedging: hedging)
                #expect(plain.requests == count)
                // A second request may be cancelled before it has arrived.
                #expect(hedged.requests > count && hedged.requests <= count + count / 20 + 10, "\(hedged.requests)")
                #expect(hedging.counts.used > 10, "\(hedging.counts)")
                let index = count * 99 / 100
                let (before, after) = (plain.sorted[index], hedged.sorted[index])
                #expect(after <= before / 2, "\(after) and \(before)")
            }
        }
    }

    @Test("A refresh that takes longer than its limit fails the requests that wait for it, at the second")
    func refreshLimit() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let requests = Watched(0)
                let host = SimulatedHost { _ in
                    requests.change { $0 += 1 }
                    return .text("x")
                }
                Simulation.shared.add(host, named: "a.test")
                let url = try Simulated.url("http://a.test/")
                let manager = HTTPSessionManager(baseURL: url, configuration: .ephemeral)
                let options = AuthenticationOptions { $0.refreshTimeout = 3_600 }
                manager.interceptors = [AuthenticationInterceptor(Slow(), credential: nil, options: options)]
                manager.requestSerializer.timeoutInterval = 10_000
                let start = Simulation.shared.seconds
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<5 {
                        group.addTask {
                            let error = await #expect(throws: NetworkError.self) {
                                try await manager.send(Request(.get, "x", serializer: .string))
                            }
                            let reason = error?.underlyingError as? AuthenticationError
                            #expect(reason?.code == .refreshTimedOut, "\(String(describing: error))")
                            #expect((3_600..<3_600.5).contains(Simulation.shared.seconds - start))
                        }
                    }
                }
                #expect(requests.current == 0)
            }
        }
    }
}
