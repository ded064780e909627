import FerrySession
import FerryTesting
import Testing

/// Responses that the application itself has stored in the configuration's `URLCache`.
@Suite(.timeLimit(.minutes(5)))
struct StoredResponseTests {
    private let server: LoopbackServer
    private let cache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)

    init() throws {
        server = try LoopbackServer()
    }

    private func session(_ policy: URLRequest.CachePolicy = .useProtocolCachePolicy) -> CurlSession {
        makeSession {
            $0.urlCache = cache
            $0.requestCachePolicy = policy
        }
    }

    private func store(_ text: String, for url: URL) throws {
        let head = ["Content-Type": "text/plain", "X-Stored": "yes"]
        let response = HTTPURLResponse(url: url, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: head)
        let stored = CachedURLResponse(response: try #require(response), data: Data(text.utf8))
        cache.storeCachedResponse(stored, for: URLRequest(url: url))
    }

    @Test(
        "The policies that use a stored response get it at any age",
        arguments: [URLRequest.CachePolicy.returnCacheDataElseLoad, .returnCacheDataDontLoad],
        [true, false]
    )
    func used(_ policy: URLRequest.CachePolicy, _ isOfSession: Bool) async throws {
        let url = server.url("/bytes/10")
        try store("stored", for: url)
        let session = session(isOfSession ? policy : .useProtocolCachePolicy)
        let request = URLRequest(url: url, cachePolicy: isOfSession ? .useProtocolCachePolicy : policy)
        let (data, response) = try await session.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "stored")
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 203 && http.value(forHTTPHeaderField: "X-Stored") == "yes")
        let delegate = RecordingDelegate()
        let task = makeSession(delegate) { $0.urlCache = cache }.dataTask(
            with: URLRequest(url: url, cachePolicy: policy)
        )
        task.resume()
        #expect(try await delegate.completion(of: task).data == data)
        #expect(server.connectionCount == 0)
    }

    @Test("Without a stored response one policy loads, and the other fails") func missing() async throws {
        let url = server.url("/bytes/10")
        #expect(try await session(.returnCacheDataElseLoad).data(from: url).0.count == 10)
        let session = session(.returnCacheDataDontLoad)
        let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
        #expect(error?.code == .resourceUnavailable)
        #expect(server.requests.count == 1)
    }

    @Test(
        "The URLs must be equal except for the fragment and the order of parameters",
        arguments: [
            ("?a=1&b=2&b=3", "?b=2&b=3&a=1", true), ("?a=1#x", "?a=1#y", true), ("?a=1&a=2", "?a=2&a=1", false),
            ("?a=1", "?a=1&b=2", false), ("?a=1", "", false), ("", "?", false), ("?a=1", "?a=2", false),
        ]
    )
    func sameURL(_ stored: String, _ asked: String, _ isSame: Bool) async throws {
        let base = server.url("/bytes/10").absoluteString
        try store("stored", for: try #require(URL(string: base + stored)))
        let url = try #require(URL(string: base + asked))
        let data = try await session(.returnCacheDataElseLoad).data(from: url).0
        #expect((data == Data("stored".utf8)) == isSame)
    }

    @Test("Other policies, queries, methods and tasks do not use it") func others() async throws {
        let url = server.url("/bytes/10")
        try store("stored", for: url)
        #expect(try await session().data(from: url).0.count == 10)
        let asking = session(.returnCacheDataElseLoad)
        #expect(try await asking.data(from: server.url("/bytes/10?a=b")).0.count == 10)
        var request = URLRequest(url: server.url("/upload"))
        request.httpMethod = "POST"
        try store("stored", for: server.url("/upload"))
        #expect(try await asking.data(for: request).0 != Data("stored".utf8))
        #expect(try await asking.upload(for: request, from: Data("x".utf8)).0 != Data("stored".utf8))
        let (file, _) = try await asking.download(from: url)
        #expect(try Data(contentsOf: file).count == 10)
        try FileManager.default.removeItem(at: file)
    }
}
