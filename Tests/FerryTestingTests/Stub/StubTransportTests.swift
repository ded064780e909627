import FerrySession
import FerryTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StubTransportTests {
    @Test(
        "The first route that matches responds",
        arguments: [
            ("GET", "http://h/users/7", "user 7"),
            ("GET", "http://h/users/7/?page=2#top", "user 7"),
            ("GET", "http://h/users/a%20b", "user a b"),
            ("GET", "http://h/users/a%2Fb", "user a/b"),
            ("GET", "http://h/users/%E2%82%AC", "user €"),
            ("GET", "http://h/users/%FF", "user %FF"),
            ("GET", "http://h/users/7/posts/9", "post 9 of 7"),
            ("PUT", "http://h/files/a/b%20c", "file a/b c"),
            ("GET", "http://h/files", "file "),
            ("GET", "http://h/caf%C3%A9/menu", "menu"),
            ("GET", "http://h/search?q=b", "search"),
            ("GET", "http://h/", "root"),
            ("GET", "http://h", "root"),
            ("GET", "http://OTHER.example:81/users/7", "other"),
            ("GET", "https://api.example:444/v2/a%20b/?page=2", "absolute a b"),
            ("GET", "http://[::1]:81/x", "IPv6"),
            ("GET", "http://bare.example/", "bare"),
            ("GET", "http://given.example/v2/7", "given 7"),
        ]
    ) func matching(method: String, url: String, text: String) async throws {
        let transport = StubTransport()
        transport.on("GET", "/users/:id", host: "Other.example") { _, _ in .text("other") }
        transport.on("GET", "https://API.example/v2/:id?page=1") { _, parameters in
            .text("absolute \(parameters["id"] ?? "")")
        }
        transport.on("GET", "http://[::1]:80/x") { _, _ in .text("IPv6") }
        transport.on("GET", "https://bare.example") { _, _ in .text("bare") }
        transport.on("GET", "https://api.example/v2/:id", host: "given.example") { _, parameters in
            .text("given \(parameters["id"] ?? "")")
        }
        transport.on("GET", "/users/:id") { _, parameters in .text("user \(parameters["id"] ?? "")") }
        transport.on("GET", "/users/me") { _, _ in .text("never") }
        transport.on("GET", "/users/:id/posts/:post") { _, parameters in
            .text("post \(parameters["post"] ?? "") of \(parameters["id"] ?? "")")
        }
        transport.on(nil, "/files/*") { _, parameters in .text("file \(parameters["*"] ?? "")") }
        transport.on("GET", "/café/menu") { _, _ in .text("menu") }
        transport.on("GET", "/search?q=a") { _, _ in .text("search") }
        transport.on("GET", "/") { _, _ in .text("root") }
        let response = try await transport.answer(method, url)
        #expect(response.map { String(decoding: $0.body, as: UTF8.self) } == text)
    }

    @Test(
        "A request without a route fails with its method and URL, without secrets",
        arguments: [
            ("POST", "http://h/users/7", "POST http://h/users/7"),
            ("GET", "http://h/users", "GET http://h/users"),
            ("GET", "http://h/users/1/2", "GET http://h/users/1/2"),
            ("GET", "http://ada:secret@h/x?access_token=abc", "GET http://h/x?access_token=<redacted>"),
        ]
    ) func unmatched(method: String, url: String, text: String) async throws {
        let transport = StubTransport()
        transport.on("GET", "/users/:id") { _, _ in .text("") }
        let error = await #expect(throws: StubTransportError.self) { try await transport.answer(method, url) }
        #expect(error?.description == "The stub transport has no route for \(text).")
        #expect(transport.requests.map(\.description) == [text])
        #expect(transport.requests.first?.route == nil)
    }

    @Test("Requests without a route can be passed on") func passing() async throws {
        let transport = StubTransport(unmatchedRequests: .pass)
        #expect(try await transport.answer("GET", "http://h/") == nil)
        #expect(transport.requests.count == 1)
    }

    @Test("A route can be used a number of times, and others follow") func times() async throws {
        let transport = StubTransport()
        transport.on("GET", "/", times: 2) { _, _ in .status(503, headers: ["Retry-After": "1"]) }
        transport.on("GET", "/", times: 0) { _, _ in .status(500) }
        transport.on("GET", "/", times: 1) { _, _ in .text("at last") }
        var statuses: [Int?] = []
        for _ in 0..<3 { statuses.append(try await transport.answer("GET", "http://h/")?.statusCode) }
        #expect(statuses == [503, 503, 200])
        await #expect(throws: StubTransportError.usedUp(method: "GET", url: "http://h/")) {
            try await transport.answer("GET", "http://h/")
        }
    }

    @Test("Requests are recorded with body, attempt and route") func recording() async throws {
        let transport = StubTransport()
        transport.on("POST", "/users") { request, _ in .data(request.httpBody ?? Data(), statusCode: 201) }
        var request = try URLRequest(url: #require(URL(string: "http://h/users")))
        request.httpMethod = "POST"
        request.httpBody = Data("hello".utf8)
        let attempt = RequestAttempt(number: 3, originalURL: request.url)
        let response = try await transport.respond(to: request, for: attempt)
        #expect(response?.statusCode == 201)
        #expect(response?.body == Data("hello".utf8))
        let record = try #require(transport.requests.first)
        #expect(record.request.httpBody == Data("hello".utf8))
        #expect(record.attempt.number == 3)
        #expect(record.route == "/users")
        transport.reset()
        #expect(transport.requests.isEmpty)
        #expect(try await transport.respond(to: request, for: attempt)?.statusCode == 201)
    }

    @Test("A delay is that of the clock, and ends when the task is cancelled") func delay() async throws {
        let clock = VirtualClock()
        let transport = StubTransport(clock: clock)
        transport.on("GET", "/", delay: .seconds(60)) { _, _ in .text("late") }
        let waiting = Task { try await transport.answer("GET", "http://h/")?.statusCode }
        try await clock.waitForSleepers(1, timeout: 40 * patience)
        clock.advance(by: .seconds(60))
        #expect(try await waiting.value == 200)
        let cancelled = Task { try await transport.answer("GET", "http://h/")?.statusCode }
        try await clock.waitForSleepers(1, timeout: 40 * patience)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test("An error of a route is that of the attempt") func errors() async throws {
        let transport = StubTransport()
        transport.on("GET", "/") { _, _ in throw URLError(.notConnectedToInternet) }
        let error = await #expect(throws: URLError.self) { try await transport.answer("GET", "http://h/") }
        #expect(error?.code == .notConnectedToInternet)
    }

    @Test("Routes may be added while requests are answered, and by routes") func concurrency() async throws {
        let transport = StubTransport()
        transport.on("GET", "/add/:name") { _, parameters in
            transport.on("GET", "/\(parameters["name"] ?? "")") { _, _ in .text("") }
            return .status(204)
        }
        try await withThrowingTaskGroup { group in
            for index in 0..<100 {
                group.addTask {
                    _ = try await transport.answer("GET", "http://h/add/\(index)")
                    #expect(try await transport.answer("GET", "http://h/\(index)")?.statusCode == 200)
                }
            }
            try await group.waitForAll()
        }
        #expect(transport.requests.count == 200)
    }

    @Test("Helpers make text, JSON, statuses and redirects") func helpers() throws {
        struct User: Encodable {
            var name = "Ada/Byron"
            var id = 1
        }
        #expect(InterceptedResponse.text("a").headers == ["Content-Type": "text/plain; charset=utf-8"])
        let json = try InterceptedResponse.json(encoding: User(), statusCode: 201)
        #expect(String(decoding: json.body, as: UTF8.self) == #"{"id":1,"name":"Ada/Byron"}"#)
        #expect(json.statusCode == 201)
        #expect(json.headers == ["Content-Type": "application/json"])
        #expect(InterceptedResponse.json("{}").body == Data("{}".utf8))
        #expect(InterceptedResponse.redirect(to: "/b").headers == ["Location": "/b"])
        let cookies = InterceptedResponse.status(204).adding("Set-Cookie", "a=1").adding("Set-Cookie", "b=2")
        #expect(cookies.additionalHeaders.map(\.value) == ["a=1", "b=2"])
        #expect(throws: EncodingError.self) { try InterceptedResponse.json(encoding: Double.nan) }
    }
}

extension RespondingInterceptor {
    /// Returns the response to a request without a body.
    func answer(_ method: String, _ url: String) async throws -> InterceptedResponse? {
        var request = try URLRequest(url: #require(URL(string: url)))
        request.httpMethod = method
        return try await respond(to: request, for: RequestAttempt(originalURL: request.url))
    }
}
