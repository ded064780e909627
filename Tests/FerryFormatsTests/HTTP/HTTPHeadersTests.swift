import FerryFormats
import Foundation
import Testing

@Suite("HTTP headers")
struct HTTPHeadersTests {
    @Test("Looking up a field ignores the case of its name")
    func caseInsensitive() {
        let headers: HTTPHeaders = ["Content-Type": "text/html"]
        #expect(headers["content-type"] == "text/html")
        #expect(headers["CONTENT-TYPE"] == "text/html")
        #expect(headers.contains("content-Type"))
        #expect(headers["Content-Typ"] == nil)
    }

    @Test("Order and duplicates are kept, and reading joins duplicates")
    func duplicates() {
        var headers: HTTPHeaders = ["B": "1", "A": "2"]
        headers.add("b", "3")
        #expect(headers.map(\.name) == ["B", "A", "b"])
        #expect(headers.values(for: "B") == ["1", "3"])
        #expect(headers["b"] == "1, 3")
        #expect(headers.count == 3)
    }

    @Test("Setting a field replaces every field of that name, in the place of the first")
    func set() {
        var headers: HTTPHeaders = ["X": "0", "A": "1", "Y": "2", "a": "3"]
        headers["A"] = "4"
        #expect(headers.map(\.description) == ["X: 0", "A: 4", "Y: 2"])
        headers.set("Z", "5")
        #expect(headers.map(\.name) == ["X", "A", "Y", "Z"])
        headers["x"] = nil
        headers.remove("y")
        #expect(headers.map(\.name) == ["A", "Z"])
    }

    @Test("A dictionary yields fields sorted by name")
    func dictionary() {
        #expect(HTTPHeaders(["b": "1", "a": "2"]).map(\.name) == ["a", "b"])
    }

    @Test("Names are compared ignoring case, values exactly")
    func equality() {
        #expect(HTTPHeader("ETag", "x") == HTTPHeader("etag", "x"))
        #expect(HTTPHeader("ETag", "x") != HTTPHeader("etag", "X"))
        #expect(Set([HTTPHeader("ETag", "x"), HTTPHeader("etag", "x")]).count == 1)
        #expect(["A": "1", "B": "2"] as HTTPHeaders != ["B": "2", "A": "1"] as HTTPHeaders)
    }

    @Test("A content type is a field") func contentType() {
        #expect(HTTPHeader.contentType("a/b") == HTTPHeader("Content-Type", "a/b"))
    }

    @Test("Basic credentials are base64 of UTF-8, and Bearer tokens are sent unchanged")
    func credentials() {
        #expect(
            HTTPHeaders.basic(username: "Aladdin", password: "open sesame")["Authorization"]
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        )
        #expect(HTTPHeader.basic(username: "ü", password: "ñ").value == "Basic w7w6w7E=")
        #expect(HTTPHeaders.bearer("abc")["Authorization"] == "Bearer abc")
        var headers: HTTPHeaders = ["authorization": "old"]
        headers.setAuthorization(username: "a", password: "b")
        #expect(headers.values(for: "Authorization") == ["Basic YTpi"])
        headers.setAuthorization(bearerToken: "t")
        #expect(headers.values(for: "Authorization") == ["Bearer t"])
        headers.clearAuthorization()
        #expect(headers.isEmpty)
    }

    @Test("Tokens are valid names", arguments: ["Accept", "x-1", "!#$%&'*+-.^_`|~", "1"])
    func validName(name: String) throws {
        try HTTPHeader(name, "v").validate()
    }

    @Test(
        "A string that is not a token is not a valid name",
        arguments: ["", "a b", "a:", "a\r\nb", "é", "a\t", "(a)", "a\u{0}", "a/b", "\""]
    )
    func invalidName(name: String) {
        let error = #expect(throws: RequestSerializationError.self) { try HTTPHeader(name, "v").validate() }
        #expect(error?.code == .invalidHeader)
    }

    @Test("Values without line breaks and NUL are valid", arguments: ["", "a b\tc", "ü 日本", "a:b;c=\"d\""])
    func validValue(value: String) throws {
        try HTTPHeader("X", value).validate()
    }

    @Test(
        "Line breaks and NUL are refused, and the value stays out of the error",
        arguments: ["secret\r\nX: y", "secret\n", "\rsecret", "secret\u{0}", "secret\r\n folded"]
    )
    func invalidValue(value: String) throws {
        let error = try #require(throws: RequestSerializationError.self) {
            try (["A": "b", "X": value] as HTTPHeaders).validate()
        }
        #expect(error.code == .invalidHeader)
        #expect(!"\(error)".contains("secret"))
    }
}
