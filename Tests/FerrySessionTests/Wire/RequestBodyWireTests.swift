import FerrySession
import FerryTesting
import Testing

/// What surrounds a body that is made while it is sent: codings, trailers, expectations, interim responses.
@Suite(.timeLimit(.minutes(5)))
struct RequestBodyWireTests {
    private func post(_ url: URL, _ headers: [String: String] = [:]) -> URLRequest {
        Wire.request(url, "POST", headers: headers)
    }

    private func pieces(_ texts: [String]) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    // MARK: - Codings

    @Test("A body is coded, and the request says so", arguments: RequestBody.Coding.allCases.filter(\.isAvailable))
    func coding(_ coding: RequestBody.Coding) async throws {
        // Sends the body back with the coding that the request has named.
        let server = try LoopbackServer { request in
            LoopbackResponse(
                headers: ["Content-Encoding": request.header("Content-Encoding") ?? ""],
                body: .data(request.body)
            )
        }
        let text = String(repeating: "the same line again\n", count: 10_000)
        let body = RequestBody(pieces([text, text]), length: 400_000, coding: coding)
        let (data, _) = try await makeSession().upload(for: post(server.url), body: body)
        #expect(data == Data((text + text).utf8))
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Encoding") == coding.rawValue)
        #expect(request.header("Content-Length") == nil)
        #expect(request.bodyLength < 10_000)
    }

