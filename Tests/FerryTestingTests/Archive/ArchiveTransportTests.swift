import FerrySession
import FerryTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ArchiveTransportTests {
    private func entry(
        _ method: String = "GET",
        _ url: String = "http://h/a",
        status: Int = 200,
        headers: [HTTPArchive.Field] = [],
        text: String = ""
    ) -> HTTPArchive.Entry {
        HTTPArchive.Entry(
            request: .init(method: method, url: url),
            response: .init(status: status, headers: headers, content: .init(Data(text.utf8)))
        )
    }

    private func text(_ transport: ArchiveTransport, _ url: String, method: String = "GET") async throws -> String? {
        try await transport.answer(method, url).map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test("Entries for the same method and URL are used in order, once") func order() async throws {
        let transport = ArchiveTransport(
            HTTPArchive(entries: [
                entry(text: "1"), entry("POST", text: "2"), entry(text: "3"), entry("GET", "http://h/b", text: "4"),
            ])
        )
        #expect(try await text(transport, "http://h/b") == "4")
        #expect(try await text(transport, "http://h/a") == "1")
        #expect(try await text(transport, "http://h/a") == "3")
        #expect(transport.unusedCount == 1)
        let error = await #expect(throws: ArchiveTransportError.self) {
            try await transport.answer("GET", "http://h/a")
        }
        #expect(error?.description == "The archive has no unused entry for GET http://h/a.")
        #expect(try await text(transport, "http://h/a", method: "POST") == "2")
    }

    @Test("The last entry can be repeated, and requests without an entry passed on") func options() async throws {
        let transport = ArchiveTransport(
            HTTPArchive(entries: [entry(text: "1"), entry(text: "2")]),
            unmatchedRequests: .pass,
            repeatsLast: true
        )
        var texts: [String?] = []
        for _ in 0..<4 { texts.append(try await text(transport, "http://h/a")) }
        #expect(texts == ["1", "2", "2", "2"])
        #expect(try await transport.answer("GET", "http://h/other") == nil)
    }

    @Test(
        "URLs are compared without fragment, case of the host, user and secrets",
        arguments: [
            ("http://h", "http://h/", true),
            ("http://H/a", "HTTP://h/a#top", true),
            ("http://h?x=1", "http://h/?x=1", true),
            ("http://ada:pw@h/a", "http://h/a", true),
            ("http://h/a?token=<redacted>&x=1", "http://h/a?token=abc&x=1", true),
            ("http://h/a%20b", "http://h/a%20b", true),
            ("http://h/A", "http://h/a", false),
            ("http://h/a?x=1", "http://h/a?x=2", false),
            ("http://h/a?x=1", "http://h/a", false),
            ("https://h/a", "http://h/a", false),
            ("not a URL", "http://h/a", false),
        ]
    ) func urls(recorded: String, requested: String, isFound: Bool) async throws {
        let transport = ArchiveTransport(HTTPArchive(entries: [entry("GET", recorded)]), unmatchedRequests: .pass)
        #expect(try await (transport.answer("GET", requested) != nil) == isFound)
    }

    @Test("Fields of the connection and coding, redacted and invalid ones are left out; others are joined")
    func headers() async throws {
        let fields = [
            ("Content-Encoding", "gzip"), ("content-length", "5"), ("Transfer-Encoding", "chunked"),
            ("Set-Cookie", "<redacted>"), (":status", "200"), ("Bad Name", "x"), ("X-Null", "a\0b"), ("", "x"),
            ("Vary", "A"), ("vary", "B"), ("Link", "<a>\n<b>"), ("X-Injected", "a\r\nEvil: 1"),
        ]
        let transport = ArchiveTransport(
            HTTPArchive(entries: [entry(headers: fields.map { .init(name: $0, value: $1) }, text: "hello")])
        )
        let response = try await transport.answer("GET", "http://h/a")
        #expect(response?.headers == ["Vary": "A, B", "Link": "<a>, <b>", "X-Injected": "a, Evil: 1"])
    }

    @Test(
        "The type of a text that was converted to UTF-8 names UTF-8, and that of bytes names their charset",
        arguments: [
            ("text/plain; charset=iso-8859-1", "text/plain; charset=utf-8", nil),
            ("text/html;Charset = \"windows-1252\"; a=b", "text/html;Charset = utf-8; a=b", nil),
            ("text/plain; charset=UTF-8", "text/plain; charset=UTF-8", nil), ("text/plain", "text/plain", nil),
            ("text/plain; charset=iso-8859-1", "text/plain; charset=iso-8859-1", "base64"),
        ] as [(String, String, String?)]
    )
    func charset(recorded: String, replayed: String, encoding: String?) async throws {
        var entry = entry(headers: [.init(name: "Content-Type", value: recorded)], text: "Zürich")
        if encoding != nil {
            entry.response.content.text = Data([0x5A, 0xFC]).base64EncodedString()
            entry.response.content.encoding = encoding
        }
        let response = try await ArchiveTransport(HTTPArchive(entries: [entry])).answer("GET", "http://h/a")
        #expect(response?.headers == ["Content-Type": replayed])
        #expect(response?.body == (encoding == nil ? Data("Zürich".utf8) : Data([0x5A, 0xFC])))
    }

    @Test("Several cookies are replayed one by one, however they were recorded") func cookies() async throws {
        let fields = [("Set-Cookie", "a=1; Path=/"), ("set-cookie", "b=2\nc=3"), ("Set-Cookie", "<redacted>")]
        let entry = entry(headers: fields.map { .init(name: $0, value: $1) })
        let transport = ArchiveTransport(HTTPArchive(entries: [entry]))
        let response = try #require(try await transport.answer("GET", "http://h/a"))
        #expect(response.headers.isEmpty)
        #expect(response.additionalHeaders.map(\.name) == ["Set-Cookie", "Set-Cookie", "Set-Cookie"])
        #expect(response.additionalHeaders.map(\.value) == ["a=1; Path=/", "b=2", "c=3"])
    }

    @Test("A response to HEAD keeps its length, and has no body") func head() async throws {
        var head = entry("HEAD", headers: [.init(name: "Content-Length", value: "5")])
        head.response.content.size = 5
        head.response.content.text = nil
        let response = try await ArchiveTransport(HTTPArchive(entries: [head])).answer("HEAD", "http://h/a")
        #expect(response?.headers == ["Content-Length": "5"])
        #expect(response?.body == Data())
    }

    @Test("Bodies that are missing or not valid, and impossible statuses, are errors") func invalid() async throws {
        func error(_ change: (inout HTTPArchive.Response) -> Void) async -> ArchiveTransportError? {
            var entry = entry(text: "hello")
            change(&entry.response)
            let transport = ArchiveTransport(HTTPArchive(entries: [entry]))
            return await #expect(throws: ArchiveTransportError.self) {
                try await transport.answer("GET", "http://h/a")
            }
        }
        #expect(await error { $0.content.text = nil } == .bodyNotRecorded(url: "http://h/a"))
        #expect(await error { $0.content.encoding = "base64" } == .invalidBody(url: "http://h/a"))
        for status in [-1, 99, 101, 600, Int.max, Int.min] {
            #expect(await error { $0.status = status } == .invalidStatus(status, url: "http://h/a"))
        }
    }

    @Test("An entry without a response fails as it was recorded to", arguments: [-1001, nil, Int.min])
    func failures(code: Int?) async throws {
        var entry = entry(status: 0)
        entry.errorCode = code
        let transport = ArchiveTransport(HTTPArchive(entries: [entry]))
        let error = await #expect(throws: URLError.self) { try await transport.answer("GET", "http://h/a") }
        #expect(error?.code == (code == -1001 ? .timedOut : code == nil ? .networkConnectionLost : error?.code))
    }

    @Test("An entry that failed after part of a response fails as it was recorded to") func cutBody() async throws {
        var entry = entry(text: "hel")
        entry.errorCode = URLError.Code.timedOut.rawValue
        let transport = ArchiveTransport(HTTPArchive(entries: [entry]))
        let error = await #expect(throws: URLError.self) { try await transport.answer("GET", "http://h/a") }
        #expect(error?.code == .timedOut)
    }

    @Test("On a clock, a response takes as long as it was recorded to", arguments: [250, 1e300])
    func delays(time: Double) async throws {
        var entry = entry(text: "late")
        entry.time = time
        let clock = VirtualClock()
        let transport = ArchiveTransport(HTTPArchive(entries: [entry]), clock: clock)
        let waiting = Task { try await text(transport, "http://h/a") }
        try await clock.waitForSleepers(1, timeout: 40 * patience)
        clock.advance(by: .milliseconds(min(time, 86_400_000)) - .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(try await waiting.value == "late")
    }
}
