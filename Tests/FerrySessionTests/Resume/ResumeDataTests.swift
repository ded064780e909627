import FerrySession
import FerryTesting
import TestSupport
import Testing

@Suite("Resume data", .timeLimit(.minutes(5)))
struct ResumeDataTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func session(_ delegate: (any URLSessionDelegate)? = nil) -> CurlSession {
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        return CurlSession(configuration: .ephemeral, options: options, delegate: delegate)
    }

    private var files: [String] { folder.names }

    /// Returns a server whose handler also gets the number of requests before each.
    private static func numbered(
        _ handler: @escaping @Sendable (LoopbackRequest, Int) -> LoopbackResponse
    ) throws -> LoopbackServer {
        let count = Watched(0)
        return try LoopbackServer { request in
            let number = count.change { count in
                defer { count += 1 }
                return count
            }
            return handler(request, number)
        }
    }

    /// Serves a pattern and resets the connection after `piece` bytes of each response.
    private static func flaky(
        total: Int,
        piece: Int,
        etag: @escaping @Sendable (Int) -> String
    ) throws -> LoopbackServer {
        try numbered { request, number in
            .resource(.pattern(count: total), etag: etag(number), for: request)
                .faulted(.reset(afterBodyBytes: piece))
        }
    }

    private func resumeData(of error: any Error) -> Data? {
        (error as? URLError)?.userInfo[URLSessionDownloadTaskResumeData] as? Data
    }

    @Test("A download whose server resets repeatedly completes through resume data, byte for byte")
    func completesThroughResets() async throws {
        let (total, piece) = (3_000_000, 700_000)
        let server = try Self.flaky(total: total, piece: piece) { _ in "\"one\"" }
        let session = session()
        var data: Data?
        var attempts = 0
        var file: URL?
        while file == nil, attempts < 20 {
            attempts += 1
            do {
                if let resume = data {
                    file = try await session.download(resumeFrom: resume).0
                } else {
                    file = try await session.download(for: URLRequest(url: server.url("/file"))).0
                }
            } catch {
                data = resumeData(of: error)
                #expect(data != nil, "\(error)")
            }
        }
        let url = try #require(file)
        #expect(try Data(contentsOf: url) == LoopbackServer.pattern(count: total))
        #expect(attempts == 5)
        let ranges = server.requests.dropFirst().map { $0.headers["Range"] }
        #expect(ranges.allSatisfy { $0 != nil })
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"one\"" })
        try FileManager.default.removeItem(at: url)
        #expect(files.isEmpty)
    }

    @Test("A continued download keeps its file, at whatever moment of its beginning it is cancelled")
    func cancelledWhileItBegins() async throws {
        let server = try Self.flaky(total: 3_000_000, piece: 1_000) { _ in "\"one\"" }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        var data = try #require(error.flatMap(resumeData))
        for round in 0..<400 {
            let task = Task.detached { [data] in try await session.download(resumeFrom: data) }
            for _ in 0..<(round % 40) { sched_yield() }
            task.cancel()
            guard case .failure(let error) = await task.result else { continue }
            if error is CancellationError { continue }
            data = try #require(resumeData(of: error), "round \(round): \(error)")
        }
    }

    @Test("A download that is complete when it is cancelled for resume data is delivered", arguments: [true, false])
    func cancelledAtItsEnd(isSuspended: Bool) async throws {
        let size = 500_000
        let server = try LoopbackServer { .resource(.pattern(count: size), etag: "\"one\"", for: $0) }
        let ended = Watched<(any Error)??>(nil)
        let handled = Watched<Data??>(nil)
        let content = Watched<Data?>(nil)
        var hooks = DelegateHooks()
        hooks.onFinishedDownload = { _, location in content.change { $0 = try? Data(contentsOf: location) } }
        hooks.onCompleted = { _, error in ended.change { $0 = .some(error) } }
        let session = session(RecordingDelegate(hooks))
        session.delegateQueue.isSuspended = true
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        try await eventually("the whole file") {
            files.contains { folder.data($0)?.count == size }
        }
        // The end of the transfer follows its last byte.
        try await Task.sleep(for: .milliseconds(200))
        if isSuspended { task.suspend() }
        task.cancel { data in handled.change { $0 = .some(data) } }
        // Later calls do not replace the handler.
        let second = Watched<Data??>(nil)
        task.cancel { data in second.change { $0 = .some(data) } }
        task.suspend()
        task.cancel()
        session.delegateQueue.isSuspended = false
        try await second.wait { $0 == .some(nil) }
        try await ended.wait { $0 != nil }
        #expect(ended.current.map { $0 == nil } == true)
        #expect(handled.current == .some(nil))
        #expect(content.current == LoopbackServer.pattern(count: size))
    }

    @Test("A server with another entity sends all of it, and the file is exactly that")
    func startsOverWhenTheEntityChanged() async throws {
        let server = try LoopbackServer { request in
            if request.headers["Range"] == nil {
                return .resource(.data(Data(repeating: 1, count: 500_000)), etag: "\"one\"", for: request)
                    .faulted(.reset(afterBodyBytes: 200_000))
            }
            return .resource(.pattern(count: 300_000), etag: "\"two\"", for: request)
        }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try #require(error.flatMap(resumeData))
        let (file, response) = try await session.download(resumeFrom: data)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 300_000))
    }

    @Test("Resume data that was used for another entity does not continue the bytes of that one")
    func usedForAnotherEntity() async throws {
        let entity = Watched("one")
        let server = try LoopbackServer { request in
            let name = entity.current
            let response = LoopbackResponse.resource(
                .data(Data(repeating: name == "one" ? 1 : 2, count: 500_000)),
                etag: "\"\(name)\"",
                for: request
            )
            return response.faulted(.reset(afterBodyBytes: 200_000))
        }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let first = try #require(error.flatMap(resumeData))
        entity.change { $0 = "two" }
        let second = await #expect(throws: URLError.self) { try await session.download(resumeFrom: first) }
        #expect(second.flatMap(resumeData) != nil)
        entity.change { $0 = "one" }
        let third = await #expect(throws: URLError.self) { try await session.download(resumeFrom: first) }
        let cause = third?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        #expect(cause?.code == .invalidResumeData)
    }

    @Test("A download with resume data that was never resumed ends with the same data when it is cancelled")
    func cancelledBeforeItBegan() async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: 400_000), etag: "\"one\"", for: request)
            return request.headers["Range"] == nil ? response.faulted(.reset(afterBodyBytes: 150_000)) : response
        }
        let log = Log()
        let session = session(log)
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let task = session.downloadTask(withResumeData: try #require(error.flatMap(resumeData)))
        let data = await withCheckedContinuation { continuation in
            task.cancel { data in
                log.note("handler")
                continuation.resume(returning: data)
            }
        }
        try await log.wait { $0.events.contains("completed -999") }
        #expect(log.events.suffix(2) == ["handler", "completed -999"])
        #expect(task.error.flatMap(resumeData) == data)
        let (file, _) = try await session.download(resumeFrom: try #require(data))
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 400_000))
        #expect(server.requests.last?.headers["Range"] == "bytes=150000-")
    }

    @Test("Cancelling with resume data calls the handler before the completion, and the download can be resumed")
    func cancelProducesResumeData() async throws {
        let total = 400_000
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: total), etag: "\"one\"", for: request)
            return request.headers["Range"] == nil ? response.faulted(.stall(afterBodyBytes: 150_000)) : response
        }
        let log = Log()
        let session = session(log)
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        try await log.wait { $0.written == 150_000 }
        let data = await withCheckedContinuation { continuation in
            task.cancel { data in
                log.note("handler")
                continuation.resume(returning: data)
            }
        }
        try await log.wait { $0.events.contains("completed -999") }
        #expect(log.events == ["handler", "completed -999"])

        let resumed = session.downloadTask(withResumeData: try #require(data))
        resumed.resume()
        try await log.wait { $0.events.last == "completed nil" }
        #expect(log.events.dropFirst(2).first == "resumed at 150000 of \(total)")
        #expect(log.file == LoopbackServer.pattern(count: total))
        #expect(resumed.countOfBytesReceived == Int64(total))
        #expect(files.isEmpty)
    }

    @Test(
        "A task cancelled before its failure was delivered leaves a partial file only with resume data",
        arguments: [false, true]
    )
    func unheardFailure(_ producesResumeData: Bool) async throws {
        let server = try LoopbackServer { request in
            let whole = LoopbackResponse.resource(.pattern(count: 400_000), etag: "\"one\"", for: request)
            return request.header("Range") == nil ? whole.faulted(.reset(afterBodyBytes: 150_000)) : whole
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        var options = CurlSession.Options()
        options.temporaryDirectory = folder.url
        let log = Log()
        let session = CurlSession(configuration: .ephemeral, options: options, delegate: log, delegateQueue: queue)
        queue.isSuspended = true
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        // The attempt has ended once its metrics exist.
        let deadline = Date() + 20
        while task.metrics?.transactions.isEmpty != false {
            try #require(Date() < deadline, "the transfer never ended")
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(files.count == 1)
        guard producesResumeData else {
            task.cancel()
            queue.isSuspended = false
            try await log.wait { $0.events == ["completed -999"] }
            return try await eventually { files.isEmpty }
        }
        let produced = Watched<Data?>(nil)
        task.cancel { data in produced.change { $0 = data } }
        queue.isSuspended = false
        try await log.wait { $0.events == ["completed -999"] }
        let data = try #require(produced.current)
        let (file, _) = try await self.session().download(resumeFrom: data)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 400_000))
    }

    @Test("A weak entity tag creates no resume data, and the partial file is deleted")
    func weakTagsDoNotResume() async throws {
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse.pattern(count: 400_000).faulted(.reset(afterBodyBytes: 150_000))
            response.headers.add("ETag", "W/\"one\"")
            return response
        }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error.flatMap(resumeData) == nil)
        #expect(files.isEmpty)
    }

    @Test("An offset at the end of the file gets a 416, and the download is complete")
    func completeFileNeedsNoBytes() async throws {
        let total = 200_000
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: total), etag: "\"one\"", for: request)
            guard request.headers["Range"] == nil else { return response }
            return LoopbackResponse(headers: ["ETag": "\"one\""], body: .pattern(count: total)).framed(.chunked)
                .faulted(.truncate(afterBodyBytes: total))
        }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try #require(error.flatMap(resumeData))
        let (file, answer) = try await session.download(resumeFrom: data)
        #expect(server.requests.last?.headers["Range"] == "bytes=\(total)-")
        let response = try #require(answer as? HTTPURLResponse)
        #expect(response.statusCode == 200)
        // The fields of the 416 do not become fields of the file's response.
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "\(total)")
        #expect(response.value(forHTTPHeaderField: "Content-Range") == nil)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: total))
    }

    @Test("If a server responds to a range with another one, everything is requested again")
    func wrongRangeStartsOver() async throws {
        let total = 300_000
        let server = try LoopbackServer { request in
            guard request.headers["Range"] != nil else {
                let response = LoopbackResponse.resource(.pattern(count: total), etag: "\"one\"", for: request)
                return request.headers["Accept-Encoding"] == nil || request.headers["X-Seen"] != nil
                    ? response : response.faulted(.reset(afterBodyBytes: 100_000))
            }
            return LoopbackResponse(
                statusCode: 206,
                headers: ["ETag": "\"one\"", "Content-Range": "bytes 5-9/\(total)"],
                body: .data(Data("wrong".utf8))
            )
        }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try #require(error.flatMap(resumeData))
        // This response is truncated as well, so that the test sees resume data of the new beginning.
        let second = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        #expect(second.flatMap(resumeData) != nil)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=100000-", nil])
    }

    @Test("A server error while resuming keeps the partial file for another attempt")
    func failureKeepsTheFile() async throws {
        let server = try Self.numbered { request, number in
            let response = LoopbackResponse.resource(.pattern(count: 300_000), etag: "\"one\"", for: request)
            switch number {
            case 0: return response.faulted(.reset(afterBodyBytes: 100_000))
            case 1: return .text("busy", statusCode: 503)
            default: return response
            }
        }
        let session = session()
        let first = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try #require(first.flatMap(resumeData))
        let second = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        #expect(second?.code == .badServerResponse)
        let again = try #require(second.flatMap(resumeData))
        let (file, _) = try await session.download(resumeFrom: again)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 300_000))
    }

    /// The server's response instead of the rest.
    private static func refusal(_ kind: String) -> LoopbackResponse {
        let challenge = "Basic realm=\"x\""
        switch kind {
        case "challenge": return .text("denied", statusCode: 401).adding("WWW-Authenticate", challenge)
        case "truncated challenge":
            var response = LoopbackResponse.pattern(count: 1_000).adding("WWW-Authenticate", challenge)
            response.statusCode = 401
            return response.faulted(.truncate(afterBodyBytes: 200))
        case "redirect": return .text("moved", statusCode: 302).adding("Location", "/login")
        default: return .text("other", statusCode: 401).adding("WWW-Authenticate", "Bearer")
        }
    }

    @Test(
        "No body of a challenge or redirect that is not followed is appended to the partial file",
        arguments: ["challenge", "truncated challenge", "redirect", "other"]
    )
    func refusedRest(_ kind: String) async throws {
        let server = try Self.numbered { request, number in
            let response = LoopbackResponse.resource(.pattern(count: 300_000), etag: "\"one\"", for: request)
            switch number {
            case 0: return response.faulted(.reset(afterBodyBytes: 100_000))
            case 1: return Self.refusal(kind)
            default: return response
            }
        }
        var hooks = DelegateHooks()
        hooks.onRedirect = { _, _, _, answer in answer(nil) }
        let session = session(RecordingDelegate(hooks))
        let first = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try #require(first.flatMap(resumeData))
        let second = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        #expect(second?.code == .badServerResponse)
        #expect((second?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError)?.code == .cannotContinue)
        let again = try #require(second.flatMap(resumeData))
        let (file, _) = try await session.download(resumeFrom: again)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 300_000))
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=100000-", "bytes=100000-"])
    }

    @Test("A redirected download is resumed with the fields of its first request, and follows the redirect again")
    func redirected() async throws {
        let storage = try Self.numbered { request, number in
            let response = LoopbackResponse.resource(.pattern(count: 300_000), etag: "\"one\"", for: request)
            return number == 0 ? response.faulted(.reset(afterBodyBytes: 100_000)) : response
        }
        let target = storage.url("/file", host: "localhost").absoluteString
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Bearer t" ? .redirect(to: target) : .status(403)
        }
        let session = session()
        var request = URLRequest(url: server.url("/download"))
        request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
        let error = await #expect(throws: URLError.self) { try await session.download(for: request) }
        let data = try #require(error.flatMap(resumeData))
        let (file, _) = try await session.download(resumeFrom: data)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 300_000))
        #expect(server.requestCount == 2)
        #expect(storage.requests.map { $0.header("Range") } == [nil, "bytes=100000-"])
        #expect(storage.requests.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test("A download that began with another method than GET has no resume data") func otherMethod() async throws {
        let server = try LoopbackServer { request in
            guard request.method == "GET" else { return .text("", statusCode: 303).adding("Location", "/file") }
            return .resource(.pattern(count: 300_000), etag: "\"one\"", for: request)
                .faulted(.reset(afterBodyBytes: 100_000))
        }
        let request = Wire.request(server.url("/export"), "POST", body: Data("query".utf8))
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(for: request) }
        #expect(error?.code == .networkConnectionLost)
        #expect(error.flatMap(resumeData) == nil)
        #expect(files.isEmpty)
    }

    @Test("A partial file that another task is continuing is refused") func usedTwice() async throws {
        let gate = Gate()
        let server = try Self.numbered { request, number in
            let response = LoopbackResponse.resource(.pattern(count: 300_000), etag: "\"one\"", for: request)
            if number == 0 { return response.faulted(.reset(afterBodyBytes: 100_000)) }
            gate.wait()
            return response
        }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try #require(error.flatMap(resumeData))
        async let first = session.download(resumeFrom: data)
        try await eventually("the first request for the rest") { server.requestCount == 2 }
        let second = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        let cause = second?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        #expect(cause?.code == .invalidResumeData)
        gate.open()
        #expect(try Data(contentsOf: try await first.0) == LoopbackServer.pattern(count: 300_000))
    }

    @Test("A partial file that others can write is refused in a folder in which they can create files")
    func writableByOthers() async throws {
        let server = try Self.flaky(total: 200_000, piece: 100_000) { _ in "\"one\"" }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try #require(error.flatMap(resumeData))
        let file = try #require(files.first)
        try #require(chmod(folder.url.path, 0o1777) == 0 && chmod(folder.path(file), 0o666) == 0)
        let refusal = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        let cause = refusal?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        #expect(refusal?.code == .cannotOpenFile && cause?.code == .invalidResumeData)
        #expect(cause?.message.contains("Other users can write the file") == true)
        try #require(chmod(folder.path(file), 0o600) == 0)
        let whole = try await session.download(resumeFrom: data).0
        #expect(try Data(contentsOf: whole) == LoopbackServer.pattern(count: 200_000))
    }

    @Test("Invalid resume data is refused with the reason", arguments: BadResumeData.allCases)
    func refusesBadData(_ kind: BadResumeData) async throws {
        let server = try Self.flaky(total: 300_000, piece: 100_000) { _ in "\"one\"" }
        let session = session()
        let error = await #expect(throws: URLError.self) { try await session.download(from: server.url("/file")) }
        let data = try kind.spoil(try #require(error.flatMap(resumeData)), folder: folder.url)
        let refusal = await #expect(throws: URLError.self) { try await session.download(resumeFrom: data) }
        let cause = refusal?.userInfo[NSUnderlyingErrorKey] as? CurlSessionError
        #expect(cause?.code == .invalidResumeData)
        #expect(cause?.message.contains(kind.words) == true, "\(String(describing: cause))")
        #expect(server.requestCount == 1)
    }
}

