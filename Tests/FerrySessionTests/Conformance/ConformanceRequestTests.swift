import FerrySession
import FerryTesting
import Testing

/// The cases of the HTTP client conformance suite about requests: methods, fields, queries, short bodies, trailers, and
/// many requests at a time.
@Suite(.timeLimit(.minutes(5)))
struct ConformanceRequestTests {
    private let server: LoopbackServer
    private let session = makeSession()

    init() throws { server = try ConformanceServer.start() }

    private func request(_ method: String = "GET", _ headers: [String: String] = [:]) -> URLRequest {
        Wire.request(server.url("/request"), method, headers: headers)
    }

    private func pieces(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    /// Returns the elements of a list in one or more lines.
    private func elements(_ lines: [String]?) -> [String]? {
        lines?.flatMap { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    // MARK: - Methods

    @Test(
        "An empty response to any method has no body and no trailers",
        arguments: ["HEAD", "GET", "PUT", "POST", "DELETE"]
    )
    func ok(_ method: String) async throws {
        let (data, response) = try await session.data(for: Wire.request(server.url("/200"), method))
        #expect(response.status == 200)
        #expect(data.isEmpty)
        #expect((response as? HTTPURLResponse)?.trailerFields.isEmpty == true)
        #expect(server.requests.map(\.method) == [method])
    }

    @Test("A URL is fetched with GET and without a body")
    func getConvenience() async throws {
        let sent = try SentRequest(try await session.data(from: server.url("/request")))
        #expect(sent.method == "GET")
        #expect(sent.body.isEmpty)
    }

    @Test("Data is sent with POST")
    func postConvenience() async throws {
        let sent = try SentRequest(try await session.upload(for: request("POST"), from: Data("Hello World".utf8)))
        #expect(sent.method == "POST")
        #expect(sent.body == "Hello World")
    }

    // MARK: - Header fields

    @Test("A field of the request is sent as it is")
    func customHeader() async throws {
        let body = RequestBody { pieces("Hello World") }
        let sent = try SentRequest(try await session.upload(for: request("POST", ["X-Foo": "BARbaz"]), body: body))
        #expect(sent.headers["X-Foo"] == ["BARbaz"])
        #expect(sent.body == "Hello World")
    }

    @Test("A field without a value is sent")
    func emptyHeaderValue() async throws {
        let sent = try SentRequest(try await session.data(for: request("POST", ["X-Test": ""])))
        #expect(sent.headers["X-Test"] == [""])
    }

    @Test("All values of a field are sent, in their order")
    func multiValueHeader() async throws {
        var request = request()
        request.addValue("one", forHTTPHeaderField: "X-Test")
        request.addValue("two", forHTTPHeaderField: "X-Test")
        let sent = try SentRequest(try await session.data(for: request))
        // A URLRequest has one line for each name.
        #expect(elements(sent.headers["X-Test"]) == ["one", "two"])
    }

    // MARK: - Queries

    @Test("All items of a query are sent, in their order, also those of the same name and without a value")
    func urlParams() async throws {
        var components = try #require(URLComponents(url: server.url("/request"), resolvingAgainstBaseURL: false))
        components.queryItems = [("foo", "bar"), ("bar", "baz"), ("baz", "qux"), ("qux", ""), ("foo", "phew")]
            .map { URLQueryItem(name: $0.0, value: $0.1) }
        let url = try #require(components.url)
        let sent = try SentRequest(try await session.data(from: url))
        #expect(sent.params == ["foo": ["bar", "phew"], "bar": ["baz"], "baz": ["qux"], "qux": [""]])
    }

    // MARK: - Bodies and trailers

    @Test("A body that turns out to be empty is sent, with its length or in chunks", arguments: [0, nil])
    func emptyChunkedBody(_ length: Int64?) async throws {
        let (body, writer) = RequestBody.writer(length: length)
        writer.finish()
        #expect(try SentRequest(try await session.upload(for: request("POST"), body: body)).body.isEmpty)
        let replayed = RequestBody(length: length) { pieces() }
        #expect(try SentRequest(try await session.upload(for: request("POST"), body: replayed)).body.isEmpty)
        #expect(server.requests.map(\.isChunked) == [length == nil, length == nil])
    }

    @Test("Fields follow the body, from a writer and after a sequence")
    func trailerWrite() async throws {
        let trailers = [
            "X-Request-Trailer-One": "first-trailer-value", "X-Request-Trailer-Two": "second-trailer-value",
        ]
        let (written, writer) = RequestBody.writer(sendsTrailers: true)
        try await writer.write(Data("Hello World".utf8))
        writer.finish(trailers: trailers)
        let made = RequestBody(trailers: { trailers }, replaying: { pieces("Hello", " World") })
        for body in [written, made] {
            let sent = try SentRequest(try await session.upload(for: request("POST"), body: body))
            #expect(sent.body == "Hello World")
            #expect(sent.trailers == trailers.mapValues { [$0] })
        }
    }

    // MARK: - Many at a time

    @Test("A hundred requests at a time have a response each, in one session and in many", arguments: [true, false])
    func stress(_ isShared: Bool) async throws {
        let count = try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                let session = isShared ? session : makeSession()
                group.addTask {
                    let sent = try SentRequest(try await session.data(for: request()))
                    #expect(sent.method == "GET")
                }
            }
            return try await group.reduce(0) { count, _ in count + 1 }
        }
        #expect(count == 100)
        #expect(server.requestCount == 100)
        #expect(server.protocolViolations.isEmpty)
    }
}
