import FerryFormats
import Foundation
import Testing

@Suite("HTTP methods")
struct HTTPMethodTests {
    @Test("Standard methods have their names")
    func names() {
        let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect, .query]
        let names = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY"]
        #expect(methods.map(\.rawValue) == names)
    }

    @Test("Any token is a method, and case distinguishes methods")
    func openVocabulary() {
        #expect(("PROPFIND" as HTTPMethod).isValid)
        #expect(HTTPMethod("get") != .get)
    }

    @Test("Only a token is a valid method", arguments: ["", "GE T", "GET\r\nX: y", "GÉT", "GET/", "a\u{0}"])
    func invalid(name: String) {
        #expect(!HTTPMethod(name).isValid)
    }

    @Test("Safety and idempotence follow RFC 9110 and the RFCs of WebDAV")
    func properties() {
        #expect(HTTPMethod.query.isSafe)
        #expect(HTTPMethod.query.isIdempotent)
        #expect(!HTTPMethod.put.isSafe)
        #expect(HTTPMethod.put.isIdempotent)
        #expect(HTTPMethod.delete.isIdempotent)
        #expect(HTTPMethod("REPORT").isSafe)
        #expect(HTTPMethod("MKCOL").isIdempotent)
        #expect(!HTTPMethod("MKCOL").isSafe)
        #expect(!HTTPMethod.post.isIdempotent)
        #expect(!HTTPMethod.patch.isIdempotent)
    }
}
