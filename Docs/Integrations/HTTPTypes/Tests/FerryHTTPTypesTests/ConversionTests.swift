import Ferry
import FerryHTTPTypes
import HTTPTypes
import Testing

@Suite("Conversion of requests and fields")
struct ConversionTests {
    static func request(
        _ method: HTTPRequest.Method = .get,
        scheme: String? = "https",
        authority: String? = "example.com:8443",
        path: String? = "/a%20b/c?d=e&f"
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    }

    @Test("Pseudo fields become method and URL, and fields of one name a list")
    func toURLRequest() throws {
        let method = try #require(HTTPRequest.Method("QUERY-X"))
        var request = Self.request(method)
        request.headerFields.append(HTTPField(name: .accept, value: "text/html"))
        request.headerFields.append(HTTPField(name: .cookie, value: "a=1"))
        request.headerFields.append(HTTPField(name: .accept, value: "text/plain;q=0.5"))
        request.headerFields.append(HTTPField(name: .cookie, value: "b=2"))
        request.headerFields.append(HTTPField(name: .userAgent, value: "grüße"))
        let converted = try URLRequest(request, body: Data("x".utf8))
        #expect(converted.httpMethod == "QUERY-X")
        #expect(converted.url?.absoluteString == "https://example.com:8443/a%20b/c?d=e&f")
        #expect(converted.value(forHTTPHeaderField: "Accept") == "text/html, text/plain;q=0.5")
        #expect(converted.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
        #expect(converted.value(forHTTPHeaderField: "User-Agent") == "grüße")
        #expect(converted.allHTTPHeaderFields?.count == 3)
        #expect(converted.httpBody == Data("x".utf8))
    }

    @Test(
        "A request that cannot be sent as it is meant is refused",
        arguments: [
            (request(.connect), .connectIsNotSupported),
            (request(scheme: nil), .missingPseudoField(":scheme")),
            (request(authority: nil), .missingPseudoField(":authority")),
            (request(path: nil), .missingPseudoField(":path")),
            (request(scheme: "ftp"), .invalidPseudoField(":scheme", value: "ftp")),
            (request(.options, path: "*"), .invalidPseudoField(":path", value: "*")),
            (request(path: ".example.org/"), .invalidPseudoField(":path", value: ".example.org/")),
            (request(path: "/a#b"), .invalidPseudoField(":path", value: "/a#b")),
            (request(path: "/a b"), .invalidURL("https://example.com:8443/a b")),
            (request(path: "/a b?token=secret"), .invalidURL("https://example.com:8443/a b")),
            (request(path: "/a?token=secret#b"), .invalidPseudoField(":path", value: "/a")),
            (request(authority: ""), .invalidPseudoField(":authority", value: "")),
            (request(authority: "a/b"), .invalidPseudoField(":authority", value: "a/b")),
            (request(authority: "ada:secret@a"), .invalidPseudoField(":authority", value: "it contains an @")),
            (request(authority: ":80"), .invalidURL("https://:80/a%20b/c")),
        ] as [(HTTPRequest, HTTPTypesError)]
    )
    func refused(_ request: HTTPRequest, _ expected: HTTPTypesError) {
        let error = #expect(throws: HTTPTypesError.self) { try URLRequest(request) }
        #expect(error == expected)
        #expect(error?.description.contains("secret") == false)
    }

    @Test("A field value that is not UTF-8 is refused, instead of being changed")
    func notText() {
        var request = Self.request()
        request.headerFields.append(HTTPField(name: .from, value: [0x61, 0xE4]))
        #expect(throws: HTTPTypesError.invalidFieldValue(name: "From")) { try URLRequest(request) }
    }

    @Test("A URL request becomes pseudo fields and sorted fields")
    func toHTTPRequest() throws {
        var request = URLRequest(url: try #require(URL(string: "HTTP://Example.com:81?q=%20#part")))
        request.httpMethod = "PATCH"
        request.setValue("2", forHTTPHeaderField: "X-B")
        request.setValue("1", forHTTPHeaderField: "X-A")
        let converted = try HTTPRequest(request)
        #expect(converted.method == .patch)
        #expect(converted.scheme == "http")
        #expect(converted.authority == "Example.com:81")
        #expect(converted.path == "/?q=%20")
        #expect(converted.headerFields.map(\.description) == ["X-A: 1", "X-B: 2"])
    }

    @Test(
        "A request is the same after both conversions",
        arguments: ["https://example.com/", "http://[::1]:8080/a/b?c", "https://xn--bcher-kva.example/%2F?"]
    )
    func roundTrip(_ url: String) throws {
        var request = try HTTPRequest(URLRequest(url: #require(URL(string: url))))
        request.headerFields[.accept] = "*/*"
        let converted = try URLRequest(request)
        #expect(converted.url?.absoluteString == url)
        #expect(try HTTPRequest(converted) == request)
    }

    @Test("A URL request that HTTPTypes has no place for is refused")
    func refusedURLRequests() throws {
        func request(_ url: String, _ method: String = "GET") throws -> URLRequest {
            var request = URLRequest(url: try #require(URL(string: url)))
            request.httpMethod = method
            return request
        }
        func error(_ request: URLRequest) -> HTTPTypesError? {
            #expect(throws: HTTPTypesError.self) { try HTTPRequest(request) }
        }
        #expect(error(try request("file:///a")) == .invalidURL("one with the scheme file"))
        #expect(error(try request("relative/path")) == .invalidURL("none"))
        #expect(error(try request("http://ada:pw@a.test/")) == .userInformationInURL(host: "a.test"))
        #expect(error(try request("http://a.test/", "A B")) == .invalidMethod("A B"))
        #expect(error(try request("http://a.test/", "CONNECT")) == .connectIsNotSupported)
        var invalid = try request("http://a.test/")
        invalid.setValue("1", forHTTPHeaderField: "A B")
        #expect(error(invalid) == .invalidFieldName("A B"))
    }

    @Test("Fields that HTTPTypes would change are refused, and those of one name are kept apart")
    func fields() throws {
        let fields = try HTTPFields([HTTPHeader("Set-Cookie", "a=1"), HTTPHeader("set-cookie", "b=2")])
        #expect(fields[values: .setCookie] == ["a=1", "b=2"])
        #expect(throws: HTTPTypesError.invalidFieldName(":status")) { try HTTPFields([HTTPHeader(":status", "1")]) }
        #expect(throws: HTTPTypesError.invalidFieldValue(name: "X")) { try HTTPFields([HTTPHeader("X", "a\u{1}b")]) }
        let many = (0..<70_000).map { HTTPHeader("X-\($0)", "") }
        #expect(throws: HTTPTypesError.tooManyFields(70_000)) { try HTTPFields(many) }
    }

    @Test("A response with a status that HTTPTypes cannot hold is refused")
    func invalidStatus() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let response = HTTPURLResponse(url: url, statusCode: 1000, httpVersion: nil, headerFields: nil)
        let made = try #require(response)
        #expect(throws: HTTPTypesError.invalidStatus(1000)) { try HTTPResponse(made) }
        let other = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        #expect(throws: HTTPTypesError.notHTTP(url)) { try HTTPReply(other, body: Data()) }
    }
}
