import FerryTesting
import Foundation
import Testing

@testable import FerryAPI

@Suite("Pages of a list", .timeLimit(.minutes(5)))
struct PageSequenceTests {
    private struct Messages: Decodable, Sendable, Equatable {
        var items: [Int]
        var nextCursor: String?
    }

    /// A server whose page `n` of `/list?page=n` is `[n]`, with a link to the next one.
    private func server(pages: Int, status: @escaping @Sendable (Int) -> Int = { _ in 200 }) throws -> LoopbackServer {
        try LoopbackServer { request in
            let number = request.query["page"].flatMap(Int.init) ?? 1
            let page = LoopbackResponse.json("[\(number)]", statusCode: status(number))
            return number < pages ? page.adding("Link", "<?page=\(number + 1)>; rel=\"next\"") : page
        }
    }

    private func manager(_ server: LoopbackServer) -> HTTPSessionManager {
        TestTransport.curl.manager(baseURL: server.url)
    }

    private func collect<Value>(
        _ pages: PageSequence<Value>
    ) async -> (values: [Value], error: NetworkError?) {
        var values: [Value] = []
        do {
            for try await page in pages {
                #expect(page.index == values.count)
                values.append(page.value)
            }
            return (values, nil)
        } catch {
            return (values, error)
        }
    }

    // MARK: - Links

    @Test("Pages follow the links until there is none", arguments: TestTransport.allCases)
    func links(_ transport: TestTransport) async throws {
        let server = try server(pages: 4)
        let manager = transport.manager(baseURL: server.url)
        let request = Request<[Int]>.get("list").parameters(["size": 1]).headers(["X-Mine": "1"])
        let (values, error) = await collect(manager.pages(of: request))
        #expect(error == nil)
        #expect(values == [[1], [2], [3], [4]])
        #expect(server.requests.map(\.target) == ["/list?size=1", "/list?page=2", "/list?page=3", "/list?page=4"])
        #expect(server.requests.map { $0.headers["X-Mine"] } == ["1", "1", "1", "1"])
    }

    @Test("Nothing is requested before a page is asked for, nor after the last one that is")
    func lazy() async throws {
        let server = try server(pages: 1_000_000)
        let pages = manager(server).pages(of: Request<[Int]>.get("list"))
        var iterator = pages.makeAsyncIterator()
        #expect(server.requests.isEmpty)
        #expect(try await iterator.next()?.value == [1])
        #expect(server.requests.count == 1)
        #expect(try await iterator.next()?.value == [2])
        #expect(server.requests.count == 2)
        for try await page in pages.prefix(3) { #expect(page.statusCode == 200) }
        #expect(server.requests.count == 5)
    }

    @Test("A page that fails throws its error, after which the sequence has ended")
    func failure() async throws {
        let server = try server(pages: 5) { $0 == 3 ? 503 : 200 }
        var iterator = manager(server).pages(of: Request<[Int]>.get("list")).makeAsyncIterator()
        #expect(try await iterator.next()?.value == [1])
        #expect(try await iterator.next()?.value == [2])
        let error = await #expect(throws: NetworkError.self) { try await iterator.next() }
        #expect(error?.statusCode == 503)
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 3)
    }

    @Test("A request that cannot be made throws")
    func unmakeable() async throws {
        let (values, error) = await collect(HTTPSessionManager().pages(of: Request<[Int]>.get("relative")))
        #expect(values.isEmpty)
        #expect(error?.code == .badURL)
    }

