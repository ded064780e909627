import FerryTesting
import Testing

@testable import FerrySession

/// Parts of stored responses, and 304s to the caller's own conditions (RFC 9111, sections 3.3 and 4.3.2).
@Suite(.timeLimit(.minutes(2))) struct CacheSelectorWireTests {
    private static let tag = "\"v1\""

    private func bench(
        _ body: Data,
        cache: HTTPCache = HTTPCache(),
        fields: [String: String] = [:]
    ) throws -> CacheBench {
        try CacheBench(cache: cache) { request, _ in
            var response = LoopbackResponse(statusCode: 200, body: .data(body))
            response.headers.add("Cache-Control", "max-age=600")
            response.headers.add("ETag", Self.tag)
            for (name, value) in fields { response.headers.add(name, value) }
            // The server's own response to a range or a condition.
            if request.header("Range") != nil || request.header("If-None-Match") != nil {
                response = .status(299)
            }
            return response
        }
    }

    @Test("A range is taken from a complete stored response, in memory and on disk", arguments: [1_000, 300_000])
    func part(_ length: Int) async throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(memoryCapacity: 100_000, diskCapacity: 10_000_000, directory: folder.url)
        let body = LoopbackServer.pattern(count: length)
        let bench = try bench(body, cache: cache)
        #expect(try await bench.fetch().data == body)
        for (range, part) in [
            ("bytes=0-0", 0..<1), ("bytes=100-", 100..<length), ("bytes=-10", length - 10..<length),
            ("bytes=500-700", 500..<701), ("bytes=0-", 0..<length),
        ] {
            let answer = try await bench.fetch("/", ["Range": range, "If-Range": Self.tag])
            #expect(answer.status == 206)
            #expect(answer.data == body[part])
            #expect(answer.field("Content-Range") == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)")
            #expect(answer.field("Content-Length") == "\(part.count)")
            #expect(answer.response.expectedContentLength == Int64(part.count))
            #expect(answer.field("ETag") == Self.tag)
            #expect(answer.field("Age") != nil)
        }
        #expect(bench.count == 1)
        // The complete response is still stored.
        #expect(try await bench.fetch().data == body)
        #expect(bench.count == 1)
    }

    @Test(
        "A range that cannot be taken from the stored response is sent to the server, whose response is not stored",
        arguments: [
            ["Range": "bytes=0-1,3-4"], ["Range": "bytes=99999-"], ["Range": "bytes=0-1", "If-Range": "\"v2\""],
            ["Range": "bytes=0-1", "Cache-Control": "no-cache"], ["Range": "bytes=0-1", "If-None-Match": "\"v1\""],
        ]
    )
    func serverRange(_ headers: [String: String]) async throws {
        let bench = try bench(LoopbackServer.pattern(count: 1_000))
        _ = try await bench.fetch()
        #expect(try await bench.fetch("/", headers).status == 299)
        #expect(bench.lastHeader("Range") == headers["Range"])
        #expect(try await bench.fetch().status == 200)
        #expect(bench.count == 2)
    }

    @Test("No range is taken from a response that was decoded or has a coding") func coded() async throws {
        let bench = try bench(LoopbackServer.pattern(count: 1_000), fields: ["Content-Encoding": "unknown"])
        _ = try await bench.fetch()
        #expect(try await bench.fetch("/", ["Range": "bytes=0-1"]).status == 299)
        #expect(bench.count == 2)
    }

    @Test("No range is taken from the changed bytes of a stored body") func damaged() async throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(memoryCapacity: 100_000, diskCapacity: 10_000_000, directory: folder.url)
        let bench = try bench(LoopbackServer.pattern(count: 300_000), cache: cache)
        _ = try await bench.fetch()
        try CacheSamples.damageBody(in: folder, at: 200_000)
        let intact = try await bench.fetch("/", ["Range": "bytes=0-9"])
        #expect(intact.status == 206 && intact.data == LoopbackServer.pattern(count: 10))
        #expect(try await bench.fetch("/", ["Range": "bytes=199999-200001"]).status == 299)
        // The response is not stored any more.
        #expect(try await bench.fetch("/", ["Range": "bytes=0-9"]).status == 299)
    }

    @Test("only-if-cached returns a stored part, or else 504") func onlyIfCached() async throws {
        let bench = try bench(LoopbackServer.pattern(count: 1_000))
        let headers = ["Range": "bytes=0-9", "Cache-Control": "only-if-cached"]
        #expect(try await bench.fetch("/", headers).status == 504)
        #expect(bench.count == 0)
        _ = try await bench.fetch()
        #expect(try await bench.fetch("/", headers).status == 206)
        #expect(bench.count == 1)
    }

    @Test(
        "The caller's own condition gets a 304 if a fresh stored response proves it",
        arguments: [
            (["If-None-Match": "\"v0\", W/\"v1\""], 304), (["If-None-Match": "\"v0\""], 299),
            (["If-Modified-Since": "Thu, 18 Aug 2050 02:01:18 GMT"], 304),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], 200),
        ]
    )
    func condition(_ headers: [String: String], _ status: Int) async throws {
        let bench = try bench(
            LoopbackServer.pattern(count: 1_000),
            fields: ["Vary": "Accept", "X-Other": "1", "Content-Location": "/x"]
        )
        _ = try await bench.fetch()
        for method in ["GET", "HEAD"] {
            let answer = try await bench.fetch("/", headers, method: method)
            #expect(answer.status == status)
            guard status == 304 else { continue }
            #expect(answer.data.isEmpty)
            #expect(answer.field("ETag") == Self.tag)
            #expect(answer.field("Cache-Control") == "max-age=600")
            #expect(answer.field("Vary") == "Accept")
            #expect(answer.field("Content-Location") == "/x")
            #expect(answer.field("Age") != nil)
            #expect(answer.field("Content-Length") == nil && answer.field("X-Other") == nil)
        }
        #expect(bench.count == (status == 304 ? 1 : 3))
        #expect(try await bench.fetch().data.count == 1_000)
    }

    @Test("With a stale stored response, a condition is sent to the server") func stale() async throws {
        let bench = try bench(LoopbackServer.pattern(count: 10), fields: ["Age": "700"])
        _ = try await bench.fetch()
        #expect(try await bench.fetch("/", ["If-None-Match": Self.tag]).status == 299)
        #expect(try await bench.fetch("/", ["Range": "bytes=0-1"]).status == 299)
    }
}
