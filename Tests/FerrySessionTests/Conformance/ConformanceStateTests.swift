import FerrySession
import FerryTesting
import Testing

/// The cases of the HTTP client conformance suite about a client's state: redirects, cookies and the cache.
@Suite(.timeLimit(.minutes(5)))
struct ConformanceStateTests {
    private let server: LoopbackServer

    init() throws { server = try ConformanceServer.start() }

    @Test("A permanent redirect is followed", arguments: ["/301", "/308"])
    func basicRedirect(_ path: String) async throws {
        let result = try await makeSession().data(from: server.url(path))
        let sent = try SentRequest(result)
        #expect(sent.method == "GET")
        #expect(sent.body.isEmpty)
        #expect(result.1.url == server.url("/request"))
    }

    @Test("Redirects without an end are an error")
    func infiniteRedirect() async throws {
        let error = await Wire.error { try await makeSession().data(from: server.url("/redirect_ping")) }
        #expect(error?.code == .httpTooManyRedirects)
        // The first request, and the twenty that follow it by default.
        #expect(server.requestCount == 21)
    }

    @Test("A cookie that a response sets is sent with the next request")
    func cookie() async throws {
        let session = makeSession()
        let (_, response) = try await session.data(from: server.url("/cookie"))
        let set = try #require(response.field("Set-Cookie"))
        #expect(set.hasPrefix("foo="))
        let sent = try SentRequest(try await session.data(from: server.url("/request")))
        #expect(sent.headers["Cookie"] == [set])
    }

    @Test(
        "A response in memory or on disk is validated by its tag, and a 304 renews its fields",
        arguments: [false, true]
    )
    func tag(_ isOnDisk: Bool) async throws {
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.cache = HTTPCache(
            memoryCapacity: isOnDisk ? 0 : 4_000_000,
            diskCapacity: isOnDisk ? 10_000_000 : 0,
            directory: folder.url
        )
        let session = makeSession(options: options)
        for number in 0..<3 {
            for isCached in [false, true] {
                let (data, response) = try await session.data(from: server.url("/etag"))
                // The server sends a 304 where the caller gets the stored response.
                #expect(response.status == 200)
                #expect(response.field("ETag") == "\(number)")
                #expect(response.field("Cached") == "\(isCached)")
                #expect(data == Data("\(number)".utf8))
            }
        }
        #expect(server.requests.map { $0.header("If-None-Match") } == [nil, "0", "0", "1", "1", "2"])
    }
}
