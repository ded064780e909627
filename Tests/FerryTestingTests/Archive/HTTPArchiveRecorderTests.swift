import FerryTesting
import TestSupport
import Testing

@testable import FerrySession

@Suite(.timeLimit(.minutes(5)))
struct HTTPArchiveRecorderTests {
    private static let url = URL(string: "http://h/a") ?? URL(fileURLWithPath: "/")

    private func request(
        _ url: String = "http://h/a",
        headers: [String: String] = [:],
        body: Data? = nil
    ) throws -> URLRequest {
        var request = try URLRequest(url: #require(URL(string: url)))
        if body != nil { request.httpMethod = "POST" }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body
        return request
    }

    private func response(_ headers: [String: String] = [:], status: Int = 200) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(url: Self.url, statusCode: status, httpVersion: nil, headerFields: headers)
        )
    }

    @Test("Credentials are recorded nowhere, and the rest is") func redaction() throws {
        let recorder = HTTPArchiveRecorder()
        let secret = "hunter2"
        recorder.record(
            request: try request(
                "http://ada:\(secret)@h/a?access_token=\(secret)&page=2#token=\(secret)",
                headers: [
                    "Authorization": "Bearer \(secret)", "Proxy-Authorization": secret, "Cookie": "a=\(secret)",
                    "X-Api-Key": secret, "Referer": "http://h/?token=\(secret)", "Accept": "text/plain",
                    "Content-Type": "application/x-www-form-urlencoded",
                ],
                body: Data("user=ada&password=\(secret)".utf8)
            ),
            response: try response([
                "Set-Cookie": "a=\(secret)", "Location": "http://ada:\(secret)@h/?token=\(secret)", "X-Own": "kept",
                "Link": "<http://h/?page=3&access_token=\(secret)>; rel=next, </last?token=\(secret)>; rel=last",
                "Refresh": "5; url='http://ada:\(secret)@h/?token=\(secret)'",
            ]),
            body: Data("hello".utf8),
            error: URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: secret])
        )
        let json = try String(decoding: recorder.archive.json(), as: UTF8.self)
        #expect(!json.contains(secret))
        for text in ["page", "page=3", "rel=last", "5; url=", "text/plain", "user=ada", "kept", "hello", "-1001"] {
            #expect(json.contains(text))
        }
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.request.url == "http://h/a?access_token=<redacted>&page=2#token=<redacted>")
        #expect(entry.request.queryString.map(\.value) == ["<redacted>", "2"])
        #expect(entry.response.headers.first { $0.name == "Set-Cookie" }?.value == "<redacted>")
    }

    @Test("JSON without its secrets can be decoded as before") func json() throws {
        struct Answer: Codable, Equatable {
            var accessToken: String
            var tokenType: String
            var passwordRequired: Bool
            var pins: [String: Int]
            var usage: [String: Int]
        }
        let recorder = HTTPArchiveRecorder()
        var answer = Answer(
            accessToken: "hunter2",
            tokenType: "Bearer",
            passwordRequired: true,
            pins: ["secret": 1234],
            usage: ["total_tokens": 42]
        )
        let type = ["Content-Type": "application/json"]
        recorder.record(request: try request(), response: try response(type), body: try JSONEncoder().encode(answer))
        let body = try #require(recorder.archive.entries.first?.response.content.body)
        answer.accessToken = "<redacted>"
        answer.pins = ["secret": 0]
        #expect(try JSONDecoder().decode(Answer.self, from: body) == answer)
    }

    @Test("A body without a type is sent as a form, and recorded without its secrets") func untypedForm() throws {
        let recorder = HTTPArchiveRecorder()
        let request = try request("http://h/a", headers: [:], body: Data("user=ada&password=hunter2".utf8))
        recorder.record(request: request, response: try response(), body: Data())
        let json = try String(decoding: recorder.archive.json(), as: UTF8.self)
        #expect(json.contains("user=ada") && !json.contains("hunter2"))
    }

    @Test("A form that is not UTF-8 is recorded without its secrets, and otherwise unchanged")
    func binaryForm() throws {
        let recorder = HTTPArchiveRecorder()
        let form = ["Content-Type": "application/x-www-form-urlencoded"]
        let start = Data("user=".utf8) + Data([0xFF, 0xE4])
        let body = start + Data("&password=hunter2".utf8) + Data([0xFF]) + Data("&a=b".utf8)
        recorder.record(request: try request(headers: form, body: body), response: try response(), body: Data())
        let recorded = try #require(recorder.archive.entries.first?.request.postData?.body)
        #expect(recorded == start + Data("&password=<redacted>&a=b".utf8))
        let whole = HTTPArchiveRecorder(redaction: .none)
        whole.record(request: try request(headers: form, body: body), response: try response(), body: Data())
        #expect(whole.archive.entries.first?.request.postData?.body == body)
    }

    @Test("A form of several parts is left out, unless there is a function for bodies or nothing is redacted")
    func multipartForm() throws {
        let request = try request(
            headers: ["Content-Type": "Multipart/form-data; boundary=b"],
            body: Data("--b\r\nContent-Disposition: form-data; name=password\r\n\r\nhunter2\r\n--b--\r\n".utf8)
        )
        func data(_ redaction: ArchiveRedaction) throws -> HTTPArchive.PostData? {
            let recorder = HTTPArchiveRecorder(redaction: redaction)
            recorder.record(request: request, response: try response(), body: Data())
            return recorder.archive.entries.first?.request.postData
        }
        let left = try #require(try data(ArchiveRedaction()))
        #expect(left.text == nil && left.mimeType == "Multipart/form-data; boundary=b")
        #expect(left.comment == "The body of \(request.httpBody?.count ?? 0) bytes was not recorded.")
        #expect(try data(.none)?.body == request.httpBody)
        #expect(try data(ArchiveRedaction { body, _ in body.prefix(3) })?.text == "--b")
    }

    @Test(
        "A body in another charset than UTF-8 is recorded as its bytes, also if they happen to be UTF-8",
        arguments: [
            ("text/plain", "ü", true), ("text/plain; charset=utf-8", "ü", true),
            ("text/plain; charset=iso-8859-1", "ü", false), ("text/plain; charset=ISO-8859-1", "u", true),
            ("text/plain; charset=utf-16le", "u\0", false), ("text/plain; charset=iso-2022-jp", "u", false),
        ]
    )
    func charset(type: String, text: String, isText: Bool) throws {
        let recorder = HTTPArchiveRecorder()
        recorder.record(request: try request(), response: try response(["Content-Type": type]), body: Data(text.utf8))
        let content = try #require(recorder.archive.entries.first?.response.content)
        #expect(content.encoding == (isText ? nil : "base64"))
        #expect(content.body == Data(text.utf8))
    }

    @Test("Own names and a function for bodies redact more, and none redacts only user information") func options()
        throws
    {
        let request = try request(
            "http://ada:pw@h/a?token=t",
            headers: ["Authorization": "secret", "X-Tenant": "acme"],
            body: Data("{}".utf8)
        )
        let own = HTTPArchiveRecorder(
            redaction: ArchiveRedaction(headers: ["x-tenant"], redactsSecretNames: false) { _, _ in Data("gone".utf8) }
        )
        own.record(request: request, response: try response(), body: Data("body".utf8))
        let entry = try #require(own.archive.entries.first)
        #expect(entry.request.headers.map(\.value) == ["secret", "<redacted>"])
        #expect(entry.request.postData?.text == "gone")
        #expect(entry.response.content.text == "gone")
        let all = HTTPArchiveRecorder(redaction: .none)
        all.record(request: request, response: nil, body: nil)
        #expect(all.archive.entries.first?.request.headers.map(\.value) == ["secret", "acme"])
        #expect(all.archive.entries.first?.request.url == "http://h/a?token=t")
    }

    @Test("Bodies beyond the limit are left out, and entries beyond the limits are counted") func limits() throws {
        var limits = HTTPArchiveRecorder.Limits()
        limits.bodySize = 4
        limits.entries = 2
        let recorder = HTTPArchiveRecorder(limits: limits)
        for _ in 0..<5 {
            recorder.record(
                request: try request(body: Data("12345".utf8)),
                response: try response(),
                body: Data("12345".utf8)
            )
        }
        #expect(recorder.archive.entries.count == 2)
        #expect(recorder.droppedCount == 3)
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.request.bodySize == 5)
        #expect(entry.request.postData?.text == nil)
        #expect(entry.response.content.size == 5)
        #expect(entry.response.content.text == nil)
        #expect(entry.response.content.comment == "The body of 5 bytes was not recorded.")
        limits = HTTPArchiveRecorder.Limits()
        limits.totalSize = 100
        let small = HTTPArchiveRecorder(limits: limits)
        for _ in 0..<3 { small.record(request: try request(), response: try response(), body: Data(count: 40)) }
        #expect(small.archive.entries.count == 2)
        #expect(small.droppedCount == 1)
        small.reset()
        #expect(small.droppedCount == 0)
        #expect(small.archive.entries.isEmpty)
    }

    @Test("Measurements become milliseconds of each phase") func timings() throws {
        var transaction = TaskMetrics.Transaction(
            url: Self.url,
            method: "GET",
            statusCode: 200,
            startDate: Date(timeIntervalSince1970: 101)
        )
        transaction.nameLookup = 0.01
        transaction.connect = 0.03
        transaction.secureConnect = 0.06
        transaction.requestStart = 0.07
        transaction.responseStart = 0.1
        transaction.duration = 0.15
        transaction.networkProtocolName = "h2"
        transaction.receivedBodyByteCount = 3
        transaction.remoteAddress = "192.0.2.1"
        var first = transaction
        first.startDate = Date(timeIntervalSince1970: 100)
        var metrics = TaskMetrics()
        metrics.transactions = [first, transaction]
        let recorder = HTTPArchiveRecorder()
        recorder.record(request: try request(), response: try response(), body: Data("abc".utf8), metrics: metrics)
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.startDate == Date(timeIntervalSince1970: 100))
        #expect(entry.time == 1_150)
        #expect(entry.timings.blocked == 1_010)
        #expect(entry.timings.dns == 10)
        #expect(entry.timings.connect == 50)
        #expect(entry.timings.ssl == 30)
        #expect(entry.timings.wait == 30)
        #expect(entry.timings.receive == 50)
        #expect(entry.response.httpVersion == "HTTP/2")
        #expect(entry.serverIPAddress == "192.0.2.1")
        #expect(entry.response.bodySize == 3)
    }

    @Test("Measurements that are no numbers can be written") func oddTimings() throws {
        var transaction = TaskMetrics.Transaction(url: nil, method: "GET", statusCode: nil, startDate: .distantPast)
        transaction.duration = .nan
        transaction.connect = .infinity
        transaction.receivedBodyByteCount = .max
        var metrics = TaskMetrics()
        metrics.transactions = [transaction]
        let recorder = HTTPArchiveRecorder()
        recorder.record(request: try request(), response: try response(), body: nil, metrics: metrics)
        _ = try HTTPArchive(data: recorder.archive.json())
    }

    @Test("A session's requests are recorded with their times, and replayed", .ownThreads) func session() async throws {
        let server = try LoopbackServer(routes: [
            LoopbackRoute("GET", "/moved") { _ in .redirect(to: "/hello") },
            LoopbackRoute("GET", "/hello") { _ in .text("hello").adding("X-Own", "1").adding("X-Own", "2") },
        ])
        let session = CurlSession(configuration: .ephemeral)
        let recorder = HTTPArchiveRecorder()
        for target in ["/hello", "/moved", "/gzip"] {
            _ = try await recorder.data(for: URLRequest(url: server.url(target)), from: session)
        }
        let closed = try ClosedPort()
        await #expect(throws: URLError.self) {
            try await recorder.data(for: URLRequest(url: closed.url), from: session)
        }
        let archive = try HTTPArchive(data: recorder.archive.json())
        #expect(archive.entries.map(\.response.status) == [200, 200, 200, 0])
        #expect(archive.entries.allSatisfy { $0.startDate != nil })
        #expect(archive.entries[0].time > 0)
        #expect(archive.entries[0].response.headers.filter { $0.name == "X-Own" }.map(\.value) == ["1", "2"])
        #expect(archive.entries[3].errorCode == URLError.Code.cannotConnectToHost.rawValue)

        let transport = ArchiveTransport(archive)
        server.stop()
        let hello = try await transport.answer("GET", server.url("/hello").absoluteString)
        #expect(hello?.body == Data("hello".utf8))
        #expect(hello?.headers["X-Own"] == "1, 2")
        #expect(try await transport.answer("GET", server.url("/moved").absoluteString)?.body == Data("hello".utf8))
        let gzip = try await transport.answer("GET", server.url("/gzip").absoluteString)
        #expect(gzip?.body.starts(with: Data(#"{"name""#.utf8)) == true)
        #expect(gzip?.headers["Content-Encoding"] == nil)
        let error = await #expect(throws: URLError.self) {
            try await transport.answer("GET", closed.url.absoluteString)
        }
        #expect(error?.code == .cannotConnectToHost)
        #expect(transport.unusedCount == 0)
    }

    @Test("Many threads may record at the same time", .ownThreads) func concurrency() async throws {
        let recorder = HTTPArchiveRecorder()
        let request = try request()
        await onThreads(4) { _ in
            for _ in 0..<250 { recorder.record(request: request, response: nil, body: nil) }
        }
        #expect(recorder.archive.entries.count == 1_000)
    }
}