    @Test("A coded body that is written slowly arrives as it is written") func slowCoding() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<3 {
                // More than half of the line, and more than what may come in a chunk of its own: the gzip header.
                let before = connection.received.count
                while connection.received.count < before + 500, connection.readMore() {}
                connection.write("1\r\n.\r\n")
            }
            connection.write("0\r\n\r\n")
        }
        let (body, writer) = RequestBody.writer(coding: .gzip)
        let (bytes, _) = try await makeSession().bytes(for: post(server.url()), body: body)
        var answers = bytes.makeAsyncIterator()
        for _ in 0..<3 {
            // 800 bytes that gzip cannot make smaller.
            try await writer.write(Data((0..<800).map { _ in UInt8.random(in: 0...255) }))
            #expect(try await answers.next() == UInt8(ascii: "."))
        }
        writer.finish()
    }

    // MARK: - Trailers

    @Test("Trailers follow a sequence and what a writer wrote") func trailers() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let body = RequestBody(pieces(["body"]), length: 4) { ["X-Sum": "4", "X-Empty": ""] }
        _ = try await makeSession().upload(for: post(server.url, ["Trailer": "X-Sum"]), body: body)
        let (second, writer) = RequestBody.writer(sendsTrailers: true)
        try await writer.write(Data("written".utf8))
        writer.finish(trailers: ["X-Sum": "7"])
        _ = try await makeSession().upload(for: post(server.url), body: second)
        #expect(server.requests.map(\.bodyText) == ["body", "written"])
        #expect(server.requests.map { $0.trailers["X-Sum"] } == ["4", "7"])
        #expect(server.requests.first?.header("Trailer") == "X-Sum")
        #expect(server.requests.allSatisfy { $0.isChunked })
    }

    @Test("Trailers that the body was not made for fail the task") func unexpectedTrailers() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let (body, writer) = RequestBody.writer()
        writer.finish(trailers: ["X-Sum": "0"])
        let error = await Wire.error { try await makeSession().upload(for: post(server.url), body: body) }
        #expect(error?.ferryCode == .invalidHeader)
    }

    @Test("Trailers of a response are read after a body that was sent meanwhile") func receivedTrailers() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while !connection.received.suffix(5).elementsEqual("0\r\n\r\n".utf8), connection.readMore() {}
            connection.write("2\r\nok\r\n0\r\nX-Sum: 2\r\n\r\n")
        }
        let (bytes, response) = try await makeSession().bytes(for: post(server.url()), body: RequestBody(pieces(["a"])))
        var count = 0
        for try await _ in bytes { count += 1 }
        #expect(count == 2)
        #expect((response as? HTTPURLResponse)?.trailerFields["X-Sum"] == "2")
    }

    // MARK: - Expectations and interim responses

    @Test("A refused expectation sends no body, and the sequence is made for the request that follows")
    func expectation() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { $0.header("Expect") == nil ? .whole : .early(.status(417)) }
        let server = try LoopbackServer(configuration: configuration) { .text("got \($0.bodyLength)") }
        let body = RequestBody(pieces(["one", "two"]))
        let request = post(server.url, ["Expect": "100-continue"])
        let (data, _) = try await makeSession().upload(for: request, body: body)
        #expect(String(decoding: data, as: UTF8.self) == "got 6")
        #expect(server.requests.map { $0.header("Expect") } == ["100-continue", nil])
    }

    private final class HintDelegate: NSObject, CurlSessionDelegate {
        let links = Watched<[String]>([])

        func urlSession(
            _ session: CurlSession,
            task: URLSessionTask,
            didReceiveInformationalResponse response: HTTPURLResponse
        ) {
            links.append("\(response.statusCode) \(response.value(forHTTPHeaderField: "Link") ?? "")")
        }
    }

    @Test("A delegate receives interim responses before the final one") func earlyHints() async throws {
        let hints = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
        let server = try RawServer(answering: hints + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let delegate = HintDelegate()
        let (_, response) = try await makeSession(delegate).data(from: server.url())
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(delegate.links.current == ["100 ", "103 </a.css>"])
    }

    // MARK: - Challenges and lost connections

    @Test("A body that can be made again is sent with a credential", arguments: [true, false])
    func challenge(_ isReplayable: Bool) async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == nil
                ? .status(401).adding("WWW-Authenticate", "Basic realm=\"a\"") : .text("got \(request.bodyLength)")
        }
        let session = makeSession(CredentialDelegate(user: "u", password: "p"))
        let body = isReplayable ? RequestBody { pieces(["one"]) } : RequestBody(pieces(["one"]))
        guard isReplayable else {
            let error = await Wire.error { try await session.upload(for: post(server.url), body: body) }
            #expect(error?.ferryCode == .bodyNotReplayable)
            return
        }
        let (data, _) = try await session.upload(for: post(server.url), body: body)
        #expect(String(decoding: data, as: UTF8.self) == "got 3")
    }

    @Test("A retry makes the body again, or does not happen", arguments: [true, false])
    func retry(_ isReplayable: Bool) async throws {
        let server = try LoopbackServer { request in
            request.connectionID == 1 ? .status(503).closing() : .text("got \(request.bodyLength)")
        }
        var options = CurlSession.Options()
        var policy = RetryPolicy()
        policy.backoff = .init(base: 0.01)
        options.retryPolicy = policy
        let body = isReplayable ? RequestBody { pieces(["one"]) } : RequestBody(pieces(["one"]))
        let request = Wire.request(server.url, "PUT")
        let (data, response) = try await makeSession(options: options).upload(for: request, body: body)
        #expect((response as? HTTPURLResponse)?.statusCode == (isReplayable ? 200 : 503))
        #expect(String(decoding: data, as: UTF8.self) == (isReplayable ? "got 3" : ""))
    }

    @Test("A body on a kept connection that is dead is made again, or is not sent", arguments: [true, false])
    func deadConnection(_ isReplayable: Bool) async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { _ in .whole }
        let server = try LoopbackServer(configuration: configuration) { request in
            request.connectionRequestIndex > 0 ? .empty : .text("got \(request.bodyLength)")
        }
        let session = makeSession()
        _ = try await session.data(from: server.url)
        let text = String(repeating: "x", count: 200_000)
        let body = isReplayable ? RequestBody { pieces([text]) } : RequestBody(pieces([text]))
        let request = Wire.request(server.url, "PUT")
        let result = await Task { try await session.upload(for: request, body: body) }.result
        guard isReplayable else {
            #expect(code(of: result) == .requestBodyStreamExhausted)
            return
        }
        #expect(String(decoding: try result.get().0, as: UTF8.self) == "got 200000")
    }
}
