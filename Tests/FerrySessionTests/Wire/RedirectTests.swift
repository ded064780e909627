import FerryTesting
import Testing

@testable import FerrySession

/// RFC 9110, section 15.4, over sockets.
///
/// ``RedirectRuleTests`` tests the rules themselves.
@Suite(.timeLimit(.minutes(5)))
struct RedirectTests {
    /// A server that redirects `/from` with a status, and responds to `/to` with a description of the request.
    private func server(_ status: Int, to location: String = "/to") throws -> LoopbackServer {
        try LoopbackServer { request in
            request.path == "/from"
                ? .redirect(to: location, statusCode: status) : .text("\(request.method) \(request.bodyLength)")
        }
    }

    @Test(
        "Method and body follow the rules of each status",
        arguments: [301, 302, 303, 307, 308],
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    )
    func methods(_ status: Int, _ method: String) async throws {
        let server = try server(status)
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let hasBody = ["POST", "PUT", "PATCH", "DELETE"].contains(method)
        let headers = ["Content-Type": "text/plain", "X-A": "1"]
        let request = Wire.request(
            server.url("/from"),
            method,
            headers: headers,
            body: hasBody ? Data("hello".utf8) : nil
        )
        let task = session.dataTask(with: request)
        let outcome = try await recorder.run(task)
        #expect(outcome.error == nil && outcome.status == 200)
        #expect(outcome.events.contains { if case .redirect(status, _) = $0 { true } else { false } })
        let rule = RedirectRule.method(method, status: status)
        let seen = try #require(server.requests.last)
        #expect(server.requestCount == 2 && server.protocolViolations.isEmpty)
        #expect(seen.method == rule.method)
        #expect(seen.bodyLength == (hasBody && rule.keepsBody ? 5 : 0))
        #expect(seen.header("X-A") == "1")
        #expect((seen.header("Content-Type") == nil) == !rule.keepsBody)
        #expect(task.currentRequest?.url == server.url("/to") && task.currentRequest?.httpMethod == rule.method)
        #expect(task.originalRequest?.url == server.url("/from"))
        #expect(outcome.response?.url == server.url("/to"))
    }

    @Test(
        "Relative references are resolved according to RFC 3986",
        arguments: [
            ("next", "/dir/next"), ("?page=2", "/dir/page?page=2"), ("../up", "/up"), ("/a%2Fb", "/a%2Fb"),
            ("./", "/dir/"), ("#f", "/dir/page?q"),
            ("/caf\u{E9}", "/caf%C3%A9"), ("/x y", "/x%20y"), ("/?a[]=%2F", "/?a%5B%5D=%2F"),
        ]
    )
    func references(_ row: (String, String)) async throws {
        let server = try LoopbackServer { request in
            request.connectionRequestIndex == 0 ? .redirect(to: row.0) : .text("there")
        }
        let (_, response) = try await Wire.session().data(from: server.url("/dir/page?q#frag"))
        #expect(server.requests.map(\.target) == ["/dir/page?q", row.1])
        #expect(response.url?.fragment == (row.0 == "#f" ? "f" : "frag"))
    }

