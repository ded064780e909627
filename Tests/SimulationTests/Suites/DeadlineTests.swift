import Testing

/// Deadlines of hours, which end a task exactly on time.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct DeadlineTests {
    @Test("A silent server times out after the interval of the request or of the configuration")
    func inactivity() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                Simulation.shared.add(.silent, named: "a.test")
                let session = Simulated.session { $0.timeoutIntervalForRequest = 7_200 }
                let own = await Simulated.failure {
                    try await session.data(for: Simulated.request("http://a.test/x", timeout: 90))
                }
                #expect(own.error?.ferryCode == .inactivityTimeout)
                #expect((90..<90.2).contains(own.seconds), "\(own.seconds)")
                let configured = await Simulated.failure {
                    try await session.data(from: Simulated.url("http://a.test/x"))
                }
                #expect(configured.error?.ferryCode == .inactivityTimeout)
                #expect((7_200..<7_200.2).contains(configured.seconds), "\(configured.seconds)")
            }
        }
    }

    @Test("Bytes that come slowly keep a task alive until the deadline of the resource")
    func resource() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost { request in
                    var response = SimulatedResponse(200, Simulated.pattern(request.target == "/long" ? 1_000 : 100))
                    (response.pieceSize, response.pieceDelay) = (1, 50)
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let session = Simulated.session {
                    $0.timeoutIntervalForRequest = 60
                    $0.timeoutIntervalForResource = 36_000
                }
                let (data, _) = try await session.data(from: Simulated.url("http://a.test/short"))
                #expect(Array(data) == Simulated.pattern(100))
                let failure = await Simulated.failure {
                    try await session.data(from: Simulated.url("http://a.test/long"))
                }
                #expect(failure.error?.ferryCode == .resourceTimeout)
                #expect((36_000..<36_000.2).contains(failure.seconds), "\(failure.seconds)")
            }
        }
    }

    @Test("A stall within the body times out a minute after the last byte, for each kind of task")
    func stall() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost { _ in
                    var response = SimulatedResponse(200, Simulated.pattern(100_000))
                    (response.pieceSize, response.pieceDelay, response.end) = (10_000, 30, .stall(after: 50_000))
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let session = Simulated.session()
                let url = try Simulated.url("http://a.test/x")
                let data = await Simulated.failure { try await session.data(from: url) }
                let download = await Simulated.failure { try await session.download(from: url) }
                for failure in [data, download] {
                    #expect(failure.error?.ferryCode == .inactivityTimeout)
                    #expect((210..<210.5).contains(failure.seconds), "\(failure.seconds)")
                }
            }
        }
    }

    @Test("The deadline of the whole call includes retries, delays and the wait for a connection")
    func wholeCall() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost { _ in
                    var response = SimulatedResponse(503)
                    response.delay = 400
                    return response
                }
                Simulation.shared.add(host, named: "busy.test")
                Simulation.shared.add(.silent, named: "silent.test")
                var options = CurlSession.Options()
                options.deadline = 5_000
                options.retryPolicy = RetryPolicy()
                options.retryPolicy?.maximumRetries = 1_000
                options.retryPolicy?.budget = nil
                options.retryPolicy?.backoff = RetryPolicy.Backoff(base: 100, cap: 600, hasJitter: false)
                let session = Simulated.session(options: options) {
                    $0.httpMaximumConnectionsPerHost = 1
                    $0.timeoutIntervalForRequest = 100_000
                }
                let busy = await Simulated.failure {
                    try await session.data(from: Simulated.url("http://busy.test/x"))
                }
                #expect(busy.error?.code == .timedOut)
                #expect((5_000..<5_000.2).contains(busy.seconds), "\(busy.seconds)")
                // The second request waits for the connection of the first one.
                async let first = Simulated.failure {
                    try await session.data(from: Simulated.url("http://silent.test/1"))
                }
                async let second = Simulated.failure {
                    try await session.data(from: Simulated.url("http://silent.test/2"))
                }
                for failure in await [first, second] {
                    #expect(failure.error?.code == .timedOut)
                    #expect((5_000..<5_000.2).contains(failure.seconds), "\(failure.seconds)")
                }
            }
        }
    }

    @Test("A connection that is not established in time ends the attempt")
    func connect() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                var host = SimulatedHost.silent
                host.path = { SimulatedPath(outcome: .silent) }
                Simulation.shared.add(host, named: "a.test")
                var options = CurlSession.Options()
                options.connectTimeout = 300
                let session = Simulated.session(options: options) { $0.timeoutIntervalForRequest = 1_000 }
                let failure = await Simulated.failure {
                    try await session.data(from: Simulated.url("http://a.test/x"))
                }
                #expect(failure.error?.ferryCode == .connectTimeout)
                #expect((300..<300.2).contains(failure.seconds), "\(failure.seconds)")
            }
        }
    }

    @Test("Suspension for a day stops every deadline, and they count again afterwards", arguments: [0, 10])
    func suspension(received: Int) async {
        await #expect(processExitsWith: .success) { [received] in
            try await Simulation.shared.run {
                let host = SimulatedHost { request in
                    var response = SimulatedResponse(200, Simulated.pattern(20))
                    (response.pieceSize, response.pieceDelay, response.delay) = (10, 20, received == 0 ? 50 : 0.1)
                    if request.target == "/stall" { response.end = .stall(after: received - 1) }
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let recorder = RecordingDelegate()
                let session = Simulated.session(recorder) {
                    $0.timeoutIntervalForRequest = 60
                    $0.timeoutIntervalForResource = 3_600
                }
                for target in ["/answer", "/stall"] {
                    let task = session.dataTask(with: try Simulated.url("http://a.test\(target)"))
                    task.resume()
                    await Simulation.shared.sleep(25)
                    task.suspend()
                    await Simulation.shared.sleep(86_400)
                    #expect(recorder[task].completions == 0)
                    let start = Simulation.shared.seconds
                    task.resume()
                    while recorder[task].completions == 0 { await Simulation.shared.sleep(1) }
                    let passed = Simulation.shared.seconds - start
                    if target == "/answer" {
                        #expect(recorder[task].error == nil && Array(recorder[task].data) == Simulated.pattern(20))
                        #expect(passed < 60)
                    } else {
                        #expect(recorder[task].error?.ferryCode == .inactivityTimeout)
                        #expect((60..<62).contains(passed), "\(passed)")
                    }
                }
            }
        }
    }
}
