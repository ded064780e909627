import FerryCurl
import FerrySession
import TestSupport
import Testing

/// Requests that a server of HTTP/2 refuses, or that it cannot have processed (RFC 9113, sections 6.8 and 8.7).
@Suite("Refused streams", .ownThreads, .timeLimit(.minutes(2)))
struct RefusedStreamTests {
    /// A request's method, and whether it has a body.
    struct Sent: CustomTestStringConvertible, Sendable {
        var method: String
        var hasBody: Bool
        var testDescription: String { method + (hasBody ? " with a body" : "") }

        static let all = [("GET", false), ("PUT", true), ("POST", false), ("POST", true)].map {
            Sent(method: $0, hasBody: $1)
        }
    }

    private func session(_ change: (inout CurlSession.Options) -> Void = { _ in }) -> CurlSession {
        var options = CurlSession.Options()
        options.proxy = .none
        options.httpVersions = .http2PriorKnowledge
        change(&options)
        return Wire.session(options: options)
    }

    private func request(_ server: RawServer, _ sent: Sent, timeout: TimeInterval = 20) -> URLRequest {
        let body = sent.hasBody ? Data("hello".utf8) : nil
        return Wire.request(server.url(), sent.method, body: body, timeout: timeout * patience)
    }

    /// Sends ten requests at once, and returns how they ended.
    private func sendTen(_ session: CurlSession, _ request: URLRequest) async -> [Result<Data, any Error>] {
        await withTaskGroup(of: Result<Data, any Error>.self) { group in
            for _ in 0..<10 {
                group.addTask { await Task { try await session.data(for: request).0 }.result }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Whether libcurl reports that a server has gone away.
    private static let tellsGoAway = ((try? CurlRuntime.current())?.versionNumber ?? 0) >= 0x07_58_00

    /// Expects that a request has succeeded at its second try, or has failed at its first.
    ///
    /// Whether a request with a body is sent again depends on the version of libcurl.
    ///
    /// - Parameters:
    ///   - sent: The request.
    ///   - result: How it has ended.
    ///   - count: How often it was received.
    ///   - mayRepeat: Whether it may be sent again if it is not idempotent.
    private func expect(_ sent: Sent, _ result: Result<Data, any Error>, count: Int, mayRepeat: Bool) {
        let isRepeated = (try? result.get()) != nil
        #expect(count == (isRepeated ? 2 : 1))
        if sent.method == "GET" { #expect(isRepeated) }
        if sent.method == "POST", !mayRepeat || !sent.hasBody { #expect(isRepeated == mayRepeat) }
        switch result {
        case .success(let data): #expect(data == Data("ok".utf8))
        case .failure: #expect(code(of: result) == .networkConnectionLost)
        }
    }

    /// RFC 9113, section 8.7.
    @Test("A refused stream is sent again, once", arguments: Sent.all, [true, false])
    func refused(_ sent: Sent, _ isFirst: Bool) async throws {
        let count = Watched(0)
        let server = try frameServer { connection in
            if connection.index == 0 {
                if !isFirst, let first = connection.nextRequest() { connection.respond(to: first) }
                guard let stream = connection.nextRequest() else { return }
                count.change { $0 += 1 }
                connection.reset(stream, 7)
            }
            while let frame = connection.next() {
                if frame.kind == .headers { count.change { $0 += 1 } }
                if frame.endsStream { connection.respond(to: frame.stream) }
            }
        }
        let session = session()
        if !isFirst { _ = try await session.data(from: server.url()) }
        let result = await Task { try await session.data(for: request(server, sent)).0 }.result
        expect(sent, result, count: count.current, mayRepeat: true)
        if sent.method == "PUT" { #expect((try? result.get()) == Data("ok".utf8)) }
    }

    /// From 8.1, Ferry uses handles of libcurl again, and those keep that a stream was refused.
    @Test("After a refused stream, a lost request that is not idempotent is not sent again", arguments: [false, true])
    func lostAfterRefusal(_ followsInterimResponse: Bool) async throws {
        let posts = Watched(0)
        let server = try RawServer { connection in
            let frames = FrameConnection(connection)
            guard frames.start(), let first = frames.nextRequest() else { return }
            if connection.index >= (followsInterimResponse ? 1 : 2) {
                posts.change { $0 += 1 }
                // The client has nothing more to send.
                while let frame = frames.next(), frame.kind != .settings {}
                return connection.resetOnClose()
            }
            if followsInterimResponse {
                frames.sendHead(to: first, [(":status", "103")])
                frames.send(.ping, [UInt8](repeating: 0, count: 8))
                // Otherwise libcurl may not deliver the interim response.
                while let frame = frames.next(), frame.kind != .ping {}
                frames.reset(first, 7)
            } else {
                if connection.index == 1 { frames.goAway(last: first) }
                frames.respond(to: first)
            }
            while let other = frames.nextRequest() { frames.reset(other, 7) }
        }
        let session = session()
        if followsInterimResponse {
            #expect(await Wire.error { try await session.data(from: server.url()) } != nil)
        } else {
            for _ in 0..<2 { #expect(try await session.data(from: server.url()).0 == Data("ok".utf8)) }
        }
        let request = request(server, Sent(method: "POST", hasBody: false))
        #expect(await Wire.error { try await session.data(for: request) }?.code == .networkConnectionLost)
        #expect(posts.current == 1)
    }

    /// With other codes the server may have processed the request.
    @Test("A stream that is reset for another reason is not sent again", arguments: Sent.all, [1, 2, 8, 11])
    func reset(_ sent: Sent, _ code: UInt32) async throws {
        let count = Watched(0)
        let server = try frameServer { connection in
            while let stream = connection.nextRequest() {
                count.change { $0 += 1 }
                connection.reset(stream, code)
            }
        }
        let session = session()
        let error = await Wire.error { try await session.data(for: request(server, sent)) }
        #expect(error?.code == .networkConnectionLost)
        #expect(count.current == 1)
    }

    @Test("After a request without a response, others are sent", arguments: Sent.all, [2, nil] as [UInt32?])
    func next(_ sent: Sent, _ code: UInt32?) async throws {
        let hasArrived = Watched(false)
        let server = try frameServer { connection in
            let first = connection.index == 0 ? connection.nextRequest() : nil
            hasArrived.change { $0 = true }
            if let code, let first { connection.reset(first, code) }
            while let frame = connection.next() {
                if frame.endsStream, frame.stream != first { connection.respond(to: frame.stream) }
            }
        }
        let session = session()
        let first = Task { try await session.data(for: request(server, sent)) }
        try await eventually { hasArrived.current }
        if code == nil { first.cancel() }
        #expect(await Wire.error { try await first.value } != nil)
        for _ in 0..<3 { #expect(try await session.data(for: request(server, sent)).0 == Data("ok".utf8)) }
    }

    /// RFC 9113, section 7: the server wants the request over HTTP/1.1, which the session excludes.
    @Test("HTTP_1_1_REQUIRED is an error where HTTP/1.1 is excluded", arguments: Sent.all, [true, false])
    func olderVersion(_ sent: Sent, _ isFirst: Bool) async throws {
        let (resets, others) = (Watched(0), Watched(0))
        let server = try RawServer { connection in
            let frames = FrameConnection(connection)
            guard frames.start() else { return others.change { $0 += 1 } }
            if !isFirst, connection.index == 0, let first = frames.nextRequest() { frames.respond(to: first) }
            while let stream = frames.nextRequest() {
                resets.change { $0 += 1 }
                frames.reset(stream, 13)
            }
        }
        let session = session()
        if !isFirst { _ = try await session.data(from: server.url()) }
        let error = await Wire.error { try await session.data(for: request(server, sent)) }
        #expect(error?.code == .networkConnectionLost && error?.ferryCode == .httpVersionRefused)
        #expect((1...2).contains(resets.current) && others.current == 0)
    }

    @Test(
        "The only request of a connection is sent again if the server goes away without it",
        arguments: Sent.all,
        [true, false]
    )
    func goneAway(_ sent: Sent, _ isProcessed: Bool) async throws {
        let count = Watched(0)
        let server = try frameServer { connection in
            while let frame = connection.next() {
                if frame.kind == .headers { count.change { $0 += 1 } }
                guard frame.endsStream else { continue }
                if connection.index == 0 { return connection.goAway(last: isProcessed ? frame.stream : 0) }
                connection.respond(to: frame.stream)
            }
        }
        let session = session()
        let result = await Task { try await session.data(for: request(server, sent)).0 }.result
        guard isProcessed else {
            return expect(sent, result, count: count.current, mayRepeat: Self.tellsGoAway)
        }
        if sent.method == "POST" { #expect((try? result.get()) == nil && count.current == 1) }
        if case .failure = result { #expect(code(of: result) == .networkConnectionLost) }
    }

    @Test("A server that processes no request is asked a few times", arguments: [7, nil] as [UInt32?], Sent.all)
    func never(_ code: UInt32?, _ sent: Sent) async throws {
        let count = Watched(0)
        let server = try frameServer { connection in
            while let stream = connection.nextRequest() {
                count.change { $0 += 1 }
                if let code { connection.reset(stream, code) } else { return connection.goAway(last: 0) }
            }
        }
        let session = session()
        let error = await Wire.error { try await session.data(for: request(server, sent)) }
        #expect(error?.code == .networkConnectionLost && error?.ferryCode != .httpVersionRefused)
        // Before 7.88, libcurl does not report that a server goes away.
        #expect((sent.method == "POST" && code == nil ? 1...9 : 2...9).contains(count.current))
    }

    @Test("When a server goes away, none of ten requests is processed twice", arguments: Sent.all)
    func goneAwayAmongTen(_ sent: Sent) async throws {
        let (processed, received) = (Watched(0), Watched(0))
        let server = try frameServer { connection in
            guard connection.index == 0, let first = connection.nextRequest() else {
                while let frame = connection.next() {
                    if frame.kind == .headers { received.change { $0 += 1 } }
                    guard frame.endsStream else { continue }
                    processed.change { $0 += 1 }
                    connection.respond(to: frame.stream)
                }
                return
            }
            connection.respond(to: first)
            var complete: [UInt32] = []
            while complete.count < 10, let frame = connection.next() {
                if frame.kind == .headers { received.change { $0 += 1 } }
                if frame.endsStream { complete.append(frame.stream) }
            }
            guard complete.count == 10 else { return }
            let known = complete.sorted().prefix(5)
            connection.goAway(last: known.last ?? 0)
            for stream in known {
                processed.change { $0 += 1 }
                connection.respond(to: stream)
            }
            // The client closes.
            while connection.next() != nil {}
        }
        let session = session()
        _ = try await session.data(from: server.url())
        let results = await sendTen(session, request(server, sent))
        let successes = results.filter { (try? $0.get()) == Data("ok".utf8) }.count
        #expect(successes == processed.current && received.current == 10 + successes - 5)
        if sent.method == "GET" { #expect(successes == 10) }
        if sent.method == "POST", !sent.hasBody { #expect(successes == (Self.tellsGoAway ? 10 : 5)) }
        for case .failure(let error) in results { #expect((error as? URLError)?.ferryCode == .notRepeated) }
    }

    @Test("When a connection breaks, only idempotent requests may be sent again", arguments: Sent.all)
    func brokenConnection(_ sent: Sent) async throws {
        let received = Watched(0)
        let server = try frameServer { connection in
            guard connection.index == 0, let first = connection.nextRequest() else {
                while let frame = connection.next() {
                    if frame.kind == .headers { received.change { $0 += 1 } }
                    if frame.endsStream { connection.respond(to: frame.stream) }
                }
                return
            }
            connection.respond(to: first)
            var complete = 0
            while complete < 10, let frame = connection.next() {
                if frame.kind == .headers { received.change { $0 += 1 } }
                if frame.endsStream { complete += 1 }
            }
            connection.close()
        }
        let session = session()
        _ = try await session.data(from: server.url())
        let results = await sendTen(session, request(server, sent))
        for case .failure(let error) in results { #expect((error as? URLError)?.code == .networkConnectionLost) }
        #expect(results.allSatisfy { ((try? $0.get()) != nil) == (sent.method != "POST") })
        #expect(received.current == (sent.method == "POST" ? 10 : 20))
        #expect(try await session.data(from: server.url()).0 == Data("ok".utf8))
    }

    @Test("A window that is never opened ends an upload at its time limit", arguments: [false, true])
    func closedWindow(_ isDeadline: Bool) async throws {
        let server = try frameServer(settings: FrameConnection.setting(4, 0)) { connection in
            while connection.next() != nil {}
        }
        let session = session { if isDeadline { $0.deadline = 0.5 * patience } }
        var request = request(server, Sent(method: "PUT", hasBody: false), timeout: isDeadline ? 60 : 0.5)
        request.httpMethod = "PUT"
        let start = ContinuousClock.now
        let error = await Wire.error { try await session.upload(for: request, from: Data(count: 1_000_000)) }
        #expect(error?.code == .timedOut)
        #expect(error?.ferryCode == (isDeadline ? .deadlineExceeded : .inactivityTimeout))
        #expect(Wire.seconds(since: start) < 10 * patience)
    }

    @Test("Interim responses without an end are an error")
    func endlessInterimResponses() async throws {
        let server = try frameServer { connection in
            guard let stream = connection.nextRequest() else { return }
            let block = [(":status", "103"), ("a", "b")].flatMap(FrameConnection.field)
            let frames = Array(
                repeatElement(FrameConnection.frame(.headers, flags: 4, on: stream, block), count: 1_000).joined()
            )
            while connection.send(frames) {}
        }
        let error = await Wire.error { try await session().data(for: Wire.request(server.url(), timeout: 10)) }
        #expect(error?.ferryCode == .responseTooLarge)
    }
}
