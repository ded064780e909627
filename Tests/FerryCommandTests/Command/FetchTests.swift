import FerryTesting
import Foundation
import Testing

@Suite("Fetching", .enabled(if: FerryProcess.isBuilt, "ferry is not built next to the tests"), .timeLimit(.minutes(5)))
struct FetchTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
    }

    private func ferry(_ arguments: String..., input: String? = nil) async throws -> FerryProcess.Outcome {
        try await FerryProcess.run(arguments, in: folder, input: input)
    }

    private func url(_ target: String) -> String {
        server.url(target).absoluteString
    }

    private func echo(_ outcome: FerryProcess.Outcome) throws -> LoopbackEcho {
        try JSONDecoder().decode(LoopbackEcho.self, from: outcome.output)
    }

    // MARK: - Output

    @Test("A body is written unchanged to standard output, and nothing to standard error")
    func standardOutput() async throws {
        let outcome = try await ferry(url("/bytes/3000000"))
        #expect(outcome.status == 0)
        #expect(SHA256Hash.hash(outcome.output).hexadecimal == LoopbackServer.patternSHA256(count: 3_000_000))
        #expect(outcome.errors.isEmpty)
    }

    @Test("-o writes the whole file, and -s prints nothing about it")
    func output() async throws {
        let outcome = try await ferry("-so", "x.bin", url("/bytes/2000000"))
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty && outcome.errors.isEmpty)
        #expect(folder.names == ["x.bin"])
        let digest = folder.data("x.bin").map { SHA256Hash.hash($0).hexadecimal }
        #expect(digest == LoopbackServer.patternSHA256(count: 2_000_000))
    }

    @Test("A file requests the identity coding; standard output requests a coding and decodes it")
    func codings() async throws {
        _ = try await ferry("-so", "x", url("/echo"))
        #expect(server.requests.last?.header("Accept-Encoding") == "identity")
        let outcome = try await ferry(url("/gzip?bytes=50000"))
        #expect(outcome.output == LoopbackServer.pattern(count: 50_000))
        #expect(server.requests.last?.header("Accept-Encoding")?.contains("gzip") == true)
    }

    @Test("An existing file is replaced in one step, also through a link, and a device is written to directly")
    func existingFiles() async throws {
        try folder.file("x", "old")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "x")
        #expect(try await ferry("-so", "link", url("/bytes/5")).status == 0)
        #expect(folder.names == ["link", "x"])
        #expect(folder.data("x") == LoopbackServer.pattern(count: 5))
        let format = ["-w", "%{filename_effective}"]
        let named = try await FerryProcess.run(["-so", "link", url("/bytes/5")] + format, in: folder)
        #expect(named.text == "link")
        try FileManager.default.removeItem(at: folder.file("x"))
        #expect(try await ferry("-so", "link", url("/bytes/5")).status == 0)
        #expect(folder.names == ["link", "x"] && folder.data("x")?.count == 5)
        #expect(try await ferry("-so", "/dev/null", url("/bytes/5")).status == 0)
        #expect(!FileManager.default.fileExists(atPath: "/dev/null.part"))
    }

    @Test("-O takes the URL's last path component, or a safe form of the name the server suggests")
    func remoteName() async throws {
        #expect(try await ferry("-sO", url("/bytes/7?x=/y")).status == 0)
        #expect(folder.names == ["7"])
        let field = "attachment;%20filename=%22../../.evil.txt%22"
        #expect(try await ferry("-sO", url("/response-headers?Content-Disposition=\(field)")).status == 0)
        #expect(folder.names == ["7", "evil.txt"])
        let again = try await ferry("-sO", url("/response-headers?Content-Disposition=\(field)"))
        #expect(again.status == 23)
        #expect(again.errors.contains("evil.txt: the server chose a name that already exists"))
    }

    @Test("Several URLs are saved to files in parallel, or written to standard output one after the other")
    func several() async throws {
        let urls = (1...6).map { url("/bytes/\($0)000") }
        let outcome = try await FerryProcess.run(["-s", "-P", "3", "-O", "-o", "second"] + urls, in: folder)
        #expect(outcome.status == 0)
        #expect(folder.names == ["1000", "3000", "4000", "5000", "6000", "second"])
        #expect(folder.data("second")?.count == 2_000)
        let all = try await FerryProcess.run(["-P", "3"] + urls, in: folder)
        #expect(all.output == (1...6).reduce(into: Data()) { $0 += LoopbackServer.pattern(count: $1 * 1000) })
    }

    @Test("-i writes the head before the body, -I only the head")
    func heads() async throws {
        let both = try await ferry("-i", url("/response-headers?A=b"))
        #expect(both.text.hasPrefix("HTTP/1.1 200 "))
        #expect(both.text.contains("\r\nA: b\r\n"))
        #expect(both.text.hasSuffix("\r\n\r\nok\n"))
        let head = try await ferry("-I", url("/bytes/1000"))
        #expect(server.requests.last?.method == "HEAD")
        #expect(head.text.contains("Content-Length: 1000\r\n"))
        #expect(head.text.hasSuffix("\r\n\r\n"))
    }

    @Test("A file stays as it is if the server responds that it is not modified", arguments: [true, false])
    func unmodified(_ hasLength: Bool) async throws {
        let server = try LoopbackServer { _ in
            .status(304, headers: hasLength ? ["ETag": "v1", "Content-Length": "100"] : ["ETag": "v1"])
        }
        try folder.file("kept", "contents")
        for arguments in [["-so", "kept"], ["-sO"]] {
            let address = server.url("/kept").absoluteString
            let outcome = try await FerryProcess.run(arguments + ["-H", "If-None-Match: v1", address], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(folder.text("kept") == "contents")
        }
        #expect(folder.names == ["kept"])
    }

    @Test("The length of a body that is not sent is no error")
    func withoutBody() async throws {
        let outcome = try await ferry("-s", "-X", "HEAD", "-o", "head", url("/bytes/1000"))
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("A file that is replaced keeps its permissions, also those of the partial file")
    func permissions() async throws {
        func mode(_ name: String) throws -> Int? {
            let path = folder.url.appendingPathComponent(name).path
            return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        try folder.file("token", "old")
        let path = folder.url.appendingPathComponent("token").path
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let broken = try LoopbackServer {
            .resource(.pattern(count: 1_000), etag: "v1", for: $0).faulted(.truncate(afterBodyBytes: 500))
        }
        let failed = try await ferry("-s", "-o", "token", broken.url.absoluteString)
        #expect(failed.status != 0)
        #expect(try mode("token.part") == 0o600)
        #expect(try await ferry("-s", "-o", "token", url("/bytes/10")).status == 0)
        #expect(try mode("token") == 0o600)
    }

    @Test("A file is saved with a content coding that was not asked for")
    func coding() async throws {
        let server = try LoopbackServer { _ in .data(Data("packed".utf8)).adding("Content-Encoding", "x-gzip") }
        let outcome = try await ferry("-s", "-o", "f.tar.gz", server.url.absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(folder.text("f.tar.gz") == "packed")
    }

    @Test("-v prints request, response and timings, but no password")
    func verbose() async throws {
        let address = "http://ada:secret@127.0.0.1:\(server.port)/bytes/10?access_token=secret"
        let outcome = try await ferry(
            "-v",
            "-H",
            "Authorization: Bearer secret",
            "-H",
            "X-Api-Key: secret",
            "--json-log",
            "log",
            "--timeline",
            "timeline.svg",
            address
        )
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.first == "> GET http://127.0.0.1:\(server.port)/bytes/10?access_token=<redacted>")
        #expect(outcome.errors.contains("\n< HTTP/1.1 200 "))
        let from = "* GET 200 over http/1.1 from 127.0.0.1:\(server.port), "
        let transaction = try #require(outcome.errorLines.first { $0.hasPrefix(from) })
        #expect(transaction.contains(", connected ") && transaction.contains(", first byte "))
        #expect(transaction.hasSuffix(", 10 B down"))
        #expect(outcome.errors.contains("\n* head after "))
        #expect(server.requests.last?.target == "/bytes/10?access_token=secret")
        for text in [outcome.errors, folder.text("log") ?? "", folder.text("timeline.svg") ?? ""] {
            #expect(!text.isEmpty)
            #expect(!text.contains("secret") && !text.contains("ada"))
        }
    }

    // MARK: - Requests

    @Test("-d posts its joined parts, files and standard input among them")
    func data() async throws {
        try folder.file("part", "c=d")
        let outcome = try await ferry("-d", "a=b", "-d", "@part", "-d@-", url("/echo"), input: "e=f")
        let echo = try echo(outcome)
        #expect(echo.method == "POST")
        #expect(echo.body == "a=b&c=d&e=f")
        #expect(echo.header("Content-Type") == "application/x-www-form-urlencoded")
        #expect(echo.header("User-Agent") == "ferry/0.1.0")
    }

    @Test("--json sends its joined parts as JSON and accepts JSON, unless -H overrides it")
    func json() async throws {
        try folder.file("part", #""a":1"#)
        var echo = try echo(try await ferry("--json", "{", "--json", "@part", "--json", "}", url("/echo")))
        #expect(echo.method == "POST")
        #expect(echo.body == #"{"a":1}"#)
        #expect(echo.header("Content-Type") == "application/json")
        #expect(echo.header("Accept") == "application/json")
        echo = try self.echo(try await ferry("--json", "{}", "-H", "Accept: text/x", "-X", "PUT", url("/echo")))
        #expect(echo.method == "PUT")
        #expect(echo.header("Accept") == "text/x")
    }

    @Test("-F sends a form of texts and files with its length, also after a redirect")
    func form() async throws {
        try folder.file("a b.png", "contents")
        try folder.file("note", "text")
        let arguments = [
            "-F", "title=Söhne & Co.", "-F", "photo=@a b.png", "-F", "odd=@note;type=x/y;filename=\"q\\\".txt\"", "-F",
            "note=<note", "-F", "json={};type=application/json", "-F", "input=@-",
        ]
        for target in ["/echo", "/redirect-to?url=/echo&status=307"] {
            let outcome = try await FerryProcess.run(["-s"] + arguments + [url(target)], in: folder, input: "piped")
            let echo = try echo(outcome)
            #expect(echo.method == "POST" && !echo.isChunked)
            #expect(echo.header("Content-Length") == "\(echo.bodyLength)")
            let request = try #require(server.requests.last)
            let parts = try #require(request.multipartParts)
            #expect(parts.map(\.name) == ["title", "photo", "odd", "note", "json", "input"])
            #expect(parts.map(\.filename) == [nil, "a b.png", "q%22.txt", nil, nil, "-"])
            #expect(
                parts.map { $0.headers["Content-Type"] }
                    == [nil, "image/png", "x/y", nil, "application/json", "application/octet-stream"]
            )
            #expect(
                parts.map(\.text)
                    == ["Söhne & Co.", "contents", "text", "text", "{}", "piped"]
            )
        }
    }

    @Test("A form with a Content-Type of its own has the boundary of its parts")
    func typeOfForm() async throws {
        for type in ["multipart/form-data; charset=utf-8", "multipart/mixed"] {
            let arguments = ["-F", "a=b", "-H", "content-type: \(type)", url("/echo")]
            #expect(try await FerryProcess.run(["-s"] + arguments, in: folder).status == 0)
            let request = try #require(server.requests.last)
            let field = try #require(request.header("Content-Type"))
            #expect(field.hasPrefix(type + "; boundary="))
            let boundary = try #require(field.split(separator: "=").last)
            #expect(request.bodyText?.hasPrefix("--\(boundary)\r\n") == true)
        }
        let own = try echo(try await ferry("-F", "a=b", "-H", "Content-Type: x/y; boundary=z", url("/echo")))
        #expect(own.header("Content-Type") == "x/y; boundary=z")
        let none = try echo(try await ferry("-F", "a=b", "-H", "Content-Type:", url("/echo")))
        #expect(none.header("Content-Type") == nil)
    }

    @Test("A form's file that cannot be read is named, and nothing is sent", arguments: ["missing", "."])
    func unreadableForm(_ name: String) async throws {
        let outcome = try await ferry("-F", "a=@\(name)", url("/echo"))
        #expect(outcome.status == 23)
        #expect(outcome.errors.contains("ferry: \(name): cannot be "))
        #expect(server.requestCount == 0)
    }

    @Test("-X and -H override the command's own method and header fields")
    func requests() async throws {
        let outcome = try await ferry(
            "-X",
            "PATCH",
            "-H",
            "content-type: text/plain",
            "-H",
            "X-A: 1",
            "-d",
            "x",
            url("/echo")
        )
        let echo = try echo(outcome)
        #expect(echo.method == "PATCH")
        #expect(echo.headers.filter { $0[0].lowercased() == "content-type" }.map { $0[1] } == ["text/plain"])
        #expect(echo.header("X-A") == "1")
    }

    @Test("-T sends a file with its length, and appends its name to a URL that ends in a slash")
    func upload() async throws {
        try LoopbackServer.pattern(count: 500_000).write(to: folder.url.appendingPathComponent("a b"))
        let outcome = try await ferry("-T", "a b", url("/upload/"))
        let echo = try echo(outcome)
        #expect(outcome.status == 0)
        #expect(outcome.errorLines.last?.hasPrefix("a b: sent 500 kB in ") == true)
        #expect(echo.method == "PUT")
        #expect(echo.target == "/upload/a%20b")
        #expect(echo.bodySHA256 == LoopbackServer.patternSHA256(count: 500_000))
        #expect(echo.header("Content-Length") == "500000" && !echo.isChunked)
    }

    @Test("-T - sends standard input as chunks")
    func uploadInput() async throws {
        let echo = try echo(try await ferry("-T", "-", url("/upload"), input: "from a pipe"))
        #expect(echo.isChunked)
        #expect(echo.bodyLength == 11)
    }

    @Test("A redirect sends the file again, unless --no-redirect makes it the response")
    func redirects() async throws {
        try folder.file("x", "again")
        let echo = try echo(try await ferry("-sT", "x", url("/redirect-to?url=/echo&status=307")))
        #expect(echo.method == "PUT" && echo.body == "again")
        let head = try await ferry("-I", "--no-redirect", url("/redirect/1"))
        #expect(head.status == 0)
        #expect(head.text.hasPrefix("HTTP/1.1 302 "))
    }
}
