import FerrySession
import FerryTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .text("ok") }
    }

    /// Sends a request, and returns what the server received.
    private func send(
        _ request: URLRequest,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) async throws -> LoopbackRequest {
        _ = try await Wire.session(configure: configure).data(for: request)
        #expect(server.protocolViolations.isEmpty)
        return try #require(server.requests.last)
    }

    // MARK: - Methods

    /// `URLRequest` converts the methods it recognizes to upper case.
    @Test(
        "Any token is a method, sent as given in the request",
        arguments: [
            "GET", "DELETE", "OPTIONS", "PROPFIND", "M-SEARCH", "get", "Post", "x!#$%&'*+-.^_`|~9", "TRACE", "QUERY",
        ]
    )
    func methods(_ method: String) async throws {
        let request = Wire.request(server.url, method)
        #expect(try await send(request).method == request.httpMethod)
    }

    @Test(
        "A method that is not a token is refused before anything is sent",
        arguments: ["GET ", "G ET", "GET / HTTP/1.1\r\nX: y", "A\rB", "A\nB", "A\u{0}B", "é", "A:B", "(A)", "CONNECT"]
    )
    func invalidMethods(_ method: String) async throws {
        let error = await Wire.error { try await Wire.session().data(for: Wire.request(server.url, method)) }
        #expect(error?.code == .badURL)
        #expect(error?.curlSessionError?.code == .invalidMethod)
        #expect(error?.failingURL == server.url)
        #expect(server.connectionCount == 0)
    }

    // MARK: - Header fields

    /// RFC 9110, sections 5.1 and 5.5.
    @Test(
        "Line breaks, null bytes and names that are not tokens are refused before anything is sent",
        arguments: [
            ("X-A", "v\r\nInjected: yes"), ("X-A", "v\nInjected: yes"), ("X-A", "v\rInjected: yes"), ("X-A", "v\u{0}w"),
            ("X-A\r\nInjected", "v"), ("X-A:B", "v"), ("X A", "v"), ("", "v"), ("X-Ä", "v"), ("X-A\u{0}", "v"),
            ("Host", "a.test\r\nInjected: yes"), ("Content-Length", "1\r\nInjected: yes"),
            ("Transfer-Encoding", "chunked\n"),
        ]
    )
    func injection(_ field: (String, String)) async throws {
        let request = Wire.request(server.url, headers: [field.0: field.1])
        let byRequest = await Wire.error { try await Wire.session().data(for: request) }
        #expect(byRequest?.code == .badURL)
        #expect(byRequest?.curlSessionError?.code == .invalidHeader)
        let session = Wire.session { $0.httpAdditionalHeaders = [field.0: field.1] }
        let byConfiguration = await Wire.error { try await session.data(from: server.url) }
        #expect(byConfiguration?.curlSessionError?.code == .invalidHeader)
        #expect(server.connectionCount == 0)
    }

    @Test("Additional headers are sent with values of any type") func additionalTypes() async throws {
        let url = try #require(URL(string: "http://a.test/x?y"))
        let seen = try await send(URLRequest(url: server.url)) {
            $0.httpAdditionalHeaders = [
                "X-Int": 5, "X-Substring": "abcdef".dropFirst(2), "X-URL": url, "X-Bool": true, "X-Double": 1.5,
                "X-Key".dropFirst(0): "substring key",
            ]
        }
        #expect(seen.header("X-Int") == "5")
        #expect(seen.header("X-Substring") == "cdef")
        #expect(seen.header("X-URL") == "http://a.test/x?y")
        #expect(seen.header("X-Bool") == "true")
        #expect(seen.header("X-Double") == "1.5")
        #expect(seen.header("X-Key") == "substring key")
    }

    @Test("The request's headers override the session's, ignoring the case of their names") func precedence()
        async throws
    {
        let seen = try await send(Wire.request(server.url, headers: ["x-a": "request", "user-agent": "mine"])) {
            $0.httpAdditionalHeaders = [
                "X-A": "session", "X-B": "session", "User-Agent": "session", "ACCEPT-ENCODING": "identity",
            ]
        }
        #expect(seen.headers.values(for: "X-A") == ["request"])
        #expect(seen.headers.values(for: "X-B") == ["session"])
        #expect(seen.headers.values(for: "User-Agent") == ["mine"])
        #expect(seen.headers.values(for: "Accept-Encoding") == ["identity"])
    }

    @Test("Empty and blank values are sent as empty ones, also for fields with a default") func emptyValues()
        async throws
    {
        let names = ["X-Empty", "X-Blank", "Accept", "User-Agent", "Accept-Encoding", "Content-Type", "Expect"]
        var headers = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
        headers["X-Blank"] = "  \t "
        let seen = try await send(Wire.request(server.url, headers: headers))
        for name in names { #expect(seen.headers.values(for: name) == [""], "\(name)") }
    }

    @Test("Values keep their case, inner blanks and letters beyond ASCII") func values() async throws {
        let seen = try await send(
            Wire.request(server.url, headers: ["X-A": "  a  B, \"c;d\" é本  ", "X-B": ";", "X-C": ":"])
        )
        #expect(seen.header("X-A") == "a  B, \"c;d\" é本")
        #expect(seen.header("X-B") == ";")
        #expect(seen.header("X-C") == ":")
    }

    @Test("A Host set by the caller replaces the URL's") func host() async throws {
        let seen = try await send(Wire.request(server.url, headers: ["Host": "virtual.test:8080"]))
        #expect(seen.headers.values(for: "Host") == ["virtual.test:8080"])
    }

    @Test("User-Agent, Accept and Accept-Encoding have defaults; nothing else is added") func defaults() async throws {
        let seen = try await send(URLRequest(url: server.url))
        #expect(seen.header("User-Agent")?.contains("Ferry") == true)
        #expect(seen.header("Accept") == "*/*")
        let codings = try #require(seen.header("Accept-Encoding")).components(separatedBy: ", ")
        #expect(try codings == CurlRuntime.current().contentCodings)
        #expect(codings.starts(with: ["gzip", "deflate"]))
        #expect(seen.header("Host") == "127.0.0.1:\(server.port)")
        #expect(
            seen.headers.map { $0.name.lowercased() }.sorted() == ["accept", "accept-encoding", "host", "user-agent"]
        )
    }

    @Test("A request for a range accepts no coding, nor does a session that does not decode") func noCodings()
        async throws
    {
        #expect(
            try await send(Wire.request(server.url, headers: ["range": "bytes=0-1"])).header("Accept-Encoding") == nil
        )
        var options = CurlSession.Options()
        options.decodesContent = false
        _ = try await Wire.session(options: options).data(from: server.url)
        #expect(server.requests.last?.header("Accept-Encoding") == nil)
    }

    @Test("Many and large header fields arrive") func large() async throws {
        var headers: [String: String] = [:]
        for index in 0..<200 { headers["X-\(index)"] = String(repeating: "v", count: 1000) }
        headers["X-Large"] = String(repeating: "w", count: 90_000)
        let seen = try await send(Wire.request(server.url, headers: headers))
        for (name, value) in headers { #expect(seen.header(name) == value, "\(name)") }
    }

    @Test("A thousand requests with random headers are well-formed or refused") func fuzz() async throws {
        var random = SeededGenerator(7)
        let session = Wire.session()
        for _ in 0..<300 {
            var request = URLRequest(url: server.url)
            for _ in 0..<3 {
                let name = random.text(upTo: 6, from: "XY-:; \r\nab")
                request.setValue(random.text(upTo: 8, from: "ab \t;:\r\n\u{0}"), forHTTPHeaderField: name)
            }
            do {
                _ = try await session.data(for: request)
            } catch let error as URLError {
                #expect(error.curlSessionError?.code == .invalidHeader)
            }
        }
        #expect(server.protocolViolations.isEmpty)
    }

    // MARK: - Bodies and their lengths

    @Test("A GET may have a body") func getWithBody() async throws {
        let seen = try await send(Wire.request(server.url, "GET", body: Data("hello".utf8)))
        #expect(seen.method == "GET")
        #expect(seen.bodyText == "hello")
        #expect(seen.headers.values(for: "Content-Length") == ["5"])
        #expect(!seen.isChunked)
    }

    @Test("HEAD requests only a head") func head() async throws {
        let (data, response) = try await Wire.session().data(for: Wire.request(server.url, "HEAD"))
        #expect(data.isEmpty)
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == "2")
        #expect(server.requests.last?.method == "HEAD")
    }

    /// RFC 9110, section 8.6.
    @Test("Methods that expect content send a length of zero without it", arguments: ["POST", "PUT", "PATCH"])
    func emptyContent(_ method: String) async throws {
        let seen = try await send(Wire.request(server.url, method))
        #expect(seen.headers.values(for: "Content-Length") == ["0"])
        #expect(seen.bodyLength == 0 && !seen.isChunked)
    }

    @Test("Methods that expect no content send no length", arguments: ["GET", "DELETE", "OPTIONS", "HEAD"])
    func noContent(_ method: String) async throws {
        let seen = try await send(Wire.request(server.url, method))
        #expect(seen.header("Content-Length") == nil && seen.header("Transfer-Encoding") == nil)
    }

    @Test("A header that is longer than libcurl accepts is an error that says whose it is")
    func longHeader() async throws {
        let request = Wire.request(server.url, headers: ["X-A": String(repeating: "v", count: 2_000_000)])
        let error = await Wire.error { try await Wire.session().data(for: request) }
        #expect(error?.ferryCode == .invalidHeader)
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(error?.localizedDescription == "The request's header is longer than libcurl accepts")
        #expect(server.requestCount == 0)
    }

    @Test("A long field is sent whole, or the request fails", arguments: [290_000, 307_200, 400_000])
    func longField(_ length: Int) async throws {
        let value = String(repeating: "v", count: length)
        let request = Wire.request(server.url, headers: ["X-A": value])
        do {
            _ = try await Wire.session().data(for: request)
            #expect(server.requests.last?.header("X-A") == value)
        } catch let error as URLError {
            // libcurl from 8.13 on would omit the field.
            #expect(error.ferryCode == .invalidHeader)
            #expect(length > 300_000 && server.requestCount == 0)
        }
    }

    /// nghttp2 does not send a longer one, and libcurl would wait for the response.
    @Test(
        "Over HTTP/2 alone, a header of more than 64 KiB is an error at once",
        arguments: [(1, 64_000, true), (1, 66_000, false), (40, 1_590, true), (5_000, 5, false)]
    )
    func longHeaderOfStream(_ count: Int, _ length: Int, _ isSent: Bool) async throws {
        let server = try frameServer { $0.respondToAll() }
        var options = CurlSession.Options()
        options.httpVersions = .http2PriorKnowledge
        let session = Wire.session(options: options)
        let value = String(repeating: "v", count: length)
        let headers = Dictionary(uniqueKeysWithValues: (0..<count).map { ("X-\($0)", value) })
        let request = Wire.request(server.url(), headers: headers, timeout: 20 * patience)
        let result = await Task { try await session.data(for: request).0 }.result
        #expect(((try? result.get()) == Data("ok".utf8)) == isSent)
        if !isSent { #expect(throws: URLError.self) { try result.get() } }
        if case .failure(let error) = result { #expect((error as? URLError)?.ferryCode == .invalidHeader) }
    }

    @Test("The type of forms is the default only for POST, and the caller can override it")
    func contentType() async throws {
        let body = Data("a=b".utf8)
        #expect(
            try await send(Wire.request(server.url, "POST", body: body)).header("Content-Type")
                == "application/x-www-form-urlencoded"
        )
        #expect(try await send(Wire.request(server.url, "PUT", body: body)).header("Content-Type") == nil)
        #expect(try await send(Wire.request(server.url, "POST")).header("Content-Type") == nil)
        #expect(try await send(Wire.request(server.url, "POST", body: Data())).header("Content-Type") == nil)
        let typed = Wire.request(server.url, "POST", headers: ["content-type": "text/plain"], body: body)
        #expect(try await send(typed).headers.values(for: "Content-Type") == ["text/plain"])
    }

    @Test("Expect is sent only on request", arguments: [10, 2_000_000])
    func expect(_ size: Int) async throws {
        let body = Data(count: size)
        #expect(try await send(Wire.request(server.url, "POST", body: body)).header("Expect") == nil)
        let asking = Wire.request(server.url, "POST", headers: ["Expect": "100-continue"], body: body)
        let seen = try await send(asking)
        #expect(seen.headers.values(for: "Expect") == ["100-continue"])
        #expect(seen.bodyLength == size)
    }
}

extension URLError {
    /// The URL that failed.
    fileprivate var failingURL: URL? { userInfo[NSURLErrorFailingURLErrorKey] as? URL }
}
