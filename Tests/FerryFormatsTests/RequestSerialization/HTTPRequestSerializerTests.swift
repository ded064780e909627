import FerryFormats
import Foundation
import Testing

private let url = URL(string: "http://e.com/path")!

@Suite("Form request serializer")
struct HTTPRequestSerializerTests {
    private let serializer = HTTPRequestSerializer()

    private func request(_ method: HTTPMethod, _ string: String = "http://e.com/path") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: string)))
        request.httpMethod = method.rawValue
        return request
    }

    @Test(
        "GET, HEAD and DELETE put parameters into the URL, and set no body or type",
        arguments: ["GET", "HEAD", "DELETE", "get"]
    )
    func uri(method: String) throws {
        let result = try serializer.serialize(request(HTTPMethod(method)), parameters: ["b": "x y", "a": 1])
        #expect(result.url?.absoluteString == "http://e.com/path?a=1&b=x%20y")
        #expect(result.httpBody == nil)
        #expect(result.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test(
        "The parameters follow an existing query and precede the fragment",
        arguments: [
            ("http://e.com", "http://e.com?k=v"),
            ("http://e.com/", "http://e.com/?k=v"),
            ("http://e.com/?", "http://e.com/?k=v"),
            ("http://e.com/?a=1", "http://e.com/?a=1&k=v"),
            ("http://e.com/?a=1&", "http://e.com/?a=1&k=v"),
            ("http://e.com/p#f", "http://e.com/p?k=v#f"),
            ("http://e.com/p?a=1#f", "http://e.com/p?a=1&k=v#f"),
            ("http://e.com/p#f?x", "http://e.com/p?k=v#f?x"),
            ("http://e.com/p?a=%20b%2B", "http://e.com/p?a=%20b%2B&k=v"),
        ]
    )
    func append(url: String, expected: String) throws {
        #expect(try serializer.serialize(request(.get, url), parameters: ["k": "v"]).url?.absoluteString == expected)
    }

    @Test("Parameters without values leave the URL unchanged", arguments: [nil, [:], ["a": []]] as [Parameters?])
    func noTrailingQuestionMark(parameters: Parameters?) throws {
        #expect(try serializer.serialize(request(.get), parameters: parameters).url == url)
    }

    @Test(
        "Other methods get a form body",
        arguments: [.post, .put, .patch, .options, .query, "PROPFIND"] as [HTTPMethod]
    )
    func body(method: HTTPMethod) throws {
        let result = try serializer.serialize(request(method), parameters: ["b": ["x", "y"], "a": "ü"])
        #expect(result.httpBody == Data("a=%C3%BC&b%5B%5D=x&b%5B%5D=y".utf8))
        #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(result.url == url)
    }

    @Test("Without parameters the form is empty", arguments: [nil, [:]] as [Parameters?])
    func emptyBody(parameters: Parameters?) throws {
        let result = try serializer.serialize(request(.post), parameters: parameters)
        #expect(result.httpBody == Data())
        #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    }

    @Test("An existing body is kept without parameters, and replaced by parameters")
    func existingBody() throws {
        var request = try request(.post)
        request.httpBody = Data("own".utf8)
        let kept = try serializer.serialize(request, parameters: nil)
        #expect(kept.httpBody == Data("own".utf8))
        #expect(kept.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(try serializer.serialize(request, parameters: ["a": 1]).httpBody == Data("a=1".utf8))
    }

    @Test("The request's own headers take precedence over the defaults, whatever their case")
    func headerPrecedence() throws {
        var serializer = serializer
        serializer.headers = ["X-A": "default", "x-b": "default"]
        serializer.headers.add("X-B", "second")
        var request = try request(.post)
        request.setValue("own", forHTTPHeaderField: "x-a")
        request.setValue("text/own", forHTTPHeaderField: "content-type")
        let result = try serializer.serialize(request, parameters: ["a": 1])
        #expect(result.value(forHTTPHeaderField: "X-A") == "own")
        #expect(result.value(forHTTPHeaderField: "X-B") == "default, second")
        #expect(result.value(forHTTPHeaderField: "Content-Type") == "text/own")
    }

    @Test("Default headers are set unless removed")
    func defaultHeaders() throws {
        let result = try serializer.serialize(request(.get), parameters: nil)
        #expect(result.value(forHTTPHeaderField: "User-Agent") == HTTPHeaders.default["User-Agent"])
        let bare = HTTPRequestSerializer(options: RequestOptions { options in options.headers = [] })
        #expect(try bare.serialize(request(.get), parameters: nil).allHTTPHeaderFields ?? [:] == [:])
    }

    @Test("The methods that use the URL are configurable")
    func methods() throws {
        let serializer = HTTPRequestSerializer.form { options in options.methodsEncodingParametersInURI = [.post] }
        #expect(try serializer.serialize(request("post"), parameters: ["a": 1]).url?.query == "a=1")
        let get = try serializer.serialize(request(.get), parameters: ["a": 1])
        #expect(get.url == url)
        #expect(get.httpBody == Data("a=1".utf8))
    }

    @Test("A custom query serializer makes URL and body, and its error is rethrown")
    func ownQuery() throws {
        struct Refusal: Error, Equatable {}
        var serializer = serializer
        serializer.querySerializer = { request, parameters in "m=\(request.httpMethod ?? "")" }
        #expect(try serializer.serialize(request(.get), parameters: ["a": 1]).url?.query == "m=GET")
        #expect(try serializer.serialize(request(.post), parameters: [:]).httpBody == Data("m=POST".utf8))
        #expect(try serializer.serialize(request(.post), parameters: nil).httpBody == Data())
        serializer.querySerializer = { _, _ in "sp ace \"é\"" }
        #expect(
            try serializer.serialize(request(.get), parameters: [:]).url?.absoluteString
                == "http://e.com/path?sp%20ace%20%22%C3%A9%22"
        )
        serializer.querySerializer = { _, _ in throw Refusal() }
        #expect(throws: Refusal()) { try serializer.serialize(request(.get), parameters: [:]) }
    }

    @Test("A legacy encoding applies to bodies only, and text it lacks is an error with the URL")
    func stringEncoding() throws {
        var serializer = serializer
        serializer.stringEncoding = .isoLatin1
        #expect(try serializer.serialize(request(.post), parameters: ["a": "é"]).httpBody == Data("a=%E9".utf8))
        #expect(try serializer.serialize(request(.get), parameters: ["a": "é"]).url?.query == "a=%C3%A9")
        let error = try #require(throws: RequestSerializationError.self) {
            try serializer.serialize(request(.post), parameters: ["a": "日"])
        }
        #expect(error.code == .unencodableText)
        #expect(error.failingURL == url.absoluteString)
        serializer.querySerializer = { _, _ in "日" }
        #expect(throws: RequestSerializationError.self) {
            try serializer.serialize(request(.post), parameters: ["a": 1])
        }
    }

    @Test("A request without a URL is an error, not a trap, for every serializer")
    func noURL() throws {
        var request = try request(.post)
        request.url = nil
        let shared = request
        let serializers: [any RequestSerializer] = [.form, .json, .propertyList]
        for serializer in serializers {
            let error = try #require(throws: RequestSerializationError.self) {
                try serializer.serialize(request, parameters: ["a": 1])
            }
            #expect(error.code == .invalidURL)
        }
        var form = MultipartFormData()
        form.append("x", name: "x")
        #expect(throws: RequestSerializationError.self) { try form.apply(to: request) }
        #expect(shared.url == nil)
    }

    @Test("Invalid default headers are an error")
    func invalidHeaders() throws {
        var serializer = serializer
        serializer.headers["X"] = "a\r\nY: b"
        let error = try #require(throws: RequestSerializationError.self) {
            try serializer.serialize(request(.get), parameters: nil)
        }
        #expect(error.code == .invalidHeader)
    }

    @Test("The given request is not changed")
    func valueSemantics() throws {
        let request = try request(.post)
        _ = try serializer.serialize(request, parameters: ["a": 1])
        #expect(request.httpBody == nil)
        #expect(request.allHTTPHeaderFields ?? [:] == [:])
    }

    @Test("A copy of a serializer carries all its options")
    func copies() throws {
        var original = serializer
        original.stringEncoding = .isoLatin1
        original.methodsEncodingParametersInURI = []
        original.timeoutInterval = 7
        var copy = original
        copy.timeoutInterval = 8
        #expect(copy.stringEncoding == .isoLatin1)
        #expect(copy.methodsEncodingParametersInURI.isEmpty)
        #expect(original.timeoutInterval == 7)
    }
}
