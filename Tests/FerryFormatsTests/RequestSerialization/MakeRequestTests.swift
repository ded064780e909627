import FerryFormats
import Foundation
import Testing

@Suite("Making requests")
struct MakeRequestTests {
    private let url = URL(string: "http://e.com/path")!

    @Test("A request is made from its parts")
    func parts() throws {
        let request = try HTTPRequestSerializer.form.makeRequest(
            method: .post,
            url: url,
            parameters: ["a": 1],
            headers: ["X-A": "b"]
        )
        #expect(request.httpMethod == "POST")
        #expect(request.url == url)
        #expect(request.httpBody == Data("a=1".utf8))
        #expect(request.value(forHTTPHeaderField: "X-A") == "b")
    }

    @Test("Headers of the request replace defaults and those set by serialization")
    func headersLast() throws {
        var serializer = JSONRequestSerializer()
        serializer.headers["X-A"] = "default"
        let request = try serializer.makeRequest(
            method: .post,
            url: url,
            parameters: ["a": 1],
            headers: ["content-type": "application/vnd.api+json", "x-a": "1", "X-A": "2", "user-agent": "me"]
        )
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
        #expect(request.value(forHTTPHeaderField: "X-A") == "1, 2")
        #expect(request.value(forHTTPHeaderField: "User-Agent") == "me")
    }

