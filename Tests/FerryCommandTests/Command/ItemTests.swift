import FerryTesting
import Foundation
import Testing

@Suite(
    "Requests with items",
    .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"),
    .timeLimit(.minutes(5))
)
struct ItemTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
        try folder.file("note", "a \"note\"\n")
        try folder.file("data.json", "[1, 2]")
        try folder.file("photo.png", "not really a photo")
    }

    private func send(_ arguments: String...) async throws -> LoopbackRequest {
        let arguments = arguments.map { $0.replacing("{}", with: "http://127.0.0.1:\(server.port)") }
        let outcome = try await FerryProcess.run(["-s"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(server.requests.last)
    }

    @Test("Items are a JSON object in their order, and a POST")
    func json() async throws {
        let request = try await send(
            "{}/echo",
            "name=Ada \"L.\"",
            "age:=36",
            "note=@note",
            "list:=@data.json",
            "X-Trace:1",
            "page==2 3",
            "age:=37"
        )
        #expect(request.method == "POST" && request.target == "/echo?page=2+3")
        #expect(request.bodyText == #"{"name":"Ada \"L.\"","age":37,"note":"a \"note\"\n","list":[1, 2]}"#)
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Accept") == "application/json, */*;q=0.5")
        #expect(request.header("X-Trace") == "1")
    }

    @Test("The byte order mark of a file of JSON is not sent") func mark() async throws {
        try folder.file("data.json", "\u{FEFF}[1]")
        #expect(try await send("{}/echo", "list:=@data.json").bodyText == #"{"list":[1]}"#)
    }

    @Test("Items that are no data leave a GET, and a method word precedes all defaults")
    func methods() async throws {
        let get = try await send("{}/echo?a=b", "q==c&d", "User-Agent:", "Accept:text/x")
        #expect(get.method == "GET" && get.target == "/echo?a=b&q=c%26d" && get.bodyLength == 0)
        #expect(get.header("User-Agent") == nil && get.header("Accept") == "text/x")
        let put = try await send("PUT", ":\(server.port)/echo", "a=b")
        #expect(
            put.method == "PUT" && put.bodyText == #"{"a":"b"}"# && put.header("Host") == "localhost:\(server.port)"
        )
        #expect(try await send("DELETE", "{}/echo").method == "DELETE")
    }

    @Test("--as-form sends a form, and a file makes the form a multipart one")
    func forms() async throws {
        let form = try await send("--as-form", "{}/echo", "a b=c&d", "note=@note", "x[y]=z")
        #expect(form.bodyText == "a+b=c%26d&note=a+%22note%22%0A&x%5By%5D=z")
        #expect(form.header("Content-Type") == "application/x-www-form-urlencoded")
        let parts = try #require(try await send("{}/echo", "title=Ada", "photo@photo.png;type=image/x").multipartParts)
        #expect(parts.map(\.name) == ["title", "photo"] && parts.map(\.filename) == [nil, "photo.png"])
        #expect(parts.map(\.text) == ["Ada", "not really a photo"])
        #expect(parts.last?.headers["Content-Type"] == "image/x")
    }

    @Test("A file that is missing or not JSON is named, and nothing is sent")
    func files() async throws {
        for (item, text) in [
            ("a:=@note", "note: it is not JSON"), ("a=@missing", "missing: "), ("a@missing", "missing: "),
        ] {
            let outcome = try await FerryProcess.run([server.url("/echo").absoluteString, item], in: folder)
            #expect(outcome.status == 23 && outcome.errors.hasPrefix("ferry: \(text)"), "\(outcome.errors)")
        }
        #expect(server.connectionCount == 0)
    }

    @Test("-v prints what is sent, redirects included, without secrets")
    func verbose() async throws {
        let outcome = try await FerryProcess.run(
            ["-v", server.url("/redirect-to?url=/echo&status=307").absoluteString, "token=s3cret", "X-Api-Key:s3cret"],
            in: folder
        )
        let lines = outcome.errorLines.filter { $0.hasPrefix("> ") }
        #expect(!outcome.errors.contains("s3cret"))
        #expect(lines.filter { $0.hasPrefix("> POST http://") }.count == 2)
        let sent = try #require(server.requests.last)
        for field in sent.headers where !["content-length", "x-api-key"].contains(field.name.lowercased()) {
            #expect(lines.filter { $0 == "> \(field.name): \(field.value)" }.count == 2, "\(field)")
        }
        #expect(lines.filter { $0 == "> X-Api-Key: …" }.count == 2)
    }
}
