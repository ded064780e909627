import Testing

/// Retries with delays of hours.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedRetryTests {
    @Test("The delays between attempts double up to their limit")
    func backoff() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let times = Watched<[Double]>([])
                let host = SimulatedHost { request in
                    times.append(request.time)
                    return times.current.count < 9 ? SimulatedResponse(503) : .text("well")
                }
                Simulation.shared.add(host, named: "a.test")
                let session = Simulated.session(options: Self.options { $0.maximumRetries = 20 })
                let (data, _) = try await session.data(from: Simulated.url("http://a.test/x"))
                #expect(data == Data("well".utf8))
                let found = zip(times.current.dropFirst(), times.current).map { $0 - $1 }
                let expected: [Double] = [10, 20, 40, 80, 160, 320, 600, 600]
                #expect(found.count == expected.count)
                for (found, expected) in zip(found, expected) {
                    #expect((expected..<expected + 0.2).contains(found), "\(found)")
                }
            }
        }
    }

    @Test("A server's Retry-After of an hour is waited for, in seconds and as a date, if it is accepted")
    func retryAfter() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let times = Watched<[Double]>([])
                let host = SimulatedHost { request in
                    times.append(request.time)
                    guard times.current.count % 2 == 1 else { return .text("well") }
                    let date = Date.current.addingTimeInterval(3_600)
                    let value = request.target == "/date" ? HTTPDate.string(from: date) : "3600"
                    return SimulatedResponse(429, fields: [("Retry-After", value)])
                }
                Simulation.shared.add(host, named: "a.test")
                let options = Self.options { $0.maximumServerDelay = 3_600 }
                for target in ["/seconds", "/date"] {
                    times.change { $0 = [] }
                    let recorder = RecordingDelegate()
                    let session = Simulated.session(recorder, options: options)
                    let task = session.dataTask(with: try Simulated.url("http://a.test\(target)"))
                    task.resume()
                    #expect(await Simulated.completion(of: task, recorder).text == "well")
                    let delay = times.current[1] - times.current[0]
                    // A date has whole seconds.
                    #expect((3_599..<3_601).contains(delay), "\(delay)")
                    let retry = try #require(task.metrics?.retries.first)
                    #expect((3_599...3_600).contains(retry.delay))
                }
                times.change { $0 = [] }
                let refusing = Simulated.session(options: Self.options { $0.maximumServerDelay = 3_599 })
                let (_, response) = try await refusing.data(from: Simulated.url("http://a.test/seconds"))
                #expect((response as? HTTPURLResponse)?.statusCode == 429)
            }
        }
    }

    @Test("A budget limits the retries of all tasks, and returns with time")
    func budget() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let count = Watched(0)
                let host = SimulatedHost { _ in
                    count.change { $0 += 1 }
                    return SimulatedResponse(503)
                }
                Simulation.shared.add(host, named: "a.test")
                let options = Self.options {
                    $0.budget = RetryPolicy.Budget(share: 0, minimum: 5)
                    $0.backoff = RetryPolicy.Backoff(base: 0.001, cap: 0.001, hasJitter: false)
                }
                let session = Simulated.session(options: options)
                func sendTen() async throws -> Int {
                    count.change { $0 = 0 }
                    for _ in 0..<10 { _ = try await session.data(from: Simulated.url("http://a.test/x")) }
                    return count.current
                }
                // Ten requests with 5 retries; the budget also allows one more in each second, which they do not use.
                let first = try await sendTen()
                #expect((15...16).contains(first), "\(first)")
                await Simulation.shared.sleep(3_600)
                let second = try await sendTen()
                #expect((15...16).contains(second), "\(second)")
            }
        }
    }

    @Test("Retries that wait cost nothing: a server that refuses each request once gets each of them again")
    func waitingRetries() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let refused = Watched<Set<String>>([])
                let host = SimulatedHost { request in
                    refused.change { $0.insert(request.target).inserted }
                        ? SimulatedResponse(503, fields: [("Retry-After", "60")]) : .text("well")
                }
                Simulation.shared.add(host, named: "a.test")
                let options = Self.options { $0.budget = RetryPolicy.Budget(share: 0, minimum: 1) }
                let recorder = RecordingDelegate()
                let session = Simulated.session(recorder, options: options)
                let tasks = try (0..<50).map { session.dataTask(with: try Simulated.url("http://a.test/\($0)")) }
                for task in tasks { task.resume() }
                for task in tasks { #expect(await Simulated.completion(of: task, recorder).text == "well") }
            }
        }
    }

    @Test("An open circuit sends nothing until its time, which doubles after a failed trial")
    func circuit() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let isWell = Watched(false)
                let times = Watched<[Double]>([])
                let host = SimulatedHost { request in
                    times.append(request.time)
                    return isWell.current ? .text("well") : SimulatedResponse(503)
                }
                Simulation.shared.add(host, named: "a.test")
                var rule = CircuitBreaker.Rule()
                (rule.minimumRequests, rule.openTime, rule.maximumOpenTime) = (4, 600, 86_400)
                var options = CurlSession.Options()
                let breaker = CircuitBreaker(rule)
                options.circuitBreaker = breaker
                let session = Simulated.session(options: options)
                let url = try Simulated.url("http://a.test/x")
                for _ in 0..<4 { _ = try await session.data(from: url) }
                for openTime in [600.0, 1_200, 2_400] {
                    #expect(breaker.state(of: url) == .open)
                    let count = times.current.count
                    await Simulation.shared.sleep(openTime - 1)
                    let refused = await Simulated.failure { try await session.data(from: url) }
                    #expect(refused.error?.ferryCode == .circuitOpen)
                    #expect(times.current.count == count)
                    await Simulation.shared.sleep(2)
                    #expect(breaker.state(of: url) == .halfOpen)
                    isWell.change { $0 = openTime == 2_400 }
                    _ = try await session.data(from: url)
                    #expect(times.current.count == count + 1)
                }
                #expect(breaker.state(of: url) == .closed)
            }
        }
    }

    static func options(_ change: (inout RetryPolicy) -> Void) -> CurlSession.Options {
        var policy = RetryPolicy()
        policy.budget = nil
        policy.backoff = RetryPolicy.Backoff(base: 10, cap: 600, hasJitter: false)
        change(&policy)
        var options = CurlSession.Options()
        options.retryPolicy = policy
        return options
    }
}
