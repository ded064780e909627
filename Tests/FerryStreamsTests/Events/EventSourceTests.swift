import TestSupport
import Testing

@testable import FerryStreams

@Suite("Event sources")
struct EventSourceTests {
    private static let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nConnection: close\r\n\r\n"

    private let session = CurlSession(configuration: .ephemeral)
    private let delays = Watched<[TimeInterval]>([])
    private let states = Watched<[EventSource.State]>([])

    private func source(
        _ server: RawServer,
        _ change: (inout EventSource.Options) -> Void = { _ in }
    ) throws -> EventSource {
        var options = EventSource.Options()
        options.retryPolicy.backoff.hasJitter = false
        options.stateDidChange = { [states] state in states.change { $0.append(state) } }
        change(&options)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        var source = session.eventSource(from: url, options: options)
        source.sleep = { [delays] in delays.append($0) }
        return source
    }

    /// Returns a server that answers its connections in order, and further ones with 204.
    private func server(_ answers: [String]) throws -> RawServer {
        try RawServer { connection in
            connection.readHead()
            let isLast = connection.index >= answers.count
            connection.write(isLast ? "HTTP/1.1 204 No Content\r\n\r\n" : answers[connection.index])
        }
    }

    private func identifiers(_ server: RawServer) -> [String?] {
        server.texts.map { text in
            let line = text.split(separator: "\r\n").first { $0.lowercased().hasPrefix("last-event-id:") }
            return line.map { $0.split(separator: ":", maxSplits: 1)[1].trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test("A manager's stream has its fields and query, and asks its interceptors for each connection")
    func ofManager() async throws {
        struct Token: RequestInterceptor {
            let number: Watched<Int>
            func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
                var request = request
                let number = number.change { number in
                    number += 1
                    return number
                }
                request.setValue("Bearer \(number)", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let server = try server([Self.head + "retry: 1\nid: a\ndata: 1\n\n"])
        let manager = HTTPSessionManager(baseURL: URL(string: "http://127.0.0.1:\(server.port)/v1/"))
        manager.requestSerializer.headers["X-Service"] = "news"
        manager.interceptors = [Token(number: Watched(0))]
        let source = try manager.eventSource("events", parameters: ["topic": 7])
        for try await event in source { #expect(event.data == "1") }
        try await eventually("two connections") { server.received.count == 2 }
        #expect(identifiers(server) == [nil, "a"])
        for (index, text) in server.texts.enumerated() {
            #expect(text.hasPrefix("GET /v1/events?topic=7 HTTP/1.1\r\n"))
            #expect(text.contains("\r\nX-Service: news\r\n"))
            #expect(text.contains("\r\nAccept: text/event-stream\r\n"))
            #expect(text.contains("\r\nAuthorization: Bearer \(index + 1)\r\n"))
        }
    }

    @Test("The retry policy of a manager is that of its streams, unless they have settings")
    func policyOfManager() throws {
        let manager = HTTPSessionManager(baseURL: nil)
        #expect(try manager.eventSource("http://a/").options.retryPolicy.maximumRetries == 3)
        manager.retryPolicy = .standard
        manager.retryPolicy?.maximumRetries = 7
        #expect(try manager.eventSource("http://a/").options.retryPolicy.maximumRetries == 7)
        #expect(try manager.eventSource("http://a/", options: .init()).options.retryPolicy.maximumRetries == 3)
        let other = HTTPSessionManager(baseURL: nil, transport: .system)
        let error = #expect(throws: URLError.self) { try other.eventSource("http://a/") }
        #expect(error?.code == .unsupportedURL)
    }

    @Test("A stream is continued with the last identifier, after the time that the server asks for, until a 204")
    func continues() async throws {
        let server = try server([
            Self.head + "id: a\ndata: 1\n\nretry: 1500\ndata: 2\n\ndata: cut off",
            Self.head + "id: b\n\n", Self.head + "id\ndata: 3\n\n",
        ])
        var events: [String] = []
        for try await event in try source(server) { events.append("\(event.id):\(event.data)") }
        #expect(events == ["a:1", "a:2", ":3"])
        #expect(delays.current == [1.5, 1.5, 1.5])
        try await eventually("four connections") { server.received.count == 4 }
        #expect(identifiers(server) == [nil, "a", "b", nil])
        #expect(states.current.first == .connecting && states.current.last == .closed)
        #expect(states.current.filter { $0 == .closed }.count == 1)
        #expect(states.current.filter { $0 == .open }.count == 3)
        for field in ["Accept: text/event-stream", "Cache-Control: no-cache"] {
            #expect(server.texts.allSatisfy { $0.contains("\r\n\(field)\r\n") })
        }
    }

    @Test(
        "Another status or media type is an error",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", EventSourceError.Code.unacceptableStatusCode),
            ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi", .unacceptableContentType),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", .unacceptableContentType),
        ]
    )
    func refusals(answer: String, code: EventSourceError.Code) async throws {
        let server = try server([answer])
        let error = await #expect(throws: EventSourceError.self) { for try await _ in try source(server) {} }
        #expect(error?.code == code)
        #expect(error?.localizedDescription.hasSuffix(" (http://127.0.0.1:\(server.port)/)") == true)
        #expect(states.current == [.connecting, .closed])
    }

    @Test("Another media type is the end, also if the policy names the status 200")
    func retriedMediaType() async throws {
        let server = try server(["HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"])
        await #expect(throws: EventSourceError.self) {
            for try await _ in try source(server, { $0.retryPolicy.statusCodes.insert(200) }) {}
        }
        #expect(delays.current == [])
    }

    @Test("Temporary failures are followed by other connections, with growing delays, and then by the error")
    func failures() async throws {
        let answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
        let server = try server([answer, "", Self.head + "data: 1\n\n", answer, answer, answer, answer, answer])
        var count = 0
        let error = await #expect(throws: EventSourceError.self) {
            for try await _ in try source(server, { $0.reconnectionTime = 0.1 }) { count += 1 }
        }
        #expect(error?.response.statusCode == 503)
        #expect(count == 1)
        #expect(delays.current == [0.1, 0.5, 0.1, 0.5, 1, 2])
    }

    @Test("A server that refuses a connection decides when the next one is opened, up to the policy's limit")
    func retryAfter() async throws {
        let server = try server(
            ["7", "1", "61"].map { "HTTP/1.1 429 Slow\r\nRetry-After: \($0)\r\nContent-Length: 0\r\n\r\n" }
        )
        await #expect(throws: EventSourceError.self) { for try await _ in try source(server) {} }
        #expect(delays.current == [7, 3])
    }

    @Test("Without retries, a failure is the end, and the end of a body is not")
    func noRetries() async throws {
        let answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
        let server = try server([answer, Self.head, answer])
        for (expected, count) in [([], 1), ([3], 3)] as [([TimeInterval], Int)] {
            delays.change { $0 = [] }
            await #expect(throws: EventSourceError.self) {
                for try await _ in try source(server, { $0.retryPolicy.maximumRetries = 0 }) {}
            }
            #expect(delays.current == expected)
            try await eventually("the connections") { server.received.count == count }
        }
    }

    @Test("Connections without events are followed by others, with growing delays")
    func quiet() async throws {
        let server = try server(Array(repeating: Self.head + "retry: 0\n: nothing\n\n", count: 8))
        for try await _ in try source(server) {}
        // The server's reconnection time counts as at least a tenth of a second.
        #expect(delays.current == [0.1, 0.5, 1, 2, 4, 8, 16, 30])
    }

    @Test("A coding without its end is a lost connection, and a damaged one is an error", arguments: [false, true])
    func codings(isChunked: Bool) async throws {
        // "data: 1" and an empty line, flushed.
        let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAACA0pJLEm0UjDk4gIAAAD//w=="))
        let server = try RawServer { connection in
            connection.readHead()
            let field = isChunked ? "Transfer-Encoding: chunked" : "Connection: close"
            let body = connection.index < 2 ? gzip : gzip + Data(repeating: 0xFF, count: 50)
            connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n")
            connection.write("\(field)\r\n\r\n")
            if isChunked { connection.write(String(body.count, radix: 16) + "\r\n") }
            connection.write(body)
            if isChunked { connection.write("\r\n0\r\n\r\n") }
        }
        var events: [String] = []
        let error = await #expect(throws: URLError.self) {
            for try await event in try source(server) { events.append(event.data) }
        }
        #expect(events.prefix(2) == ["1", "1"] && delays.current == [3, 3])
        #expect(error?.sessionCause?.code == .damagedContentCoding)
    }

