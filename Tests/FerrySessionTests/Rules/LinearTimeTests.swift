import FerryTesting
import Testing

@testable import FerrySession

@Suite("Rules take linear time", .ownThreads, .timeLimit(.minutes(10)))
struct LinearTimeTests {
    private static let base = URL(string: "http://www.example.com/a/b") ?? URL(fileURLWithPath: "/")
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    private static func setCookie(_ field: String) {
        _ = CookieRule.parse(field, from: base, now: now) { _, _ in true }
    }

    private static func head(_ count: Int, _ field: (Int) -> (String, String)) -> ResponseHead {
        let fields = (0..<count).map { field($0) }.map { ResponseHead.Field(name: $0.0, value: $0.1) }
        return ResponseHead(version: "HTTP/1.1", status: 200, fields: fields)
    }

    /// Readers of one value, each called with every hostile text, alone and within larger values.
    private static let readers: [(String, @Sendable (String) -> Void)] = [
        (
            "Content-Disposition",
            { text in
                for field in [text, "attachment; filename=\(text)", "a; filename=\"\(text)", "a; \(text)=1; \(text)=2"]
                {
                    _ = ContentDisposition(field)?.safeFileName()
                }
                _ = ContentDisposition("a; filename*=utf-8''\(text)")?.safeFileName()
            }
        ),
        (
            "FileName",
            { text in
                _ = FileName.sanitized(text)
                _ = FileName.sanitized("a" + text)
                _ = FileName.sanitized("a" + text + ".tar")
            }
        ),
        (
            "WWW-Authenticate",
            { text in
                _ = AuthenticateField.parse([text, "Basic realm=\"\(text)\"", "Basic realm=\(text)", "a \(text)"])
            }
        ),
        (
            "Set-Cookie",
            { text in
                for field in [text, "a=\(text)", "a=1; \(text)", "a=1; Path=/\(text)", "a=1; Domain=\(text)"] {
                    setCookie(field)
                }
                setCookie("a=1; Expires=\(text)")
            }
        ),
        ("Cookie date", { _ = CookieDate.parse($0) }),
        ("HTTP date", { _ = HTTPDate.parse($0) }),
        (
            "Cache-Control",
            { text in
                _ = CacheControl([text, "max-age=\(text)", "private=\"\(text)"])
            }
        ),
        (
            "Cache fields",
            { text in
                let names = ["Vary", "Age", "Expires", "ETag", "Date", "Last-Modified", "Cache-Control", "Connection"]
                let fields = names.map { ResponseHead.Field(name: $0, value: text) }
                _ = CacheFields(fields).hasValidator
                _ = CacheStorageRule.storedFields(fields)
                _ = CacheValidation.merge(fields, with: fields)
                _ = CacheValidation.selects(CacheFields(fields), by: CacheFields(fields))
                let head = ResponseHead(version: "HTTP/1.1", status: 200, fields: fields)
                _ = CacheValidation.matchesHead(head, head, length: nil)
            }
        ),
        ("Content-Encoding", { _ = ContentCoding.parse($0) }),
        (
            "Server-sent event",
            { text in
                var parser = ServerSentEventParser(limit: 1_000_000)
                for line in [
                    text, text + ": 1", "data: " + text, "event: " + text, "id: " + text, "retry: " + text, "",
                ] {
                    _ = try? parser.consume(line)
                }
            }
        ),
        (
            "Link and Refresh",
            { text in
                for value in [text, "<" + text, "a; " + text, "\"" + text + "\"", "5; url=" + text] {
                    for name in ["link", "refresh"] { _ = PresentableText.field(name, value, url: PresentableText.url) }
                }
            }
        ),
        (
            "Content-Range",
            { text in
                _ = ContentRange("bytes 0-1/" + text)
                for value in ["bytes */" + text, "bytes" + text + " */5", text] {
                    _ = ContentRange.unsatisfiedLength(value)
                }
            }
        ),
        (
            "Fields of a partial response",
            { text in
                let response = ContinuationRule.PartialResponse(status: 206) { name in
                    name == "Content-Range" ? "bytes 1-1/2" : name == "Content-Length" ? nil : text
                }
                for validator in ["\"a\"", "\"" + text, "Sun, 06 Nov 1994 08:49:37 GMT"] {
                    let expected = ContinuationRule.Expectation(offset: 1, total: 2, validator: validator)
                    _ = ContinuationRule.evaluate(response, expected)
                }
            }
        ),
        (
            "Location",
            { text in
                _ = RedirectRule.resolve(text, against: base)
                _ = RedirectRule.resolve("/" + text, against: base)
            }
        ),
        (
            "Response",
            { text in
                let names = ["Content-Type", "Content-Disposition", "Location", "X-Other", text]
                let head = head(names.count) { (names[$0], "text/html;" + text) }
                let response = CurlHTTPResponse(url: base, head: head, isDecoded: false)
                _ = response?.suggestedFilename
                _ = response?.mimeType
                _ = FileName.suggested(by: response)
            }
        ),
        (
            "Texts for people",
            { text in
                _ = PresentableText.url("http://h/?" + text)
                _ = PresentableText.withoutUserInfo(inMessage: text)
            }
        ),
        ("Proxy exception", { _ = ProxyException("*aaaaaaab*").matches(host: $0, port: 80) }),
        (
            "PEM",
            { text in
                let marks = "-----BEGIN \(text)-----\n\(text)\n-----END \(text)-----\n"
                _ = try? PEM.blocks(in: Data((marks + text).utf8), what: "The text")
            }
        ),
    ]

