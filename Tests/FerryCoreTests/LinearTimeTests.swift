import FerryCore
import Testing

@Suite("Rules take linear time", .slow, .ownThreads, .timeLimit(.minutes(10)))
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
                for value in [text, "Digest \(text)", "Digest nonce=\"\(text)\"", "Digest nonce=n, \(text)"] {
                    _ = AuthenticateField.digest([value])
                }
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
            "Link and Refresh",
            { text in
                for value in [text, "<" + text, "a; " + text, "\"" + text + "\"", "5; url=" + text] {
                    for name in ["link", "refresh"] { _ = PresentableText.field(name, value) }
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
                for value in [text, "a: " + text, "http://h/?" + text] {
                    _ = PresentableText.argument(value)
                    _ = PresentableText.message(value)
                }
                _ = PresentableText.withoutUserInfo(inMessage: text)
            }
        ),
    ]

    @Test("Each reader of a field handles any text in linear time", arguments: readers.indices)
    func values(_ index: Int) throws {
        let (name, read) = Self.readers[index]
        #expect(try HostileText.slowTexts(name, and: HostileText.urlParts, read).isEmpty)
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
        LinearCase("Conflicting lengths") { size in
            _ = head(size / 20) { ("Content-Length", "\($0)") }.framingProblem
        },
        LinearCase("Many challenges") { size in
            _ = AuthenticateField.parse((0..<size / 20).map { "Basic realm=\($0), b, c" })
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
        let known = CookieIndex((0..<2_000).compactMap { cookie("k\($0)") })
        let context = CookieStoreRule.Context(isSecure: false, site: "example.com", now: Self.now)
        let (isLinear, times) = try LinearCase("Set-Cookie fields") { size in
            let new = (0..<size / 10).compactMap { cookie("n\($0)") }
            _ = CookieStoreRule.changes(setting: new, among: known, context) { _ in Self.now }
        }.isLinear()
        #expect(isLinear, "\(times)")
    }
}
