import Testing

/// The waits that count towards a timeout, and those that do not.
@Suite(.ownThreads, .timeLimit(.minutes(5)))
struct SimulatedTimeoutTests {
    @Test("A server that is silent after a redirect times out", arguments: [0, 200_000])
    func afterRedirect(bodySize: Int) async {
        await #expect(processExitsWith: .success) { [bodySize] in
            try await Simulation.shared.run {
                let host = SimulatedHost { request in
                    var response = SimulatedResponse(
                        302,
                        Simulated.pattern(bodySize),
                        fields: [("Location", "/silent")]
                    )
                    if request.target == "/silent" { response.end = .stall(after: -1) }
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let failure = await Simulated.failure {
                    try await Simulated.session().data(for: Simulated.request("http://a.test/", timeout: 600))
                }
                #expect(failure.error?.ferryCode == .inactivityTimeout)
                #expect((600..<601).contains(failure.seconds), "\(failure.seconds)")
                let url = failure.error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL
                #expect(url?.absoluteString == "http://a.test/silent")
            }
        }
    }

    @Test("Setting the clock forward does not lengthen a task that is cancelled afterwards")
    func setClock() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                Simulation.shared.add(.silent, named: "a.test")
                let recorder = RecordingDelegate()
                let task = Simulated.session(recorder).dataTask(with: try Simulated.request("http://a.test/"))
                task.resume()
                await Simulation.shared.sleep(10)
                Simulation.shared.setDates(forward: 86_400)
                task.cancel()
                _ = await Simulated.completion(of: task, recorder)
                let end = try #require(task.metrics?.transactions.first?.duration)
                #expect((10..<11).contains(end), "\(end)")
                let duration = try #require(task.metrics?.duration)
                #expect((10..<11).contains(duration), "\(duration)")
            }
        }
    }

    @Test("Bytes that move slowly keep a task alive, in both directions")
    func dripping() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost { request in
                    let body = request.method == "GET" ? Simulated.pattern(40) : request.body
                    var response = SimulatedResponse(200, body)
                    (response.pieceSize, response.pieceDelay) = (1, 50)
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let session = Simulated.session()
                let (data, _) = try await session.data(for: Simulated.request("http://a.test/", timeout: 60))
                #expect(Array(data) == Simulated.pattern(40))
                var request = try Simulated.request("http://a.test/", "POST", timeout: 60)
                request.httpBodyStream = SimulatedStream((0..<40).map { Data([$0]) }, pause: 50)
                let start = Simulation.shared.seconds
                #expect(try await Array(session.data(for: request).0) == Array(0..<40))
                #expect(Simulation.shared.seconds - start >= 39 * 50 + 40 * 50)
            }
        }
    }

    @Test("A stream that blocks for an hour does not count, but a silence after it does")
    func slowStream() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost { request in
                    var response = SimulatedResponse(200, request.body)
                    if request.target == "/silent" { response.end = .stall(after: -1) }
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let session = Simulated.session()
                var request = try Simulated.request("http://a.test/", "POST", timeout: 60)
                request.httpBodyStream = SimulatedStream([Data("a".utf8), Data("b".utf8)], pause: 3_600)
                #expect(try await session.data(for: request).0 == Data("ab".utf8))
                request.url = try Simulated.url("http://a.test/silent")
                request.httpBodyStream = SimulatedStream([Data("a".utf8), Data("b".utf8)], pause: 3_600)
                let silent = request
                let failure = await Simulated.failure { try await session.data(for: silent) }
                #expect(failure.error?.ferryCode == .inactivityTimeout)
                #expect((3_660..<3_661).contains(failure.seconds), "\(failure.seconds)")
            }
        }
    }

    @Test("Gap 14: waiting for a connection does not count")
    func queued() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let connections = Watched<Set<Int>>([])
                let host = SimulatedHost { request in
                    connections.change { _ = $0.insert(request.connection) }
                    var response = SimulatedResponse.text("ok")
                    response.delay = 30
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let session = Simulated.session {
                    $0.httpMaximumConnectionsPerHost = 1
                    $0.timeoutIntervalForRequest = 60
                    $0.timeoutIntervalForResource = 60
                }
                // The last request waits for an hour.
                let url = try Simulated.url("http://a.test/")
                try await withThrowingTaskGroup(of: Data.self) { group in
                    for _ in 0..<120 { group.addTask { try await session.data(from: url).0 } }
                    for try await data in group { #expect(data == Data("ok".utf8)) }
                }
                #expect(connections.current.count == 1)
            }
        }
    }

    @Test("A delegate that is busy for an hour does not count, but a stall after it does")
    func slowDelegate() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let gate = Gate()
                let host = SimulatedHost { _ in
                    var response = SimulatedResponse(200, Simulated.pattern(30_000_000))
                    (response.pieceSize, response.end) = (500_000, .stall(after: 20_000_000))
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let recorder = RecordingDelegate(.blocking(gate))
                let request = try Simulated.request("http://a.test/", timeout: 60)
                let task = Simulated.session(recorder).dataTask(with: request)
                task.resume()
                await Simulation.shared.sleep(3_600)
                #expect(recorder[task].completions == 0)
                let start = Simulation.shared.seconds
                gate.open()
                let record = await Simulated.completion(of: task, recorder)
                #expect(record.error?.ferryCode == .inactivityTimeout)
                #expect(record.received == 20_000_000)
                let passed = Simulation.shared.seconds - start
                #expect((60..<70).contains(passed), "\(passed)")
            }
        }
    }

    @Test("A delegate that decides about a redirect for an hour does not count, except for the deadline of the call")
    func answers() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let host = SimulatedHost { request in
                    request.target == "/next" ? .text("ok") : SimulatedResponse(302, fields: [("Location", "/next")])
                }
                Simulation.shared.add(host, named: "a.test")
                var hooks = DelegateHooks()
                hooks.onRedirect = { _, _, request, answer in Simulation.shared.after(3_600) { answer(request) } }
                for deadline in [nil, 600.0] {
                    let recorder = RecordingDelegate(hooks)
                    var options = CurlSession.Options()
                    options.deadline = deadline
                    let session = Simulated.session(recorder, options: options)
                    let task = session.dataTask(with: try Simulated.request("http://a.test/", timeout: 60))
                    let start = Simulation.shared.seconds
                    task.resume()
                    let record = await Simulated.completion(of: task, recorder)
                    let passed = Simulation.shared.seconds - start
                    if deadline == nil {
                        #expect(record.error == nil && record.text == "ok")
                    } else {
                        #expect(record.error?.code == .timedOut)
                        #expect((600..<602).contains(passed), "\(passed)")
                    }
                }
            }
        }
    }

    @Test("The deadline of the call stops while the task is suspended")
    func suspendedCall() async {
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                Simulation.shared.add(SimulatedHost { _ in .text("ok") }, named: "a.test")
                let recorder = RecordingDelegate()
                var options = CurlSession.Options()
                options.deadline = 60
                let task = Simulated.session(recorder, options: options)
                    .dataTask(with: try Simulated.url("http://a.test/"))
                task.resume()
                task.suspend()
                await Simulation.shared.sleep(86_400)
                task.resume()
                #expect(await Simulated.completion(of: task, recorder).error == nil)
            }
        }
    }

    @Test("A challenge whose body stalls is answered after the timeout")
    func stalledChallenge() async {
        final class Answerer: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession,
                task: URLSessionTask,
                didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                let credential = URLCredential(user: "ada", password: "secret", persistence: .none)
                completionHandler(.useCredential, credential)
            }
        }
        await #expect(processExitsWith: .success) {
            try await Simulation.shared.run {
                let times = Watched<[Double]>([])
                let host = SimulatedHost { request in
                    times.append(request.time)
                    if request.field("Authorization") == "Basic YWRhOnNlY3JldA==" { return .text("ok") }
                    let fields = [(name: "WWW-Authenticate", value: "Basic realm=\"r\"")]
                    var response = SimulatedResponse(401, Array("the beginning".utf8), fields: fields)
                    response.end = .stall(after: 3)
                    return response
                }
                Simulation.shared.add(host, named: "a.test")
                let request = try Simulated.request("http://a.test/", timeout: 600)
                let (data, _) = try await Simulated.session(Answerer()).data(for: request)
                #expect(data == Data("ok".utf8))
                #expect(times.current.count == 2 && (600..<601).contains(times.current[1] - times.current[0]))
            }
        }
    }
}
