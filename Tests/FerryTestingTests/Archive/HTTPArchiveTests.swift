import FerrySession
import FerryTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct HTTPArchiveTests {
    private func archive(_ json: String, limits: HTTPArchive.Limits = .init()) throws -> HTTPArchive {
        try HTTPArchive(data: Data(json.utf8), limits: limits)
    }

    private static let minimal = #"{"request":{"method":"GET","url":"http://h/"},"response":{"status":200}}"#

    @Test("What is written is read again, equal") func roundTrip() throws {
        var entry = HTTPArchive.Entry(
            startDate: Date(timeIntervalSince1970: 1_700_000_000.25),
            time: 12.5,
            request: .init(
                method: "POST",
                url: "http://h/a?b=c",
                headers: [.init(name: "A", value: "1"), .init(name: "A", value: "2")],
                postData: .init(Data([0, 0xFF]), mimeType: "application/octet-stream")
            ),
            response: .init(status: 200, statusText: "OK", content: .init(Data("é\0".utf8), mimeType: "text/plain"))
        )
        entry.timings.wait = 3
        entry.errorCode = -1001
        entry.serverIPAddress = "::1"
        var archive = HTTPArchive(entries: [entry, entry])
        archive.comment = "two"
        let folder = try TemporaryFolder()
        let file = folder.file("a.har")
        try archive.write(to: file)
        let read = try HTTPArchive(contentsOf: file)
        #expect(read == archive)
        #expect(read.entries.first?.startDate == Date(timeIntervalSince1970: 1_700_000_000.25))
        #expect(read.entries.first?.request.postData?.body == Data([0, 0xFF]))
        #expect(read.entries.first?.response.content.body == Data("é\0".utf8))
    }

    @Test("An archive has the fields that the specification requires") func requiredFields() throws {
        let entry = HTTPArchive.Entry(request: .init(url: "http://h/"), response: .init(status: 204))
        let document = try JSONSerialization.jsonObject(with: HTTPArchive(entries: [entry]).json())
        let log = try #require((document as? [String: Any])?["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        #expect(Set(try #require(log["creator"] as? [String: Any]).keys) == ["name", "version"])
        let written = try #require((log["entries"] as? [[String: Any]])?.first)
        #expect(
            Set(written.keys) == ["startedDateTime", "time", "request", "response", "cache", "timings"]
        )
        #expect(
            Set(try #require(written["request"] as? [String: Any]).keys) == [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
            ]
        )
        let response = try #require(written["response"] as? [String: Any])
        #expect(
            Set(response.keys) == [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ]
        )
        #expect(Set(try #require(response["content"] as? [String: Any]).keys) == ["size", "mimeType", "text"])
        let timings = try #require(written["timings"] as? [String: Any])
        #expect(Set(timings.keys) == ["blocked", "dns", "connect", "send", "wait", "receive", "ssl"])
    }

    @Test("Missing, null and fractional fields, unknown ones and a byte order mark are accepted") func lenient() throws
    {
        let json = """
            {"log":{"pages":[{}],"creator":null,"entries":[\(Self.minimal),
            {"_own":{"a":[1]},"startedDateTime":5,"time":null,"timings":{"wait":1e400,"dns":"x","send":2},
            "request":{"method":"GET","url":"http://h/","headers":null,"cookies":[{"bad":1}],"bodySize":12.6,
            "headersSize":1e300,"postData":null},
            "response":{"status":200,"headers":[{"name":"A"}],"content":{"size":1e999,"text":null,"mimeType":null}}}]}}
            """
        let archive = try HTTPArchive(data: Data([0xEF, 0xBB, 0xBF]) + Data(json.utf8))
        #expect(archive.entries.count == 2)
        let entry = try #require(archive.entries.last)
        #expect(entry.startDate == nil)
        #expect(entry.time == 0)
        #expect(entry.timings.wait == -1)
        #expect(entry.timings.send == 2)
        #expect(entry.request.bodySize == 13)
        #expect(entry.request.headersSize == -1)
        #expect(entry.response.headers == [.init(name: "A", value: "")])
        #expect(entry.response.content.size == 0)
        #expect(entry.response.content.body == nil)
        _ = try archive.json()
    }

    @Test(
        "What is not an archive is refused, with the place",
        arguments: [
            ("", "it is not JSON"),
            ("{", "it is not JSON"),
            ("\0\0", "it is not JSON"),
            ("[]", "the whole has another type"),
            ("null", ""),
            ("{}", "log is missing"),
            (#"{"log":7}"#, "log has another type"),
            (#"{"log":{"version":"1.2"}}"#, "log.entries is missing"),
            (#"{"log":{"entries":{}}}"#, "log.entries has another type"),
            (#"{"log":{"entries":[7]}}"#, "log.entries[0] has another type"),
            (#"{"log":{"entries":[{}]}}"#, "log.entries[0].request is missing"),
            (
                #"{"log":{"entries":[{"request":{"method":"GET"},"response":{"status":1}}]}}"#,
                "log.entries[0].request.url is missing"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"u"},"response":{"status":"x"}}]}}"#,
                "log.entries[0].response.status has another type"
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"u"},"response":{"status":1e99}}]}}"#,
                ""
            ),
            (
                #"{"log":{"entries":[{"request":{"method":"GET","url":"u","headers":[{}]},"response":{"status":1}}]}}"#,
                "log.entries[0].request.headers[0].name is missing"
            ),
        ]
    ) func malformed(json: String, reason: String) throws {
        let error = #expect(throws: HTTPArchiveError.self) { try archive(json) }
        let text = try #require(error?.description)
        #expect(text.hasPrefix("The file is not an HTTP archive: "))
        if !reason.isEmpty { #expect(text == "The file is not an HTTP archive: \(reason).") }
    }

    @Test("Deep nesting is refused without a crash", .ownThreads) func nesting() {
        let deep = String(repeating: #"{"log":"#, count: 200_000)
        #expect(throws: HTTPArchiveError.self) { try archive(deep) }
        #expect(throws: HTTPArchiveError.self) { try archive(String(repeating: "[", count: 200_000)) }
    }

    @Test("Another version is refused") func version() {
        #expect(throws: HTTPArchiveError.unsupportedVersion("2.0")) {
            try archive(#"{"log":{"version":"2.0","entries":[]}}"#)
        }
        // A character may have very many scalars.
        for long in [String(repeating: "9", count: 100_000), "9" + String(repeating: "\u{301}", count: 100_000)] {
            let error = #expect(throws: HTTPArchiveError.self) {
                try archive(#"{"log":{"version":"\#(long)","entries":[]}}"#)
            }
            #expect((error?.description.utf8.count ?? 0) < 300)
        }
    }

    @Test("The limits of size and entries hold") func limits() throws {
        var limits = HTTPArchive.Limits()
        limits.entries = 3
        let list = { (count: Int) in
            #"{"log":{"entries":[\#(Array(repeating: Self.minimal, count: count).joined(separator: ","))]}}"#
        }
        #expect(try archive(list(3), limits: limits).entries.count == 3)
        #expect(throws: HTTPArchiveError.tooManyEntries(limit: 3)) { try archive(list(4), limits: limits) }
        limits.fileSize = 20
        #expect(throws: HTTPArchiveError.tooLarge(limit: 20)) { try archive(list(1), limits: limits) }
        let folder = try TemporaryFolder()
        let file = try folder.file("large.har", list(1))
        #expect(throws: HTTPArchiveError.tooLarge(limit: 20)) { try HTTPArchive(contentsOf: file, limits: limits) }
        limits.fileSize = -1
        #expect(throws: HTTPArchiveError.self) { try HTTPArchive(contentsOf: file, limits: limits) }
    }

    @Test("A missing file, a folder and a pipe are refused") func files() throws {
        let folder = try TemporaryFolder()
        mkfifo(folder.path("pipe"), 0o600)
        for url in [folder.file("missing.har"), folder.url, folder.file("pipe")] {
            let error = #expect(throws: HTTPArchiveError.self) { try HTTPArchive(contentsOf: url) }
            guard case .unreadable = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test(
        "Dates have fractions and zones, or are no dates",
        arguments: [
            ("2009-04-16T12:07:25Z", 1_239_883_645),
            ("2009-04-16T12:07:25.500Z", 1_239_883_645.5),
            ("2009-04-16T14:07:25+02:00", 1_239_883_645),
            ("yesterday", nil),
            ("", nil),
            (String(repeating: "2", count: 1_000_000), nil),
        ] as [(String, TimeInterval?)]
    ) func dates(text: String, seconds: TimeInterval?) {
        var entry = HTTPArchive.Entry(request: .init(url: "u"), response: .init(status: 200))
        entry.startedDateTime = text
        #expect(entry.startDate?.timeIntervalSince1970 == seconds)
    }

    @Test("A body in Base64 may have lines; another encoding is not a body") func encodings() {
        var content = HTTPArchive.Content()
        content.text = "aGVs\r\n bG8="
        content.encoding = "BASE64"
        #expect(content.body == Data("hello".utf8))
        content.text = "%%%"
        #expect(content.body == nil)
        content.encoding = "quoted-printable"
        #expect(content.body == nil)
        content.encoding = ""
        #expect(content.body == Data("%%%".utf8))
    }
}
