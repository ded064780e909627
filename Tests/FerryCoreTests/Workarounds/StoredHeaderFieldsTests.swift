import Foundation
import Testing

@testable import FerryCore

@Suite("The stored header fields of responses") struct StoredHeaderFieldsTests {
    private let url = URL(fileURLWithPath: "/a")

    @Test("FoundationNetworking's layout is known, and its property has the expected type") func known() {
        #expect(StoredHeaderFields.known != nil)
        // One that does not exist, and one of another type.
        #expect(StoredHeaderFields(property: "fields") == nil)
        #expect(StoredHeaderFields(property: "statusCode") == nil)
    }

    @Test("A response whose fields are stored is like one that was made with them") func equal() throws {
        let fields = [
            "Content-Type": "text/html; charset=utf-8", "Content-Length": "12", "x-a": "b",
            "Content-Disposition": "attachment; filename=\"b.txt\"", "WWW-Authenticate": "Basic realm=\"a\"",
        ]
        let head = ResponseHead(
            version: "HTTP/1.1",
            status: 401,
            fields: fields.map { ResponseHead.Field(name: $0.key, value: $0.value) }
        )
        let response = try #require(CurlHTTPResponse(url: url, head: head, isDecoded: false))
        let foundation = try #require(
            HTTPURLResponse(url: url, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        #expect(response.allHeaderFields as? [String: String] == fields)
        #expect(foundation.allHeaderFields as? [String: String] == fields)
        #expect(response.mimeType == foundation.mimeType)
        #expect(response.textEncodingName == foundation.textEncodingName)
        #expect(response.expectedContentLength == foundation.expectedContentLength)
        #expect(response.suggestedFilename == foundation.suggestedFilename)
        for name in ["content-type", "CONTENT-LENGTH", "X-A", "www-authenticate", "absent"] {
            #expect(response.value(forHTTPHeaderField: name) == foundation.value(forHTTPHeaderField: name))
        }
        #expect(response.hash == foundation.hash)
        #expect(response.isEqual(foundation) && foundation.isEqual(response))
    }

    @Test("A response with stored fields has them after it was archived") func archived() throws {
        let field = ResponseHead.Field(name: "etag", value: "\"1\"")
        let head = ResponseHead(version: "HTTP/1.1", status: 200, fields: [field])
        let response = try #require(CurlHTTPResponse(url: url, head: head, isDecoded: false))
        let data = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPURLResponse.self, from: data))
        #expect(copy.allHeaderFields as? [String: String] == ["Etag": "\"1\""])
        #expect(copy.statusCode == 200)
    }

    @Test("The fields are released with the response, and with no other one") func released() throws {
        weak var weakResponse: CurlHTTPResponse?
        let long = String(repeating: "v", count: 1_000)
        for _ in 0..<1_000 {
            let head = ResponseHead(version: "HTTP/1.1", status: 200, fields: [.init(name: "A", value: long)])
            let response = try #require(CurlHTTPResponse(url: url, head: head, isDecoded: false))
            weakResponse = response
            let copy = try #require(CurlHTTPResponse(response, url: url, without: "A"))
            #expect(response.value(forHTTPHeaderField: "a") == long && copy.allHeaderFields.isEmpty)
        }
        #expect(weakResponse == nil)
    }
}
