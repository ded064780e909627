import FerrySession
import FerryTesting
import Testing

/// The callbacks of a protocol class, and the control of its task.
@Suite("Protocol loads", .timeLimit(.minutes(5)))
struct ProtocolLoadTests {
    private func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        options: CurlSession.Options = .init()
    ) -> CurlSession {
        makeSession(delegate, options: options) { $0.protocolClasses = [ScriptedProtocol.self] }
    }

    private static func say(_ text: String) -> @Sendable (ScriptedProtocol) -> Void {
        { loader in
            loader.respond()
            loader.load(text)
            loader.finish()
        }
    }

    // MARK: - Errors

    @Test("An error of the class is the task's error, whatever its domain") func errors() async throws {
        let own = ScriptedProtocol.script { $0.fail(NSError(domain: "Stub", code: 7)) }
        let outcome = Watched<[Outcome<Data>]>([])
        session().dataTask(with: own) { outcome.append(Outcome($0, $1, $2)) }.resume()
        let error = try await outcome.first().error as NSError?
        #expect(error?.domain == "Stub")
        #expect(error?.code == 7)
        let known = ScriptedProtocol.script { loader in
            loader.respond()
            loader.load("some")
            loader.fail(NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut))
        }
        #expect(await Wire.error { try await session().data(from: known) }?.code == .timedOut)
        try await eventually("the stop") { ScriptedProtocol.stops(known) == 1 }
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let cut = session(options: options)
        #expect(await Wire.error { try await cut.download(from: known) }?.code == .timedOut)
        #expect(folder.names == [])
    }

    @Test("Invalid callbacks are a typed error, and never trap", arguments: 0..<4)
    func misuse(_ index: Int) async throws {
        let scripts: [@Sendable (ScriptedProtocol) -> Void] = [
            { $0.load("too early") },
            { $0.finish() },
            {
                $0.respond()
                $0.respond()
            },
            { loader in
                loader.respond()
                loader.redirect(to: URL(fileURLWithPath: "/"))
            },
        ]
        let url = ScriptedProtocol.script(scripts[index])
        let error = await Wire.error { try await session().data(from: url) }
        #expect(error?.code == .badServerResponse)
        #expect(error?.ferryCode == .protocolMisuse)
        try await eventually("the stop") { ScriptedProtocol.stops(url) == 1 }
    }

    @Test("Callbacks after the end are ignored") func lateNews() async throws {
        let kept = Watched<[Unchecked<ScriptedProtocol>]>([])
        let url = ScriptedProtocol.script { loader in
            kept.change { $0.append(Unchecked(loader)) }
            Self.say("x")(loader)
            Self.say("y")(loader)
            loader.fail(URLError(.badServerResponse))
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let task = session.dataTask(with: url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.data == Data("x".utf8))
        for loader in kept.current {
            Self.say("z")(loader.value)
            loader.value.redirect(to: url)
            loader.value.fail(URLError(.cancelled))
        }
        let next = session.dataTask(with: url)
        next.resume()
        try await delegate.completion(of: next)
        #expect(delegate[task].completions == 1)
        #expect(delegate[task].data == Data("x".utf8))
        #expect(delegate.violations == [])
    }

    // MARK: - Control

    @Test("Cancelling stops a class that continues to load, and completes once") func cancel() async throws {
        let url = ScriptedProtocol.script { loader in
            loader.respond()
            loader.load("some")
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        for task in [session.dataTask(with: url), session.downloadTask(with: url)] {
            let stops = ScriptedProtocol.stops(url)
            task.resume()
            try await eventually("a part") { task.countOfBytesReceived == 4 }
            task.cancel()
            #expect(try await delegate.completion(of: task).error?.code == .cancelled)
            try await eventually("the stop") { ScriptedProtocol.stops(url) == stops + 1 }
            #expect(delegate[task].completions == 1)
        }
        let download = session.downloadTask(with: url)
        download.resume()
        try await eventually("a part") { download.countOfBytesReceived == 4 }
        let data = await withCheckedContinuation { continuation in
            download.cancel { continuation.resume(returning: $0) }
        }
        #expect(data == nil)
        #expect(try await delegate.completion(of: download).error?.code == .cancelled)
        #expect(await session.allTasks == [])
    }

    @Test("A class that blocks delays only its own session, and its tasks are cancelled immediately")
    func blocking() async throws {
        let gate = Gate()
        let blocked = ScriptedProtocol.script { _ in gate.wait() }
        let quick = ScriptedProtocol.script(Self.say("quick"))
        let server = try LoopbackServer()
        let delegate = RecordingDelegate()
        let sessions = (0..<8).map { _ in session(delegate) }
        let first = sessions.map { $0.dataTask(with: blocked) }
        let waiting = sessions[0].dataTask(with: quick)
        for task in first + [waiting] { task.resume() }
        try await eventually("the blocks") { gate.arrived == 8 }
        let other = session()
        #expect(try await other.data(from: quick).0 == Data("quick".utf8))
        #expect(try await other.data(from: server.url("/bytes/10")).0.count == 10)
        #expect(ScriptedProtocol.starts(quick) == 1)
        let cancelled = sessions[0].dataTask(with: blocked)
        cancelled.resume()
        for task in first + [cancelled] { task.cancel() }
        try await eventually("the ends") { (first + [cancelled]).allSatisfy { $0.state == .completed } }
        #expect((first + [cancelled]).allSatisfy { ($0.error as? URLError)?.code == .cancelled })
        #expect(ScriptedProtocol.stops(blocked) == 0)
        gate.open()
        #expect(try await delegate.completion(of: waiting).data == Data("quick".utf8))
        try await eventually("the stops") { ScriptedProtocol.stops(blocked) == 8 }
        #expect(ScriptedProtocol.starts(blocked) == 8)
    }

    @Test("Nothing is delivered while a task is suspended, and everything afterwards") func suspended() async throws {
        let gate = Gate()
        let url = ScriptedProtocol.script { loader in
            loader.respond()
            loader.load("one")
            let rest = Unchecked(loader)
            Thread.detachNewThread {
                gate.wait()
                rest.value.load("two")
                rest.value.finish()
            }
        }
        let delegate = RecordingDelegate()
        let task = session(delegate).dataTask(with: url)
        task.resume()
        try await eventually("a part") { task.countOfBytesReceived == 3 }
        task.suspend()
        task.suspend()
        gate.open()
        try await eventually("the stop") { ScriptedProtocol.stops(url) == 1 }
        task.resume()
        #expect(task.state == .suspended)
        #expect(delegate[task].data == Data("one".utf8))
        #expect(delegate[task].completions == 0)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.data == Data("onetwo".utf8))
        #expect(delegate.violations == [])
    }

    // MARK: - Redirects

    @Test("A class may redirect to another one or to the engine, and the engine to a class")
    func redirections() async throws {
        let server = try LoopbackServer()
        let last = ScriptedProtocol.script(Self.say("last"))
        let toClass = ScriptedProtocol.script { $0.redirect(to: last) }
        let toEngine = ScriptedProtocol.script { [target = server.url("/bytes/10")] in $0.redirect(to: target) }
        let fromEngine = server.url("/redirect-to?url=\(last.absoluteString)")
        let delegate = RecordingDelegate()
        let session = session(delegate)
        for (url, target, body) in [
            (toClass, last, Data("last".utf8)), (toEngine, server.url("/bytes/10"), LoopbackServer.pattern(count: 10)),
            (fromEngine, last, Data("last".utf8)),
        ] {
            let task = session.dataTask(with: url)
            task.resume()
            let record = try await delegate.completion(of: task)
            #expect(record.events.first == .redirect(302, target))
            #expect(record.data == body)
            #expect(record.error == nil)
            #expect(task.currentRequest?.url == target)
            #expect(task.response?.url == target)
            let download = session.downloadTask(with: url)
            download.resume()
            #expect(try await delegate.completion(of: download).file == body)
        }
        #expect(delegate.violations == [])
        try await eventually("the stop") { ScriptedProtocol.stops(toClass) == 2 }
    }

    @Test("The rules for redirects apply: secrets are not sent, there is a limit, and https does not become http")
    func rules() async throws {
        let server = try LoopbackServer { request in
            .text("\(request.header("Authorization") ?? "-") \(request.header("X-Plain") ?? "-")")
        }
        // Scripts are never removed, and must not retain a server.
        let leaking = ScriptedProtocol.script { [target = server.url] in
            $0.redirect(to: target, headers: ["Authorization": "secret", "X-Plain": "plain"])
        }
        #expect(try await session().data(from: leaking).0 == Data("- plain".utf8))
        let loop = ScriptedProtocol.script { loader in loader.request.url.map { loader.redirect(to: $0) } }
        #expect(await Wire.error { try await session().data(from: loop) }?.code == .httpTooManyRedirects)
        #expect(ScriptedProtocol.starts(loop) == 21)
        let insecure = ScriptedProtocol.script(scheme: "https") { [target = server.url] in $0.redirect(to: target) }
        let (_, response) = try await session().data(from: insecure)
        #expect((response as? HTTPURLResponse)?.statusCode == 302)
    }

    @Test("A redirect to a host that is only used over TLS is upgraded instead of refused")
    func upgraded() async throws {
        let target = ScriptedProtocol.script { loader in
            Self.say(loader.request.url?.scheme ?? "")(loader)
        }
        let store = HSTSStore()
        store.add(try #require(target.host))
        var options = CurlSession.Options()
        options.hsts = .store(store)
        let url = ScriptedProtocol.script(scheme: "https") { $0.redirect(to: target) }
        #expect(try await session(options: options).data(from: url).0 == Data("https".utf8))
    }

    @Test("A delegate that changes a class's redirect sends no secrets to another origin, and no body that it removed")
    func changedRedirect() async throws {
        let received = Watched<[String]>([])
        let server = try LoopbackServer { request in
            received.append("\(request.method) \(request.header("Authorization") ?? "-") \(request.body.count)")
            return .text("there")
        }
        let url = ScriptedProtocol.script { loader in
            loader.request.url.map { loader.redirect(to: $0.appendingPathComponent("next"), status: 307) }
        }
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, next, answer in
            var next = next
            (next.url, next.httpBody) = (server.url, nil)
            answer(next)
        }
        let delegate = RecordingDelegate(hooks)
        let session = session(delegate)
        var request = Wire.request(url, "POST", body: Data("body".utf8))
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        let task = session.dataTask(with: request)
        task.resume()
        #expect(try await delegate.completion(of: task).error == nil)
        #expect(received.current == ["POST - 0"])
    }

    @Test("A redirect loop between a class and the engine ends") func roundabout() async throws {
        let there = Watched<URL?>(nil)
        let server = try LoopbackServer { _ in .redirect(to: there.change { $0?.absoluteString ?? "" }) }
        let url = ScriptedProtocol.script { [target = server.url] in $0.redirect(to: target) }
        there.change { $0 = url }
        #expect(await Wire.error { try await session().data(from: url) }?.code == .httpTooManyRedirects)
    }

    @Test("The delegate may refuse a redirect, which is then the response") func refused() async throws {
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, answer in answer(nil) }
        let delegate = RecordingDelegate(hooks)
        let url = ScriptedProtocol.script { loader in
            loader.redirect(to: URL(fileURLWithPath: "/"))
            loader.fail(URLError(.cancelled))
        }
        let task = session(delegate).dataTask(with: url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["redirect", "response", "completed"])
        #expect(record.error == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 302)
    }

    @Test("A body is sent along if the status keeps it", arguments: [302, 307])
    func redirectedBody(_ status: Int) async throws {
        let server = try LoopbackServer { .text("\($0.method) \($0.bodyText ?? "")") }
        let url = ScriptedProtocol.script { [target = server.url] loader in
            _ = loader.body
            let keeps = status == 307
            guard let from = loader.request.url,
                let response = HTTPURLResponse(url: from, statusCode: status, httpVersion: nil, headerFields: nil)
            else { return }
            var next = URLRequest(url: target)
            next.httpMethod = keeps ? "POST" : "GET"
            loader.client?.urlProtocol(loader, wasRedirectedTo: next, redirectResponse: response)
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let (data, _) = try await session().upload(for: request, from: Data("body".utf8))
        #expect(String(decoding: data, as: UTF8.self) == (status == 307 ? "POST body" : "GET "))
    }

    // MARK: - Challenges

    @Test("A class's challenge reaches the delegate, and the delegate's decision reaches its sender")
    func challenge() async throws {
        let url = ScriptedProtocol.script { loader in
            loader.client?.urlProtocol(loader, didReceive: Self.challenge("stub", loader))
        }
        let answerer = Answerer(user: "ada", passwords: ["secret"])
        #expect(try await session(answerer).data(from: url).0 == Data("ada:secret".utf8))
        #expect(answerer.challenges.map(\.space.host) == ["stub"])
        #expect(try await session().data(from: url).0 == Data("default".utf8))
        let refusing = Answerer([.rejectProtectionSpace: nil])
        #expect(try await session(refusing).data(from: url).0 == Data("rejected".utf8))
        let cancelling = Answerer([.cancelAuthenticationChallenge: nil])
        #expect(await Wire.error { try await session(cancelling).data(from: url) }?.code == .cancelled)
    }

    private static func challenge(_ host: String, _ loader: ScriptedProtocol) -> URLAuthenticationChallenge {
        let space = URLProtectionSpace(
            host: host,
            port: 1,
            protocol: "stub",
            realm: "r",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic
        )
        return URLAuthenticationChallenge(
            protectionSpace: space,
            proposedCredential: nil,
            previousFailureCount: 0,
            failureResponse: nil,
            error: nil,
            sender: Sender(loader)
        )
    }

    @Test("The answer to a challenge that was cancelled is not one to the next challenge")
    func cancelledChallenge() async throws {
        let gate = Gate()
        let url = ScriptedProtocol.script { loader in
            let first = Self.challenge("first", loader)
            loader.client?.urlProtocol(loader, didReceive: first)
            // The delegate has been asked, and answers after the next challenge.
            for _ in 0..<6_000 where gate.arrived == 0 { usleep(10_000) }
            loader.client?.urlProtocol(loader, didCancel: first)
            loader.client?.urlProtocol(loader, didReceive: Self.challenge("second", loader))
            gate.open()
        }
        let answerer = Answerer(user: "ada", passwords: ["of the first", "of the second"], gate: gate)
        #expect(try await session(answerer).data(from: url).0 == Data("ada:of the second".utf8))
        #expect(answerer.challenges.map(\.space.host) == ["first", "second"])
    }

    /// Responds with the name of the decision it received.
    private final class Sender: NSObject, URLAuthenticationChallengeSender, @unchecked Sendable {
        // `@unchecked Sendable`: a protocol's client may be called from any thread.
        private let loader: ScriptedProtocol

        init(_ loader: ScriptedProtocol) {
            self.loader = loader
        }

        func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
            ProtocolLoadTests.say("\(credential.user ?? ""):\(credential.password ?? "")")(loader)
        }

        func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
            ProtocolLoadTests.say("none")(loader)
        }

        func cancel(_ challenge: URLAuthenticationChallenge) {}

        func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
            ProtocolLoadTests.say("default")(loader)
        }

        func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
            ProtocolLoadTests.say("rejected")(loader)
        }
    }
}
