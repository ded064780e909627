import FerryCache
import Testing

@Suite struct CacheStorageRuleTests {
    typealias Request = CacheStorageRule.Request

    struct Row: Sendable, CustomTestStringConvertible {
        var status = 200
        var fields: [(String, String)]
        var request = Request()
        var isStored: Bool

        var testDescription: String { "\(status) \(fields) \(request)" }
    }

    static let tag = ("ETag", "\"a\"")
    static let fresh = ("Cache-Control", "max-age=60")

    @Test(
        "A response is stored if RFC 9111, section 3 allows it and it could be used",
        arguments: [
            Row(fields: [fresh], isStored: true),
            Row(fields: [tag], isStored: true),
            Row(fields: [("Last-Modified", CacheRows.date(-100))], isStored: true),
            Row(fields: [("Expires", CacheRows.date(100)), ("Date", CacheRows.date(0))], isStored: true),
            // Never fresh, and without a validator.
            Row(fields: [], isStored: false),
            Row(fields: [("Cache-Control", "max-age=0")], isStored: false),
            Row(fields: [("Cache-Control", "public")], isStored: false),
            Row(fields: [("Cache-Control", "max-age=60, no-cache")], isStored: false),
            Row(fields: [("Cache-Control", "max-age=0, stale-if-error=60")], isStored: true),
            Row(fields: [("Cache-Control", "max-age=0, stale-while-revalidate=60")], isStored: true),
            // No validator that could be sent.
            Row(fields: [("ETag", "")], isStored: false),
            Row(fields: [("Last-Modified", "once")], isStored: false),
            Row(fields: [], request: Request(takesAnyAge: true), isStored: true),
            Row(status: 404, fields: [], request: Request(takesAnyAge: true), isStored: false),
            Row(
                status: 400,
                fields: [("Cache-Control", "max-age=0")],
                request: Request(takesAnyAge: true),
                isStored: false
            ),
            // 5.2.2.5 and 5.2.1.5: no-store in the request or the response.
            Row(fields: [tag, ("Cache-Control", "no-store, max-age=60")], isStored: false),
            Row(fields: [tag, ("Cache-Control", "No-StOrE")], isStored: false),
            Row(fields: [fresh], request: Request(control: CacheControl(["no-store"])), isStored: false),
            Row(fields: [("Cache-Control", "no-store")], request: Request(takesAnyAge: true), isStored: false),
            // 5.2.2.3: must-understand overrides no-store if the status is understood.
            Row(fields: [tag, ("Cache-Control", "no-store, must-understand, max-age=60")], isStored: true),
            Row(
                status: 599,
                fields: [tag, ("Cache-Control", "no-store, must-understand, max-age=60")],
                isStored: false
            ),
            Row(fields: [tag, ("Cache-Control", "private, max-age=60")], isStored: true),
            // 4.1: an asterisk never matches.
            Row(fields: [fresh, ("Vary", "*")], isStored: false),
            Row(fields: [fresh, ("Vary", "Foo, *")], isStored: false),
            Row(fields: [fresh, ("Vary", ""), ("Vary", "*")], isStored: false),
            Row(fields: [fresh, ("Vary", "a b")], isStored: false),
            Row(fields: [fresh, ("Vary", "Foo")], isStored: true),
            // 3 and RFC 9110, section 15.1: the status.
            Row(status: 206, fields: [fresh, tag], isStored: false),
            Row(status: 304, fields: [fresh, tag], isStored: false),
            Row(status: 404, fields: [tag], isStored: true),
            Row(status: 301, fields: [tag], isStored: true),
            Row(status: 302, fields: [tag], isStored: false),
            Row(status: 302, fields: [fresh], isStored: true),
            Row(
                status: 302,
                fields: [("Expires", CacheRows.date(100)), ("Date", CacheRows.date(0))],
                isStored: true
            ),
            Row(status: 302, fields: [tag, ("Cache-Control", "public")], isStored: true),
            Row(status: 302, fields: [tag, ("Cache-Control", "private")], isStored: true),
            Row(status: 201, fields: [tag], isStored: false),
            Row(status: 201, fields: [tag, fresh], isStored: true),
            Row(status: 503, fields: [fresh], isStored: true),
            Row(status: 599, fields: [fresh], isStored: true),
            Row(status: 599, fields: [tag], isStored: false),
            // RFC 9110, section 9.3.3 and others: only GET.
            Row(fields: [fresh, tag], request: Request(method: "POST"), isStored: false),
            Row(fields: [fresh, tag], request: Request(method: "HEAD"), isStored: false),
            Row(fields: [fresh, tag], request: Request(method: "get"), isStored: false),
            // 3.5 is about shared caches: a private one may store responses to requests with Authorization.
            Row(fields: [fresh, tag], request: Request(isAuthorized: true), isStored: true),
            Row(
                fields: [tag, ("Cache-Control", "no-store")],
                request: Request(isAuthorized: true),
                isStored: false
            ),
        ]
    )
    func table(_ row: Row) {
        let fields = CacheRows.fields(row.fields)
        #expect(CacheStorageRule.mayStore(status: row.status, fields: fields, request: row.request) == row.isStored)
    }