    @Test("Each reader of a field handles any text in linear time", arguments: readers.indices)
    func values(_ index: Int) throws {
        let (name, read) = Self.readers[index]
        for part in HostileText.parts + ["@", "&", "a=", "?", "://", "'", "http://@"] {
            let (isLinear, times) = try LinearCase("\(name) of \(part.debugDescription)") { size in
                read(String(filling: size, with: part))
            }.isLinear(size: 10_000)
            #expect(isLinear, "\(times)")
        }
    }

    private static let heads: [LinearCase] = [
        LinearCase("Joining fields with one name") { size in
            _ = head(size / 2) { _ in ("X-Name", "v") }.joinedFields
        },
        LinearCase("Joining fields with different names") { size in
            _ = head(size / 4) { ("X-\($0)", "v") }.joinedFields
        },
        LinearCase("Joining fields with names of combining marks") { size in
            _ = head(20) { ("X\($0)" + String(filling: size / 20, with: "\u{301}\u{316}"), "v") }.joinedFields
        },
        LinearCase("A response with many content types") { size in
            let head = head(size / 100) { _ in ("Content-Type", String(repeating: "a\"", count: 50)) }
            _ = CurlHTTPResponse(url: base, head: head, isDecoded: false)
        },
        LinearCase("Many Vary fields") { size in _ = CacheFields(head(size / 10) { ("Vary", "X-\($0)") }.fields).vary },
        LinearCase("Vary with names of combining marks") { size in
            let text = String(filling: size, with: "\u{301}\u{316}")
            _ = CacheFields([.init(name: "Vary", value: text)]).vary
        },
        LinearCase("Many fields that Connection names") { size in
            let names = (0..<size / 10).map { "x-\($0)" }
            let fields =
                [.init(name: "Connection", value: names.joined(separator: ","))]
                + names.map { ResponseHead.Field(name: $0, value: "") }
            _ = CacheStorageRule.storedFields(fields)
        },
        LinearCase("Conflicting lengths") { size in
            _ = head(size / 20) { ("Content-Length", "\($0)") }.framingProblem
        },
        LinearCase("Many challenges") { size in
            _ = AuthenticateField.parse((0..<size / 20).map { "Basic realm=\($0), b, c" })
        },
        LinearCase("A data: URL in Base64") { size in
            for text in [
                String(filling: size, with: "QUFB"), String(filling: size, with: "="),
                "QQ" + String(filling: size, with: "-_"),
            ] {
                _ = URL(string: "data:;base64," + text).flatMap { DataURL($0) }
            }
        },
        LinearCase("A data: URL with escapes") { size in
            _ = URL(string: "data:" + String(filling: size, with: "%41") + "," + String(filling: size, with: "%CC%81"))
                .flatMap { DataURL($0) }
        },
        LinearCase("PEM blocks") { size in
            let block = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            _ = try PEM.blocks(in: Data(String(filling: size, with: block).utf8), what: "The text")
        },
        LinearCase("A certificate that nests") { size in
            // Each level is a sequence; the innermost lengths do not fit, which makes no difference to the reader.
            _ = X509Certificate(der: Data([0x30, 0x83, 0x01, 0x00, 0x00] + Array(repeating: 0x30, count: 65_536)))
            _ = X509Certificate(der: Data(Array(repeating: 0x30, count: size)))
        },
    ]

    @Test("Heads with many fields, and other kinds of text", arguments: heads.indices)
    func others(_ index: Int) throws {
        let (isLinear, times) = try Self.heads[index].isLinear()
        #expect(isLinear, "\(times)")
    }

    @Test("The cookies of one response")
    func cookies() throws {
        let cookie: @Sendable (String) -> HTTPCookie? = { name in
            HTTPCookie(properties: [.name: name, .value: "v", .domain: "example.com", .path: "/"])
        }
        let known = (0..<2_000).compactMap { cookie("k\($0)") }
        let context = CookieStoreRule.Context(isSecure: false, site: "example.com", now: Self.now)
        let (isLinear, times) = try LinearCase("Set-Cookie fields") { size in
            let new = (0..<size / 10).compactMap { cookie("n\($0)") }
            _ = CookieStoreRule.changes(setting: new, among: known, context) { _ in Self.now }
        }.isLinear()
        #expect(isLinear, "\(times)")
    }
}