    @Test("The request's Last-Event-ID continues a stream, unless the options have another")
    func continuedRequest() async throws {
        let server = try server([])
        for identifier in ["", "b"] {
            var source = try source(server) { $0.lastEventID = identifier }
            var request = source.request
            request.setValue("a", forHTTPHeaderField: "Last-Event-ID")
            source = EventSource(session: session, request: request, options: source.options, sleep: source.sleep)
            for try await _ in source {}
        }
        try await eventually("two connections") { server.received.count == 2 }
        #expect(identifiers(server) == ["a", "b"])
    }

    @Test("An event that is too long ends the stream")
    func limit() async throws {
        let server = try server([Self.head + "data: " + String(repeating: "x", count: 5000) + "\n\n"])
        let error = await #expect(throws: URLError.self) {
            for try await _ in try source(server, { $0.maximumEventLength = 1000 }) {}
        }
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(delays.current.isEmpty)
    }

    @Test("Cancelling while the stream waits for its next connection closes it once")
    func cancelledWait() async throws {
        let server = try server([Self.head])
        let waiting = try source(server) { $0.reconnectionTime = 600 }
        let source = session.eventSource(for: waiting.request, options: waiting.options)
        let reader = Task { for try await _ in source {} }
        try await states.wait { $0.last == .waiting(600) }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(states.current == [.connecting, .open, .waiting(600), .closed])
    }

    @Test("Cancelling closes the connection at once")
    func cancelling() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.head + "data: 1\n\n")
            connection.readAll()
        }
        let source = try source(server)
        let seen = Watched(0)
        let reader = Task { for try await _ in source { seen.change { $0 += 1 } } }
        try await seen.wait { $0 == 1 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await eventually("the end of the connection") { server.finished == 1 }
        #expect(states.current == [.connecting, .open, .closed])
    }

    @Test("Cancelling before the response, before an event and during a wait ends the stream", arguments: 0...2)
    func stages(stage: Int) async throws {
        let isAsked = Watched(false)
        let server = try RawServer { connection in
            connection.readHead()
            isAsked.change { $0 = true }
            if stage > 0 { connection.write(Self.head) }
            if stage < 2 { connection.readAll() }
        }
        var options = EventSource.Options()
        options.stateDidChange = { [states] state in states.change { $0.append(state) } }
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
        var source = session.eventSource(from: url, options: options)
        source.sleep = { _ in try await Task.sleep(for: .seconds(3600)) }
        let reader = Task { [source] in for try await _ in source {} }
        let state = [EventSource.State.connecting, .open, .waiting(3)][stage]
        try await states.wait { $0.last == state }
        try await isAsked.wait { $0 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(states.current.suffix(2) == [state, .closed])
        try await eventually("the end of the connection") { server.finished == 1 }
    }

    @Test("Interceptors and a POST with a body apply to each connection")
    func interceptors() async throws {
        struct Token: RequestInterceptor {
            let count: Watched<Int>

            func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
                let number = count.change { count in
                    count += 1
                    return count
                }
                var request = request
                request.setValue("Bearer \(number)", forHTTPHeaderField: "Authorization")
                return request
            }
        }
        let server = try RawServer { connection in
            connection.readHead()
            connection.readBody(5)
            connection.write(connection.index == 0 ? Self.head + "data: 1\n\n" : "HTTP/1.1 204 No Content\r\n\r\n")
        }
        var options = CurlSession.Options()
        options.interceptors = [Token(count: Watched(0))]
        let session = CurlSession(configuration: .ephemeral, options: options)
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
        request.httpMethod = "POST"
        request.httpBody = Data("hello".utf8)
        let source = EventSource(session: session, request: request, options: .init(), sleep: { _ in })
        for try await _ in source {}
        try await eventually("two connections") { server.received.count == 2 }
        #expect(server.texts.map { $0.hasPrefix("POST / ") && $0.hasSuffix("hello") } == [true, true])
        #expect(server.texts.map { $0.contains("Authorization: Bearer 1") } == [true, false])
    }

    @Test("Handlers are called in order on the delegate queue, and once at the end")
    func handlers() async throws {
        let server = try server([Self.head + "data: 1\n\ndata: 2\n\n", Self.head + "data: 3\n\n"])
        let received = Watched<[String]>([])
        let queue = session.delegateQueue
        try source(server).subscribe { event in
            let isOnQueue = OperationQueue.current === queue
            received.change { $0.append(isOnQueue ? event.data : "?") }
        } completionHandler: { error in
            received.change { $0.append(error == nil ? "end" : "error") }
        }
        try await received.wait { $0.count == 4 }
        #expect(received.current == ["1", "2", "3", "end"])
    }

    @Test("Handlers are also called if the operations of the delegate queue are cancelled")
    func cancelledOperations() async throws {
        let server = try server([Self.head + "data: 1\n\ndata: 2\n\n"])
        let received = Watched<[String]>([])
        let queue = session.delegateQueue
        queue.isSuspended = true
        try source(server).subscribe { event in
            received.change { $0.append(event.data) }
        } completionHandler: { _ in
            received.change { $0.append("end") }
        }
        try await eventually { queue.operationCount > 0 }
        queue.cancelAllOperations()
        queue.isSuspended = false
        try await received.wait { $0 == ["1", "2", "end"] }
    }

    @Test("A subscription that is cancelled ends with a CancellationError")
    func cancelledSubscription() async throws {
        let server = try RawServer { $0.readAll() }
        let ended = Watched<(any Error)?>(nil)
        let subscription = try source(server).subscribe(
            { _ in },
            completionHandler: { error in ended.change { $0 = error } }
        )
        try await states.wait { !$0.isEmpty }
        subscription.cancel()
        try await ended.wait { $0 != nil }
        #expect(ended.current is CancellationError)
    }

    @Test("The verdict on a response")
    func verdicts() {
        let rows: [(Int, String?, EventSourceRule.Verdict)] = [
            (200, "text/event-stream", .opens), (200, "Text/Event-Stream ;charset=utf-8", .opens), (204, nil, .ends),
            (200, "text/html, text/event-stream;a=b", .opens),
            (200, "text/event-stream, a/b", .fails(.unacceptableContentType)),
            (200, nil, .fails(.unacceptableContentType)), (200, "text/event-streams", .fails(.unacceptableContentType)),
            (201, "text/event-stream", .fails(.unacceptableStatusCode)),
            (500, "text/event-stream", .fails(.unacceptableStatusCode)),
        ]
        for (status, type, verdict) in rows {
            #expect(EventSourceRule.verdict(status: status, mediaType: type) == verdict)
        }
    }
}
