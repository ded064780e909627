import Ferry
import Testing

@testable import FerryCommand

@Suite("File names")
struct FileNameTests {
    @Test(
        "The name is the URL's last path component",
        arguments: [
            ("http://a/b/c.zip", "c.zip"), ("http://a/b/c.zip?d=e/f", "c.zip"), ("http://a/b/", "index.html"),
            ("http://a", "index.html"), ("http://a/b%20c", "b c"), ("http://a/..%2f..%2fetc%2fpasswd", "passwd"),
            ("http://a/.bashrc", "bashrc"), ("http://a/%2e%2e", "index.html"), ("http://a/b%0a%1bc", "bc"),
        ]
    )
    func fromURL(_ url: String, _ name: String) throws {
        #expect(FileName.name(in: try #require(URL(string: url))) == name)
    }

    @Test("A name too long for a file system is truncated between characters")
    func isShort() throws {
        let url = try #require(URL(string: "http://a/" + String(repeating: "%c3%bc", count: 300)))
        #expect(FileName.name(in: url) == String(repeating: "ü", count: 115))
    }

    @Test(
        "The server's name takes precedence, and is marked as the server's choice",
        arguments: [
            (nil, "c.zip", false), ("inline", "c.zip", false), ("attachment; filename=\"d.zip\"", "d.zip", true),
            ("attachment; filename=\"c.zip\"", "c.zip", false),
            ("attachment; filename=\"../../d.zip\"", "d.zip", true), ("attachment; filename=\"..\"", "c.zip", false),
            ("attachment; filename*=UTF-8''%e2%82%ac.zip; filename=d.zip", "€.zip", true),
            ("attachment; filename*=UTF-8''..%2Fc.zip", "c.zip", false),
            ("attachment; filename=notes.txt.part", "c.zip", false),
            ("attachment; filename=notes.txt.PART.ferry", "c.zip", false),
            ("attachment; filename=notes.txt.part.ferry.new", "c.zip", false),
            ("attachment; filename=d.iso.segments", "c.zip", false),
            ("attachment; filename=d.iso.Segments.state", "c.zip", false),
            ("attachment; filename=d.iso.segments.state.new", "c.zip", false),
            ("attachment; filename=jar.ferry.new", "c.zip", false),
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
