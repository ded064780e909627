import FerryCore
import Foundation
import Testing

@Suite struct ReceivedResponseTests {
    private func response() throws -> ReceivedResponse {
        let head = ResponseHead(
            version: "HTTP/1.1",
            status: 404,
            fields: [.init(name: "Content-Length", value: "12"), .init(name: "content-type", value: "text/plain")]
        )
        return ReceivedResponse(head, url: try #require(URL(string: "http://localhost/a")), isDecoded: false)
    }

    @Test("The length is known before the response object is made, and the same afterwards") func length() throws {
        let received = try response()
        #expect(received.expectedLength == 12)
        #expect(received.value.expectedContentLength == 12)
        let http = try #require(received.value as? HTTPURLResponse)
        #expect(http.statusCode == 404)
        #expect(http.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    }

    @Test(
        "The character encoding is found in every spelling",
        arguments: [
            ("text/html; charset=UTF-8", "utf-8"), ("text/html ; Charset=iso-8859-1", "iso-8859-1"),
            ("text/html;CHARSET=\"GBK\"; x=y", "gbk"), ("text/html", nil), ("text/html; charset=", nil),
            ("text/html; x=\"charset=a\"", nil),
        ] as [(String, String?)]
    )
    func charset(_ field: String, _ charset: String?) throws {
        let fields = [ResponseHead.Field(name: "content-type", value: field)]
        let head = ResponseHead(version: "HTTP/1.1", status: 200, fields: fields)
        let url = try #require(URL(string: "http://localhost/a"))
        let response = ReceivedResponse(head, url: url, isDecoded: false).value
        #expect(response.textEncodingName == charset)
        #expect(response.mimeType == "text/html")
    }

    @Test(
        "Of several content types, the last one counts",
        arguments: [
            (["application/json", "application/json"], "application/json", nil),
            (["text/html;charset=gbk", "application/json"], "application/json", nil),
            (["application/json", "text/html ; charset=gbk"], "text/html", "gbk"),
            (["text/html;charset=gbk, Text/Plain"], "text/plain", nil),
            (["text/html", "nonsense"], "text/html", nil), (["text/html, */*"], "text/html", nil),
            (["text/html;x=\", text/plain\"", ""], "text/html", nil),
            (["text/html;charset=\"gbk\"", "text/html;charset=utf-8"], "text/html", "utf-8"),
            (["nonsense", "more"], "nonsense, more", nil), (["text/html;x=a,b;charset=gbk"], "text/html", "gbk"),
        ] as [([String], String, String?)]
    )
    func severalTypes(_ values: [String], _ type: String, _ charset: String?) throws {
        let fields = values.map { ResponseHead.Field(name: "content-type", value: $0) }
        let head = ResponseHead(version: "HTTP/1.1", status: 200, fields: fields)
        let url = try #require(URL(string: "http://localhost/a"))
        let response = ReceivedResponse(head, url: url, isDecoded: false).value
        #expect(response.mimeType == type)
        #expect(response.textEncodingName == charset)
        let joined = (response as? HTTPURLResponse)?.allHeaderFields["Content-Type"] as? String
        #expect(joined == values.joined(separator: ", "))
    }

    @Test("Concurrent access and early creation yield one object") func oneObject() async throws {
        for _ in 0..<50 {
            let received = try response()
            let seen = await withTaskGroup(of: ObjectIdentifier?.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        if index.isMultiple(of: 2) { received.prebuild() }
                        return ObjectIdentifier(received.value)
                    }
                }
                var seen: Set<ObjectIdentifier?> = []
                for await identity in group { seen.insert(identity) }
                return seen
            }
            #expect(seen == [ObjectIdentifier(received.value)])
        }
    }

    @Test("An existing response is returned unchanged") func given() throws {
        let url = try #require(URL(string: "data:,x"))
        let given = URLResponse(url: url, mimeType: "text/plain", expectedContentLength: 1, textEncodingName: nil)
        let received = ReceivedResponse(given)
        received.prebuild()
        #expect(received.value === given)
        #expect(received.expectedLength == 1)
    }
}