    @Test("Another relation type can be followed; a HEAD request stays one, any other method becomes GET")
    func relationAndMethod() async throws {
        let server = try LoopbackServer { request in
            request.path == "/1" ? .json("[1]").adding("Link", "</2>; rel=\"older next2\"") : .json("[2]")
        }
        let manager = manager(server)
        let posted = Request<[Int]>(.post, "1").parameters(["a": 1])
        #expect(await collect(manager.pages(of: posted, next: .link(rel: "Older"))).values == [[1], [2]])
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.last?.body == Data())
        #expect(server.requests.last?.target == "/2")
        let body = RequestBody(AsyncStream { $0.finish() })
        let withBody = Request<[Int]>(.post, "1").body(body)
        #expect(await collect(manager.pages(of: withBody, next: .link(rel: "Older"))).values == [[1], [2]])
        #expect(server.requests.last?.method == "GET")
        #expect(await collect(manager.pages(of: posted)).values == [[1]])
        let head = Request<any Sendable>.head("1")
        let (_, error) = await collect(manager.pages(of: head, next: .link(rel: "older")))
        #expect(error?.code == .noValue)
        let data = Request<Data>(.head, "1", serializer: .data)
        #expect(await collect(manager.pages(of: data, next: .link(rel: "older"))).values.count == 2)
        #expect(server.requests.suffix(2).map(\.method) == ["HEAD", "HEAD"])
    }

    // MARK: - Refused pages

    @Test("Credentials are not sent to another origin by a link", arguments: ["http://localhost", "//localhost"])
    func otherOrigin(_ origin: String) async throws {
        let other = try LoopbackServer { _ in .json("[2]") }
        let link = "<\(origin):\(other.port)/2?token=\(SecretScan.password)>; rel=next"
        let server = try LoopbackServer { _ in .json("[1]").adding("Link", link) }
        let manager = manager(server)
        manager.requestSerializer.headers["X-Api-Key"] = "key"
        let request = Request<[Int]>.get("1").headers(.bearer("secret"))
        let (values, error) = await collect(manager.pages(of: request))
        #expect(values == [[1]])
        #expect(error?.code == .nextPageRefused)
        guard case .otherOrigin(let url)? = error?.underlyingError as? PaginationError else {
            throw NeverHappened(description: "\(String(describing: error))")
        }
        #expect(url.port == other.port && url.path == "/2")
        #expect(other.requests.isEmpty)
        #expect(error?.message.contains("localhost:\(other.port)") == true)
        #expect(error?.message.contains(SecretScan.password) == false)
    }

    @Test(
        "Neither another scheme, a port, nor anything but a web address is followed",
        arguments: ["https://127.0.0.1:PORT/2", "http://127.0.0.1:1/2", "file:///etc/passwd", "mailto:a@b.test"]
    )
    func otherTargets(_ target: String) async throws {
        let port = Watched(0)
        let server = try LoopbackServer { _ in
            .json("[1]").adding("Link", "<\(target.replacing("PORT", with: "\(port.current)"))>; rel=next")
        }
        port.change { $0 = server.port }
        let (values, error) = await collect(manager(server).pages(of: Request<[Int]>.get("1")))
        #expect(values == [[1]])
        #expect(error?.code == .nextPageRefused)
        #expect(server.requests.count == 1)
    }

    @Test("After a redirect to another origin, its links are not followed")
    func redirected() async throws {
        let other = try LoopbackServer { _ in .json("[1]").adding("Link", "</2>; rel=next") }
        let server = try LoopbackServer { _ in .redirect(to: other.url("/1", host: "localhost").absoluteString) }
        let (values, error) = await collect(
            manager(server).pages(of: Request<[Int]>.get("x").headers(.bearer("secret")))
        )
        #expect(values == [[1]])
        #expect(error?.code == .nextPageRefused)
        #expect(other.requests.map(\.target) == ["/1"])
        #expect(other.requests.first?.headers["Authorization"] == nil)
    }

    @Test("User and password of the first URL are used for all pages, and those of a link for none")
    func userInfo() throws {
        func next(_ first: String, _ link: String) throws -> String? {
            let request = Request<Int>.get("x")
            var cursor = PageCursor(first: request, next: .link(), maximumPages: 9)
            _ = try cursor.nextRequest()
            let url = try #require(URL(string: "http://a.test/x"))
            let head = HTTPURLResponse(
                url: url,
                statusCode: 200,
                httpVersion: nil,
                headerFields: ["Link": "<\(link)>; rel=next"]
            )
            _ = cursor.advance(past: TaskResponse(response: head, value: 1), sentTo: URL(string: first))
            return try cursor.nextRequest()?.path
        }
        #expect(try next("http://ada:s%40@a.test/x", "/2?a=%2F") == "http://ada:s%40@a.test/2?a=%2F")
        #expect(try next("http://ada:s%40@a.test/x", "//eve:x@a.test/2") == "http://ada:s%40@a.test/2")
        #expect(try next("http://a.test/x", "//eve:x@a.test/2") == "http://a.test/2")
        #expect(try next("http://a.test/x", "http://A.test:80/2") == "http://A.test:80/2")
        #expect(throws: NetworkError.self) { try next("http://a.test/x", "http://a.test@b.test/2") }
    }

    @Test("A page that links to itself or to an earlier page is detected", arguments: [1, 2, 5])
    func loops(_ length: Int) async throws {
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return .json("[\(number)]").adding("Link", "<\((number + 1) % length)#x>; rel=next")
        }
        let (values, error) = await collect(manager(server).pages(of: Request<[Int]>.get("0")))
        #expect(values == (0..<length).map { [$0] })
        #expect(error?.code == .nextPageRefused)
        #expect(error?.underlyingError as? PaginationError == .repeatedPage)
        #expect(error?.failingURL?.path == "/\(length - 1)")
        #expect(server.requests.count == length)
    }

    @Test("A redirected page that links to its new URL is detected")
    func redirectLoop() async throws {
        let server = try LoopbackServer { request in
            request.path == "/old" ? .redirect(to: "/new") : .json("[1]").adding("Link", "</new>; rel=next")
        }
        let (values, error) = await collect(manager(server).pages(of: Request<[Int]>.get("old")))
        #expect(values == [[1]])
        #expect(error?.underlyingError as? PaginationError == .repeatedPage)
    }

    @Test("There are no more pages than the maximum", arguments: [-1, 1, 3])
    func maximum(_ maximum: Int) async throws {
        let server = try server(pages: 4)
        let request = Request<[Int]>.get("list")
        let (values, error) = await collect(manager(server).pages(of: request, maximumPages: maximum))
        #expect(values.count == max(1, maximum))
        #expect(error?.underlyingError as? PaginationError == .tooManyPages(max(1, maximum)))
        #expect(server.requests.count == max(1, maximum))
        #expect(await collect(manager(server).pages(of: request, maximumPages: 4)).error == nil)
    }

    // MARK: - Cursors

    @Test("A cursor becomes a parameter, in the query or in the body", arguments: [HTTPMethod.get, .post])
    func cursor(_ method: HTTPMethod) async throws {
        let server = try LoopbackServer { request in
            let sent = request.query["cursor"] ?? String(decoding: request.body, as: UTF8.self)
            switch sent {
            case "b c", #"{"cursor":"b c","size":2}"#: return .json(#"{"items":[2],"nextCursor":""}"#)
            default: return .json(#"{"items":[1],"nextCursor":"b c"}"#)
            }
        }
        let manager = manager(server)
        manager.requestSerializer = .json
        let request = Request<Messages>(method, "list").parameters(["size": 2, "cursor": "*"])
        let (values, error) = await collect(manager.pages(of: request, next: .cursor("cursor", \.nextCursor)))
        #expect(error == nil)
        #expect(values.map(\.items) == [[1], [2]])
        if method == .get { #expect(server.requests.last?.target == "/list?cursor=b%20c&size=2") }
        #expect(server.requests.map(\.method) == [method.rawValue, method.rawValue])
    }

    @Test("A repeated cursor is detected, and parameters without names are an error", arguments: [1, 4_097])
    func repeatedCursor(length: Int) async throws {
        let cursor = String(repeating: "a", count: length)
        let server = try LoopbackServer { _ in .json(#"{"items":[],"nextCursor":"\#(cursor)"}"#) }
        let manager = manager(server)
        let rule = NextPage<Messages>.cursor("cursor") { $0.nextCursor }
        let (values, error) = await collect(manager.pages(of: Request<Messages>.get("list"), next: rule))
        #expect(values.count == 2)
        #expect(error?.underlyingError as? PaginationError == .repeatedPage)
        manager.requestSerializer = .json
        let listed = Request<Messages>(.post, "list").parameters([1, 2])
        let wrong = await collect(manager.pages(of: listed, next: rule))
        #expect(wrong.values.count == 1)
        #expect(wrong.error?.code == .invalidParameters)
    }

    @Test("Cursors are compared by their bytes")
    func similarCursors() async throws {
        let server = try LoopbackServer { request in
            // The same character, composed and decomposed.
            switch request.query["cursor"] {
            case nil: .json(#"{"items":[1],"nextCursor":"\u00e9"}"#)
            case let cursor? where cursor.utf8.count == 2: .json(#"{"items":[2],"nextCursor":"e\u0301"}"#)
            default: .json(#"{"items":[3]}"#)
            }
        }
        let request = Request<Messages>.get("list")
        let (values, error) = await collect(manager(server).pages(of: request, next: .cursor("cursor", \.nextCursor)))
        #expect(error == nil)
        #expect(values.map(\.items) == [[1], [2], [3]])
    }

    @Test("Parameters that are an encoded value keep their other members")
    func encodedParameters() async throws {
        struct Search: Encodable, Sendable { var text = "sea" }
        let server = try LoopbackServer { request in
            .json(request.query["cursor"] == nil ? #"{"items":[1],"nextCursor":"a"}"# : #"{"items":[2]}"#)
        }
        let request = Request<Messages>.get("list").parameters(.encoding(Search()))
        let (values, error) = await collect(manager(server).pages(of: request, next: .cursor("cursor", \.nextCursor)))
        #expect(error == nil && values.count == 2)
        #expect(server.requests.last?.target == "/list?cursor=a&text=sea")
    }

    private struct Search: Encodable, Sendable {
        var pageSize = 2
        var nextCursor: String?
        var sort = Sort()

        struct Sort: Encodable, Sendable { var isAscending = true }
    }

    private struct Wrapped: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(["pageSize": 2])
        }
    }

    /// Returns the body of the second page's request, whose cursor is `a` in the parameter `nextCursor`.
    private func secondBody(
        _ parameters: Parameters,
        with serializer: some ConfigurableRequestSerializer
    ) async throws -> Data {
        let count = Watched(0)
        let server = try LoopbackServer { _ in
            count.change { $0 += 1 }
            return .json(count.current == 1 ? #"{"items":[1],"nextCursor":"a"}"# : #"{"items":[2]}"#)
        }
        let manager = manager(server)
        manager.requestSerializer = serializer
        let request = Request<Messages>(.post, "list").parameters(parameters)
        let (values, error) = await collect(manager.pages(of: request, next: .cursor("nextCursor", \.nextCursor)))
        #expect(error == nil && values.count == 2)
        return try #require(server.requests.last).body
    }

    @Test("A cursor is added to encoded parameters with the strategies of the serializer's encoder")
    func encodedBody() async throws {
        let json = JSONRequestSerializer { $0.keyEncodingStrategy = .convertToSnakeCase }
        for (parameters, body) in [
            (.encoding(Search()), #"{"next_cursor":"a","page_size":2,"sort":{"is_ascending":true}}"#),
            (.encoding(["pageSize": 2]), #"{"next_cursor":"a","pageSize":2}"#),
            (.encoding(Wrapped()), #"{"next_cursor":"a","pageSize":2}"#),
            (["pageSize": 2], #"{"nextCursor":"a","pageSize":2}"#),
        ] as [(Parameters, String)] {
            #expect(try await secondBody(parameters, with: json) == Data(body.utf8))
        }
        let form = try await secondBody(.encoding(Search()), with: .form)
        #expect(form == Data("nextCursor=a&pageSize=2&sort%5BisAscending%5D=1".utf8))
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            for parameters in [Parameters(encoding: Search()), .encoding(Wrapped())] {
                let serializer = PropertyListRequestSerializer(format: format)
                let list = try PropertyListValue(propertyList: try await secondBody(parameters, with: serializer))
                #expect(list["nextCursor"]?.string == "a" && list["pageSize"]?.int == 2)
            }
        }
    }

    // MARK: - Closures

    @Test("A closure returns the requests, from each page's response")
    func closure() async throws {
        let server = try server(pages: 1)
        let pages = manager(server).pages(of: Request<[Int]>.get("list")) { response in
            guard let last = response.value?.last, last < 3 else { return nil }
            return .get("list?page=\(last + 1)")
        }
        #expect(await collect(pages).values == [[1], [2], [3]])
        // Each iterator begins again.
        #expect(await collect(pages).values == [[1], [2], [3]])
        #expect(server.requests.count == 6)
    }

    @Test("A closure that never ends is stopped by the maximum")
    func endlessClosure() async throws {
        let server = try server(pages: 1)
        let request = Request<[Int]>.get("list")
        let (values, error) = await collect(manager(server).pages(of: request, maximumPages: 3) { _ in request })
        #expect(values.count == 3)
        #expect(error?.underlyingError as? PaginationError == .tooManyPages(3))
    }

    // MARK: - Cancellation

    @Test("Cancelling the Swift task cancels the running request, and no other follows")
    func cancelled() async throws {
        let server = try LoopbackServer { request in
            request.query["page"] == nil
                ? .json("[1]").adding("Link", "<?page=2>; rel=next") : LoopbackResponse().faulted(.stallBeforeHead)
        }
        let manager = manager(server)
        let result = Task { await collect(manager.pages(of: Request<[Int]>.get("list"))) }
        try await eventually { server.requests.count == 2 }
        result.cancel()
        let (values, error) = await result.value
        #expect(values == [[1]])
        #expect(error?.isCancelled == true)
        #expect(server.requests.count == 2)
    }

    @Test("A Swift task that is already cancelled requests nothing")
    func cancelledBefore() async throws {
        let server = try server(pages: 3)
        let manager = manager(server)
        let gate = Watched(false)
        let result = Task {
            _ = try? await gate.wait { $0 }
            return await collect(manager.pages(of: Request<[Int]>.get("list")))
        }
        result.cancel()
        gate.change { $0 = true }
        let (values, error) = await result.value
        #expect(values.isEmpty)
        #expect(error?.code == .cancelled)
        #expect(server.requests.isEmpty)
    }
}
