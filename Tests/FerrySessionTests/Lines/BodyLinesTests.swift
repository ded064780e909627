import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

@Suite("Lines and events from a server", .timeLimit(.minutes(5)))
struct BodyLinesTests {
    private func server(_ pieces: [String]) throws -> LoopbackServer {
        try LoopbackServer { _ in LoopbackResponse(body: .chunked(pieces.map { Data($0.utf8) })) }
    }

    @Test("Lines of a body arrive in order, and the body can be coded")
    func lines() async throws {
        let server = try server(["one\ntw", "o\r", "\n\nth", "ree"])
        let session = makeSession()
        let (bytes, _) = try await session.bytes(from: server.url)
        var lines: [String] = []
        for try await line in bytes.lines { lines.append(line) }
        #expect(lines == ["one", "two", "", "three"])
    }

    @Test("An event is delivered as soon as it is complete, before the body ends")
    func immediate() async throws {
        let gate = Gate()
        let first = Data("id: 1\ndata: first\n\n".utf8)
        let rest = Data("data: second\n\ndata: cut off".utf8)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            connection.write(first)
            gate.wait()
            connection.write(rest)
        }
        let (bytes, _) = try await makeSession().bytes(from: server.url())
        var events = bytes.events.makeAsyncIterator()
        #expect(try await events.next() == ServerSentEvent(data: "first", id: "1"))
        gate.open()
        #expect(try await events.next() == ServerSentEvent(data: "second", id: "1"))
        #expect(try await events.next() == nil)
        #expect(try await events.next() == nil)
    }

    @Test("Events of a continued stream have the request's Last-Event-ID until the server sends another")
    func continued() async throws {
        let server = try LoopbackServer { request in
            request.path == "/old" ? .redirect(to: "/new") : .text("data: 1\n\nid: 8\ndata: 2\n\n")
        }
        var request = URLRequest(url: server.url("/old"))
        request.setValue("7", forHTTPHeaderField: "last-event-id")
        let (bytes, _) = try await makeSession().bytes(for: request)
        var ids: [String] = []
        for try await event in bytes.events { ids.append(event.id) }
        #expect(ids == ["7", "8"])
        #expect(server.requests.last?.headers["Last-Event-ID"] == "7")
        let (plain, _) = try await makeSession().bytes(from: server.url("/new"))
        let first = try await plain.events.first { _ in true }
        #expect(first?.id == "")
        let (other, _) = try await makeSession().bytes(from: server.url("/new"))
        let given = try await ServerSentEvents(other.chunks, lastEventID: "é 6").first { _ in true }
        #expect(given?.id == "é 6")
    }

    @Test("An endless line or event ends with an error, and its transfer too", arguments: [true, false])
    func endless(_ isLine: Bool) async throws {
        let isClosed = Watched(false)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            while connection.write(isLine ? String(repeating: "x", count: 10_000) : "data: 1234\n") {}
            isClosed.change { $0 = true }
        }
        let session = makeSession()
        var error: URLError?
        do {
            let (bytes, _) = try await session.bytes(from: server.url())
            if isLine {
                for try await _ in bytes.lines { Issue.record("a line") }
            } else {
                for try await _ in ServerSentEvents(bytes.chunks, maximumLength: 1_000) { Issue.record("an event") }
            }
        } catch let thrown as URLError {
            error = thrown
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
        try await isClosed.wait { $0 }
    }

    @Test("An error of the transfer ends the lines before it")
    func truncated() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none\ntwo")
        }
        let (bytes, _) = try await makeSession().bytes(from: server.url())
        var lines: [String] = []
        let error = await Wire.error { for try await line in bytes.lines { lines.append(line) } }
        #expect(lines == ["one"])
        #expect(error?.code == .networkConnectionLost)
    }

    @Test("Lines that have arrived are left out once the Swift task is cancelled")
    func cancellation() async throws {
        let pieces = AsyncStream { continuation in
            continuation.yield(Data(String(repeating: "x\n", count: 10_000).utf8))
            continuation.finish()
        }
        let count = Watched(0)
        let task = Task {
            for try await _ in BodyLines(pieces) {
                count.change { $0 += 1 }
                if count.current == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled && count.current == 10)
    }
}
