import Ferry
import Testing

@testable import FerryCommand

@Suite("Names of files")
struct FileNameTests {
    @Test(
        "The URL's last part is the name",
        arguments: [
            ("http://a/b/c.zip", "c.zip"), ("http://a/b/c.zip?d=e/f", "c.zip"), ("http://a/b/", "index.html"),
            ("http://a", "index.html"), ("http://a/b%20c", "b c"), ("http://a/..%2f..%2fetc%2fpasswd", "passwd"),
            ("http://a/.bashrc", "bashrc"), ("http://a/%2e%2e", "index.html"), ("http://a/b%0a%1bc", "bc"),
        ]
    )
    func fromURL(_ url: String, _ name: String) throws {
        #expect(FileName.name(in: try #require(URL(string: url))) == name)
    }

    @Test("A name is cut where no file system could hold it, between characters")
    func isShort() throws {
        let url = try #require(URL(string: "http://a/" + String(repeating: "%c3%bc", count: 300)))
        #expect(FileName.name(in: url) == String(repeating: "ü", count: 120))
    }

    @Test(
        "The server's choice counts, and is known as such",
        arguments: [
            (nil, "c.zip", false), ("inline", "c.zip", false), ("attachment; filename=\"d.zip\"", "d.zip", true),
            ("attachment; filename=\"c.zip\"", "c.zip", false),
            ("attachment; filename=\"../../d.zip\"", "d.zip", true), ("attachment; filename=\"..\"", "c.zip", false),
            ("attachment; filename*=UTF-8''%e2%82%ac.zip; filename=d.zip", "€.zip", true),
            ("attachment; filename*=UTF-8''..%2Fc.zip", "c.zip", false),
        ]
    )
    func choice(_ disposition: String?, _ name: String, _ isServers: Bool) throws {
        let url = try #require(URL(string: "http://a/b/c.zip"))
        let fields = disposition.map { ["Content-Disposition": $0] } ?? [:]
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)
        )
        #expect(FileName.choose(url, response) == .init(name: name, isServersChoice: isServers))
    }
}
