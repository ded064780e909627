import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Ferry

/// The exact texts of errors that beginners see first, each over a real socket where it comes from the network.
@Suite("What errors say", .timeLimit(.minutes(5)))
struct ErrorMessageTests {
    private struct User: Codable, Sendable {
        var name: String
    }

    private struct Cause: LocalizedError {
        var errorDescription: String? { "the cause" }
    }

    /// A way to make a call, and its error.
    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let error: @Sendable (HTTPSessionManager, String) async throws -> NetworkError?

        static let data = Way(testDescription: "data", method: "GET") { manager, path in
            await manager.response(for: .get(path, as: User.self)).error
        }
        static let upload = Way(testDescription: "upload", method: "PUT") { manager, path in
            var request = try manager.makeRequest(.get(path))
            request.httpMethod = "PUT"
            return await manager.response(for: request, from: Data("x".utf8), serializer: .json).error
        }
        static let download = Way(testDescription: "download", method: "GET") { manager, path in
            await manager.response(for: .get(path), to: .temporary).error
        }
        static let async = Way(testDescription: "async verb", method: "DELETE") { manager, path in
            await #expect(throws: NetworkError.self) { _ = try await manager.delete(path) }
        }
        static let callback = Way(testDescription: "callback", method: "POST") { manager, path in
            await withCheckedContinuation { continuation in
                manager.post(path) { response in continuation.resume(returning: response.error) }
            }
        }
        static let stream = Way(testDescription: "stream", method: "GET") { manager, path in
            let validation = Validation(contentTypes: JSONResponseSerializer.contentTypes)
            return await #expect(throws: NetworkError.self) {
                for try await _ in manager.stream(.get(path), validation: validation) {}
            }
        }
        static let all = [data, upload, download, async, callback, stream]
    }

    private func manager(_ base: URL?, _ transport: SessionTransport = .curl) -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: base, configuration: .ephemeral, transport: transport)
        manager.notificationQueue = nil
        return manager
    }

    // MARK: - Responses

    @Test("A failed status names method and URL, without secrets", arguments: Way.all)
    func status(_ way: Way) async throws {
        let server = try LoopbackServer { _ in .json("{}", statusCode: 404) }
        let error = try await way.error(manager(server.url), "users/1?access_token=s3cret")
        let url = "http://127.0.0.1:\(server.port)/users/1?access_token=<redacted>"
        #expect(error?.message == "Request failed: Not Found (404) for \(way.method) \(url)")
    }

    @Test(
        "A web page in place of JSON is called so, with its first words",
        arguments: [Way.data, .upload, .async, .callback, .stream]
    )
    func webPage(_ way: Way) async throws {
        let page = "<!DOCTYPE html>\n<html><head><title>Welcome to\n nginx!</title></head><body><h1>Hello</h1></body>"
        let server = try LoopbackServer { _ in .data(Data(page.utf8), contentType: "text/html; charset=utf-8") }
        let error = try await way.error(manager(server.url), "users")
        #expect(
            error?.message == """
                Request failed: unacceptable content-type: text/html (acceptable: application/*+json, \
                application/json, text/javascript, text/json) for \(way.method) \
                http://127.0.0.1:\(server.port)/users. The server sent a web page: “Welcome to nginx!”
                """
        )
    }

    @Test("A web page that is declared as JSON is called so too")
    func declaredAsJSON() async throws {
        let server = try LoopbackServer { _ in .json("<html><body>Please <b>log in</b></body></html>") }
        let error = await manager(server.url).response(for: .get("x", serializer: .json)).error
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.hasSuffix(". The server sent a web page: “Please log in”") == true, "\(error as Any)")
    }

    @Test(
        "The words of a page are its title or its text, on one line, short and without secrets",
        arguments: [
            ("<title> 404 Not\nFound </title><p>x</p>", "404 Not Found"), ("<p>Hello</p><p>world</p>", "Hello world"),
            ("<style>a{b:c}</style><script>var a = 1</script>Text", "Text"), ("<title></title>Text", "Text"), ("", ""),
            ("<", ""), ("<p", ""), ("<title>Open", "Open"), ("a\u{1B}[31mb\u{202E}c", "a [31mb c"),
            ("See /x?token=s3cret&a=b now", "See /x?token=<redacted>&a=b now"),
            (
                String(repeating: "word ", count: 1_000),
                Array(repeating: "word", count: 16).joined(separator: " ") + "…"
            ),
            (String(repeating: "<", count: 100_000), ""), ("<TITLE>A</TITLE>b", "A"),
            ("<script>'<title>a</title>'</script>b", "b"),
            (String(repeating: "word ", count: 16), Array(repeating: "word", count: 16).joined(separator: " ")),
            (String(repeating: "x", count: 79), String(repeating: "x", count: 79)),
            (String(repeating: "x", count: 80), "…"),
        ]
    )
    func words(page: String, expected: String) {
        #expect(WebPage.words(of: Array(page.utf8)) == expected)
    }

    @Test(
        "A page is recognized by its type or its beginning, and only its first 4 KiB are read",
        arguments: [
            (nil, " \n<!DOCTYPE HTML><p>x", ": “x”"), ("text/plain", "<HTML lang=en>x", ": “x”"),
            ("application/xhtml+xml", "x", ": “x”"), ("text/html", "", ""), ("text/plain", "x<html>", nil),
            ("text/html", String(repeating: " ", count: 4_095) + "xy", ": “x”"),
        ] as [(String?, String, String?)]
    )
    func page(type: String?, body: String, words: String?) {
        let expected = words.map { ". The server sent a web page" + $0 } ?? ""
        #expect(WebPage.note(on: Data(body.utf8), contentType: type) == expected)
        #expect(WebPage.note(on: nil, contentType: type) == "")
    }

    @Test("After retries the number of attempts is told, whatever the kind of task", arguments: Way.all)
    func attempts(_ way: Way) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.json("{}", statusCode: 503).adding("Retry-After", "0") }
        let manager = manager(server.url)
        var policy = RetryPolicy.standard
        policy.maximumRetries = 2
        policy.additionalMethods = ["POST"]
        manager.retryPolicy = policy
        let error = try await way.error(manager, "x")
        let start = "Request failed: Service Unavailable (503) for \(way.method) http://127.0.0.1:\(server.port)/x"
        #expect(error?.message.hasPrefix("\(start) (after 3 attempts in ") == true, "\(error as Any)")
        #expect(error?.message.hasSuffix(" s)") == true)
        #expect(server.requestCount == 3)
    }

    @Test("Why a response was not followed by a retry is told, whatever the kind of task", arguments: Way.all)
    func refusal(_ way: Way) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.json("{}", statusCode: 503).adding("Retry-After", "0") }
        let manager = manager(server.url)
        manager.retryPolicy = .standard
        if way.method != "POST" { manager.retryPolicy?.budget = RetryPolicy.Budget(share: 0, minimum: 0) }
        let reason =
            way.method == "POST"
            ? "a POST request is not sent again"
            : "no retry is left for this server, since too many of its requests have failed"
        let start = "Request failed: Service Unavailable (503) for \(way.method) http://127.0.0.1:\(server.port)/x"
        #expect(try await way.error(manager, "x")?.message == "\(start) (\(reason))")
    }

    @Test("After retries the number of attempts is told for errors that the manager itself finds")
    func attemptsBeforeLargeBody() async throws {
        let server = try LoopbackServer { [seen = Watched(0)] _ in
            let number = seen.change { count in
                count += 1
                return count
            }
            return number == 1
                ? LoopbackResponse.json("{}", statusCode: 503).adding("Retry-After", "0") : .text("more than ten bytes")
        }
        let manager = manager(server.url)
        manager.retryPolicy = .standard
        let request = try manager.makeRequest(.get("x"))
        let serializer = HTTPDataResponseSerializer().limited(toBytes: 10)
        let error = await manager.response(for: request, serializer: serializer).error
        let start = "The body is larger than the limit of 10 bytes (after 2 attempts in "
        #expect(error?.message.hasPrefix(start) == true, "\(error as Any)")
    }

    @Test("After a redirect, method and URL are those of the last request", arguments: [Way.upload, .callback])
    func redirected(_ way: Way) async throws {
        let server = try LoopbackServer { request in
            request.path == "/x" ? .redirect(to: "/missing", statusCode: 303) : .json("{}", statusCode: 404)
        }
        let error = try await way.error(manager(server.url), "x")
        #expect(error?.message == "Request failed: Not Found (404) for GET \(server.url("/missing").absoluteString)")
    }

    // MARK: - URLs

    /// The longest text that a message has in full.
    private static let long = "http://[" + String(repeating: "x", count: 292)

    @Test(
        "A text that cannot be a URL is named, and a missing scheme is suggested",
        arguments: [
            ("http://[::1", nil, "“http://[::1” is not a URL."),
            ("", nil, "The URL is empty, and there is no base URL."),
            ("users/1", nil, "“users/1” is relative, and there is no base URL."),
            ("/users/1", nil, "“/users/1” is relative, and there is no base URL."),
            ("https:///x", nil, "“https:///x” has no host."), ("HTTP:///x", nil, "“HTTP:///x” has no host."),
            ("http://[\u{7}", nil, "“http://[\u{FFFD}” is not a URL."), (long, nil, "“\(long)” is not a URL."),
            (long + "x", nil, "“\(long)…” is not a URL."),
            (
                "example.com/users", nil,
                "“example.com/users” has no scheme. If it begins with a host, write “https://example.com/users”."
            ),
            (
                "example.com:8080/users", "https://other.org/",
                "“example.com:8080/users” has no scheme. "
                    + "If it begins with a host, write “https://example.com:8080/users”."
            ),
            (
                "localhost:8080", nil,
                "“localhost:8080” has no scheme. If it begins with a host, write “http://localhost:8080”."
            ),
            (
                "127.0.0.1:80/x", nil,
                "“127.0.0.1:80/x” has no scheme. If it begins with a host, write “http://127.0.0.1:80/x”."
            ),
            (
                "//example.com/x?token=s3cret", nil,
                "“//example.com/x?token=<redacted>” has no scheme. "
                    + "If it begins with a host, write “https://example.com/x?token=<redacted>”."
            ),
            ("users", "example.com", "The base URL “example.com/” has no scheme. Write “https://example.com/”."),
            (
                "users", "localhost:8080",
                "The base URL “localhost:8080/” has no scheme. Write “http://localhost:8080/”."
            ),
            ("users", "folder", "The base URL “folder/” has no scheme."),
        ] as [(String, String?, String)]
    )
    func urls(text: String, base: String?, expected: String) async throws {
        let base = try base.map { try #require(URL(string: $0)) }
        let error = #expect(throws: RequestSerializationError.self) { try BaseURL.resolve(text, against: base) }
        #expect(error?.reason == expected)
        #expect(await manager(base).response(for: .get(text)).error?.message == expected)
    }

    @Test("The error of a text that is not a URL says it once")
    func once() {
        let error = #expect(throws: RequestSerializationError.self) { try BaseURL.resolve("users/1", against: nil) }
        #expect("\(error.map { "\($0)" } ?? "")" == "invalidURL: “users/1” is relative, and there is no base URL.")
    }

    @Test("A URL without a scheme that a task is made of is told to have none")
    func taskWithoutScheme() async throws {
        let url = try #require(URL(string: "example.com/users"))
        let error = await manager(nil).response(for: URLRequest(url: url), serializer: .data).error
        #expect(
            error?.message == "The URL cannot be loaded (example.com/users): The URL has no scheme, such as https://"
        )
    }

    // MARK: - Files

    @Test("A file or a missing folder at the destination is told with the option that helps")
    func destination() async throws {
        let server = try LoopbackServer { _ in .text("new") }
        let folder = try TemporaryFolder()
        let existing = try folder.file("file", "old")
        let deeper = folder.url.appendingPathComponent("a/b")
        let rows = [
            (existing, "File exists (the option .overwrite replaces it)"),
            (
                deeper,
                "No such file or directory (the option .createIntermediateDirectories creates missing directories)"
            ),
        ]
        let manager = manager(server.url)
        for (place, reason) in rows {
            let error = await manager.response(for: .get("x"), to: .file(place)).error
            let cause = try #require(error?.underlyingError as? DownloadMoveError)
            let start = "The file \(cause.temporaryURL.path) could not be moved to \(place.path): "
            #expect(error?.message == start + reason)
            try FileManager.default.removeItem(at: cause.temporaryURL)
        }
        manager.hooks.downloadTaskDidFinishDownloading = { _, _, _ in existing }
        let hooked = await manager.response(for: .get("x"), to: .temporary).error
        #expect(hooked?.message.hasSuffix(": File exists") == true, "\(hooked as Any)")
        let cause = try #require(hooked?.underlyingError as? DownloadMoveError)
        try FileManager.default.removeItem(at: cause.temporaryURL)
    }

    // MARK: - Schemes

    @Test("TLS on a port that speaks HTTP is guessed", arguments: [Way.data, .upload, .download, .callback, .stream])
    func httpsOnPlainPort(_ way: Way) async throws {
        let server = try RawServer { connection in
            // What is received is the first message of TLS, which has no head.
            connection.readMore()
            connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        }
        let error = try await way.error(manager(URL(string: "https://127.0.0.1:\(server.port)/")), "x")
        #expect(error?.code == .secureConnectionFailed)
        let guess = "the server does not use TLS on port \(server.port), so perhaps the URL begins with http://"
        #expect(error?.message.hasSuffix("; \(guess)") == true, "\(error as Any)")
    }

    /// Starts a server on the first free port whose number ends with that of HTTPS.
    private func serverOnPortForTLS(answering text: String) throws -> RawServer {
        for thousands in 20...60 {
            if let server = try? RawServer(port: thousands * 1_000 + 443, answering: text) { return server }
        }
        throw POSIXError(.EADDRINUSE)
    }

    @Test("HTTP on a port for TLS is guessed, by the port or by the server's words")
    func plainOnHTTPSPort() async throws {
        let silent = try serverOnPortForTLS(answering: "")
        let error = await manager(URL(string: "http://127.0.0.1:\(silent.port)/")).response(for: .get("x")).error
        #expect(
            error?.message == """
                The connection to the host was lost (127.0.0.1): Empty reply from server; port \(silent.port) is often \
                one for TLS, so perhaps the URL begins with https://
                """
        )
        // The alert of a TLS server that receives HTTP.
        let alert = try serverOnPortForTLS(answering: "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}")
        let alerted = await manager(URL(string: "http://127.0.0.1:\(alert.port)/")).response(for: .get("x")).error
        let guess = "; port \(alert.port) is often one for TLS, so perhaps the URL begins with https://"
        #expect(alerted?.message.hasSuffix(guess) == true, "\(alerted as Any)")
        let texts = [
            "Client sent an HTTP request to an HTTPS server.\n",
            "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
        ]
        for text in texts {
            let server = try LoopbackServer { _ in .text(text, statusCode: 400) }
            let error = await manager(server.url).response(for: .get("x")).error
            #expect(
                error?.message == """
                    Request failed: Bad Request (400) for GET http://127.0.0.1:\(server.port)/x; the server expects \
                    https:// on this port
                    """
            )
        }
    }

    @Test("A response that the cache lacks, and the server may not be asked for, is no failed connection")
    func uncached() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let request = URLRequest(url: server.url, cachePolicy: .returnCacheDataDontLoad)
        let error = try #require(await manager(nil).response(for: request, serializer: .data).error)
        #expect(error.code == .resourceUnavailable && !error.isRetryable)
        #expect((error.underlyingError as? URLError)?.code == .resourceUnavailable)
        #expect(error.errorCode == URLError.Code.resourceUnavailable.rawValue)
        let reason = "The cache has no response, and the request's policy does not allow asking the server"
        #expect(error.message == "The resource is not available (127.0.0.1): \(reason)")
        #expect(server.requestCount == 0)
    }

    // MARK: - Nothing said twice

    @Test("Errors of the transport say nothing twice")
    func transport() async throws {
        let closed = try ClosedPort()
        let silent = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let looping = try LoopbackServer { _ in .redirect(to: "/again") }
        func message(_ request: Request<any Sendable>, _ base: URL?) async -> String? {
            await manager(base).response(for: request).error?.message
        }
        let refused = await message(.get("x"), closed.url)
        let milliseconds = refused?.split(separator: " ").dropLast().last.map(String.init) ?? ""
        #expect(
            refused == """
                Could not connect to the host (127.0.0.1): no connection to port \(closed.port) after \(milliseconds) ms
                """
        )
        #expect(
            await message(.get("x").timeout(0.2), silent.url)
                == "The request timed out (127.0.0.1): no byte moved for 0.2 s"
        )
        #expect(
            await message(.get("x").deadline(0.2), silent.url)
                == "The request timed out (127.0.0.1): the call took more than 0.2 s"
        )
        #expect(
            await message(.get("x"), looping.url)
                == "There were too many redirects (127.0.0.1): the limit is 20"
        )
        #expect(
            await message(.get("x"), URL(string: "http://name.invalid/"))
                == "The host could not be found (name.invalid)"
        )
        let cancelled = Watched<String?>(nil)
        manager(silent.url).get("x") { response in cancelled.change { $0 = response.error?.message } }?.cancel()
        try await cancelled.wait { $0 != nil }
        #expect(cancelled.current == "The request was cancelled (127.0.0.1)")
        withExtendedLifetime(closed) {}
    }

    @Test(
        "Of a transport's description, only what it adds is kept",
        arguments: [
            (.timedOut, "The request timed out: no byte moved for 1.0 s (http://h/x)", "no byte moved for 1.0 s"),
            (
                .timedOut, "The request timed out: no byte moved for 1.0 s (http://h/x) (after 3 attempts in 3.1 s)",
                "no byte moved for 1.0 s (after 3 attempts in 3.1 s)"
            ),
            (.timedOut, "The request timed out", ""), (.cancelled, "cancelled", ""),
            (.tooManyRedirects, "too many HTTP redirects", ""), (.cannotFindHost, "Could not resolve host: h", ""),
            (.tooManyRedirects, "There were too many redirects: the limit is 20", "the limit is 20"),
            (.cannotFindHost, "Could not resolve host: h (after 4 attempts in 0.3 s)", "after 4 attempts in 0.3 s"),
            (.cannotFindHost, "Could not resolve host: other", "Could not resolve host: other"),
            (
                .cannotConnectToHost, "Failed to connect to h port 9 after 0 ms: Couldn't connect to server",
                "no connection to port 9 after 0 ms"
            ),
            (
                .cannotConnectToHost,
                "Failed to connect to h port 9 after 1 ms: Could not connect to server (after 2 attempts in 0.1 s)",
                "no connection to port 9 after 1 ms (after 2 attempts in 0.1 s)"
            ),
            (
                .cannotConnectToHost, "Failed to connect to proxy port 9 after 0 ms: Couldn't connect to server",
                "no connection to proxy port 9 after 0 ms"
            ), (.connectionLost, "Empty reply from server", "Empty reply from server"),
        ] as [(NetworkError.Code, String, String)]
    )
    func addition(code: NetworkError.Code, detail: String, expected: String) {
        #expect(TransportDetail.addition(to: code, detail, host: "h", url: "http://h/x") == expected)
    }

    @Test("Printed as an NSError, no error has the text (null)", arguments: TestTransport.all)
    func printed(_ transport: TestTransport) async throws {
        let closed = try ClosedPort()
        let missing = try LoopbackServer { _ in .json("{", statusCode: 404) }
        let errors = [
            await manager(closed.url, transport.transport).response(for: .get("x")).error,
            await manager(missing.url, transport.transport).response(for: .get("x")).error,
            await manager(nil, transport.transport).response(for: .get("x")).error,
            NetworkError(transport: URLError(.timedOut)), NetworkError(.unknown, message: "x"),
            NetworkError(.fileError, message: "x", underlyingError: Cause()),
            NetworkError(transport: CurlSessionError(.curl, "y")),
        ]
        for error in errors {
            let error = try #require(error)
            for text in ["\(error as NSError)", "\(error.nsError)", "\(error)"] {
                #expect(!text.contains("(null)"), "\(text)")
            }
            #expect("\(error.nsError)".contains(error.message))
        }
        withExtendedLifetime(closed) {}
    }

    @Test("The error of a session, printed, has its text in place of (null)")
    func printedSessionError() async throws {
        let closed = try ClosedPort()
        let error = await #expect(throws: URLError.self) {
            _ = try await CurlSession(configuration: .ephemeral).data(from: closed.url)
        }
        #expect(error.map { "\($0)" }?.contains("Failed to connect to 127.0.0.1 port \(closed.port)") == true)
        #expect(error.map { "\($0 as NSError)" }?.contains("(null)") == false)
        withExtendedLifetime(closed) {}
    }
}