/// The ways in which resume data is invalid.
enum BadResumeData: String, CaseIterable {
    case empty, garbage, cut, version, foreignFile, otherFolder, missingFile, shortFile, symbolicLink, pipe, folder
    case huge, tagWithLineBreak, weakTag, dateWithLineBreak, headerName, headerValue, scheme, noHost, laterScheme
    case laterHost, noOffset, negativeOffset, totalBeforeOffset, hugeOffset, notANumber, missingField

    var words: String {
        switch self {
        case .empty, .garbage: "did not create"
        case .cut: "damaged"
        case .version: "version"
        case .foreignFile: "fileName"
        case .otherFolder: "this session's files"
        case .missingFile: "No such file"
        case .symbolicLink: "symbolic link"
        case .pipe: "Not a regular file"
        case .folder: "Is a directory"
        case .shortFile: "are needed"
        case .huge: "more than"
        case .tagWithLineBreak, .weakTag, .dateWithLineBreak, .missingField: "validator"
        case .headerName, .headerValue: "headers"
        case .scheme, .noHost: "originalURL"
        case .laterScheme, .laterHost: "its url is not"
        case .noOffset, .negativeOffset: "its offset is not positive"
        case .notANumber: "damaged"
        case .totalBeforeOffset: "expectedTotal"
        case .hugeOffset: "expectedTotal"
        }
    }

