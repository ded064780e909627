import Testing

/// Interceptors that take their time.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedInterceptionTests {
    /// A token that lives for an hour, and is fetched once for all requests that need it.
    private actor Tokens {
        private var flight: Task<String, Never>?
        private var token = "none"
        private(set) var refreshes = 0

        var current: String { token }

        func refresh(insteadOf old: String) async -> String {
            if token != old { return token }
            if let flight { return await flight.value }
            let number = refreshes + 1
            refreshes = number
            let flight = Task {
                await Simulation.shared.sleep(30)
                return "token-\(number)"
            }
            self.flight = flight
            token = await flight.value
            self.flight = nil
            return token
        }
    }

    private struct Bearer: RequestInterceptor {
        let tokens: Tokens

        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            var request = request
            request.setValue("Bearer \(await tokens.current)", forHTTPHeaderField: "Authorization")
            return request
        }

        func retry(_ attempt: RequestAttempt, dueTo failure: AttemptOutcome) async -> RetryDecision {
            guard failure.response?.statusCode == 401 else { return .proceed }
            let old = failure.request.value(forHTTPHeaderField: "Authorization")?.dropFirst(7)
            _ = await tokens.refresh(insteadOf: old.map { String($0) } ?? "")
            return .retry
        }
    }

    @Test("A token that expires each hour is refreshed once for all requests that fail with 401")
    func refresh() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let tokens = Tokens()
                let accepted = Watched<[String: Double]>([:])
                let host = SimulatedHost { request in
                    let token = request.field("Authorization") ?? ""
                    guard token.hasPrefix("Bearer token-") else { return SimulatedResponse(401) }
                    let first = accepted.change { accepted in
                        accepted[token] = accepted[token] ?? request.time
                        return accepted[token] ?? 0
                    }
                    return request.time - first < 3_600 ? .text(request.target) : SimulatedResponse(401)
                }
                Simulation.shared.add(host, named: "a.test")
                var options = CurlSession.Options()
                options.interceptors = [Bearer(tokens: tokens)]
                let session = Simulated.session(options: options) { $0.httpMaximumConnectionsPerHost = 4 }
                for hour in 0..<5 {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<10 {
                            group.addTask {
                                let url = try Simulated.url("http://a.test/\(hour)/\(number)")
                                let (data, response) = try await session.data(from: url)
                                #expect((response as? HTTPURLResponse)?.statusCode == 200)
                                #expect(data == Data("/\(hour)/\(number)".utf8))
                            }
                        }
                        try await group.waitForAll()
                    }
                    #expect(await tokens.refreshes == hour + 1)
                    await Simulation.shared.sleep(3_600)
                }
            }
        }
    }
}