    @Test("Header names keep the case they were given")
    func nameCase() throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers = ["x-lower": "1"]
        let request = try serializer.makeRequest(method: .get, url: url, headers: ["X-API-key": "2", "X-LOWER": "3"])
        #expect(request.allHTTPHeaderFields == ["X-API-key": "2", "X-LOWER": "3"])
    }

    @Test("Properties that were not set keep their defaults")
    func untouched() throws {
        let plain = URLRequest(url: url)
        let request = try HTTPRequestSerializer.form.makeRequest(method: .get, url: url)
        #expect(request.timeoutInterval == plain.timeoutInterval)
        #expect(request.cachePolicy == plain.cachePolicy)
        #expect(request.allowsCellularAccess == plain.allowsCellularAccess)
        #expect(request.httpShouldHandleCookies == plain.httpShouldHandleCookies)
        #expect(request.networkServiceType == plain.networkServiceType)
        #expect(pipelining(of: request) == pipelining(of: plain))
    }

    @Test("Only the properties that were set change the request")
    func properties() throws {
        let plain = URLRequest(url: url)
        let timeout = try HTTPRequestSerializer.form { $0.timeoutInterval = 7 }.makeRequest(method: .get, url: url)
        #expect(timeout.timeoutInterval == 7)
        #expect(timeout.cachePolicy == plain.cachePolicy)
        let all = try JSONRequestSerializer.json { options in
            options.cachePolicy = .reloadIgnoringLocalCacheData
            options.allowsCellularAccess = !plain.allowsCellularAccess
            options.httpShouldHandleCookies = !plain.httpShouldHandleCookies
            options.httpShouldUsePipelining = !pipelining(of: plain)
            options.networkServiceType = .background
        }.makeRequest(method: .get, url: url)
        #expect(all.timeoutInterval == plain.timeoutInterval)
        #expect(all.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(all.allowsCellularAccess != plain.allowsCellularAccess)
        #expect(all.httpShouldHandleCookies != plain.httpShouldHandleCookies)
        #expect(pipelining(of: all) != pipelining(of: plain))
        #expect(all.networkServiceType == .background)
    }

    @Test("Methods keep their spelling, and a method that is not a token is refused")
    func methods() throws {
        let form = HTTPRequestSerializer.form
        #expect(try form.makeRequest(method: "PROPFIND", url: url).httpMethod == "PROPFIND")
        #expect(try form.makeRequest(method: .query, url: url, parameters: ["a": 1]).httpBody == Data("a=1".utf8))
        let error = try #require(throws: RequestSerializationError.self) {
            try form.makeRequest(method: "GET / HTTP/1.1\r\nX: y", url: url)
        }
        #expect(error.code == .invalidMethod)
    }

    @Test("Invalid headers of a request are refused")
    func invalidHeader() throws {
        let error = try #require(throws: RequestSerializationError.self) {
            try HTTPRequestSerializer.form.makeRequest(method: .get, url: url, headers: ["X": "a\nb"])
        }
        #expect(error.code == .invalidHeader)
    }

    @Test("A URL relative to another becomes absolute")
    func relative() throws {
        let relative = try #require(URL(string: "x?a=1", relativeTo: URL(string: "http://e.com/y/")))
        let request = try HTTPRequestSerializer.form.makeRequest(method: .get, url: relative, parameters: ["b": 2])
        #expect(request.url?.absoluteString == "http://e.com/y/x?a=1&b=2")
    }

    @Test("A custom serializer needs one function, and sets no headers")
    func ownSerializer() throws {
        struct Plain: RequestSerializer {
            func serialize(_ request: URLRequest, parameters: Parameters?) throws -> URLRequest { request }
        }
        let request = try Plain().makeRequest(method: .post, url: url, headers: ["A": "b"])
        #expect(request.allHTTPHeaderFields == ["A": "b"])
    }

    @Test("Multipart requests put parameters first and keep other headers")
    func multipart() throws {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .isoLatin1
        let request = try serializer.makeMultipartRequest(
            method: .put,
            url: url,
            parameters: ["b": ["é"], "a": nil, "d": Data([0xFF]), "n": ["k": true]],
            headers: ["X": "y", "Content-Type": "text/plain"]
        ) { form in
            form.append("last", name: "z")
        }
        let stream = try #require(request.httpBodyStream as? MultipartInputStream)
        let boundary = stream.form.boundary
        let lines = try bytes(of: stream).split(separator: Data("--\(boundary)".utf8))
        let expected: [Data] = [
            Data("\r\nContent-Disposition: form-data; name=\"b[]\"\r\n\r\n".utf8) + [0xE9] + Data("\r\n".utf8),
            Data("\r\nContent-Disposition: form-data; name=\"d\"\r\n\r\n".utf8) + [0xFF] + Data("\r\n".utf8),
            Data("\r\nContent-Disposition: form-data; name=\"n[k]\"\r\n\r\n1\r\n".utf8),
            Data("\r\nContent-Disposition: form-data; name=\"z\"\r\n\r\nlast\r\n".utf8),
            Data("--\r\n".utf8),
        ]
        #expect(lines.map { Data($0) } == expected)
        #expect(request.value(forHTTPHeaderField: "X") == "y")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "multipart/form-data; boundary=\(boundary)")
        #expect(request.httpMethod == "PUT")
    }

    @Test("Without parts, a multipart request is a plain request")
    func noParts() throws {
        let request = try HTTPRequestSerializer.form.makeMultipartRequest(url: url) { _ in }
        #expect(request.httpBodyStream == nil)
        #expect(request.httpBody == Data())
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.value(forHTTPHeaderField: "Content-Length") == nil)
    }

    @Test("GET and HEAD carry no parts", arguments: [.get, .head] as [HTTPMethod])
    func noBody(method: HTTPMethod) throws {
        let error = try #require(throws: RequestSerializationError.self) {
            try HTTPRequestSerializer.form.makeMultipartRequest(method: method, url: url) { _ in }
        }
        #expect(error.code == .invalidMethod)
    }

    @Test("An error of the closure that adds parts is rethrown")
    func closureError() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) {
            try HTTPRequestSerializer.form.makeMultipartRequest(url: url) { _ in throw Refusal() }
        }
    }

    private func pipelining(of request: some Pipelining) -> Bool { request.httpShouldUsePipelining }
}

private protocol Pipelining {
    var httpShouldUsePipelining: Bool { get }
}

extension URLRequest: Pipelining {}
