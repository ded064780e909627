import FerryTesting
import ProxySupport
import TestSupport
import Testing

@testable import FerrySession

/// The user and password of a URL are sent to its server, but do not appear in errors, responses or metrics.
@Suite("User information in URLs", .timeLimit(.minutes(5)), .ownThreads)
struct UserInfoTests {
    private let closed: ClosedPort

    init() throws {
        closed = try ClosedPort()
    }

    private func url(
        _ port: Int,
        _ path: String = "/",
        scheme: String = "http",
        host: String = "127.0.0.1"
    ) throws -> URL {
        try #require(URL(string: "\(scheme)://\(SecretScan.userInfo)\(host):\(port)\(path)"))
    }

    private func url(_ text: String) throws -> URL {
        try #require(URL(string: text.replacing("USER@", with: SecretScan.userInfo)))
    }

    /// Runs a task of each kind and checks the errors, their URL and the metrics.
    private func check(
        _ request: URLRequest,
        _ code: URLError.Code,
        options: CurlSession.Options = .init(),
        sourceLocation: SourceLocation = #_sourceLocation,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) async throws {
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder, options: options, configure: configure)
        for task in [session.dataTask(with: request), session.downloadTask(with: request)] {
            let outcome = try await recorder.run(task)
            guard let error = outcome.error else {
                Issue.record("Expected an error", sourceLocation: sourceLocation)
                continue
            }
            #expect(error.code == code, sourceLocation: sourceLocation)
            #expect(error.failingURL != nil, sourceLocation: sourceLocation)
            for value in [error, outcome.response as Any, task.metrics as Any, task.error as Any] as [Any] {
                #expect(SecretScan.findings(in: value) == [], sourceLocation: sourceLocation)
            }
        }
    }

    @Test(
        "A URL that cannot be loaded is shown without user information",
        arguments: [
            ("ftp://USER@host/", URLError.Code.unsupportedURL),
            ("gopher:USER@host/", .unsupportedURL),
            ("adal0ve:s3cret@host", .unsupportedURL),
            ("http://USER@/x", .badURL),
            ("http:/USER@host/", .badURL),
            ("http:USER@host/", .badURL),
            ("http://USER@host:99999/", .badURL),
            ("http://USER@host:0/", .cannotConnectToHost),
            ("http://USER@a%2Fb/", .badURL),
            ("http://USER@256.1.1.1/", .badURL),
            ("http://USER@name.invalid/?a=b#c", .cannotFindHost),
        ]
    )
    func unloadable(_ text: String, _ code: URLError.Code) async throws {
        try await check(URLRequest(url: try url(text)), code)
    }

    @Test("A request that cannot be sent is shown without user information")
    func unsendable() async throws {
        let target = try url(80, "/")
        try await check(Wire.request(target, "G T"), .badURL)
        try await check(Wire.request(target, headers: ["A": "b\r\nc"]), .badURL)
        try await check(URLRequest(url: try url(closed.port)), .cannotConnectToHost)
        var options = CurlSession.Options()
        options.network.unixSocket = .path("/nowhere/socket")
        try await check(URLRequest(url: target), .cannotConnectToHost, options: options)
    }

    @Test("The three timeouts show the URL without user information")
    func deadlines() async throws {
        let silent = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let target = try url(silent.port)
        try await check(Wire.request(target, timeout: 0.2), .timedOut)
        try await check(URLRequest(url: target), .timedOut) { $0.timeoutIntervalForResource = 0.2 }
        let unanswering = try UnansweringListener()
        var options = CurlSession.Options()
        options.connectTimeout = 0.2
        try await check(URLRequest(url: try url(try #require(unanswering.url.port))), .timedOut, options: options)
        withExtendedLifetime(unanswering) {}
    }

    @Test("Errors about a response show the URL without user information")
    func answers() async throws {
        let answers: [(LoopbackResponse, URLError.Code)] = [
            (.pattern(count: 1000).faulted(.truncate(afterBodyBytes: 10)), .networkConnectionLost),
            (LoopbackResponse().faulted(.closeBeforeHead), .networkConnectionLost),
            (LoopbackResponse().faulted(.resetBeforeHead), .networkConnectionLost),
            (LoopbackResponse().faulted(.garbage(Data("what?\r\n\r\n".utf8))), .cannotParseResponse),
            (LoopbackResponse.text("damaged").adding("Content-Encoding", "gzip"), .cannotDecodeContentData),
        ]
        for (answer, code) in answers {
            let server = try LoopbackServer { _ in answer }
            try await check(URLRequest(url: try url(server.port)), code)
        }
        let plain = try RawServer { connection in connection.write("HTTP/1.1 400 No\r\n\r\n") }
        let port = try #require(plain.url().port)
        try await check(URLRequest(url: try url(port, scheme: "https")), .secureConnectionFailed)
    }

    @Test("Redirects show their URLs without user information")
    func redirections() async throws {
        let closed = try url(self.closed.port)
        let onward = try LoopbackServer { _ in
            LoopbackResponse(statusCode: 302).adding("Location", closed.absoluteString)
        }
        try await check(URLRequest(url: try url(onward.port)), .cannotConnectToHost)
        let round = try LoopbackServer { request in
            LoopbackResponse(statusCode: 302)
                .adding("Location", "http://\(SecretScan.userInfo)\(request.headers["Host"] ?? "")/again")
        }
        try await check(URLRequest(url: try url(round.port)), .httpTooManyRedirects)
    }

    @Test("A proxy is shown without user information")
    func proxies() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        for scheme in ["http", "socks5h", "socks4"] {
            var options = CurlSession.Options()
            options.proxy = try CurlSession.Proxy(try url(closed.port, scheme: scheme))
            try await check(URLRequest(url: try url(server.port)), .cannotConnectToHost, options: options)
        }
        for text in ["adal0ve:s3cret@host:80", "ftp://USER@host/", "http://USER@a%2Fb:80"] {
            let proxy = try url(text)
            let error = #expect(throws: CurlSessionError.self) { try CurlSession.Proxy(proxy) }
            #expect(SecretScan.findings(in: error as Any) == [])
        }
        var options = CurlSession.Options()
        options.proxy = .http("http://\(SecretScan.userInfo)host", port: 80)
        try await check(URLRequest(url: try url(server.port)), .cannotConnectToHost, options: options)
    }

    @Test("Options with a URL instead of a host are shown without user information")
    func options() async throws {
        let key = "http://\(SecretScan.userInfo)host"
        let keyFile = try #require(URL(string: key))
        let pin: PublicKeyPin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let changes: [(URLError.Code, (inout CurlSession.Options) -> Void)] = [
            (.secureConnectionFailed, { $0.tls.publicKeyPins = [key: [pin]] }),
            (.secureConnectionFailed, { $0.tls.publicKeyPins = [key: []] }),
            (.secureConnectionFailed, { $0.tls.certificateAuthorities = .only([.pemFile(keyFile)]) }),
            (.cannotConnectToHost, { $0.network.unixSockets = [key: .path("/a")] }),
            (.cannotConnectToHost, { $0.network.addresses = [key: ["127.0.0.1"]] }),
            (.cannotConnectToHost, { $0.network.addresses = ["host": [key]] }),
            (.cannotConnectToHost, { $0.network.localEndpoint = .address(key) }),
        ]
        for (code, change) in changes {
            var options = CurlSession.Options()
            change(&options)
            try await check(URLRequest(url: try url(1, scheme: "https")), code, options: options)
        }
    }

    @Test("Errors about bodies that cannot be sent show the URL without user information")
    func bodies() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let request = Wire.request(try url(server.port), "POST")
        let tasks = [
            session.uploadTask(withStreamedRequest: request),
            session.uploadTask(with: request, fromFile: try url(80, "/file")),
            session.uploadTask(with: request, fromFile: URL(fileURLWithPath: "/nowhere/file")),
        ]
        for task in tasks {
            let error = try await recorder.run(task).error
            #expect(error != nil)
            #expect(SecretScan.findings(in: error as Any) == [])
        }
    }

    @Test("Tasks that are cancelled, or made too late, show the URL without user information")
    func ends() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse().faulted(.stallBeforeHead) }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let request = URLRequest(url: try url(server.port))
        let task = session.dataTask(with: request)
        task.resume()
        task.cancel()
        let cancelled = try await recorder.run(task).error
        #expect(cancelled?.code == .cancelled)
        #expect(SecretScan.findings(in: cancelled as Any) == [])
        session.invalidateAndCancel()
        let late = await Wire.error { try await session.data(for: request) }
        #expect(late?.curlSessionError?.code == .sessionInvalidated)
        #expect(SecretScan.findings(in: late as Any) == [])
    }

    @Test("Refused resume data is quoted without user information")
    func resumeData() async throws {
        let folder = try TemporaryFolder()
        let secret = try url("gopher://USER@host/")
        let record = ResumeData(
            url: secret,
            originalURL: secret,
            headers: [:],
            file: folder.url.appendingPathComponent("ferry-\(UUID().uuidString).download"),
            offset: 1,
            expectedTotal: nil,
            validator: "\"v\""
        )
        let data = try #require(record.encoded())
        let error = #expect(throws: CurlSessionError.self) { try ResumeData(data, folder: folder.url) }
        #expect(error?.code == .invalidResumeData)
        #expect(SecretScan.findings(in: error as Any) == [])
    }

    @Test("The server receives them; response and metrics do not contain them")
    func success() async throws {
        let server = try LoopbackServer { .text($0.headers["Authorization"] ?? "") }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let task = session.dataTask(with: try url(server.port, "/a?b=c#d"))
        let outcome = try await recorder.run(task)
        #expect(outcome.text == "Basic " + Data("adal0ve:s3cret".utf8).base64EncodedString())
        #expect(outcome.response?.url?.absoluteString == "http://127.0.0.1:\(server.port)/a?b=c#d")
        #expect(task.metrics?.transactions.first?.url?.absoluteString == outcome.response?.url?.absoluteString)
        #expect(SecretScan.findings(in: outcome.response as Any) == [])
        #expect(SecretScan.findings(in: task.metrics as Any) == [])
    }
}
