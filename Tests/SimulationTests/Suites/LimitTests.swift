import Testing

/// Servers that ask a session to wait.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedLimitTests {
    @Test(
        "No request is sent to a server for the hour that it asks for with a 429, or with two 503 in a row",
        arguments: [[429], [503, 503]]
    )
    func hold(_ statuses: [Int]) async {
        await #expect(processExitsWith: .success) { [statuses] in
            try await Simulation.shared.run {
                let times = Watched<[Double]>([])
                let host = SimulatedHost { request in
                    let index = times.change { times in
                        times.append(request.time)
                        return times.count - 1
                    }
                    guard index < statuses.count else { return .text("") }
                    return SimulatedResponse(statuses[index], fields: [("Retry-After", "60")])
                }
                Simulation.shared.add(host, named: "a.test")
                Simulation.shared.add(SimulatedHost { _ in .text("") }, named: "b.test")
                var options = CurlSession.Options()
                options.limits = RequestLimits()
                let session = Simulated.session(options: options)
                let url = try Simulated.url("http://a.test/")
                for status in statuses {
                    let refused = try await session.data(from: url).1 as? HTTPURLResponse
                    #expect(refused?.statusCode == status)
                }
                async let second = session.data(from: url)
                async let third = session.data(from: url)
                _ = try await session.data(from: Simulated.url("http://b.test/"))
                #expect(times.current.count == statuses.count)
                _ = try await (second, third)
                let waits = times.current.dropFirst(statuses.count).map { $0 - times.current[statuses.count - 1] }
                #expect(waits.count == 2)
                #expect(waits.allSatisfy { (60..<61).contains($0) }, "\(waits)")
            }
        }
    }

    @Test("The request that a 503 refuses waits, and the others do not")
    func told() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let times = Watched<[Double]>([])
                let host = SimulatedHost { request in
                    times.append(request.time)
                    guard times.current.count == 1 else { return .text("yes") }
                    return SimulatedResponse(503, fields: [("Retry-After", "60")])
                }
                Simulation.shared.add(host, named: "a.test")
                var options = CurlSession.Options()
                options.limits = RequestLimits()
                options.retryPolicy = .standard
                let session = Simulated.session(options: options)
                let url = try Simulated.url("http://a.test/")
                async let told = session.data(from: url)
                await Simulation.shared.sleep(1)
                for _ in 0..<10 { #expect(try await session.data(from: url).0 == Data("yes".utf8)) }
                #expect(times.current.count == 11)
                #expect(try await told.0 == Data("yes".utf8))
                let wait = times.current[11] - times.current[0]
                #expect((60..<61).contains(wait), "\(wait)")
            }
        }
    }

    @Test("A task that is suspended while it waits for its next attempt makes none before it is resumed")
    func suspendedRetry() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let count = Watched(0)
                let host = SimulatedHost { _ in
                    count.change { $0 += 1 }
                    return count.current == 1 ? SimulatedResponse(503) : .text("yes")
                }
                Simulation.shared.add(host, named: "a.test")
                let recorder = RecordingDelegate()
                let task = Simulated.session(recorder, options: SimulatedRetryTests.options { _ in })
                    .dataTask(with: try Simulated.url("http://a.test/"))
                task.resume()
                await Simulation.shared.sleep(1)
                #expect(task.metrics?.retries.count == 1)
                task.suspend()
                await Simulation.shared.sleep(3_600)
                #expect(count.current == 1)
                task.resume()
                #expect(await Simulated.completion(of: task, recorder).text == "yes")
            }
        }
    }
}