    @Test("A Location that is not UTF-8 is followed byte by byte") func latin1() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(
                Data("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /caf".utf8) + [0xE9] + Data("\r\n\r\n".utf8)
            )
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        let (_, response) = try await Wire.session().data(from: server.url())
        #expect(response.url?.absoluteString.hasSuffix("/caf%E9") == true)
    }

    // MARK: - Credentials

    private static let secrets = [
        "Authorization": "Bearer secret", "Cookie": "a=secret", "Proxy-Authorization": "Basic secret",
        "X-Api-Key": "secret", "X-Plain": "p",
    ]

    private func gap6(
        _ make: (URLSessionConfiguration, CurlSession.Options, RecordingDelegate) -> URLSession,
        byConfiguration: Bool,
        to target: (LoopbackServer) -> URL,
        status: Int = 302
    ) async throws -> LoopbackRequest {
        let other = try LoopbackServer { _ in .text("other") }
        let location = target(other).absoluteString
        let home = try LoopbackServer { _ in .redirect(to: location, statusCode: status) }
        let configuration = URLSessionConfiguration.ephemeral
        var options = CurlSession.Options()
        options.sensitiveHeaders = ["x-api-key"]
        var request = URLRequest(url: home.url)
        if byConfiguration {
            configuration.httpAdditionalHeaders = Self.secrets
        } else {
            request.allHTTPHeaderFields = Self.secrets
        }
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(make(configuration, options, recorder).dataTask(with: request))
        #expect(outcome.error == nil && outcome.text == "other")
        // A proxy's credential is not sent to any server.
        for (name, value) in Self.secrets where name != "Proxy-Authorization" {
            #expect(home.requests.first?.header(name) == value)
        }
        return try #require(other.requests.first)
    }

    @Test(
        "Gap 6: no credential of the request or the session is sent to another origin",
        arguments: [true, false],
        [302, 307]
    )
    func credentials(_ byConfiguration: Bool, _ status: Int) async throws {
        let make =
            { CurlSession(configuration: $0, options: $1, delegate: $2) }
            as (URLSessionConfiguration, CurlSession.Options, RecordingDelegate) -> URLSession
        for host in ["127.0.0.1", "localhost"] {
            let seen = try await gap6(
                make,
                byConfiguration: byConfiguration,
                to: { $0.url("/", host: host) },
                status: status
            )
            for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key"] {
                #expect(seen.header(name) == nil, "\(name)")
            }
            #expect(seen.header("X-Plain") == "p")
        }
    }

    @Test("Gap 6 on FoundationNetworking", .foundationNetworking("all of them cross"))
    func credentialsOfFoundation() async throws {
        let make =
            { URLSession(configuration: $0, delegate: $2, delegateQueue: nil) }
            as (URLSessionConfiguration, CurlSession.Options, RecordingDelegate) -> URLSession
        let seen = try await gap6(make, byConfiguration: false, to: { $0.url("/") })
        for name in ["Authorization", "Cookie"] { #expect(seen.header(name) == nil) }
    }

    @Test("Dropped credentials do not reappear, and within an origin they are kept") func comingBack() async throws {
        let away = Watched<URL?>(nil)
        let home = try LoopbackServer { request in
            switch request.path {
            case "/start": .redirect(to: "/second")
            case "/second": .redirect(to: away.change { $0?.absoluteString ?? "" })
            default: .text("home again")
            }
        }
        let back = home.url("/end")
        let other = try LoopbackServer { _ in .redirect(to: back.absoluteString) }
        away.change { $0 = other.url }
        let session = Wire.session { $0.httpAdditionalHeaders = ["Authorization": "Bearer session"] }
        _ = try await session.data(for: Wire.request(home.url("/start"), headers: ["Cookie": "a=b"]))
        #expect(home.requests.map { $0.header("Authorization") } == ["Bearer session", "Bearer session", nil])
        #expect(home.requests.map { $0.header("Cookie") } == ["a=b", "a=b", nil])
        #expect(other.requests.first?.header("Authorization") == nil)
    }

    @Test(
        "A Host field of the caller is kept within the origin, and does not reappear after another one",
        arguments: [false, true]
    )
    func host(byConfiguration: Bool) async throws {
        let away = Watched<URL?>(nil)
        let home = try LoopbackServer { request in
            switch request.path {
            case "/start": .redirect(to: "/second", statusCode: 307)
            case "/second": .redirect(to: away.change { $0?.absoluteString ?? "" })
            default: .text("home again")
            }
        }
        let back = home.url("/end")
        let other = try LoopbackServer { request in
            request.path == "/" ? .redirect(to: "/on") : .redirect(to: back.absoluteString)
        }
        away.change { $0 = other.url }
        let fields = ["host": "name.test:8"]
        let session = Wire.session { if byConfiguration { $0.httpAdditionalHeaders = fields } }
        let request = Wire.request(home.url("/start"), headers: byConfiguration ? [:] : fields)
        #expect(try await session.data(for: request).0 == Data("home again".utf8))
        let (here, there) = ("127.0.0.1:\(home.port)", "127.0.0.1:\(other.port)")
        #expect(home.requests.map { $0.header("Host") } == ["name.test:8", "name.test:8", here])
        #expect(other.requests.map { $0.header("Host") } == [there, there])
    }

    @Test("The user in a URL is kept within the origin, and not sent to another one")
    func userInformation() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        let home = try LoopbackServer { request in
            request.path == "/a" ? .redirect(to: "b") : .redirect(to: other.url.absoluteString)
        }
        let url = try #require(URL(string: "http://user:pass@127.0.0.1:\(home.port)/a"))
        _ = try await Wire.session().data(from: url)
        let basic = "Basic " + Data("user:pass".utf8).base64EncodedString()
        #expect(home.requests.map { $0.header("Authorization") } == [basic, basic])
        #expect(other.requests.first?.header("Authorization") == nil)
    }

    @Test("A delegate may explicitly send credentials") func delegateSendsThem() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        let home = try LoopbackServer { _ in .redirect(to: other.url.absoluteString) }
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, request, answer in
            #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
            var changed = request
            changed.setValue("Bearer for the other", forHTTPHeaderField: "Authorization")
            answer(changed)
        }
        let recorder = RecordingDelegate(hooks)
        _ = try await recorder.run(
            Wire.session(recorder).dataTask(with: Wire.request(home.url, headers: ["Authorization": "Bearer secret"]))
        )
        #expect(other.requests.first?.header("Authorization") == "Bearer for the other")
    }

    // MARK: - Redirects that are not followed

    @Test(
        "A 3xx that cannot be followed is the response, with its body",
        arguments: [
            "mailto:a@b.test", "ftp://127.0.0.1/x", "file:///etc/passwd", "javascript:alert(1)", "http://", "",
            "http://[::1", "data:,x",
        ]
    )
    func notFollowed(_ location: String) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("moved", statusCode: 302).adding("Location", location)
        }
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(Wire.session(recorder).dataTask(with: server.url))
        #expect(outcome.events == [.response(302), .data(5), .completed(nil)])
        #expect(outcome.error == nil && server.requestCount == 1)
    }

    @Test("Other 3xx, and those without Location, are the response", arguments: [300, 301, 304, 305, 306, 308])
    func otherStatuses(_ status: Int) async throws {
        let server = try LoopbackServer { _ in
            let response = LoopbackResponse.text("body", statusCode: status)
            return [301, 308].contains(status) ? response : response.adding("Location", "/x")
        }
        let (data, response) = try await Wire.session().data(from: server.url)
        #expect((response as? HTTPURLResponse)?.statusCode == status)
        #expect(data == Data((status == 304 ? "" : "body").utf8) && server.requestCount == 1)
    }

    @Test("Twenty redirects are followed, then it is -1007; an option changes the limit", arguments: [20, 3, 0])
    func limit(_ most: Int) async throws {
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 0 ? .text("end") : .redirect(to: "/\(number - 1)")
        }
        var options = CurlSession.Options()
        if most != 20 { options.maximumRedirects = most }
        let session = Wire.session(options: options)
        #expect(try await session.data(from: server.url("/\(most)")).0 == Data("end".utf8))
        let error = await Wire.error { try await session.data(from: server.url("/\(most + 1)")) }
        #expect(error?.code == .httpTooManyRedirects)
        #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url("/1"))
    }

    // MARK: - The delegate's decisions

    @Test(
        "nil delivers the 3xx with its body, of any size, chunked and compressed",
        arguments: [0, 10, 65_535, 65_536, 1_000_000]
    )
    func refused(_ size: Int) async throws {
        for isPacked in [false, true] {
            let server = try LoopbackServer { _ in
                let body = LoopbackServer.pattern(count: size)
                var response = LoopbackResponse(
                    statusCode: 302,
                    headers: ["Location": "/next"],
                    body: .data(isPacked ? Gzip.encode(body) : body)
                )
                if isPacked { response.headers.add("Content-Encoding", "gzip") }
                return response.framed(isPacked ? .chunked : .automatic)
            }
            var hooks = DelegateHooks()
            hooks.onRedirect = { _, _, _, answer in answer(nil) }
            let recorder = RecordingDelegate(hooks)
            let session = Wire.session(recorder)
            let outcome = try await recorder.run(session.dataTask(with: server.url))
            #expect(outcome.error == nil && outcome.status == 302)
            #expect(outcome.data == LoopbackServer.pattern(count: size))
            let file = try await recorder.run(session.downloadTask(with: server.url))
            #expect(file.error == nil && file.file == LoopbackServer.pattern(count: size) && file.status == 302)
            #expect(server.requests.allSatisfy { $0.path == "/" })
        }
    }

    @Test("A redirect with a large body is followed without it") func largeBody() async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/" else { return .text("there") }
            return LoopbackResponse(statusCode: 302, headers: ["Location": "/next"], body: .pattern(count: 5_000_000))
        }
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(Wire.session(recorder).dataTask(with: server.url))
        #expect(outcome.text == "there" && outcome.error == nil)
    }

    @Test(
        "A redirect whose body stalls is followed after the timeout, or sooner if enough was received",
        arguments: [(100, 4 + 2 * patience), (200_000, 60)]
    )
    func stalledBody(_ row: (received: Int, timeout: Double)) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/" else { return .text("connection \(request.connectionRequestIndex)") }
            let head = LoopbackResponse(statusCode: 302, headers: ["Location": "/next"], body: .pattern(count: 400_000))
            return head.faulted(.stall(afterBodyBytes: row.received))
        }
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let request = Wire.request(server.url, timeout: row.timeout)
        let outcome = try await recorder.run(session.dataTask(with: request))
        #expect(outcome.error == nil && outcome.completions == 1)
        // The rest of the body prevents other requests on the connection.
        #expect(outcome.text == "connection 0")
        #expect(try await Wire.session().data(from: server.url("/other")).0 == Data("connection 0".utf8))
        let next = try await recorder.run(session.dataTask(with: server.url("/other")))
        #expect(next.text == "connection 1")
        #expect(server.connectionCount == 3)
    }

    /// RFC 9112, section 6.3: only the end of the connection ends such a body.
    @Test("A redirect without a length is followed before the server closes the connection", arguments: ["1.0", "1.1"])
    func unendingBody(_ version: String) async throws {
        let server = try RawServer { connection in
            let isFirst = connection.readHead().hasPrefix("GET /from ")
            let redirect = "HTTP/\(version) 302 Found\r\nLocation: /to\r\n\r\nmoved"
            connection.write(isFirst ? redirect : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere")
            if isFirst { connection.readAll() }
        }
        let (data, _) = try await Wire.session().data(for: Wire.request(server.url("/from"), timeout: 600))
        #expect(data == Data("there".utf8))
    }

    @Test("A redirect without a length that is refused is delivered with its body")
    func unendingBodyRefused() async throws {
        let server = try RawServer(answering: "HTTP/1.1 302 Found\r\nLocation: /to\r\n\r\nmoved")
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, answer in answer(nil) }
        let recorder = RecordingDelegate(hooks)
        let session = Wire.session(recorder)
        let outcome = try await recorder.run(session.dataTask(with: server.url()))
        #expect(outcome.status == 302 && outcome.text == "moved" && outcome.error == nil)
        let file = try await recorder.run(session.downloadTask(with: server.url()))
        #expect(file.status == 302 && file.file == Data("moved".utf8) && file.error == nil)
    }

    @Test("A redirect whose body is truncated or damaged is still followed; if refused, it fails with that error")
    func brokenBody() async throws {
        let server = try LoopbackServer { request in
            let head = LoopbackResponse(
                statusCode: 302,
                headers: ["Location": "/next"],
                body: .data(Data("moved".utf8))
            )
            switch request.path {
            case "/cut": return head.faulted(.truncate(afterBodyBytes: 3))
            case "/damaged": return head.adding("Content-Encoding", "gzip")
            default: return .text("there")
            }
        }
        for (path, code) in [("/cut", URLError.Code.networkConnectionLost), ("/damaged", .cannotDecodeContentData)] {
            let (data, _) = try await Wire.session().data(from: server.url(path))
            #expect(data == Data("there".utf8))
            var hooks = DelegateHooks()
            hooks.onRedirect = { _, _, _, answer in answer(nil) }
            let recorder = RecordingDelegate(hooks)
            let refused = try await recorder.run(Wire.session(recorder).dataTask(with: server.url(path)))
            #expect(refused.error?.code == code && refused.status == 302 && refused.completions == 1)
        }
    }

    @Test("The delegate's own request is sent: URL, method, header fields and body") func changed() async throws {
        let server = try server(302)
        let elsewhere = server.url("/elsewhere")
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, answer in
            answer(Wire.request(elsewhere, "PUT", headers: ["X-Changed": "yes"], body: Data("changed".utf8)))
        }
        let recorder = RecordingDelegate(hooks)
        let task = Wire.session(recorder).dataTask(
            with: Wire.request(server.url("/from"), "POST", body: Data("hello".utf8))
        )
        let outcome = try await recorder.run(task)
        #expect(outcome.text == "PUT 7")
        #expect(server.requests.last?.header("X-Changed") == "yes" && server.requests.last?.path == "/elsewhere")
        #expect(task.currentRequest?.url == elsewhere)
    }

    @Test("A new request of the delegate is sent without the body") func changedToGet() async throws {
        let server = try server(307)
        let target = server.url("/to")
        for isUpload in [false, true] {
            var hooks = DelegateHooks()
            hooks.onRedirect = { _, _, _, answer in answer(URLRequest(url: target)) }
            let recorder = RecordingDelegate(hooks)
            let session = Wire.session(recorder)
            let request = Wire.request(server.url("/from"), "POST", body: Data("hello".utf8))
            let task =
                isUpload ? session.uploadTask(with: request, from: Data("hello".utf8)) : session.dataTask(with: request)
            #expect(try await recorder.run(task).text == "GET 0")
        }
    }

    @Test("A request of the delegate is validated like any other") func invalidChange() async throws {
        let server = try server(302)
        for url in ["ftp://127.0.0.1/", "http:///x"] {
            var hooks = DelegateHooks()
            hooks.onRedirect = { _, _, _, answer in answer(URL(string: url).map { URLRequest(url: $0) }) }
            let recorder = RecordingDelegate(hooks)
            let outcome = try await recorder.run(Wire.session(recorder).dataTask(with: server.url("/from")))
            #expect(
                outcome.error != nil && outcome.completions == 1 && server.requests.allSatisfy { $0.path == "/from" }
            )
        }
    }

    @Test("Gap 3: decisions that are late, repeated, or after a cancel are harmless", arguments: 0..<4)
    func oddAnswers(_ kind: Int) async throws {
        let server = try server(302)
        var hooks = DelegateHooks()
        hooks.onRedirect = { task, _, request, answer in
            switch kind {
            case 0:
                answer(request)
                answer(request)
                answer(nil)
            case 1: DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { answer(request) }
            case 2:
                task.cancel()
                answer(request)
            default:
                task.cancel()
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { answer(nil) }
            }
        }
        let recorder = RecordingDelegate(hooks)
        let outcome = try await recorder.run(Wire.session(recorder).dataTask(with: server.url("/from")))
        // The last decision is made after the end, on a timer.
        try await Task.sleep(for: .milliseconds(100))
        #expect(outcome.completions == 1)
        #expect(outcome.error?.code == (kind < 2 ? nil : .cancelled))
        if kind < 2 { #expect(outcome.text == "GET 0" && server.requestCount == 2) }
    }

    // MARK: - Sending bodies again

    @Test("Gap 7: data, files and streams are sent again completely", arguments: [307, 308, 301], [10, 2_000_000])
    func replay(_ status: Int, _ size: Int) async throws {
        let server = try LoopbackServer { request in
            request.path == "/from"
                ? .redirect(to: "/to", statusCode: status) : .text("\(request.method) \(request.bodyLength)")
        }
        let folder = try Wire.temporaryFolder()
        defer { Wire.remove(folder) }
        let body = LoopbackServer.pattern(count: size)
        let file = folder.appendingPathComponent("body")
        try body.write(to: file)
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: body)) }
        let recorder = RecordingDelegate(hooks)
        let session = Wire.session(recorder)
        let plain = Wire.request(server.url("/from"), "PUT", headers: ["Content-Type": "a/b"])
        var full = plain
        full.httpBody = body
        // Upload tasks ignore a body of their request.
        var other = plain
        other.httpBody = Data("other".utf8)
        let tasks = [
            session.uploadTask(with: plain, from: body), session.uploadTask(with: plain, fromFile: file),
            session.uploadTask(withStreamedRequest: plain), session.dataTask(with: full),
            session.uploadTask(with: other, from: body), session.uploadTask(with: other, fromFile: file),
        ]
        for task in tasks {
            let outcome = try await recorder.run(task)
            #expect(outcome.error == nil && outcome.text == "PUT \(size)")
            let last = try #require(server.requests.last)
            #expect(last.bodySHA256 == LoopbackServer.patternSHA256(count: size))
            #expect(last.header("Content-Type") == "a/b")
            #expect(task.countOfBytesSent == Int64(size))
            #expect(outcome.sentTotals.last == Int64(size) && outcome.sentTotals.allSatisfy { $0 <= Int64(size) })
        }
        #expect(server.requestCount == 12)
    }

    @Test("Gap 7: a stream that cannot be provided again is a typed error") func noStream() async throws {
        let server = try server(307)
        var request = Wire.request(server.url("/from"), "POST")
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(Wire.session(recorder).dataTask(with: request))
        #expect(outcome.error?.code == .requestBodyStreamExhausted && outcome.underlying?.code == .bodyNotReplayable)
        #expect(server.requestCount == 1)
    }

    @Test(
        "Gap 7 on FoundationNetworking",
        .foundationNetworking("the body is dropped, and the server gets an empty one")
    )
    func replayOfFoundation() async throws {
        let server = try server(307)
        let recorder = RecordingDelegate()
        let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
        let outcome = try await recorder.run(
            session.uploadTask(with: Wire.request(server.url("/from"), "PUT"), from: Data("hello".utf8))
        )
        #expect(outcome.text == "PUT 5")
    }

    @Test("A redirect that arrives before the body was read is followed with the complete body")
    func early() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.bodyReading = { request in
            request.path == "/from" ? .early(.redirect(to: "/to", statusCode: 307), afterBytes: 100) : .whole
        }
        let server = try LoopbackServer(configuration: configuration) { .text("\($0.method) \($0.bodyLength)") }
        let body = LoopbackServer.pattern(count: 4_000_000)
        let recorder = RecordingDelegate()
        let task = Wire.session(recorder).uploadTask(with: Wire.request(server.url("/from"), "POST"), from: body)
        let outcome = try await recorder.run(task)
        #expect(outcome.text == "POST 4000000" && outcome.error == nil)
        #expect(task.countOfBytesSent == 4_000_000)
    }

    @Test("A download follows redirects into one file") func download() async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/to" else {
                return LoopbackResponse(statusCode: 302, headers: ["Location": "/to"], body: .pattern(count: 5000))
            }
            return .pattern(count: 200_000)
        }
        let recorder = RecordingDelegate()
        let outcome = try await recorder.run(Wire.session(recorder).downloadTask(with: server.url))
        #expect(outcome.error == nil && outcome.file == LoopbackServer.pattern(count: 200_000))
        #expect(outcome.events.filter { $0 == .finishedDownload }.count == 1)
        for case .wrote(_, let total, let expected) in outcome.events {
            #expect(total <= 200_000 && expected == 200_000)
        }
    }

    // MARK: - Races

    private func raceRedirects(_ make: (RecordingDelegate) -> URLSession, count: Int) async throws {
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 0
                ? .text("end") : .redirect(to: "/\(number - 1)", statusCode: [301, 302, 307, 308][number % 4])
        }
        var hooks = DelegateHooks()
        hooks.onRedirect = { task, _, request, answer in
            // Some decisions are made on another thread, some twice.
            if task.taskIdentifier % 3 == 0 {
                DispatchQueue.global().async { answer(request) }
            } else {
                answer(request)
                if task.taskIdentifier % 5 == 0 { answer(request) }
            }
        }
        let recorder = RecordingDelegate(hooks)
        let session = make(recorder)
        let tasks = (0..<count).map { index in
            index % 2 == 0
                ? session.dataTask(with: server.url("/5")) as URLSessionTask
                : session.downloadTask(with: server.url("/5"))
        }
        var random = SeededGenerator(10)
        for task in tasks { task.resume() }
        let victims = tasks.filter { _ in Bool.random(using: &random) }
        await withTaskGroup(of: Void.self) { group in
            for victim in victims {
                let delay = UInt64.random(in: 0...60_000_000, using: &random)
                group.addTask {
                    try? await Task.sleep(nanoseconds: delay)
                    victim.cancel()
                }
            }
        }
        for (index, task) in tasks.enumerated() {
            let outcome = try await recorder.completion(of: task)
            #expect(outcome.completions == 1)
            if let error = outcome.error {
                #expect(error.code == .cancelled)
            } else {
                #expect((index % 2 == 0 ? outcome.data : outcome.file) == Data("end".utf8))
            }
        }
    }

    @Test("Gaps 2 and 3: three hundred chains with random cancellations end once each") func race() async throws {
        try await raceRedirects({ Wire.session($0) { $0.httpMaximumConnectionsPerHost = 50 } }, count: 300)
    }

    @Test(
        "Gaps 2 and 3 on FoundationNetworking",
        .foundationNetworking("cancel within a redirection ends the process")
    )
    func raceOfFoundation() async throws {
        try await raceRedirects({ URLSession(configuration: .ephemeral, delegate: $0, delegateQueue: nil) }, count: 300)
    }
}