    func spoil(_ data: Data, folder: URL) throws -> Data {
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        let file = folder.appendingPathComponent(name)
        func replacing(_ old: String, _ new: String) -> Data {
            Data(String(decoding: data, as: UTF8.self).replacingOccurrences(of: old, with: new).utf8)
        }
        func setting(_ name: String, _ value: Any?) throws -> Data {
            let magic = Data("ferry-resume-data\n".utf8)
            let json = try JSONSerialization.jsonObject(with: data.dropFirst(magic.count))
            var fields = try #require(json as? [String: Any])
            fields[name] = value
            return magic + (try JSONSerialization.data(withJSONObject: fields))
        }
        switch self {
        case .empty: return Data()
        case .garbage: return Data("bplist00 nonsense".utf8)
        case .cut: return data.dropLast(10)
        case .version: return replacing("\"version\":1", "\"version\":99")
        case .foreignFile: return replacing(name, "passwd")
        case .otherFolder: return replacing(folder.lastPathComponent, "elsewhere")
        case .missingFile: try FileManager.default.removeItem(at: file)
        case .shortFile: try Data("short".utf8).write(to: file)
        case .symbolicLink:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "/etc/hostname")
        case .pipe:
            try FileManager.default.removeItem(at: file)
            #expect(mkfifo(file.path, 0o600) == 0)
        case .folder:
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        case .huge: return try setting("more", String(repeating: "x", count: 2_000_000))
        case .tagWithLineBreak: return try setting("validator", "\"one\"\r\nX-Injected: 1")
        case .weakTag: return try setting("validator", "W/\"one\"")
        case .dateWithLineBreak: return try setting("validator", "Sun,\r\n\r\nGET /second HTTP/1.1")
        case .headerName: return try setting("headers", ["X-One\r\nX-Two": "1"])
        case .headerValue: return try setting("headers", ["X-One": "1\r\nX-Two: 2"])
        case .scheme: return try setting("originalURL", "file:///etc/passwd")
        case .noHost: return try setting("originalURL", "http:///path")
        case .laterScheme: return try setting("url", "file:///etc/passwd")
        case .laterHost: return try setting("url", "http:///path")
        case .noOffset: return try setting("offset", 0)
        case .negativeOffset: return try setting("offset", -1)
        case .totalBeforeOffset: return try setting("expectedTotal", 1)
        case .hugeOffset: return try setting("offset", Int64.max)
        case .notANumber: return try setting("offset", 1e300)
        case .missingField: return try setting("validator", nil)
        }
        return data
    }
}

