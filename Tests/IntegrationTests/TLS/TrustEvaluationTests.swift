import Ferry
import ProxySupport
import TestSupport
import Testing

@testable import FerrySession

extension NginxTests {
    @Suite("Trust evaluation")
    struct TrustEvaluationTests {
        let checks: TLSChecks
        let server: NginxServer

        init() throws {
            checks = try TLSChecks()
            server = checks.server
        }

        private func asking(
            _ recorder: TrustRecorder,
            _ change: (inout CurlSession.Options) -> Void = { _ in }
        ) -> CurlSession {
            .trusting(server) { options in
                options.tls.trustEvaluator = { recorder.evaluate($0) }
                change(&options)
            }
        }

        @Test("The evaluator receives the whole chain in order, the host and the verification result")
        func chain() async throws {
            let recorder = TrustRecorder()
            let url = server.url(.chained, "small")
            _ = try await asking(recorder).fetch(url)
            let trust = try #require(recorder.trusts.first)
            #expect(recorder.trusts.count == 1)
            #expect(trust.host == "localhost")
            #expect(trust.port == url.port)
            #expect(trust.verifyResult == 0)
            let leaf = try PublicKeyPin(certificate: Data(contentsOf: server.certificates.certificate(.chained)))
            let issuer = try PublicKeyPin(certificate: Data(contentsOf: server.certificates.intermediate))
            #expect(trust.publicKeyPins == [leaf, issuer])
            #expect(leaf != issuer)
        }

