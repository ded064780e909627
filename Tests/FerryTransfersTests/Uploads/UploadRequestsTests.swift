import Testing

@testable import FerryTransfers

/// The properties that an upload's requests share with the caller's, and when the OPTIONS request is repeated.
@Suite(.timeLimit(.minutes(5)))
struct UploadRequestsTests {
    private let folder: TemporaryFolder
    private let session = makeSession()

    init() throws {
        folder = try TemporaryFolder()
        try folder.file("file", "hello")
    }

    /// A server of tus that answers the first requests with OPTIONS with some statuses.
    private func server(_ statuses: [Int] = []) throws -> LoopbackServer {
        let waiting = Mutex(statuses)
        return try LoopbackServer { request in
            let version = LoopbackResponse.status(204).adding("Tus-Resumable", "1.0.0")
            switch request.method {
            case "OPTIONS":
                if let status = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return .status(status) }
                return version.adding("Tus-Version", "1.0.0")
            case "POST":
                guard request.header("Tus-Resumable") != nil else { return .status(412) }
                return LoopbackResponse.status(201).adding("Location", "/made").adding("Tus-Resumable", "1.0.0")
            case "HEAD": return version.adding("Upload-Offset", "0").adding("Upload-Length", "5")
            case "PATCH": return version.adding("Upload-Offset", "5")
            default: return .status(405)
            }
        }
    }

    @Test("The requests of a protocol have the fields of the upload, but not its key for one request")
    func key() async throws {
        let server = try server()
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.request.setValue("\"1\"", forHTTPHeaderField: "Idempotency-Key")
        upload.request.setValue("a", forHTTPHeaderField: "X-Own")
        _ = try await session.upload(upload)
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST", "HEAD", "PATCH"])
        #expect(server.requests.allSatisfy { $0.header("X-Own") == "a" && $0.header("Idempotency-Key") == nil })
    }

    @Test("All requests of an upload have cookies, or none if the upload's request has none", arguments: [true, false])
    func cookies(handles: Bool) async throws {
        let server = try server()
        session.addCookie()
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.request.httpShouldHandleCookies = handles
        // The upload as it is after a restart of its queue.
        upload = try QueueRecord.Upload(upload, keepsSecrets: false).value
        _ = try await session.upload(upload)
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST", "HEAD", "PATCH"])
        #expect(server.requests.allSatisfy { ($0.header("Cookie") != nil) == handles })
    }

    @Test("An upload does not lead from https to http, however the schemes are spelled")
    func downgrade() throws {
        let rows = [
            ("HTTPS://a.example/", "http://b.example/", false), ("https://a.example/", "HTTP://b.example/", false),
            ("HTTPS://a.example/", "/b", true), ("https://a.example/", "HTTPS://b.example/", true),
            ("http://a.example/", "http://b.example/", true),
        ]
        for (base, location, isFollowed) in rows {
            let url = try #require(URL(string: base))
            let fields = ["Location": location]
            let response = HTTPURLResponse(url: url, statusCode: 201, httpVersion: nil, headerFields: fields)
            let found = UploadProtocol.location(in: try #require(response), for: URLRequest(url: url))
            #expect((found != nil) == isFollowed, "\(base) \(location)")
        }
    }

    @Test("Bytes of an earlier body, or of one that goes on after the end, are not counted")
    func lateBytes() async throws {
        let told = Watched<[Int64]>([])
        let upload = FileUpload(folder.file("file"), to: URL(fileURLWithPath: "/"))
        let run = UploadRun(session: session, upload: upload) { progress in
            told.change { $0.append(progress.completedByteCount) }
        }
        let (first, second) = (run.progress.begin(0, at: 1, of: 5), run.progress.begin(0, at: 0, of: 5))
        let abandoned = second()
        let body = second()
        body(3)
        let late = first()
        for count in [late, abandoned] { count(2) }
        #expect(told.current == [3])
        await #expect(throws: (any Error).self) { try await run.run() }
        body(2)
        #expect(told.current == [3])
    }

    @Test("An upload without a protocol keeps its key") func plain() async throws {
        let server = try LoopbackServer { _ in .status(201) }
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.resumption = .none
        upload.request.setValue("\"1\"", forHTTPHeaderField: "Idempotency-Key")
        _ = try await session.upload(upload)
        #expect(server.requests.map { $0.header("Idempotency-Key") } == ["\"1\""])
    }

    @Test("An upload without a protocol is repeated as its session says")
    func plainRetries() async throws {
        let statuses = Watched([503, 201])
        let server = try LoopbackServer { _ in .status(statuses.change { $0.removeFirst() }) }
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.resumption = .none
        _ = try await makeSession(retrying: ["POST"]).upload(upload)
        #expect(server.requests.map(\.body) == [Data("hello".utf8), Data("hello".utf8)])
    }

    @Test(
        "The limit of a request that OPTIONS tells counts until the upload tells another",
        arguments: [(nil, [2, 2, 1]), (4, [4, 1])]
    )
    func limitOfOptions(own: Int?, sizes: [Int]) async throws {
        let received = Watched(0)
        let server = try LoopbackServer { request in
            let count = received.change { count in
                count += request.body.count
                return count
            }
            switch request.method {
            case "OPTIONS": return .status(204).adding("Upload-Limit", "max-append-size=2")
            case "POST": return .status(201).adding("Location", "/made").adding("Upload-Complete", "?0")
            case "HEAD":
                let head = LoopbackResponse.status(204).adding("Upload-Offset", "0").adding("Upload-Complete", "?0")
                return own.map { head.adding("Upload-Limit", "max-append-size=\($0)") } ?? head
            default: return .status(204).adding("Upload-Complete", count == 5 ? "?1" : "?0")
            }
        }
        _ = try await session.upload(FileUpload(folder.file("file"), to: server.url))
        let bodies = server.requests.map(\.body.count)
        #expect(bodies == [0, 0, 0] + sizes)
    }

    @Test(
        "The limit of a request counts if only the creation of the upload tells it",
        arguments: [true, false]
    )
    func limitOfCreation(isInterim: Bool) async throws {
        let received = Watched(0)
        let server = try LoopbackServer { request in
            let fields: LoopbackHeaders = ["Location": "/made", "Upload-Limit": "max-append-size=2, max-age=60"]
            switch request.method {
            case "OPTIONS": return .status(405)
            case "POST" where isInterim: return .status(413).preceded(by: .init(statusCode: 104, headers: fields))
            case "POST": return .status(201, headers: fields).adding("Upload-Complete", "?0")
            case "HEAD": return .status(204).adding("Upload-Offset", "0").adding("Upload-Complete", "?0")
            default:
                let count = received.change { count in
                    count += request.body.count
                    return count
                }
                return .status(204).adding("Upload-Complete", count == 5 ? "?1" : "?0")
            }
        }
        _ = try await session.upload(FileUpload(folder.file("file"), to: server.url))
        #expect(server.requests.map(\.body.count) == [0, 5, 0, 2, 2, 1])
    }

    @Test("A file that is refused for its length, though no request was too long, is not sent again")
    func tooLong() async throws {
        let server = try LoopbackServer { request in
            guard request.method == "POST" else { return .status(405) }
            let fields: LoopbackHeaders = ["Location": "/made", "Upload-Limit": "max-append-size=5"]
            return .status(413).preceded(by: .init(statusCode: 104, headers: fields))
        }
        let error = await failure { try await session.upload(FileUpload(folder.file("file"), to: server.url)) }
        #expect(failedStatus(of: error) == 413)
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST"])
    }

    @Test("A file that is posted without a type is no form", arguments: [FileUpload.Resumption.automatic, .none])
    func type(resumption: FileUpload.Resumption) async throws {
        let server = try LoopbackServer { .status($0.method == "OPTIONS" ? 405 : 201) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["content-type": "text/csv"]
        let type = "image/png"
        for (method, given) in [("POST", nil), ("POST", type), ("PUT", nil)] {
            var upload = FileUpload(folder.file("file"), to: server.url)
            upload.resumption = resumption
            upload.request.httpMethod = method
            upload.request.setValue(given, forHTTPHeaderField: "Content-Type")
            _ = try await session.upload(upload)
            _ = try await CurlSession(configuration: configuration).upload(upload)
        }
        let sent = server.requests.filter { $0.method != "OPTIONS" }.map { $0.header("Content-Type") }
        #expect(sent == ["application/octet-stream", "text/csv", type, type, nil, "text/csv"])
    }

    @Test("A server that is busy is asked again for its offer", arguments: [[503], [429, 502]])
    func busy(statuses: [Int]) async throws {
        let server = try server(statuses)
        _ = try await session.upload(FileUpload(folder.file("file"), to: server.url))
        let methods = statuses.map { _ in "OPTIONS" } + ["OPTIONS", "POST", "HEAD", "PATCH"]
        #expect(server.requests.map(\.method) == methods)
    }

    @Test("A server that stays busy fails the upload with its status", .slow)
    func alwaysBusy() async throws {
        let server = try server(Array(repeating: 503, count: 100))
        let error = await failure { try await session.upload(FileUpload(folder.file("file"), to: server.url)) }
        #expect(failedStatus(of: error) == 503)
        #expect(server.requests.allSatisfy { $0.method == "OPTIONS" })
    }

    @Test("A server without the method has no offer", arguments: [405, 500, 501])
    func noOffer(status: Int) async throws {
        let server = try LoopbackServer { .status($0.method == "OPTIONS" ? status : 201) }
        _ = try await session.upload(FileUpload(folder.file("file"), to: server.url))
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST"])
    }

    @Test("A part of a file is the body of a request, also of one that is sent again")
    func fileBody() async throws {
        let folder = try TemporaryFolder()
        let content = LoopbackServer.pattern(count: 1_000_000)
        let file = try folder.file("file", content)
        let statuses = Watched([503, 200])
        let server = try LoopbackServer { _ in .status(statuses.change { $0.removeFirst() }) }
        var request = URLRequest(url: server.url)
        request.httpMethod = "PUT"
        let body = try await RequestBody(file: file, range: 100..<900_000)
        _ = try await makeSession(retrying: []).upload(for: request, body: body)
        #expect(server.requests.map(\.body) == [content[100..<900_000], content[100..<900_000]])
        #expect(server.requests.allSatisfy { $0.header("Content-Length") == "899900" })
        let whole = try await RequestBody(file: file)
        statuses.change { $0 = [200] }
        _ = try await makeSession().upload(for: request, body: whole)
        #expect(server.requests.last?.body == content)
        let error = await failure { try await RequestBody(file: file, range: 0..<1_000_001) }
        #expect(error as? FileUploadError == .file(path: file.path, code: EINVAL, reason: "The file has 1000000 bytes"))
    }

    @Test("A server that has locked an upload is asked again")
    func locked() async throws {
        let answers = Watched([423, 423])
        let server = try LoopbackServer { request in
            let version = LoopbackResponse.status(204).adding("Tus-Resumable", "1.0.0")
            switch request.method {
            case "OPTIONS": return version.adding("Tus-Version", "1.0.0")
            case "POST": return LoopbackResponse.status(201).adding("Location", "/made")
            case "HEAD":
                let status = answers.change { $0.isEmpty ? nil : $0.removeFirst() }
                return status.map { .status($0) }
                    ?? version.adding("Upload-Offset", "0").adding("Upload-Length", "5")
            default: return version.adding("Upload-Offset", "5")
            }
        }
        _ = try await session.upload(FileUpload(folder.file("file"), to: server.url))
        #expect(server.requests.map(\.method) == ["OPTIONS", "POST", "HEAD", "HEAD", "HEAD", "PATCH"])
    }

    @Test("Parts whose joining has no response are not joined a second time, also in a queue")
    func joining() async throws {
        let log = Mutex<[String]>([])
        let server = try LoopbackServer { request in
            let kind = request.header("Upload-Concat")?.prefix(5) ?? ""
            let count = log.withLock { log in
                log.append(request.method + " " + kind)
                return log.count
            }
            switch (request.method, kind) {
            case ("OPTIONS", _):
                return .status(204).adding("Tus-Version", "1.0.0").adding("Tus-Extension", "creation,concatenation")
            case ("POST", "parti"): return .status(201).adding("Location", "/part\(count)")
            case ("PATCH", _): return .status(204).adding("Upload-Offset", "\(request.body.count)")
            case ("POST", _): return LoopbackResponse().faulted(.resetBeforeHead)
            default: return .status(200).adding("Upload-Offset", "0").adding("Upload-Length", "2")
            }
        }
        let folder = try TemporaryFolder()
        try Data("four".utf8).write(to: folder.file("file"))
        var upload = FileUpload(folder.file("file"), to: server.url)
        (upload.resumption, upload.connections) = (.tus, 2)
        let error = await failure { try await makeSession().upload(upload) }
        guard case .badResponse(let text)? = error as? FileUploadError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("joined"))
        let queue = try await TransferQueue(directory: folder.file("queue"))
        try await queue.add(upload)
        #expect(try await queue.run(with: makeSession()).failedCount == 1)
        #expect(log.withLock { $0.filter { $0 == "POST final" }.count } == 2)
    }

    @Test("An upload that is cancelled while its parts are created leaves none of them at the server")
    func cancelledCreation() async throws {
        let (gate, log) = (Gate(), RequestLog())
        let server = try LoopbackServer(
            handler: log.handler { request in
                switch request.method {
                case "OPTIONS":
                    return .status(204).adding("Tus-Version", "1.0.0").adding("Tus-Extension", "concatenation")
                case "POST":
                    let number = log.requests.count { $0.method == "POST" }
                    if number == 3 { gate.wait() }
                    return .status(201).adding("Location", "/part\(number)")
                default: return .status(204)
                }
            }
        )
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.connections = 3
        let task = Task { [session, upload] in try await session.upload(upload) }
        try await eventually("the third part") { gate.arrived == 1 }
        task.cancel()
        #expect((await failure { try await task.value } as? URLError)?.code == .cancelled)
        let deleted = { log.requests.filter { $0.method == "DELETE" }.map(\.path) }
        try await eventually("the deletion of both") { deleted() == ["/part1", "/part2"] }
        gate.open()
    }

    @Test("A queued upload begins again if the file was replaced") func replaced() async throws {
        let log = RequestLog()
        let isAway = Watched(true)
        let server = try LoopbackServer(
            handler: log.handler { request in
                switch request.method {
                case "POST": .status(201).adding("Location", "/upload")
                case "PATCH" where isAway.current: .status(403)
                case "PATCH": .status(204).adding("Upload-Offset", "\(request.body.count)")
                default: .status(200).adding("Upload-Offset", "0").adding("Upload-Length", "4")
                }
            }
        )
        let folder = try TemporaryFolder()
        let file = folder.file("file")
        try Data("four".utf8).write(to: file)
        var upload = FileUpload(file, to: server.url)
        upload.resumption = .tus
        let queue = try await TransferQueue(directory: folder.file("queue"))
        try await queue.add(upload)
        #expect(try await queue.run(with: makeSession()).failedCount == 1)
        try await queue.resume()
        #expect(try await queue.run(with: makeSession()).failedCount == 1)
        #expect(log.requests.filter { $0.method == "POST" }.count == 1)
        try Data("five".utf8).write(to: file, options: .atomic)
        isAway.change { $0 = false }
        try await queue.resume()
        #expect(try await queue.run(with: makeSession()).finishedCount == 1)
        #expect(log.requests.filter { $0.method == "POST" }.count == 2)
    }

    @Test("The URL of an upload at another origin gets no credentials of the session and of interceptors")
    func otherOrigin() async throws {
        let log = RequestLog()
        let storage = try LoopbackServer(
            handler: log.handler { request in
                request.method == "PATCH"
                    ? .status(204).adding("Upload-Offset", "\(request.body.count)")
                    : .status(200).adding("Upload-Offset", "0").adding("Upload-Length", "4")
            }
        )
        let server = try LoopbackServer { _ in .status(201).adding("Location", storage.url.absoluteString) }
        let folder = try TemporaryFolder()
        try Data("four".utf8).write(to: folder.file("file"))
        var upload = FileUpload(folder.file("file"), to: server.url)
        upload.resumption = .tus
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret"]
        _ = try await CurlSession(configuration: configuration).upload(upload)
        #expect(server.requests.first?.header("Authorization") == "Bearer secret")
        #expect(!log.requests.isEmpty && log.requests.allSatisfy { $0.header("Authorization") == nil })
    }
}
