import FerrySession
import TestSupport
import Testing

/// Responses that violate HTTP/2, beside others on the same connection (RFC 9113, sections 5.4 and 8.1.1).
@Suite("Hostile frames", .ownThreads, .timeLimit(.minutes(5)))
struct HostileFrameTests {
    private func session() -> CurlSession {
        var options = CurlSession.Options()
        options.proxy = .none
        options.httpVersions = .http2PriorKnowledge
        return Wire.session(options: options)
    }

    /// Expects that the task of the faulty response ends as the table says, and that other requests go on.
    private func expectEnd(of fault: FrameFault) async throws {
        let hasArrived = Watched(false)
        let server = try frameServer { connection in
            defer { connection.respondToAll() }
            guard connection.index == 0, let first = connection.nextRequest() else { return }
            connection.respond(to: first)
            guard let doomed = connection.nextRequest() else { return }
            hasArrived.change { $0 = true }
            guard let sibling = connection.nextRequest() else { return }
            fault.send(connection, doomed)
            connection.respond(to: sibling)
        }
        let session = session()
        defer { session.invalidateAndCancel() }
        let request = Wire.request(server.url(), timeout: 20 * patience)
        #expect(try await session.data(for: request).0 == Data("ok".utf8))

        async let doomed = Task { try await session.data(for: request).0 }.result
        try await eventually { hasArrived.current }
        let sibling = await Task { try await session.data(for: request).0 }.result
        switch (await doomed, fault.end) {
        case (.success(let data), .body(let text)), (.success(let data), .any(let text)):
            #expect(data == Data(text.utf8))
        case (.success(let data), .failure):
            Issue.record("A success with \(String(decoding: data.prefix(100), as: UTF8.self))")
        case (.failure(let error), .failure(let codes)):
            #expect(codes.contains((error as? URLError)?.code ?? .unknown), "\(error)")
        case (.failure(let error), .any): #expect(error is URLError)
        case (.failure(let error), .body): Issue.record(error)
        }
        switch sibling {
        case .success(let data): #expect(data == Data("ok".utf8))
        case .failure(let error):
            #expect(error is URLError)
            #expect((error as? URLError)?.code != .timedOut)
            #expect(!fault.affectsOnlyStream, "\(error)")
        }
        for _ in 0..<3 { #expect(try await session.data(for: request).0 == Data("ok".utf8)) }
    }

    @Test("A malformed header is an error of its request only", arguments: FrameFault.heads)
    func head(_ fault: FrameFault) async throws { try await expectEnd(of: fault) }

    @Test("Frames in a wrong order are an error", arguments: FrameFault.orders)
    func order(_ fault: FrameFault) async throws { try await expectEnd(of: fault) }

    @Test("A response that has no end is an error", arguments: FrameFault.ends)
    func end(_ fault: FrameFault) async throws { try await expectEnd(of: fault) }

    @Test("A response of unknown length is an error if its connection breaks because of another")
    func cutOff() async throws {
        let (hasArrived, hasBegun) = (Watched(false), Watched(false))
        let server = try frameServer { connection in
            guard connection.index == 0, let first = connection.nextRequest() else { return connection.respondToAll() }
            connection.respond(to: first)
            guard let doomed = connection.nextRequest() else { return }
            hasArrived.change { $0 = true }
            guard let sibling = connection.nextRequest() else { return }
            connection.sendHead(to: sibling)
            connection.sendBody(to: sibling, "half", ends: false)
            hasBegun.block { $0 }
            FrameFault.brokenBody.send(connection, doomed)
            connection.respondToAll()
        }
        let session = session()
        let request = Wire.request(server.url(), timeout: 20 * patience)
        _ = try await session.data(for: request)
        async let doomed = Task { try await session.data(for: request).0 }.result
        try await eventually { hasArrived.current }
        let (bytes, _) = try await session.bytes(for: request)
        var chunks = bytes.chunks.makeAsyncIterator()
        #expect(try await chunks.next() == Data("half".utf8))
        hasBegun.change { $0 = true }
        let error = await Wire.error { try await chunks.next() }
        #expect(error?.code == .networkConnectionLost)
        #expect(code(of: await doomed) == .networkConnectionLost)
    }

    /// The length of the responses is not known.
    @Test("A response whose end does not come is an error", arguments: FrameFault.missingEnds)
    func missingEnd(_ fault: FrameFault) async throws {
        let hasBegun = Watched(false)
        let server = try frameServer { connection in
            guard let stream = connection.nextRequest() else { return }
            connection.sendHead(to: stream)
            connection.sendBody(to: stream, "no", ends: false)
            hasBegun.block { $0 }
            fault.send(connection, stream)
            connection.respondToAll()
        }
        let session = session()
        let request = Wire.request(server.url(), timeout: 20)
        let version = try CurlRuntime.current().versionNumber
        await withKnownIssue("libcurl takes it for complete") {
            let error = await Wire.error {
                let (bytes, _) = try await session.bytes(for: request)
                for try await _ in bytes.chunks { hasBegun.change { $0 = true } }
            }
            #expect(error != nil)
        } when: {
            fault.affectsOnlyStream || CurlRuntime.versionsConfusingStreamEnds.contains(version)
        }
    }

    @Test("A flood of frames ends, and the next requests are served", arguments: FrameFault.floods)
    func flood(_ fault: FrameFault) async throws { try await expectEnd(of: fault) }
}
