import FerryCore
import Foundation
import Testing

@testable import FerryFormats

/// The properties of a response are the same before and after its object is made.
@Suite("Responses whose object is not made")
struct UnmadeResponseTests {
    private func response(_ fields: [(String, String)], body: Data? = nil) throws -> TaskResponse<Never> {
        let head = ResponseHead(
            version: "HTTP/1.1",
            status: 404,
            fields: fields.map { ResponseHead.Field(name: $0.0, value: $0.1) }
        )
        let url = try #require(URL(string: "http://example.com/path"))
        let received = ReceivedResponse(head, url: url, isDecoded: false)
        return TaskResponse(request: URLRequest(url: url), received: received, data: body)
    }

    @Test(
        "The content type and its encoding are those of the object",
        arguments: [
            "", " ", "text/html", "Text/HTML", "text/html;charset=UTF-8", "text/html ; charset=\"latin1\"",
            "text/html;Charset=GBK", "text/html, application/json", "text/html;", ";charset=utf-8", "text",
            "\"text/html\"", "text/html;x=\"a;charset=b\"", "text/ht\u{e9}ml", " text/html ", "text/html,", "a,b;c",
            "text/html; charset=", "a/b\u{7f}", "=;=", "text/html;charset=utf-8;charset=latin1",
            "a/" + String(repeating: "b", count: 300), "text/html; x=" + String(repeating: "y", count: 9_000),
        ]
    )
    func contentType(_ value: String) throws {
        for fields in [[("Content-Type", value)], [("content-type", value), ("A", "b"), ("CONTENT-TYPE", "x/y")]] {
            let unmade = try response(fields)
            let made = try #require(try response(fields).httpResponse)
            #expect(unmade.contentType == made.contentType)
            #expect(unmade.declaredEncoding == made.declaredEncoding)
            #expect(unmade.header("content-TYPE") == made.value(forHTTPHeaderField: "content-TYPE"))
            #expect(unmade.statusCode == 404)
        }
    }

    @Test("Fields are found in the same way, also repeated and unreadable ones")
    func fields() throws {
        var fields = [
            ("A", "1"), ("a", "2"), ("x-B", ""), ("not a token", "3"), ("Set-Cookie", "a=b"), ("set-cookie", "c=d"),
            ("WWW-authenticate", "Basic"), ("X-C", "4"), ("x-c", "5"),
            ("Content-Disposition", String(repeating: "y", count: 9_000)),
        ]
        for _ in 0..<2 {
            let made = try #require(try response(fields).httpResponse)
            for name in fields.map(\.0) + ["missing", "", "x-b"] {
                #expect(try response(fields).header(name) == made.value(forHTTPHeaderField: name), "\(name)")
            }
            // More fields than the number up to which they are compared in pairs.
            fields += (0..<40).map { ("field-\($0 % 30)", "\($0)") }
        }
    }

    @Test("A response without a content type, and one that is not HTTP, have what their objects have")
    func others() throws {
        let none = try response([])
        #expect(none.contentType == nil && none.declaredEncoding == nil)
        let url = try #require(URL(string: "data:,x"))
        let other = URLResponse(url: url, mimeType: "Text/Plain", expectedContentLength: 1, textEncodingName: "latin1")
        let response = TaskResponse<Never>(response: other)
        #expect(response.contentType == "text/plain")
        #expect(response.declaredEncoding == other.declaredEncoding)
        #expect(response.statusCode == nil && response.header("a") == nil)
        #expect(response.response === other)
    }

    @Test("A valid response is decoded without its object, and an error has it")
    func serialization() throws {
        let valid = try response([("Content-Type", "application/json")], body: Data("[1]".utf8))
        let serializer = JSONResponseSerializer().accepting(statusCodes: [404])
        #expect(serializer.serialize(valid).value == [1])
        #expect(valid.received?.isMade == false)
        let invalid = try response([("Content-Type", "text/html")], body: Data("[1]".utf8))
        #expect(serializer.serialize(invalid).error?.statusCode == 404)
        #expect(invalid.received?.isMade == true)
    }
}