        @Test("Requests on one connection share its trust verdict", arguments: [NginxListener.tls, .http2, .tls13Only])
        func oncePerConnection(listener: NginxListener) async throws {
            let recorder = TrustRecorder()
            let session = asking(recorder)
            var connections: Set<String> = []
            for _ in 0..<20 {
                let (_, response) = try await session.fetch(server.url(listener, "small"))
                connections.insert(try #require(response["X-Connection"]))
            }
            #expect(recorder.trusts.count == connections.count)
            #expect(connections.count == 1)
        }

        @Test(
            "Two hundred concurrent requests are evaluated at most once per connection",
            arguments: [NginxListener.tls, .http2]
        )
        func concurrent(listener: NginxListener) async throws {
            let recorder = TrustRecorder()
            let session = asking(recorder)
            let connections = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 {
                    group.addTask { [server] in
                        try #require(try await session.fetch(server.url(listener, "small")).1["X-Connection"])
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            // Connections that ask about the same chain at the same time share one decision.
            #expect((1...connections.count).contains(recorder.trusts.count))
        }

        @Test("A new connection is evaluated again", arguments: [NginxListener.shortLived])
        func newConnection(listener: NginxListener) async throws {
            let recorder = TrustRecorder()
            let session = asking(recorder)
            var connections: Set<String> = []
            for _ in 0..<50 {
                let (_, response) = try await session.fetch(server.url(listener, "small"))
                connections.insert(try #require(response["X-Connection"]))
            }
            #expect(connections.count >= 3)
            #expect(recorder.trusts.count == connections.count)
        }

        @Test("A refused connection never carries a request", arguments: [NginxListener.tls, .http2, .tls13Only])
        func refused(listener: NginxListener) async throws {
            let recorder = TrustRecorder { _ in .refuse(reason: "no server is trusted") }
            let session = asking(recorder)
            let (url, mark) = checks.uniqueURL(listener)
            for _ in 0..<3 {
                let (code, cause) = try await checks.failure(session, url)
                #expect(code == .serverCertificateUntrusted)
                #expect(cause.code == .trustRefused)
                #expect(cause.message.contains("no server is trusted"))
                #expect(cause.message.contains("localhost"))
                #expect(cause.certificates == recorder.trusts.last?.certificates)
                #expect(!cause.certificates.isEmpty)
            }
            #expect(recorder.trusts.count == 3)
            #expect(try await !checks.hasLogged(mark))
        }

        @Test("A hundred concurrent requests on a refused connection all fail", arguments: [NginxListener.tls, .http2])
        func refusedTogether(listener: NginxListener) async throws {
            let recorder = TrustRecorder { _ in .refuse(reason: "no server is trusted") }
            let session = asking(recorder)
            let (url, mark) = checks.uniqueURL(listener)
            let causes = await withTaskGroup(of: CurlSessionError.Code?.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        var request = URLRequest(url: url)
                        if index % 2 == 0 {
                            request.httpMethod = "POST"
                            request.httpBody = Data(mark.utf8)
                        }
                        do {
                            _ = try await session.fetch(request)
                            return nil
                        } catch {
                            return ((error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(causes == Array(repeating: .trustRefused, count: 100))
            #expect(try await !checks.hasLogged(mark))
        }

        @Test("After a refusal the next connection is evaluated again", arguments: [NginxListener.tls, .http2])
        func changedMind(listener: NginxListener) async throws {
            let isTrusted = Mutex(false)
            let recorder = TrustRecorder { _ in
                isTrusted.withLock { $0 } ? .accept : .refuse(reason: "not yet")
            }
            let session = asking(recorder)
            let (refused, mark) = checks.uniqueURL(listener)
            _ = try await checks.failure(session, refused)
            isTrusted.withLock { $0 = true }
            let (_, response) = try await session.fetch(server.url(listener, "small"))
            #expect(response.statusCode == 200)
            #expect(recorder.trusts.count == 2)
            #expect(try await !checks.hasLogged(mark))
        }

        @Test(
            "Requests cancelled while connecting leave no connection without a trust verdict",
            arguments: [
                NginxListener.tls, .http2,
            ]
        )
        func cancelled(listener: NginxListener) async throws {
            let recorder = TrustRecorder()
            let session = asking(recorder)
            let url = server.url(listener, "small")
            for round in 0..<40 {
                let task = session.dataTask(with: url)
                task.resume()
                usleep(UInt32(round * 100))
                task.cancel()
                let (_, response) = try await session.fetch(url)
                #expect(response.statusCode == 200)
            }
            #expect(!recorder.trusts.isEmpty)
        }

        @Test("A connection without a trust verdict is not reused", arguments: [NginxListener.tls, .http2])
        func unjudged(listener: NginxListener) async throws {
            let recorder = TrustRecorder()
            let session = asking(recorder)
            let (_, first) = try await session.fetch(server.url(listener, "small"))
            session.engine?.connections.forgetVerdicts()
            var request = URLRequest(url: server.url(listener, "small"))
            request.httpMethod = "POST"
            request.httpBody = Data("body".utf8)
            let (_, second) = try await session.fetch(request)
            #expect(recorder.trusts.count == 2)
            #expect(first["X-Connection"] != second["X-Connection"])
            let (_, third) = try await session.fetch(request)
            #expect(second["X-Connection"] == third["X-Connection"])
        }

        @Test("Trust verdicts are removed with their connections")
        func forgotten() async throws {
            let recorder = TrustRecorder()
            let session = asking(recorder)
            for _ in 0..<100 { _ = try await session.fetch(server.url(.shortLived, "small")) }
            #expect(recorder.trusts.count >= 4)
            #expect(try #require(session.engine).connections.count <= 2)
        }

        /// Sends requests while `body` runs, and expects that none of them is slow.
        private func expectNoDelay(beside session: CurlSession, _ body: () async throws -> Void) async throws {
            let isOver = Mutex(false)
            let url = server.url(.plain, "small")
            let meter = StallMeter()
            let slowest = Task {
                var slowest = Duration.zero
                repeat {
                    let start = ContinuousClock.now
                    _ = try await session.fetch(url)
                    slowest = max(slowest, start.duration(to: .now))
                    try await Task.sleep(for: .milliseconds(5))
                } while !isOver.withLock { $0 }
                return slowest / .seconds(1)
            }
            defer { isOver.withLock { $0 = true } }
            try await body()
            isOver.withLock { $0 = true }
            let slowestTime = try await slowest.value
            #expect(slowestTime < meter.bound(2))
        }

        @Test(
            "A slow evaluator delays no other transfer, and its own request still times out",
            arguments: [NginxListener.tls, .http2]
        )
        func slow(listener: NginxListener) async throws {
            // The gate opens after the request has failed; if it stays closed for a minute, the evaluator refuses.
            let gate = Gate()
            let recorder = TrustRecorder { _ in
                gate.wait()
                return gate.isOpen ? .accept : .refuse(reason: "the request did not time out")
            }
            let session = asking(recorder)
            var request = URLRequest(url: server.url(listener, "small"))
            request.timeoutInterval = 1
            let hasty = request
            try await expectNoDelay(beside: session) {
                let error = await #expect(throws: URLError.self) { try await session.fetch(hasty) }
                #expect(error?.code == .timedOut)
                gate.open()
                let (_, response) = try await session.fetch(server.url(listener, "small"))
                #expect(response.statusCode == 200)
            }
        }

        @Test("A slow evaluator decides once for a request with a body stream", arguments: [true, false])
        func slowWithBody(accepts: Bool) async throws {
            let recorder = TrustRecorder { _ in
                Thread.sleep(forTimeInterval: 0.5)
                return accepts ? .accept : .refuse(reason: "not today")
            }
            let session = asking(recorder)
            var request = URLRequest(url: server.url(.tls, "small"))
            request.httpMethod = "POST"
            request.httpBodyStream = InputStream(data: Data(count: 300_000))
            let streamed = request
            if accepts {
                #expect(try await session.fetch(streamed).1.statusCode == 200)
            } else {
                let error = await #expect(throws: URLError.self) { try await session.fetch(streamed) }
                #expect(error?.code == .serverCertificateUntrusted)
            }
            #expect(recorder.trusts.count == 1)
        }

        @Test("A slow evaluator is asked once about each chain of a host whose servers have different ones")
        func slowWithSeveralChains() async throws {
            let recorder = TrustRecorder { _ in
                Thread.sleep(forTimeInterval: 0.1)
                return .accept
            }
            let path = "/tmp/ferry-\(UUID().uuidString.prefix(8))"
            let ports = [NginxListener.tls, .selfSigned, .expired].compactMap { server.url($0, "").port }
            let relay = try UnixRelay(path: path, to: ports[0], ports[1], ports[2], ports[2])
            defer { withExtendedLifetime(relay) {} }
            let session = asking(recorder) { options in
                options.tls.trustMode = .replacesSystemTrust
                options.network.unixSocket = .path(path)
            }
            #expect(try await session.fetch(server.url(.tls, "small")).1.statusCode == 200)
            #expect(recorder.trusts.count == 3)
        }

        @Test("Cancelling and invalidating end the wait for an evaluator") func slowCancelled() async throws {
            let gate = Gate()
            let recorder = TrustRecorder { _ in
                gate.wait()
                return .accept
            }
            for invalidates in [false, true] {
                let session = asking(recorder)
                let arrived = gate.arrived
                let task = Task { try await session.fetch(server.url(.tls, "small")) }
                try await eventually { gate.arrived > arrived }
                if invalidates { session.invalidateAndCancel() } else { task.cancel() }
                let error = await #expect(throws: (any Error).self) { try await task.value }
                #expect((error as? URLError)?.code == .cancelled || error is CancellationError)
            }
            gate.open()
        }

        @Test("A slow policy delays no other transfer") func slowPolicy() async throws {
            let session = CurlSession.trusting(server)
            let policy = WaitingPolicy()
            session.trustPolicy = policy
            let delayed = Task { try await session.fetch(server.url(.tls, "small")) }
            for gate in [policy.verification, policy.decision] {
                try await eventually { gate.arrived == 1 }
                let start = ContinuousClock.now
                for _ in 0..<20 { _ = try await session.fetch(server.url(.plain, "small")) }
                // A request that waited for the policy would end only when the gate's wait ends, after a minute.
                #expect(start.duration(to: .now) < .seconds(40))
                gate.open()
            }
            #expect(try await delayed.value.1.statusCode == 200)
        }

        @Test("The evaluator alone cannot accept a chain that libcurl refuses")
        func onlyRefuses() async throws {
            let recorder = TrustRecorder()
            let session = asking(recorder)
            let (_, cause) = try await checks.failure(session, server.url(.unknownAuthority, "small"))
            #expect(cause.code == .unknownAuthority)
            #expect(recorder.trusts.isEmpty)
        }

        @Test(
            "An evaluator that replaces the system's verification decides alone",
            arguments: [
                NginxListener.tls, .expired, .selfSigned, .unknownAuthority, .wrongHost,
            ]
        )
        func replaces(listener: NginxListener) async throws {
            let kind = ThrowawayCertificates.Kind(rawValue: "\(listener)") ?? .good
            let known = try PublicKeyPin(certificate: Data(contentsOf: server.certificates.certificate(kind)))
            let recorder = TrustRecorder { trust in
                trust.publicKeyPins.first == known ? .accept : .refuse(reason: "unknown key")
            }
            let session = asking(recorder) { $0.tls.trustMode = .replacesSystemTrust }
            #expect(try await session.fetch(server.url(listener, "small")).1.statusCode == 200)
            #expect(recorder.trusts.map(\.verifyResult) == [nil])
            let (_, cause) = try await checks.failure(session, server.url(.otherKey, "small"))
            #expect(cause.code == .trustRefused)
        }

        @Test("Without verification any certificate is accepted, but pins and evaluator still apply")
        func dangerous() async throws {
            var options = CurlSession.Options()
            options.tls.dangerouslyDisablesVerification = true
            let session = CurlSession(configuration: .ephemeral, options: options)
            for listener in [NginxListener.expired, .selfSigned, .wrongHost, .unknownAuthority] {
                #expect(try await session.fetch(server.url(listener, "small")).1.statusCode == 200)
            }
            options.tls.publicKeyPins = ["*": [try server.certificates.pin(.good)]]
            let pinned = CurlSession(configuration: .ephemeral, options: options)
            #expect(try await checks.failure(pinned, server.url(.selfSigned, "small")).cause.code == .pinMismatch)
            options.tls.publicKeyPins = [:]
            options.tls.trustEvaluator = { _ in .refuse(reason: "no") }
            let refusing = CurlSession(configuration: .ephemeral, options: options)
            #expect(try await checks.failure(refusing, server.url(.tls, "small")).cause.code == .trustRefused)
        }

        @Test("Requests without TLS are not evaluated")
        func plain() async throws {
            let recorder = TrustRecorder { _ in .refuse(reason: "no server is trusted") }
            _ = try await asking(recorder).fetch(server.url(.plain, "small"))
            #expect(recorder.trusts.isEmpty)
        }
    }
}

/// A policy whose decisions wait at gates.
private struct WaitingPolicy: ServerTrustPolicy {
    let verification = Gate()
    let decision = Gate()

    func verification(for host: String) -> TrustVerification {
        verification.wait()
        return .full
    }

    func decide(_ trust: ServerTrust) -> TrustDecision {
        decision.wait()
        return .accept
    }
}
