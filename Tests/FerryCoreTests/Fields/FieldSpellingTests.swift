import Foundation
import Testing

@testable import FerryCore

@Suite("The spelling of field names") struct FieldSpellingTests {
    /// Returns a name as FoundationNetworking spells it.
    private func ofFoundation(_ name: String) throws -> String? {
        let url = try #require(URL(string: "http://localhost/"))
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: [name: "v"])
        return response?.allHeaderFields.keys.first as? String
    }

    @Test(
        "Names are spelled as FoundationNetworking spells them",
        arguments: [
            ("content-type", "Content-Type"), ("CONTENT-TYPE", "Content-Type"), ("Content-Type", "Content-Type"),
            ("ETag", "Etag"), ("www-authenticate", "WWW-Authenticate"), ("Www-Authenticate", "WWW-Authenticate"),
            ("x-request-ID", "x-request-ID"), ("X-request-ID", "X-request-ID"), ("DNT", "Dnt"), ("p3p", "P3P"),
            ("a_b.c2d", "A_B.C2D"), ("i'm", "I'm"), ("x", "X"), ("-", "-"),
        ]
    )
    func names(_ name: String, _ spelled: String) throws {
        #expect(FieldSpelling.spelled(name) == spelled)
        #expect(try ofFoundation(name) == spelled)
        #expect(FieldSpelling.spelled(spelled) == spelled)
    }

    @Test("Any token is spelled as FoundationNetworking spells it") func tokens() throws {
        let characters = Array("!#$%&'*+-.^_`|~0189ABCIKSXYZabciksxyz--xX".utf8)
        var generator = SeededGenerator(7)
        for _ in 0..<5_000 {
            let count = Int.random(in: 1...12, using: &generator)
            let bytes = (0..<count).map { _ in characters[Int.random(in: characters.indices, using: &generator)] }
            let name = String(decoding: bytes, as: UTF8.self)
            #expect(try FieldSpelling.spelled(name) == ofFoundation(name))
        }
    }
}
