import FerryTesting
import Testing

@testable import FerrySession

/// Classes in `configuration.protocolClasses`, tested with every kind of task and delivery.
@Suite("Protocol classes", .timeLimit(.minutes(5)))
struct ProtocolClassesTests {
    private func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        options: CurlSession.Options = .init(),
        classes: [AnyClass] = [ScriptedProtocol.self]
    ) -> CurlSession {
        makeSession(delegate, options: options) { $0.protocolClasses = classes + ($0.protocolClasses ?? []) }
    }

    private static let hello: @Sendable (ScriptedProtocol) -> Void = { loader in
        loader.respond(201, headers: ["X-Stub": "1"])
        loader.load("hel")
        loader.load("")
        loader.load("lo")
        loader.finish()
    }

    // MARK: - Kinds of delivery

    @Test("Data tasks deliver response, chunks and the end, in order", arguments: ["http", "stub"])
    func dataByDelegate(_ scheme: String) async throws {
        let url = ScriptedProtocol.script(scheme: scheme, Self.hello)
        let delegate = RecordingDelegate()
        let task = session(delegate).dataTask(with: url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["response", "data", "completed"])
        #expect(record.data == Data("hello".utf8))
        #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
        #expect(task.countOfBytesReceived == 5)
        #expect(task.currentRequest?.value(forHTTPHeaderField: "X-Canonical") == "yes")
        #expect(task.originalRequest?.value(forHTTPHeaderField: "X-Canonical") == nil)
        #expect(delegate.violations == [])
        try await eventually("the stop") { ScriptedProtocol.stops(url) == 1 }
        #expect(ScriptedProtocol.starts(url) == 1)
    }

    @Test("Handlers and async functions receive the same") func otherFaces() async throws {
        let url = ScriptedProtocol.script(Self.hello)
        let session = session()
        let (data, response) = try await session.data(from: url)
        #expect(data == Data("hello".utf8))
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Stub") == "1")
        let outcome = Watched<[Outcome<Data>]>([])
        session.dataTask(with: url) { outcome.append(Outcome($0, $1, $2)) }.resume()
        #expect(try await outcome.first().value == Data("hello".utf8))
        var streamed = Data()
        let (bytes, _) = try await session.bytes(from: url)
        for try await byte in bytes { streamed.append(byte) }
        #expect(streamed == Data("hello".utf8))
    }

    @Test("Downloads go to a temporary file with every kind of delivery") func downloads() async throws {
        let url = ScriptedProtocol.script(Self.hello)
        let folder = try TemporaryFolder()
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let delegate = RecordingDelegate()
        let session = session(delegate, options: options)
        let task = session.downloadTask(with: url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.names == ["wrote", "finishedDownload", "completed"])
        #expect(record.wroteTotals.last == 5)
        #expect(record.file == Data("hello".utf8))
        let content = Watched<[Data?]>([])
        session.downloadTask(with: url) { file, _, _ in
            content.append(file.flatMap { try? Data(contentsOf: $0) })
        }.resume()
        #expect(try await content.first() == Data("hello".utf8))
        let (file, _) = try await session.download(from: url)
        #expect(try Data(contentsOf: file) == Data("hello".utf8))
        try FileManager.default.removeItem(at: file)
        try await eventually("no file") { folder.names == [] }
    }

    @Test("A class receives the body of an upload from any source", arguments: ["data", "file", "stream", "body"])
    func uploads(_ kind: String) async throws {
        let body = LoopbackServer.pattern(count: 200_000)
        let url = ScriptedProtocol.script { loader in
            loader.respond(headers: ["X-Method": loader.request.httpMethod ?? ""])
            loader.load(SHA256Hash.hash(loader.body).hexadecimal)
            loader.finish()
        }
        let file = try TemporaryFile(body)
        var hooks = DelegateHooks()
        hooks.onBodyStream = { _, answer in answer(InputStream(data: body)) }
        let delegate = RecordingDelegate(hooks)
        let session = session(delegate)
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        if kind == "body" { request.httpBody = body }
        let task: URLSessionTask =
            switch kind {
            case "data": session.uploadTask(with: request, from: body)
            case "file": session.uploadTask(with: request, fromFile: file.url)
            case "stream": session.uploadTask(withStreamedRequest: request)
            default: session.dataTask(with: request)
            }
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(String(decoding: record.data, as: UTF8.self) == SHA256Hash.hash(body).hexadecimal)
        #expect((task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Method") == "PUT")
        #expect(record.error == nil)
    }

    @Test("An upload of a missing file fails as with the engine") func missingFile() async throws {
        let url = ScriptedProtocol.script(Self.hello)
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let error = await Wire.error { try await session().upload(for: URLRequest(url: url), fromFile: missing) }
        #expect(error?.code == .fileDoesNotExist)
        #expect(ScriptedProtocol.starts(url) == 0)
    }

    @Test("A response can become a download") func becomesDownload() async throws {
        let gate = Gate()
        let url = ScriptedProtocol.script { loader in
            loader.respond()
            loader.load("hel")
            let rest = Unchecked(loader)
            Thread.detachNewThread {
                gate.wait()
                rest.value.load("lo")
                rest.value.finish()
            }
        }
        var hooks = DelegateHooks()
        hooks.onResponse = { _, _, answer in
            URLSession.ResponseDisposition(rawValue: 2).map(answer)
            gate.open()
        }
        let delegate = RecordingDelegate(hooks)
        let task = session(delegate).dataTask(with: url)
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(
            record.names.filter { $0 != "wrote" } == ["response", "becameDownload", "finishedDownload", "completed"]
        )
        #expect(record.file == Data("hello".utf8))
    }

    // MARK: - Which class loads a request

    @Test("The first class that accepts a request loads it, and the engine loads the others")
    func order() async throws {
        final class First: ScriptedProtocol {
            override class func canInit(with request: URLRequest) -> Bool {
                request.value(forHTTPHeaderField: "X-First") != nil
            }

            override func startLoading() {
                respond()
                load("first")
                finish()
            }
        }
        let url = ScriptedProtocol.script(Self.hello)
        let session = session(classes: [First.self, ScriptedProtocol.self])
        var request = URLRequest(url: url)
        #expect(try await session.data(for: request).0 == Data("hello".utf8))
        request.setValue("1", forHTTPHeaderField: "X-First")
        #expect(try await session.data(for: request).0 == Data("first".utf8))
        let server = try LoopbackServer()
        #expect(try await session.data(from: server.url("/bytes/10")).0.count == 10)
        // After FoundationNetworking's own classes, a class is not asked about http.
        let behind = makeSession { $0.protocolClasses = ($0.protocolClasses ?? []) + [ScriptedProtocol.self] }
        #expect(await Wire.error { try await behind.data(from: url) }?.code == .cannotFindHost)
        let custom = ScriptedProtocol.script(scheme: "stub", Self.hello)
        #expect(try await behind.data(from: custom).0 == Data("hello".utf8))
    }

    @Test("canInit(with:) receives the task, and the class has access to it") func task() async throws {
        final class OfTask: ScriptedProtocol {
            override class func canInit(with task: URLSessionTask) -> Bool { task.taskDescription == "mine" }

            override func startLoading() {
                respond()
                load("\(task?.taskIdentifier ?? 0)")
                finish()
            }
        }
        let url = ScriptedProtocol.script(Self.hello)
        let session = session(classes: [OfTask.self, ScriptedProtocol.self])
        for description in ["mine", "yours"] {
            let outcome = Watched<[Outcome<Data>]>([])
            let task = session.dataTask(with: url) { outcome.append(Outcome($0, $1, $2)) }
            task.taskDescription = description
            task.resume()
            let text = String(decoding: try await outcome.first().value ?? Data(), as: UTF8.self)
            #expect(text == (description == "mine" ? "\(task.taskIdentifier)" : "hello"))
        }
    }

    @Test("A session's configuration can be reused for another session") func reuse()
        async throws
    {
        let url = ScriptedProtocol.script(Self.hello)
        let again = CurlSession(configuration: session().configuration)
        #expect(try await again.data(from: url).0 == Data("hello".utf8))
        let unsupported = try #require(URL(string: "stub://nobody/"))
        #expect(await Wire.error { try await again.data(from: unsupported) }?.code == .unsupportedURL)
    }

    @Test("Registered classes are asked by every session, after those of its configuration") func registered()
        async throws
    {
        let url = try #require(URL(string: "registered://host/"))
        let session = makeSession()
        let other = makeSession { $0.protocolClasses = [OtherRegisteredProtocol.self] }
        #expect(await Wire.error { try await session.data(from: url) }?.code == .unsupportedURL)
        CurlSession.registerProtocolClass(RegisteredProtocol.self)
        defer { CurlSession.unregisterProtocolClass(RegisteredProtocol.self) }
        #expect(try await session.data(from: url).0 == Data("registered".utf8))
        #expect(try await other.data(from: url).0 == Data("other".utf8))
        CurlSession.registerProtocolClass(OtherRegisteredProtocol.self)
        #expect(try await session.data(from: url).0 == Data("other".utf8))
        CurlSession.unregisterProtocolClass(OtherRegisteredProtocol.self)
        CurlSession.unregisterProtocolClass(RegisteredProtocol.self)
        let error = await Wire.error { try await session.data(from: url) }
        #expect(error?.code == .unsupportedURL)
        #expect(error?.localizedDescription.contains("CurlSession.registerProtocolClass") == true)
    }

    @Test(
        "data: URLs are loaded without a class",
        arguments: [
            ("data:,hello%20world", "hello world", "text/plain", nil),
            ("data:text/html;charset=UTF-8,%3Cb%3E", "<b>", "text/html", "utf-8"),
            ("data:text/plain;base64,aGVsbG8=", "hello", "text/plain", nil),
            ("data:;base64,aGVsbG8", "hello", "text/plain", nil),
            ("data:;charset=utf-8;charset=utf-16;image/png,abc", "abc", "text/plain", "utf-8"),
            ("data:a/b;key=value;CHARSET=\"macroman\",,1", ",1", "a/b", "macroman"),
            ("DATA:application/json,%7B%7D#fragment", "{}", "application/json", nil),
            ("data:,", "", "text/plain", nil),
        ] as [(String, String, String, String?)]
    )
    func dataURLs(_ text: String, _ content: String, _ type: String, _ charset: String?) async throws {
        let url = try #require(URL(string: text))
        let (data, response) = try await makeSession().data(from: url)
        #expect(String(decoding: data, as: UTF8.self) == content)
        #expect(response.mimeType == type)
        #expect(response.textEncodingName == charset)
        let (file, _) = try await makeSession().download(from: url)
        #expect(try Data(contentsOf: file) == data)
        try FileManager.default.removeItem(at: file)
    }

    @Test(
        "Damaged data: URLs are errors",
        arguments: [
            "data:nothing", "data:%2C123", "data:html,x", "data:text/html/x,y", "data:/html,x",
            "data:text/;charset=utf-8,x",
            "data:;base64,a", "data:;base64,ab=c", "data:;base64,%00%00%00%00!",
        ]
    )
    func damagedDataURLs(_ text: String) async throws {
        let url = try #require(URL(string: text))
        #expect(await Wire.error { try await makeSession().data(from: url) }?.code == .badURL)
    }
}

/// Loads `registered:` URLs.
private class RegisteredProtocol: URLProtocol {
    var text: String { "registered" }

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "registered" }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

private final class OtherRegisteredProtocol: RegisteredProtocol {
    override var text: String { "other" }
}