    /// RFC 9110, section 15.1, and RFC 9111, section 5.2.2.3.
    @Test("Statuses that need no explicit freshness, and those that are understood") func statuses() {
        let heuristic = (100...599).filter(CacheStorageRule.isHeuristicallyCacheable)
        #expect(heuristic == [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
        let fields = CacheRows.fields([Self.tag, ("Cache-Control", "no-store, must-understand, max-age=60")])
        let understood = (100...599).filter {
            CacheStorageRule.mayStore(status: $0, fields: fields, request: Request())
        }
        let expected = [200...205, 207...303, 305...305, 307...308, 400...451, 500...511].joined()
        #expect(understood == Array(expected))
    }

    @Test("The response to an anonymous request is not used for one with credentials, unless it is public")
    func mayUse() {
        func mayUse(_ control: String, _ names: [String], isAuthorized: Bool) -> Bool {
            let fields = CacheRows.fields([("Cache-Control", control)])
            let request = Request(isAuthorized: isAuthorized)
            return CacheStorageRule.mayUse(selectingNames: names, fields: fields, request: request)
        }
        #expect(mayUse("max-age=60", [], isAuthorized: false))
        #expect(!mayUse("max-age=60", ["foo"], isAuthorized: true))
        #expect(mayUse("public", [], isAuthorized: true))
        #expect(!mayUse("public, private", [], isAuthorized: true))
        #expect(mayUse("must-revalidate", ["authorization"], isAuthorized: true))
    }

    /// Section 3.1.
    @Test("Fields of the connection are not stored") func storedFields() {
        let fields = CacheRows.list([
            ("Connection", "close, X-Hop"), ("Keep-Alive", "timeout=5"), ("Transfer-Encoding", "chunked"),
            ("x-hop", "1"), ("ETag", "\"a\""), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Upgrade", "h2c"),
            ("Proxy-Authenticate", "Basic"), ("TE", "trailers"), ("Content-Type", "text/plain"),
            ("Proxy-Connection", "close"), ("Trailer", "X"), ("Proxy-Authentication-Info", "nextnonce=\"a\""),
            ("Proxy-Authorization", "Basic"), ("X Y", "1"),
        ])
        let names = CacheStorageRule.storedFields(fields).map(\.name)
        #expect(names == ["ETag", "Set-Cookie", "Set-Cookie", "Content-Type"])
    }

    @Test("A response that is not public is stored for its user") func selectingNames() {
        func names(_ control: String, isAuthorized: Bool) -> [String] {
            let fields = CacheRows.fields([("Cache-Control", control), ("Vary", "B, a ,"), ("Vary", "a,C")])
            return CacheStorageRule.selectingNames(fields: fields, request: Request(isAuthorized: isAuthorized))
        }
        #expect(names("must-revalidate", isAuthorized: false) == ["a", "b", "c"])
        #expect(names("must-revalidate", isAuthorized: true) == ["a", "authorization", "b", "c"])
        #expect(names("public", isAuthorized: true) == ["a", "b", "c"])
        // Of two directives the more restrictive one counts (section 4.2.1).
        #expect(names("public, private=\"x-user\"", isAuthorized: true) == ["a", "authorization", "b", "c"])
    }
}
