import Foundation
import Testing

@testable import FerryCommand

@Suite("Percent-encoded text")
struct QueryTextTests {
    @Test(
        "Separators and escapes are kept, and what a URL cannot contain is encoded",
        arguments: [
            ("a=b&c=d", "a=b&c=d"), ("a=100%", "a=100%25"), ("%", "%25"), ("%z", "%25z"), ("%4", "%254"),
            ("%41%", "%41%25"), ("%%41", "%25%41"), ("a b", "a+b"), ("é", "%C3%A9"), ("a#b", "a%23b"), ("", ""),
        ]
    )
    func query(_ text: String, _ expected: String) throws {
        #expect(QueryText.query(text.utf8) == expected)
        let url = try #require(URL(string: "http://a/?x=1"))
        let added = QueryText.adding(QueryText.query(text.utf8), to: url)
        #expect(added.absoluteString == "http://a/?x=1" + (text.isEmpty ? "" : "&" + expected))
    }

    @Test("In a component of a path, all but letters, digits and four marks is encoded")
    func component() {
        #expect(QueryText.component("Az09-._~ +/%é&".utf8) == "Az09-._~%20%2B%2F%25%C3%A9%26")
    }
}
