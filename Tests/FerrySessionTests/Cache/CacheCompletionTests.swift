import FerryTesting
import Testing

@testable import FerrySession

/// Storing and completing partial responses (RFC 9111, sections 3.3 and 3.4).
@Suite(.timeLimit(.minutes(2))) struct CacheCompletionTests {
    private static let body = LoopbackServer.pattern(count: 1_000)
    private static let tag = "\"v1\""

    private func head(_ fields: [(String, String)], status: Int = 206) -> ResponseHead {
        ResponseHead(version: "HTTP/1.1", status: status, fields: CacheRows.list(fields))
    }

    @Test(
        "Only the first bytes of a response with a strong tag are stored for completion",
        arguments: [
            ([("ETag", tag), ("Content-Range", "bytes 0-99/1000")], true),
            ([("ETag", "W/\"v1\""), ("Content-Range", "bytes 0-99/1000")], false),
            ([("Content-Range", "bytes 0-99/1000")], false),
            ([("ETag", tag)], false),
            ([("ETag", tag), ("Content-Range", "bytes 1-99/1000")], false),
            ([("ETag", tag), ("Content-Range", "bytes 0-99/*")], false),
            ([("ETag", tag), ("Content-Range", "bytes 0-999/1000")], false),
            ([("ETag", tag), ("Content-Range", "bytes 0-99/1000"), ("Content-Encoding", "gzip")], false),
            ([("ETag", tag), ("Content-Type", "multipart/byteranges; boundary=x")], false),
        ] as [([(String, String)], Bool)]
    )
    func beginning(_ fields: [(String, String)], _ isStored: Bool) {
        #expect((CacheCompletion.beginning(head(fields)) != nil) == isStored)
        #expect(CacheCompletion.beginning(head(fields, status: 200)) == nil)
    }

    /// RFC 9110, section 15.3.7.3: parts are combined only with the same strong tag.
    @Test(
        "A response completes the stored part only if it is exactly the rest",
        arguments: [
            ([("ETag", tag), ("Content-Range", "bytes 100-999/1000"), ("Content-Length", "900")], true),
            ([("ETag", tag), ("Content-Range", "bytes 100-999/1000")], true),
            ([("ETag", "\"v2\""), ("Content-Range", "bytes 100-999/1000")], false),
            ([("ETag", "W/\"v1\""), ("Content-Range", "bytes 100-999/1000")], false),
            ([("Content-Range", "bytes 100-999/1000")], false),
            ([("ETag", tag), ("Content-Range", "bytes 99-999/1000")], false),
            ([("ETag", tag), ("Content-Range", "bytes 100-998/1000")], false),
            ([("ETag", tag), ("Content-Range", "bytes 100-1000/1001")], false),
            ([("ETag", tag), ("Content-Range", "bytes 100-999/1000"), ("Content-Length", "901")], false),
            ([("ETag", tag), ("Content-Range", "bytes 100-999/1000"), ("Content-Encoding", "gzip")], false),
            ([("ETag", tag)], false),
        ] as [([(String, String)], Bool)]
    )
    func whole(_ fields: [(String, String)], _ isRest: Bool) throws {
        let stored = head([
            ("ETag", Self.tag), ("Content-Range", "bytes 0-99/1000"), ("Content-Length", "100"), ("X-Old", "1"),
            ("X-Both", "1"), ("Age", "9"),
        ])
        let beginning = try #require(CacheCompletion.beginning(stored))
        let conditions = beginning.conditions.map { "\($0.name): \($0.value)" }
        #expect(conditions == ["Range: bytes=100-", "If-Range: \"v1\""])
        let whole = CacheCompletion.whole(beginning, stored: stored, answer: head(fields + [("X-Both", "2")]))
        #expect((whole != nil) == isRest)
        guard let whole else { return }
        #expect(whole.status == 200)
        #expect(whole.value("Content-Length") == "1000" && whole.value("Content-Range") == nil)
        #expect(whole.value("X-Old") == "1" && whole.value("X-Both") == "2" && whole.value("Age") == nil)
    }

    /// A server that supports ranges, and may break the rules for requests with `If-Range`.
    private func bench(
        _ misbehave: @escaping @Sendable (inout LoopbackResponse, Int) -> Void = { _, _ in }
    ) throws
        -> CacheBench
    {
        try CacheBench { request, number in
            var response = LoopbackResponse(statusCode: 200, body: .data(Self.body))
            let bounds = request.header("Range")?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            if let bounds, let first = bounds.first {
                let last = bounds.count > 1 ? bounds[1] : Self.body.count - 1
                response = LoopbackResponse(statusCode: 206, body: .data(Data(Self.body[first...last])))
                response.headers.add("Content-Range", "bytes \(first)-\(last)/\(Self.body.count)")
            }
            response.headers.add("Cache-Control", "max-age=600")
            response.headers.add("ETag", Self.tag)
            response.headers.add("X-Number", "\(number)")
            if request.header("If-Range") != nil { misbehave(&response, number) }
            return response
        }
    }

    @Test("The rest of a stored part is requested, and the complete response is delivered and stored")
    func completes() async throws {
        let bench = try bench()
        let part = try await bench.fetch("/", ["Range": "bytes=0-99"])
        #expect(part.status == 206 && part.data == Self.body[..<100])
        for _ in 0..<2 {
            let whole = try await bench.fetch()
            #expect(whole.status == 200 && whole.data == Self.body)
            #expect(whole.response.expectedContentLength == 1_000)
            #expect(whole.field("Content-Range") == nil && whole.field("X-Number") == "2")
        }
        #expect(bench.server.requests.map { $0.header("Range") } == ["bytes=0-99", "bytes=100-"])
        #expect(bench.lastHeader("If-Range") == Self.tag)
    }

    @Test("A server with a new response sends all of it") func changed() async throws {
        let bench = try bench { response, number in
            response = LoopbackResponse.text("new").adding("ETag", "\"v2\"").adding("X-Number", "\(number)")
        }
        _ = try await bench.fetch("/", ["Range": "bytes=0-99"])
        let whole = try await bench.fetch()
        #expect(whole.status == 200 && whole.text == "new")
        #expect(bench.count == 2)
    }

    enum Fault: CaseIterable, Sendable {
        case tag, noTag, range, coding, unsatisfiable, length
    }

    @Test(
        "A response that is not exactly the rest is not combined: everything is requested again",
        arguments: Fault.allCases
    )
    func faults(_ fault: Fault) async throws {
        let bench = try bench { response, _ in
            switch fault {
            case .tag: response.headers["ETag"] = "\"v2\""
            case .noTag: response.headers["ETag"] = nil
            case .range: response.headers["Content-Range"] = "bytes 101-1000/1001"
            case .coding: response.headers["Content-Encoding"] = "gzip"
            case .unsatisfiable: response = .status(416)
            case .length: response.headers["Content-Range"] = "bytes 100-998/1000"
            }
        }
        _ = try await bench.fetch("/", ["Range": "bytes=0-99"])
        let whole = try await bench.fetch()
        #expect(whole.status == 200 && whole.data == Self.body)
        #expect(bench.server.requests.map { $0.header("Range") } == ["bytes=0-99", "bytes=100-", nil])
        #expect(try await bench.fetch().data == Self.body)
        #expect(bench.count == 3)
    }

    @Test("A part that may not be stored is not completed", arguments: ["no-store", "max-age=600"])
    func notStored(_ control: String) async throws {
        let bench = try CacheBench { request, _ in
            let isPart = request.header("Range") != nil
            var response = LoopbackResponse(
                statusCode: isPart ? 206 : 200,
                body: .data(Self.body.prefix(isPart ? 100 : 1_000))
            )
            if isPart { response.headers.add("Content-Range", "bytes 0-99/1000") }
            response.headers.add("Cache-Control", control)
            if control == "no-store" { response.headers.add("ETag", Self.tag) }
            return response
        }
        _ = try await bench.fetch("/", ["Range": "bytes=0-99"])
        #expect(try await bench.fetch().data == Self.body)
        #expect(bench.lastHeader("Range") == nil && bench.count == 2)
    }

    @Test("Changing the resource or removing its URL removes the part", arguments: [true, false])
    func removed(_ isByPost: Bool) async throws {
        let bench = try bench()
        _ = try await bench.fetch("/", ["Range": "bytes=0-99"])
        if isByPost {
            _ = try await bench.fetch("/", method: "POST")
        } else {
            bench.cache.remove(for: bench.server.url("/"))
        }
        #expect(try await bench.fetch().data == Self.body)
        #expect(bench.lastHeader("Range") == nil)
    }

    @Test("A part is completed only for the credential of its request") func credentials() async throws {
        let bench = try bench()
        _ = try await bench.fetch("/", ["Range": "bytes=0-99", "Authorization": "Bearer a"])
        #expect(try await bench.fetch("/", ["Authorization": "Bearer b"]).data == Self.body)
        #expect(bench.lastHeader("Range") == nil)
        #expect(try await bench.fetch("/", ["Authorization": "Bearer a"]).data == Self.body)
        #expect(bench.lastHeader("Range") == "bytes=100-")
    }

    @Test("A part is completed although the server asks for a Digest response first") func digest() async throws {
        let server = try LoopbackServer { request in
            guard request.header("Authorization")?.hasPrefix("Digest ") == true else {
                return LoopbackResponse(
                    statusCode: 401,
                    headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"\(UUID().uuidString)\""]
                )
            }
            return .resource(.data(Self.body), etag: Self.tag, for: request).adding("Cache-Control", "max-age=60")
        }
        let session = CacheBench.session(HTTPCache(), Answerer(user: "ada", passwords: ["secret"]))
        let part = try await session.data(for: Wire.request(server.url, headers: ["Range": "bytes=0-99"]))
        #expect(part.0 == Self.body.prefix(100))
        let (data, response) = try await session.data(for: Wire.request(server.url))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(data == Self.body)
        #expect(server.requests.last?.header("Range") == "bytes=100-")
    }

    @Test("A rest that ends early is an error, and is not stored") func cut() async throws {
        let bench = try bench { response, _ in
            response.body = .chunked([Data(Self.body[100..<500])])
        }
        _ = try await bench.fetch("/", ["Range": "bytes=0-99"])
        await #expect(throws: (any Error).self) { _ = try await bench.fetch() }
        #expect(try await bench.fetch().data == Self.body)
        #expect(bench.count == 3)
    }
}
