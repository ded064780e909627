import FerrySession
import FerryTesting
import Testing

/// Validating stored responses with the server (RFC 9111, section 4.3), and invalidating them (section 4.4).
@Suite(.timeLimit(.minutes(2))) struct CacheValidationWireTests {
    /// A server whose response is immediately stale and has a tag; a request with the tag gets a 304.
    private func tagged(_ fields: [String: String] = [:], cache: HTTPCache = HTTPCache()) throws -> CacheBench {
        try CacheBench(cache: cache) { request, number in
            let isMatch = request.header("If-None-Match") == "\"a\""
            var response = isMatch ? LoopbackResponse.status(304) : .text("body")
            response.headers.add("ETag", "\"a\"")
            response.headers.add("X-Number", "\(number)")
            response.headers.add("Cache-Control", "max-age=0")
            for (name, value) in fields { response.headers.add(name, value) }
            return response
        }
    }

    @Test("A 304 delivers the stored body with the new fields and status 200", arguments: [false, true])
    func notModified(_ isOnDisk: Bool) async throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(
            memoryCapacity: isOnDisk ? 0 : 4_000_000,
            diskCapacity: isOnDisk ? 10_000_000 : 0,
            directory: folder.url
        )
        let bench = try tagged(cache: cache)
        for number in 1...3 {
            let answer = try await bench.fetch()
            #expect(answer.text == "body" && answer.status == 200)
            #expect(answer.field("X-Number") == "\(number)")
            #expect(bench.lastHeader("If-None-Match") == (number == 1 ? nil : "\"a\""))
        }
        #expect(bench.count == 3)
    }

    @Test("Without a tag, the date is validated") func lastModified() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let bench = try CacheBench { request, _ in
            let response = request.header("If-Modified-Since") == date ? LoopbackResponse.status(304) : .text("body")
            return response.adding("Last-Modified", date).adding("Cache-Control", "no-cache")
        }
        #expect(try await bench.fetch().text == "body")
        #expect(try await bench.fetch().text == "body")
        #expect(bench.server.requests.map { $0.header("If-Modified-Since") } == [nil, date])
    }

    @Test("A 304 makes a response fresh again") func freshAgain() async throws {
        let bench = try CacheBench { request, number in
            let response = number == 1 ? LoopbackResponse.text("body") : .status(304)
            return response.adding("ETag", "\"a\"").adding("Cache-Control", number == 1 ? "max-age=0" : "max-age=60")
        }
        for _ in 0..<3 { #expect(try await bench.fetch().text == "body") }
        #expect(bench.count == 2)
    }

    /// RFC 9110, section 6.6.1.
    @Test("A 304 or a response to HEAD without a date is as new as its reception", arguments: ["GET", "HEAD"])
    func withoutDate(_ method: String) async throws {
        let old = "Sun, 06 Nov 1994 08:49:37 GMT"
        let bench = try CacheBench { request, number in
            let response = request.method == "HEAD" || number == 1 ? LoopbackResponse.text("body") : .status(304)
            let tagged = response.adding("ETag", "\"a\"").adding("Cache-Control", "max-age=600")
            return number == 1 ? tagged.adding("Date", old) : tagged.withoutDate()
        }
        #expect(try await bench.fetch().field("Date") == old)
        _ = try await bench.fetch(method: method)
        #expect(bench.count == 2)
        let answer = try await bench.fetch()
        #expect(answer.text == "body")
        #expect(answer.field("Date") != nil && answer.field("Date") != old)
        #expect(bench.count == 2)
    }

    @Test("The fields of a 304 say which requests the stored response is for", arguments: ["GET", "HEAD"])
    func newSelection(_ method: String) async throws {
        let bench = try CacheBench { request, number in
            let language = request.header("Accept-Language") ?? "none"
            guard number == 2 else {
                return .text("\(language) \(number)").adding("ETag", "\"a\"").adding("Cache-Control", "max-age=0")
            }
            let response = method == "HEAD" ? LoopbackResponse.text("none 1") : .status(304)
            return response.adding("ETag", "\"a\"").adding("Vary", "Accept-Language")
                .adding("Cache-Control", "max-age=60")
        }
        #expect(try await bench.fetch().text == "none 1")
        _ = try await bench.fetch("/", ["Accept-Language": "de"], method: method)
        #expect(try await bench.fetch("/", ["Accept-Language": "de"]).text == "none 1")
        #expect(bench.count == 2)
        #expect(try await bench.fetch("/", ["Accept-Language": "en"]).text == "en 3")
    }

    @Test("A 304 to a user's request makes the response that user's own, unless it is public")
    func newAuthorization() async throws {
        let bench = try CacheBench { _, number in
            guard number == 2 else {
                return .text("\(number)").adding("ETag", "\"a\"").adding("Cache-Control", "public, max-age=0")
            }
            return .status(304).adding("ETag", "\"a\"").adding("Cache-Control", "private, max-age=60")
        }
        let user = ["Authorization": "Bearer a"]
        #expect(try await bench.fetch("/", user).text == "1")
        #expect(try await bench.fetch("/", user).text == "1")
        #expect(try await bench.fetch("/", user).text == "1")
        #expect(bench.count == 2)
        #expect(try await bench.fetch("/").text == "3")
    }

    @Test(
        "A response to HEAD that may not be stored removes the stored response",
        arguments: [["Cache-Control": "no-store, max-age=60"], ["Vary": "*", "Cache-Control": "max-age=60"]]
    )
    func removalByHead(_ fields: [String: String]) async throws {
        let bench = try CacheBench { request, number in
            var response = LoopbackResponse.text("body").adding("ETag", "\"a\"").adding("X-Number", "\(number)")
            if request.method == "GET" { response.headers.add("Cache-Control", "max-age=60") }
            for (name, value) in request.method == "HEAD" ? fields : [:] { response.headers.add(name, value) }
            return response
        }
        _ = try await bench.fetch()
        _ = try await bench.fetch("/", ["Cache-Control": "max-age=0, min-fresh=100"], method: "HEAD")
        #expect(try await bench.fetch().field("X-Number") == "3")
    }

    @Test(
        "A response that was removed during its validation is not stored again",
        arguments: [true, false],
        ["all", "one", "reset"]
    )
    func removalDuringValidation(_ isOnDisk: Bool, _ removal: String) async throws {
        let folder = try TemporaryFolder()
        let cache = isOnDisk ? HTTPCache(diskCapacity: 10_000_000, directory: folder.url) : HTTPCache()
        let gate = Gate()
        let bench = try CacheBench(cache: cache) { _, number in
            if number == 2 { gate.wait() }
            return (number == 2 ? LoopbackResponse.status(304) : .text("\(number)")).adding("ETag", "\"a\"")
                .adding("Cache-Control", number == 1 ? "max-age=0" : "max-age=60")
        }
        #expect(try await bench.fetch().text == "1")
        async let validated = bench.fetch()
        try await bench.server.waitForRequests(2, timeout: 40 * patience)
        switch removal {
        case "all": cache.removeAll()
        case "one": cache.remove(for: bench.server.url("/"))
        default:
            await withCheckedContinuation { continuation in bench.session.reset { continuation.resume() } }
            if cache.currentMemoryUsage > 0 { cache.removeAll() }
        }
        gate.open()
        #expect(try await validated.text == "1")
        #expect(try await bench.fetch().text == "3")
    }

    @Test(
        "A response that was requested before its removal is not stored",
        arguments: [true, false],
        ["all", "one", "POST"]
    )
    func removalDuringRequest(_ isOnDisk: Bool, _ removal: String) async throws {
        let folder = try TemporaryFolder()
        let cache = isOnDisk ? HTTPCache(diskCapacity: 10_000_000, directory: folder.url) : HTTPCache()
        let gate = Gate()
        let bench = try CacheBench(cache: cache) { request, number in
            if request.method == "POST" { return .status(204) }
            if number == 1 { gate.wait() }
            return .text("\(number)").adding("Cache-Control", "max-age=60")
        }
        async let first = bench.fetch()
        try await bench.server.waitForRequests(1, timeout: 40 * patience)
        switch removal {
        case "all": cache.removeAll()
        case "one": cache.remove(for: bench.server.url("/"))
        default: _ = try await bench.fetch(method: "POST")
        }
        gate.open()
        #expect(try await first.text == "1")
        let next = removal == "POST" ? "3" : "2"
        #expect(try await bench.fetch().text == next)
        #expect(try await bench.fetch().text == next)
    }

    @Test(
        "A response to a reload that may not be stored removes the older one",
        arguments: [URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData]
    )
    func reload(_ policy: URLRequest.CachePolicy) async throws {
        let bench = try CacheBench { _, number in
            .text("\(number)").adding("Cache-Control", number == 2 ? "no-store" : "max-age=60")
        }
        #expect(try await bench.fetch().text == "1")
        #expect(try await bench.fetch(policy: policy).text == "2")
        #expect(try await bench.fetch().text == "3")
    }

    @Test("A new response replaces the stored one") func modified() async throws {
        let bench = try CacheBench { _, number in
            .text("\(number)").adding("ETag", "\"\(number)\"").adding("Cache-Control", "max-age=0")
        }
        #expect(try await bench.fetch().text == "1")
        #expect(try await bench.fetch().text == "2")
        #expect(try await bench.fetch().text == "3")
        #expect(bench.server.requests.map { $0.header("If-None-Match") } == [nil, "\"1\"", "\"2\""])
    }

    /// Section 4.3.4: a 304 with another strong tag is about a response that is not stored.
    @Test("After a 304 about another response, the request is repeated without conditions")
    func anotherTag() async throws {
        let bench = try CacheBench { request, number in
            guard request.header("If-None-Match") != nil else {
                return .text("\(number)").adding("ETag", "\"\(number)\"").adding("Cache-Control", "max-age=0")
            }
            return LoopbackResponse.status(304).adding("ETag", "\"other\"")
        }
        #expect(try await bench.fetch().text == "1")
        #expect(try await bench.fetch().text == "3")
        #expect(bench.count == 3)
    }

    @Test("The caller's own condition is not changed, and its 304 is delivered") func ownCondition() async throws {
        let bench = try tagged()
        _ = try await bench.fetch()
        let answer = try await bench.fetch("/", ["If-None-Match": "\"a\""])
        #expect(answer.status == 304 && answer.data.isEmpty)
        let ranged = try await bench.fetch("/", ["If-Range": "\"a\"", "Range": "bytes=0-1"])
        #expect(ranged.status == 200 && bench.lastHeader("If-None-Match") == nil)
    }

    @Test("A newer response that may not be stored removes the older one") func noStore() async throws {
        let bench = try CacheBench { _, number in
            let control = number == 1 ? "max-age=60" : "no-store"
            return .text("\(number)").adding("Cache-Control", control).adding("ETag", "\"a\"")
        }
        _ = try await bench.fetch()
        #expect(try await bench.fetch("/", ["Cache-Control": "no-cache"]).text == "2")
        #expect(try await bench.fetch().text == "3")
    }

    // MARK: - HEAD

    @Test("HEAD uses a fresh response to GET, without its body") func head() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60"])
        _ = try await bench.fetch()
        let answer = try await bench.fetch(method: "HEAD")
        #expect(answer.status == 200 && answer.data.isEmpty && bench.count == 1)
        // The response to HEAD is not stored.
        _ = try await bench.fetch("/other", method: "HEAD")
        #expect(try await bench.fetch("/other").text == "3")
    }

    /// Section 4.3.5.
    @Test("A response to HEAD updates the stored response, or removes it", arguments: ["\"a\"", "\"b\""])
    func updateByHead(_ tag: String) async throws {
        let bench = try CacheBench { request, number in
            .text("body").adding("X-Number", "\(number)").adding("Cache-Control", "max-age=60")
                .adding("ETag", request.method == "HEAD" ? tag : "\"a\"")
        }
        _ = try await bench.fetch()
        _ = try await bench.fetch("/", ["Cache-Control": "max-age=0, min-fresh=100"], method: "HEAD")
        #expect(bench.count == 2)
        let answer = try await bench.fetch()
        #expect(answer.text == "body")
        #expect(answer.field("X-Number") == (tag == "\"a\"" ? "2" : "3"))
    }

    /// Section 4.3.5.
    @Test("A response to HEAD with a validator that the stored response lacks removes that")
    func newValidatorByHead() async throws {
        let bench = try CacheBench { request, number in
            let response = LoopbackResponse.text(number == 1 ? "old" : "new").framed(.chunked)
                .adding("Cache-Control", "max-age=60")
            return request.method == "HEAD" ? response.adding("ETag", "\"new\"") : response
        }
        #expect(try await bench.fetch().text == "old")
        _ = try await bench.fetch("/", ["Cache-Control": "max-age=0, min-fresh=100"], method: "HEAD")
        #expect(try await bench.fetch().text == "new")
        #expect(bench.count == 3)
    }

    // MARK: - Invalidation

    @Test(
        "A response to an unsafe method removes the stored one, an error does not (section 4.4)",
        arguments: [("POST", 200, false), ("PUT", 204, false), ("DELETE", 303, false), ("POST", 500, true)]
    )
    func invalidation(_ row: (method: String, status: Int, isKept: Bool)) async throws {
        let bench = try CacheBench { request, number in
            guard request.method == "GET" else { return .status(row.status) }
            return .text("\(number)").adding("Cache-Control", "max-age=60").adding("Vary", "Foo")
        }
        _ = try await bench.fetch("/", ["Foo": "1"])
        _ = try await bench.fetch("/other")
        _ = try await bench.fetch(method: row.method)
        #expect(try await bench.fetch("/", ["Foo": "1"]).text == (row.isKept ? "1" : "4"))
        #expect(try await bench.fetch("/other").text == "2")
    }

    @Test("The URLs named by the response are removed too, if of the same origin; also after an upload") func named()
        async throws
    {
        let other = try LoopbackServer { _ in .text("other").adding("Cache-Control", "max-age=60") }
        let foreign = other.url("/x").absoluteString
        let bench = try CacheBench { request, number in
            if request.method == "POST" {
                return .status(200).adding("Location", "/a").adding(
                    "Content-Location",
                    request.path == "/2" ? foreign : "/b"
                )
            }
            return .text("\(number)").adding("Cache-Control", "max-age=60")
        }
        _ = try await bench.session.data(from: other.url("/x"))
        for path in ["/a", "/b"] { _ = try await bench.fetch(path) }
        _ = try await bench.session.upload(for: bench.request("/1", method: "POST"), from: Data("x".utf8))
        #expect(try await bench.fetch("/a").text == "4")
        #expect(try await bench.fetch("/b").text == "5")
        _ = try await bench.fetch("/2", method: "POST")
        #expect(try await bench.fetch("/b").text == "5")
        _ = try await bench.session.data(from: other.url("/x"))
        #expect(other.requestCount == 1)
    }
}
