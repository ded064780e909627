import FerryCore
import Testing

@Suite struct ResponseHeadTests {
    /// RFC 9112, section 4: the reason phrase may be empty, and some servers omit the blank before it too.
    @Test(
        "A status line has a version and a status",
        arguments: [
            ("HTTP/1.1 200 OK", "HTTP/1.1", 200), ("HTTP/1.1 200", "HTTP/1.1", 200),
            ("HTTP/1.1 200 ", "HTTP/1.1", 200), ("HTTP/2 404", "HTTP/2", 404),
            ("HTTP/1.0 599 Whatever it says", "HTTP/1.0", 599), ("HTTP/1.1 999 Odd", "HTTP/1.1", 999),
            ("HTTP/1.1 418 J'ai été", "HTTP/1.1", 418),
        ]
    )
    func valid(_ line: (String, String, Int)) throws {
        let head = try #require(ResponseHead(statusLine: line.0))
        #expect(head.version == line.1)
        #expect(head.status == line.2)
    }

    @Test(
        "Anything else is not a status line",
        arguments: [
            "", " ", "HTTP/1.1", "HTTP/1.1 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "ICY 200 OK", "HTTP/1.1 -20 OK",
            "HTTP/1.1 +20 OK", "HTTP/1.1 099 OK", "200 OK", "GET / HTTP/1.1", "HTTP/1.1 2x0 OK", "HTTP/1.1 ٢٠٠ OK",
        ]
    )
    func invalid(_ line: String) {
        #expect(ResponseHead(statusLine: line) == nil)
    }

    /// RFC 9112, section 6.3: different lengths are an error, repeated equal ones are not.
    @Test("Contradicting lengths are detected") func lengths() throws {
        func conflicts(_ lengths: [String], coding: String? = nil) throws -> Bool {
            var head = try #require(ResponseHead(statusLine: "HTTP/1.1 200 OK"))
            head.fields = lengths.map { .init(name: "content-Length", value: $0) }
            if let coding { head.fields.append(.init(name: "Transfer-Encoding", value: coding)) }
            return head.framingProblem != nil
        }
        #expect(try !conflicts([]) && !conflicts(["5"]) && !conflicts(["5", "5"]) && !conflicts(["5, 5"]))
        #expect(try conflicts(["5", "6"]) && conflicts(["5, 6"]) && conflicts(["5, 5", "6"]) && conflicts(["5,"]))
        #expect(try !conflicts(["5", "6"], coding: "chunked"))
        #expect(try conflicts(["5"], coding: "identity") && !conflicts([], coding: "identity"))
    }

    /// RFC 9112, sections 6.1 and 6.3; RFC 9110, section 8.6.
    @Test(
        "An invalid length or an unsupported transfer coding is named",
        arguments: [
            ("Content-Length", "99999999999999999999", "Content-Length"), ("Content-Length", "5abc", "5abc"),
            ("Content-Length", "0x5", "0x5"), ("Content-Length", "2x", "2x"), ("Content-Length", "+5", "+5"),
            ("Content-Length", "-5", "-5"), ("Content-Length", "", "Content-Length"), ("Content-Length", "٥", "٥"),
            ("Content-Length", "5\u{A0}", "5"),
            ("Transfer-Encoding", "gzip", "gzip"), ("Transfer-Encoding", "gzip, chunked", "gzip, chunked"),
            ("Transfer-Encoding", "chunked, chunked", "chunked, chunked"), ("Transfer-Encoding", "", "Encoding"),
        ]
    )
    func framing(_ name: String, _ value: String, _ mention: String) throws {
        var head = try #require(ResponseHead(statusLine: "HTTP/1.1 200 OK"))
        head.fields = [.init(name: name, value: value)]
        #expect(try #require(head.framingProblem).contains(mention))
    }

    @Test(
        "Valid framing",
        arguments: [
            ("Content-Length", "0"), ("Content-Length", "9223372036854775807"), ("Content-Length", "5, 05"),
            ("Transfer-Encoding", "Chunked"), ("Transfer-Encoding", "identity"), ("X", "y"),
        ]
    )
    func goodFraming(_ name: String, _ value: String) throws {
        var head = try #require(ResponseHead(statusLine: "HTTP/1.1 200 OK"))
        head.fields = [.init(name: name, value: value)]
        #expect(head.framingProblem == nil)
    }

    /// RFC 9110, section 5.3: fields of one name are joined in order, ignoring the case of the name.
    @Test("Values of one name are joined under its first spelling") func joined() throws {
        var head = try #require(ResponseHead(statusLine: "HTTP/1.1 200 OK"))
        head.fields = [
            .init(name: "X-A", value: "1"), .init(name: "Vary", value: "a"), .init(name: "x-a", value: "2"),
            .init(name: "X-a", value: ""), .init(name: "Empty", value: ""),
        ]
        #expect(head.joinedFields == ["X-A": "1, 2, ", "Vary": "a", "Empty": ""])
        #expect(head.value("x-A") == "1")
        #expect(head.value("EMPTY") == "")
        #expect(head.value("X-B") == nil)
    }

    @Test("Fields that would take FoundationNetworking quadratic time are left out", arguments: [0, 32])
    func unreadable(_ others: Int) throws {
        let (limit, long) = (String(repeating: "a", count: 8_192), String(repeating: "a", count: 8_193))
        var head = try #require(ResponseHead(statusLine: "HTTP/1.1 200 OK"))
        head.fields = [
            .init(name: "X Y", value: "1"), .init(name: "Content-Type", value: long),
            .init(name: "X-Long", value: long), .init(name: "Content-Disposition", value: limit),
            .init(name: "content-disposition", value: "b"),
        ]
        head.fields += (0..<others).map { .init(name: "X-\($0)", value: "") }
        let joined = head.joinedFields.filter { !$0.value.isEmpty }
        #expect(joined.keys.sorted() == ["Content-Disposition", "X-Long"])
        #expect(joined["Content-Disposition"]?.utf8.count == limit.utf8.count)
    }

    /// A head may have at most a megabyte of fields; copying the joined text for each would take 15 seconds.
    @Test("Many values of one name are joined in linear time") func manyValues() throws {
        var head = try #require(ResponseHead(statusLine: "HTTP/1.1 200 OK"))
        head.fields = Array(repeating: .init(name: "A", value: "b"), count: 240_000)
        let start = ContinuousClock.now
        let joined = head.joinedFields
        #expect(ContinuousClock.now - start < .seconds(5 * patience))
        #expect(joined.keys.sorted() == ["A"])
        #expect(joined["A"]?.utf8.count == 240_000 * 3 - 2)
    }
}