/// Records the delegate calls of a download.
private final class Log: NSObject, URLSessionDownloadDelegate {
    struct State {
        var events: [String] = []
        var written: Int64 = 0
        var file = Data()
    }

    private let state = Watched(State())

    var events: [String] { state.change { $0.events } }
    var file: Data { state.change { $0.file } }

    func note(_ event: String) {
        state.change { $0.events.append(event) }
    }

    func wait(_ isReached: (State) -> Bool) async throws {
        let deadline = Date() + 20
        while !isReached(state.current) {
            try #require(Date() < deadline, "never reached; saw \(events)")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        state.change { $0.written = totalBytesWritten }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note("resumed at \(fileOffset) of \(expectedTotalBytes)")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let data = (try? Data(contentsOf: location)) ?? Data()
        state.change { $0.file = data }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note("completed \((error as? URLError)?.code.rawValue.description ?? "nil")")
    }

    @Test("The rest is requested with the cookies and the time limit of the first request")
    func properties() async throws {
        let server = try LoopbackServer { request in
            .resource(.pattern(count: 400_000), etag: "\"one\"", for: request)
                .faulted(.stall(afterBodyBytes: 150_000))
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        var request = URLRequest(url: server.url, timeoutInterval: 7)
        request.httpShouldHandleCookies = false
        let task = session.downloadTask(with: request)
        task.resume()
        try await eventually("bytes") { task.countOfBytesReceived > 0 }
        let data = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        let resumed = session.downloadTask(withResumeData: try #require(data))
        #expect(resumed.originalRequest?.httpShouldHandleCookies == false)
        #expect(resumed.originalRequest?.timeoutInterval == 7)
        resumed.cancel()
    }
}
