import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Request logger", .timeLimit(.minutes(5)))
struct RequestLoggerTests {
    private func request(_ url: String = "http://example.com/a?b=c&d=e") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    @Test("A plain request is one quoted URL")
    func plain() throws {
        #expect(try request().curlCommand == "curl 'http://example.com/a?b=c&d=e'")
    }

    @Test("Method, header fields in order, and body are quoted for a shell")
    func whole() throws {
        var request = try request("http://example.com/")
        request.httpMethod = "POST"
        request.setValue("it's", forHTTPHeaderField: "X-Quote")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"a":"$HOME's `x`"}"#.utf8)
        #expect(
            request.curlCommand
                == #"curl --request 'POST' --header 'Content-Type: application/json' --header 'X-Quote: it'\''s'"#
                + #" --data-raw '{"a":"$HOME'\''s `x`"}' 'http://example.com/'"#
        )
    }

    @Test("The body of a GET request from a stream is sent with GET, and that of a HEAD request not at all")
    func unusualBodies() throws {
        var request = try request("http://example.com/")
        request.httpBodyStream = InputStream(data: Data("x".utf8))
        #expect(request.curlCommand == "curl --request 'GET' --data-binary @- 'http://example.com/'")
        request.httpMethod = "HEAD"
        #expect(request.curlCommand == "curl --head 'http://example.com/'")
        request.httpBody = Data("x".utf8)
        #expect(request.curlCommand == "curl --head 'http://example.com/'")
    }

    @Test("A shell reads the command back unchanged")
    func shell() throws {
        var request = try request("http://example.com/")
        request.httpMethod = "PUT"
        let body = "line\n'quote' \"double\" \\ $x `y` !z #"
        request.httpBody = Data(body.utf8)
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "curl() { for a; do printf '%s\\000' \"$a\"; done; }; " + request.curlCommand]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let words = output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        #expect(words == ["--request", "PUT", "--data-raw", body, "http://example.com/"])
    }

    @Test("The text of a URL is redacted for other loggers too")
    func redactedURL() throws {
        let url = try #require(URL(string: "https://ada:hunter2@example.com/a?id=1&access_token=s3cret&plan=x#f"))
        #expect(Redaction().redacted(url) == "https://example.com/a?id=1&access_token=<redacted>&plan=x#f")
        let more = Redaction(parameterNames: ["Plan"])
        #expect(more.redacted(url) == "https://example.com/a?id=1&access_token=<redacted>&plan=<redacted>#f")
        #expect(Redaction.none.redacted(url) == url.absoluteString)
    }

    @Test("Secrets are redacted: known header fields, chosen ones, and passwords in URLs")
    func secrets() throws {
        var request = try request("http://user:hunter2@example.com/")
        for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key"] {
            request.setValue("hunter2", forHTTPHeaderField: name)
        }
        let command = request.curlCommand(redacting: Redaction(headerNames: ["x-API-key"]))
        #expect(!command.contains("hunter2"))
        #expect(!command.contains("user"))
        #expect(command.hasSuffix("'http://example.com/'"))
        #expect(command.contains("--header 'X-Api-Key: <redacted>'"))
        #expect(!request.curlCommand.contains("hunter2"))
    }

    @Test(
        "Secret fields of bodies are redacted, depending on the body's type",
        arguments: [
            ("application/x-www-form-urlencoded", "a=b&password=hunter2&c=d", "a=b&password=<redacted>&c=d"),
            ("application/x-www-form-urlencoded; charset=utf-8", "client_secret=hunter2", "client_secret=<redacted>"),
            ("application/json", #"{"token":"hunter2","a":1}"#, #"{"token":"<redacted>","a":1}"#),
            ("application/problem+json", #"{"apiKey":["hunter2"]}"#, #"{"apiKey":["<redacted>"]}"#),
            (nil, "a=b&access_token=hunter2", "a=b&access_token=<redacted>"),
            (nil, #" {"password":"hunter2"}"#, #" {"password":"<redacted>"}"#),
            ("multipart/form-data; boundary=x", "--x\r\nname=hunter2", "<17 bytes>"),
            ("text/plain", "nothing secret", "nothing secret"),
        ] as [(String?, String, String)]
    )
    func secretFields(type: String?, body: String, expected: String) throws {
        var request = try request("http://example.com/")
        request.httpMethod = "POST"
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body.utf8)
        #expect(request.curlCommand.contains("--data-raw '\(expected)'"))
        #expect(request.curlCommand(redacting: .none).contains("--data-raw '\(body)'"))
    }

    @Test("Secret parameters and fields are redacted; more can be named, and redaction can be disabled")
    func parameters() throws {
        var request = try request("https://hunter2@example.com/?access_token=hunter2&pet=rex&a=b#id_token=hunter2")
        request.setValue("hunter2", forHTTPHeaderField: "X-Auth-Token")
        request.setValue("https://hunter2@example.com/?sig=hunter2", forHTTPHeaderField: "Referer")
        let command = request.curlCommand
        #expect(!command.contains("hunter2"))
        #expect(command.hasSuffix("'https://example.com/?access_token=<redacted>&pet=rex&a=b#id_token=<redacted>'"))
        let more = request.curlCommand(redacting: Redaction(parameterNames: ["Pet"]))
        #expect(more.contains("&pet=<redacted>&a=b"))
        let whole = request.curlCommand(redacting: .none)
        #expect(whole.contains("'https://hunter2@example.com/?access_token=hunter2&pet=rex&a=b#id_token=hunter2'"))
        #expect(whole.contains("'X-Auth-Token: hunter2'"))
    }

    @Test("Bodies that are not text, and streams, are only summarized")
    func otherBodies() throws {
        var request = try request()
        request.httpMethod = "POST"
        request.httpBody = Data([0xff, 0x00])
        #expect(request.curlCommand.contains("--data-raw '<2 bytes>'"))
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data())
        #expect(request.curlCommand.contains("--data-binary @-"))
    }

    @Test("A line is dropped if the standard error stream is full or closed", .ownThreads)
    func unwritable() async {
        await #expect(processExitsWith: .success) {
            let full = open("/dev/full", O_WRONLY)
            try #require(dup2(full, STDERR_FILENO) == STDERR_FILENO)
            RequestLogger.standardError("a line")
            close(STDERR_FILENO)
            RequestLogger.standardError("a line")
        }
    }

    @Test("A request and its response are one line each", arguments: TestTransport.all)
    func logs(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("xyz", statusCode: 404).adding("Set-Cookie", "hunter2")
        }
        let manager = transport.manager()
        let lines = Watched<[String]>([])
        manager.eventMonitors = [RequestLogger(output: { line in lines.change { $0.append(line) } })]
        var request = URLRequest(url: server.url("/x"))
        request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")
        _ = await manager.response(for: request, serializer: .data)
        try await lines.wait { $0.count == 2 }
        let url = server.url("/x").absoluteString
        #expect(lines.current.first == "curl --header 'Authorization: <redacted>' '\(url)'")
        let last = try #require(lines.current.last)
        #expect(last.hasPrefix("GET \(url) 404 3 bytes "))
        #expect(last.hasSuffix(" ms unacceptableStatusCode"))
        #expect(!lines.current.joined().contains("hunter2"))
    }
}
