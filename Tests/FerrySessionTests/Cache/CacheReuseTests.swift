import FerrySession
import FerryTesting
import Testing

/// Which requests are answered from the cache without the server (RFC 9111, sections 3 and 4).
@Suite(.timeLimit(.minutes(2))) struct CacheReuseTests {
    @Test("The policy that takes any age does not keep errors") func errors() async throws {
        let bench = try CacheBench(["Cache-Control": "private"], status: 503)
        for _ in 0..<2 { #expect(try await bench.fetch(policy: .returnCacheDataElseLoad).status == 503) }
        #expect(bench.count == 2)
    }

    @Test("A stored response has no length that its chunks had replaced") func chunkedLength() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\nCache-Control: max-age=60\r\n\r\n"
                    + "a\r\n0123456789\r\n0\r\n\r\n"
            )
        }
        let session = CacheBench.session(HTTPCache())
        for _ in 0..<2 {
            let (data, response) = try await session.data(from: server.url())
            #expect(data == Data("0123456789".utf8))
            #expect(response.expectedContentLength == -1)
        }
        try await eventually("the only connection") { server.received.count == 1 }
    }

    @Test("A HEAD request that must not be stored does not remove the stored response")
    func unstoredHead() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=600"])
        _ = try await bench.fetch()
        _ = try await bench.fetch("/", ["Cache-Control": "no-store"], method: "HEAD")
        #expect(try await bench.fetch().text == "1")
        #expect(bench.count == 2)
    }

    @Test("Several Cache-Control lines are combined, even if the cache is empty") func severalLines() async throws {
        let bench = try CacheBench { _, _ in
            // `must-understand` overrides `no-store` for a cache that understands the status (RFC 9111, section
            // 5.2.2.3).
            .text("body").adding("Cache-Control", "no-store").adding("Cache-Control", "must-understand, max-age=60")
        }
        for _ in 0..<2 {
            #expect(try await bench.session.data(from: bench.server.url("/")).0 == Data("body".utf8))
        }
        #expect(bench.count == 1)
    }

    @Test("A fresh response is used for the next request, with its age") func fresh() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=600", "Age": "30", "X-Kept": "yes"])
        #expect(try await bench.fetch("/a?x=1").text == "1")
        let again = try await bench.fetch("/a?x=1")
        #expect(again.text == "1" && again.status == 200 && again.field("X-Kept") == "yes")
        #expect(again.field("Age").flatMap { Int($0) }.map { $0 >= 30 && $0 < 60 } == true)
        #expect(again.response.expectedContentLength == 1)
        #expect(bench.count == 1)
        #expect(try await bench.fetch("/a?x=2").text == "2")
        #expect(try await bench.fetch("/a?x=1#fragment").text == "1")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var fields: [String: String]
        var status = 200
        var headers: [String: String] = [:]
        var isReused: Bool

        var testDescription: String { "\(status) \(fields) for \(headers)" }
    }

    @Test(
        "What may not be reused is requested again",
        arguments: [
            Row(fields: [:], isReused: false),
            Row(fields: ["Cache-Control": "max-age=0"], isReused: false),
            Row(fields: ["Cache-Control": "max-age=60", "Age": "60"], isReused: false),
            Row(fields: ["Cache-Control": "no-store, max-age=60"], isReused: false),
            Row(fields: ["Cache-Control": "max-age=60, no-cache"], isReused: false),
            Row(fields: ["Cache-Control": "max-age=60", "Vary": "*"], isReused: false),
            Row(fields: ["Expires": "0", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], isReused: false),
            Row(fields: ["Cache-Control": "private, max-age=60"], isReused: true),
            Row(fields: ["Cache-Control": "max-age=60", "Set-Cookie": "a=1"], isReused: true),
            Row(fields: ["Expires": "Thursday, 18-Aug-50 02:01:18 GMT"], isReused: true),
            Row(fields: ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], isReused: true),
            Row(fields: ["Cache-Control": "max-age=60"], status: 404, isReused: true),
            Row(fields: ["Cache-Control": "max-age=60"], status: 503, isReused: true),
            Row(fields: ["Cache-Control": "max-age=60"], headers: ["Cache-Control": "no-cache"], isReused: false),
            Row(fields: ["Cache-Control": "max-age=60"], headers: ["Cache-Control": "no-store"], isReused: false),
            Row(fields: ["Cache-Control": "max-age=60"], headers: ["Pragma": "no-cache"], isReused: false),
            Row(
                fields: ["Cache-Control": "max-age=60", "Age": "30"],
                headers: ["Cache-Control": "max-age=20"],
                isReused: false
            ),
            Row(
                fields: ["Cache-Control": "max-age=60", "Age": "90"],
                headers: ["Cache-Control": "max-stale=60"],
                isReused: true
            ),
            Row(fields: ["Cache-Control": "max-age=60"], headers: ["Range": "bytes=0-"], isReused: false),
            // RFC 9111, section 5.3: anything but a date is a date in the past.
            Row(fields: ["Expires": "Thu, 18 Aug 2050 02:01:18 GMT"], isReused: true),
            Row(fields: ["Expires": "Thu 18 Aug 2050 02:01:18 GMT"], isReused: false),
            Row(fields: ["Expires": "Thu, 18 Aug 2050 2:01:18 GMT"], isReused: false),
            Row(fields: ["Cache-Control": "max-age=60"], headers: ["If-None-Match": "\"x\""], isReused: false),
            // RFC 9111, section 3.5 is about shared caches.
            Row(fields: ["Cache-Control": "max-age=60"], headers: ["Authorization": "Bearer a"], isReused: true),
            Row(
                fields: ["Cache-Control": "max-age=60, public"],
                headers: ["Authorization": "Bearer a"],
                isReused: true
            ),
            Row(
                fields: ["Cache-Control": "max-age=60, must-revalidate"],
                headers: ["Authorization": "Bearer a"],
                isReused: true
            ),
        ]
    )
    func table(_ row: Row) async throws {
        let bench = try CacheBench(row.fields, status: row.status)
        #expect(try await bench.fetch("/", row.headers).text == "1")
        let second = try await bench.fetch("/", row.headers)
        #expect(second.text == (row.isReused ? "1" : "2"))
        #expect(second.status == row.status)
        #expect(bench.count == (row.isReused ? 1 : 2))
    }

    @Test("A response to one user is not used for another", arguments: ["max-age=60", "max-age=60, must-revalidate"])
    func users(_ control: String) async throws {
        let bench = try CacheBench(["Cache-Control": control])
        #expect(try await bench.fetch("/", ["Authorization": "Bearer a"]).text == "1")
        #expect(try await bench.fetch("/", ["Authorization": "Bearer a"]).text == "1")
        #expect(try await bench.fetch("/", ["Authorization": "Bearer b"]).text == "2")
        #expect(try await bench.fetch("/", ["Authorization": "Bearer a"]).text == "1")
        #expect(try await bench.fetch("/").text == "3")
        #expect(try await bench.fetch("/", ["Authorization": "Bearer a"]).text == "4")
    }

    @Test("A response to credentials in the URL is used only for the same credentials")
    func credentials() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60"])
        func text(_ user: String?, _ password: String?) async throws -> String {
            var components = try #require(URLComponents(url: bench.server.url("/"), resolvingAgainstBaseURL: false))
            (components.user, components.password) = (user, password)
            let (data, _) = try await bench.session.data(from: try #require(components.url))
            return String(decoding: data, as: UTF8.self)
        }
        #expect(try await text("ada", "secret") == "1")
        #expect(bench.lastHeader("Authorization")?.hasPrefix("Basic ") == true)
        #expect(try await text("ada", "secret") == "1")
        #expect(try await text("ada", "other") == "2")
        #expect(try await text("eve", "secret") == "3")
        #expect(try await text(nil, nil) == "4")
        #expect(try await text("ada", "secret") == "5")
    }

    @Test("A response to a challenge's credential is used only for the same credential, even in a shared cache")
    func challenge() async throws {
        let bench = try CacheBench { request, number in
            guard let field = request.header("Authorization") else {
                return LoopbackResponse(statusCode: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
            }
            return .text("\(field) \(number)").adding("Cache-Control", "max-age=60")
        }
        func session(_ user: String) -> CurlSession {
            CacheBench.session(bench.cache, CredentialDelegate(user: user, password: "secret"))
        }
        func text(_ session: CurlSession) async throws -> String {
            String(decoding: try await session.data(from: bench.server.url("/")).0, as: UTF8.self)
        }
        let (ada, eve) = (session("ada"), session("eve"))
        let first = try await text(ada)
        #expect(try await text(ada) == first)
        #expect(bench.count == 2)
        let other = try await text(eve)
        #expect(other.prefix { $0 != " " } == "Basic" && other != first)
        #expect(bench.count == 4)
        #expect(try await text(ada) == first)
        #expect(try await text(eve) == other)
        #expect(bench.count == 4)
        // A session without a credential receives the challenge.
        let (_, response) = try await bench.session.data(from: bench.server.url("/"))
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
    }

    @Test("A new trust policy empties the session's own cache, but not a cache from the options")
    func trustPolicy() async throws {
        struct Anybody: ServerTrustPolicy {
            func verification(for host: String) -> TrustVerification { .full }
            func decide(_ trust: ServerTrust) -> TrustDecision { .accept }
        }
        let server = try LoopbackServer { _ in .text("kept").adding("Cache-Control", "max-age=60") }
        let shared = HTTPCache()
        for (cache, requests) in [(nil, 2), (shared, 1)] as [(HTTPCache?, Int)] {
            server.reset()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
            var options = CurlSession.Options()
            options.cache = cache
            let session = CurlSession(configuration: configuration, options: options)
            for _ in 0..<2 { _ = try await session.data(from: server.url) }
            #expect(server.requestCount == 1)
            session.trustPolicy = Anybody()
            _ = try await session.data(from: server.url)
            #expect(server.requestCount == requests)
        }
    }

    /// Section 4.1.
    @Test("Vary is respected, also for the fields that Ferry itself sends") func vary() async throws {
        let bench = try CacheBench([
            "Cache-Control": "max-age=60", "Vary": "Accept-Language, Accept-Encoding, User-Agent",
        ])
        #expect(try await bench.fetch("/", ["Accept-Language": "en"]).text == "1")
        #expect(try await bench.fetch("/", ["Accept-Language": "de"]).text == "2")
        #expect(try await bench.fetch("/", ["accept-language": " en"]).text == "1")
        #expect(try await bench.fetch("/", ["Accept-Language": "de", "X-Other": "1"]).text == "2")
        #expect(try await bench.fetch("/").text == "3")
        #expect(try await bench.fetch("/", ["Accept-Language": "en", "Accept-Encoding": "identity"]).text == "4")
    }

    @Test("only-if-cached sends no request: 504 without a stored response") func onlyIfCached() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60"])
        let nothing = try await bench.fetch("/", ["Cache-Control": "only-if-cached"])
        #expect(nothing.status == 504 && nothing.data.isEmpty && bench.count == 0)
        _ = try await bench.fetch("/")
        let stored = try await bench.fetch("/", ["Cache-Control": "only-if-cached"])
        #expect(stored.text == "1" && bench.count == 1)
    }

    @Test("Each cache policy does what its name says") func policies() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60", "ETag": "\"a\""])
        #expect(await bench.failure(policy: .returnCacheDataDontLoad) == .resourceUnavailable)
        #expect(bench.count == 0)
        #expect(try await bench.fetch(policy: .returnCacheDataElseLoad).text == "1")
        #expect(try await bench.fetch(policy: .returnCacheDataDontLoad).text == "1")
        #expect(try await bench.fetch(policy: .reloadIgnoringLocalCacheData).text == "2")
        #expect(bench.lastHeader("Cache-Control") == nil && bench.lastHeader("If-None-Match") == nil)
        // The loaded response replaces the one that was ignored.
        #expect(try await bench.fetch().text == "2")
        #expect(try await bench.fetch(policy: .reloadIgnoringLocalAndRemoteCacheData).text == "3")
        #expect(bench.lastHeader("Cache-Control") == "no-cache" && bench.lastHeader("Pragma") == "no-cache")
        #expect(try await bench.fetch(policy: .reloadRevalidatingCacheData).text == "4")
        #expect(bench.lastHeader("If-None-Match") == "\"a\"")
        #expect(bench.lastHeader("Cache-Control") == "max-age=0")
        #expect(try await bench.fetch(policy: .returnCacheDataElseLoad).text == "4")
    }

    @Test("returnCacheDataElseLoad uses stale responses, and stores those without freshness") func anyAge()
        async throws
    {
        let stale = try CacheBench(["Cache-Control": "max-age=60", "Age": "1000", "ETag": "\"a\""])
        _ = try await stale.fetch()
        #expect(try await stale.fetch(policy: .returnCacheDataElseLoad).text == "1")
        let plain = try CacheBench([:])
        #expect(try await plain.fetch(policy: .returnCacheDataElseLoad).text == "1")
        #expect(try await plain.fetch(policy: .returnCacheDataElseLoad).text == "1")
        #expect(try await plain.fetch().text == "2")
    }

    @Test("The session's policy applies if the request has none") func sessionPolicy() async throws {
        let cache = HTTPCache()
        let bench = try CacheBench(cache: cache, policy: .returnCacheDataDontLoad) {
            _,
            _ in
            .text("x")
        }
        #expect(await bench.failure() == .resourceUnavailable)
        #expect(try await bench.fetch(policy: .reloadIgnoringLocalCacheData).text == "x")
        #expect(bench.count == 1)
    }

    @Test("Downloads and uploads do not use the cache") func otherTasks() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60"])
        let url = bench.server.url("/")
        for _ in 0..<2 { try FileManager.default.removeItem(at: try await bench.session.download(from: url).0) }
        #expect(bench.count == 2 && bench.cache.currentMemoryUsage == 0)
        #expect(try await bench.fetch().text == "3")
        try FileManager.default.removeItem(at: try await bench.session.download(from: url).0)
        #expect(bench.count == 4)
        await #expect(throws: URLError.self) {
            try await bench.session.download(for: bench.request(policy: .returnCacheDataDontLoad))
        }
        #expect(bench.count == 4)
    }

    @Test("The cache has the memory capacity of the configuration's URLCache, and without one there is no cache")
    func configuration() async throws {
        let server = try LoopbackServer { _ in .text("x").adding("Cache-Control", "max-age=60") }
        let cached = makeSession { $0.urlCache = URLCache(memoryCapacity: 100_000, diskCapacity: 0, diskPath: nil) }
        let uncached = makeSession { $0.urlCache = nil }
        for session in [cached, cached, uncached, uncached] { _ = try await session.data(from: server.url("/")) }
        #expect(server.requestCount == 3)
        await withCheckedContinuation { done in cached.reset { done.resume() } }
        _ = try await cached.data(from: server.url("/"))
        #expect(server.requestCount == 4)
    }

    @Test("A response on disk is found by another session", arguments: [10, 200_000])
    func disk(_ size: Int) async throws {
        let folder = try TemporaryFolder()
        func cache() -> HTTPCache { HTTPCache(diskCapacity: 10_000_000, directory: folder.url) }
        let body = LoopbackServer.pattern(count: size)
        let bench = try CacheBench(cache: cache()) { _, _ in .data(body).adding("Cache-Control", "max-age=60") }
        #expect(try await bench.fetch().data == body)
        let other = CacheBench.session(cache())
        let (data, response) = try await other.data(from: bench.server.url("/"))
        #expect(data == body && (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Age") != nil)
        #expect(bench.count == 1)
    }

    @Test("A stored response does not set its cookies again") func cookies() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60", "Set-Cookie": "a=1"])
        _ = try await bench.fetch()
        let storage = try #require(bench.session.configuration.httpCookieStorage)
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        _ = try await bench.fetch()
        #expect(storage.cookies?.isEmpty ?? true)
        #expect(bench.count == 1)
    }
}
