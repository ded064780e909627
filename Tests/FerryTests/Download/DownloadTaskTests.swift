import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Download tasks", .timeLimit(.minutes(5)))
struct DownloadTaskTests {
    @Test("A folder for temporary files that is missing is named by the error")
    func missingTemporaryFolder() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        var options = CurlSession.Options()
        options.temporaryDirectory = folder
        let manager = HTTPSessionManager(baseURL: server.url, transport: .curl(options: options))
        let error = await #expect(throws: NetworkError.self) {
            _ = try await manager.download(.get("x"), to: .temporary)
        }
        #expect(error?.code == .fileError)
        #expect(error?.message.contains(folder.path) == true)
        #expect(error?.message.contains("No such file or directory") == true)
    }

    @Test("The file is at its destination when the handler runs", arguments: TestTransport.all)
    func destinationFile(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 1_000_000) }
        let scratch = try TemporaryFolder()
        let place = scratch.file("file")
        let response = await transport.manager().response(for: URLRequest(url: server.url), to: .file(place))
        #expect(response.error == nil)
        #expect(response.value == place)
        #expect(response.fileURL == place)
        #expect(response.data == nil)
        #expect(try Data(contentsOf: place) == LoopbackServer.pattern(count: 1_000_000))
        #expect(scratch.names == ["file"])
    }

    @Test("A directory destination takes the name the server suggests, made safe", arguments: TestTransport.all)
    func destinationDirectory(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.text("x").adding("Content-Disposition", "attachment; filename=\"../../evil.txt\"")
        }
        let scratch = try TemporaryFolder()
        let inner = scratch.url.appendingPathComponent("inner", isDirectory: true)
        let options: DownloadDestination.Options = .createIntermediateDirectories
        let response = await transport.manager()
            .response(for: URLRequest(url: server.url), to: .directory(inner, options: options))
        #expect(response.value?.path == inner.appendingPathComponent("evil.txt").path)
        #expect(scratch.names == ["inner"])
    }

    @Test("The closure is called after validation, with the file's temporary location", arguments: TestTransport.all)
    func destinationClosure(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in .text("body", statusCode: request.path == "/missing" ? 404 : 200) }
        let scratch = try TemporaryFolder()
        let manager = transport.manager()
        let calls = Watched<[String?]>([])
        let directory = scratch.url
        for path in ["/missing", "/there"] {
            let done = Watched<TaskResponse<URL>?>(nil)
            manager.downloadTask(with: URLRequest(url: server.url(path))) { temporary, response in
                calls.change { $0.append(text(temporary)) }
                return directory.appendingPathComponent("\((response as? HTTPURLResponse)?.statusCode ?? 0)")
            } completionHandler: { response in
                done.change { $0 = response }
            }.resume()
            try await done.wait { $0 != nil }
        }
        #expect(calls.current == ["body"])
        #expect(scratch.names == ["200"])
    }

    @Test("A 404 leaves no file, and its body is in the error", arguments: TestTransport.all)
    func unacceptableStatus(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json(#"{"reason":"gone"}"#, statusCode: 404) }
        let scratch = try TemporaryFolder()
        let place = try scratch.file("file", "old")
        let response = await transport.manager()
            .response(for: URLRequest(url: server.url), to: .file(place, options: .overwrite))
        #expect(response.error?.code == .unacceptableStatusCode)
        #expect(response.error?.data == Data(#"{"reason":"gone"}"#.utf8))
        #expect(response.value == nil)
        #expect(response.fileURL == nil)
        #expect(text(place) == "old")
        #expect(scratch.names == ["file"])
    }

    @Test("A picture is downloaded by a manager that expects JSON", arguments: TestTransport.all)
    func anyContentType(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .data(Data([0x89, 0x50]), contentType: "image/png") }
        let manager = transport.manager()
        manager.responseSerializer = JSONResponseSerializer()
        let scratch = try TemporaryFolder()
        let place = scratch.file("picture")
        let response = await manager.response(for: URLRequest(url: server.url), to: .file(place))
        #expect(response.error == nil)
        #expect(try Data(contentsOf: place) == Data([0x89, 0x50]))
    }

    @Test("A file that replaces another one has its permissions", arguments: TestTransport.all)
    func permissions(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("new") }
        let scratch = try TemporaryFolder()
        let place = try scratch.file("file", "old")
        #expect(chmod(place.path, 0o640) == 0)
        let destination = DownloadDestination.file(place, options: .overwrite)
        let response = await transport.manager().response(for: URLRequest(url: server.url), to: destination)
        #expect(response.error == nil)
        #expect(text(place) == "new")
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
    }

    @Test("A failed move is an error that says where the file is", arguments: TestTransport.all)
    func failedMove(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("new") }
        let scratch = try TemporaryFolder()
        let place = try scratch.file("file", "old")
        let response = await transport.manager().response(for: URLRequest(url: server.url), to: .file(place))
        let error = try #require(response.error)
        #expect(error.code == .moveFailed)
        #expect(response.value == nil)
        let cause = try #require(error.underlyingError as? DownloadMoveError)
        #expect(cause.destinationURL == place)
        #expect(text(cause.temporaryURL) == "new")
        #expect(error.message.contains(cause.temporaryURL.path))
        try FileManager.default.removeItem(at: cause.temporaryURL)
        #expect(text(place) == "old")
    }

    @Test("The manager's hook takes precedence over the task's destination", arguments: TestTransport.all)
    func hookFirst(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in .text("x", statusCode: request.path == "/bad" ? 500 : 200) }
        let scratch = try TemporaryFolder()
        let manager = transport.manager()
        let directory = scratch.url
        let calls = Watched(0)
        manager.hooks.downloadTaskDidFinishDownloading = { _, task, _ in
            task.originalRequest?.url?.path == "/own" ? nil : directory.appendingPathComponent("hook")
        }
        let destination = DownloadDestination { _, _ in
            calls.change { $0 += 1 }
            return directory.appendingPathComponent("task")
        }
        let bad = await manager.response(for: URLRequest(url: server.url("/bad")), to: destination)
        #expect(bad.error?.code == .unacceptableStatusCode)
        #expect(scratch.names.isEmpty)
        let hook = await manager.response(for: URLRequest(url: server.url("/x")), to: destination)
        #expect(hook.value?.lastPathComponent == "hook")
        #expect(calls.current == 0)
        let own = await manager.response(for: URLRequest(url: server.url("/own")), to: destination)
        #expect(own.value?.lastPathComponent == "task")
    }

    @Test("Without a destination no file remains", arguments: TestTransport.all)
    func noDestination(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = transport.manager()
        let temporary = Watched<URL?>(nil)
        let claimed = Watched<[String]>([])
        manager.hooks.downloadTaskDidFinishDownloading = { _, _, location in
            temporary.change { $0 = location }
            return nil
        }
        let done = Watched<TaskResponse<URL>?>(nil)
        let destination = DownloadDestination { file, _ in
            claimed.change { $0.append(file.path) }
            return nil
        }
        manager.downloadTask(with: URLRequest(url: server.url), destination: destination) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.error == nil)
        #expect(done.current?.fileURL == nil)
        let paths = try [#require(temporary.current).path, #require(claimed.current.first)]
        for path in paths { #expect(!FileManager.default.fileExists(atPath: path)) }
    }

    @Test("A hook may move the file itself", arguments: TestTransport.all)
    func hookTakesFile(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let scratch = try TemporaryFolder()
        let taken = scratch.file("taken")
        let manager = transport.manager()
        manager.hooks.downloadTaskDidFinishDownloading = { _, _, location in
            try? FileManager.default.moveItem(at: location, to: taken)
            return nil
        }
        let response = await manager.response(for: URLRequest(url: server.url), to: .temporary)
        #expect(response.error == nil)
        #expect(response.value == nil)
        #expect(text(taken) == "x")
    }

    @Test("A form whose response is downloaded is sent again after a redirect", arguments: [307, 308])
    func redirectedForm(status: Int) async throws {
        let server = try LoopbackServer { request in
            request.path == "/from" ? .redirect(to: "/to", statusCode: status) : .text(request.bodyText ?? "")
        }
        let manager = TestTransport.all[0].manager(baseURL: server.url)
        let scratch = try TemporaryFolder()
        let request = Request.post("from").multipart { $0.append("text", name: "b") }
        let file = try await manager.download(request, to: .file(scratch.file("x")))
        #expect(text(file)?.contains("name=\"b\"\r\n\r\ntext\r\n") == true)
    }

    @Test("A cancelled async download throws resume data", arguments: TestTransport.able(to: .resumeData))
    func cancelledAsync(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: 2_000_000), etag: "x", for: request)
            return request.header("Range") == nil ? response.faulted(.stall(afterBodyBytes: 500_000)) : response
        }
        let manager = transport.manager(baseURL: server.url)
        let scratch = try TemporaryFolder()
        let received = Watched<Int64>(0)
        let download = Task {
            try await manager.download(.get("file")) { update in received.change { $0 = update.completedByteCount } }
        }
        try await received.wait { $0 > 100_000 }
        download.cancel()
        let error = await #expect(throws: NetworkError.self) { try await download.value }
        #expect(error?.isCancelled == true)
        let data = try #require(error?.resumeData)
        let file = try await manager.download(resumingWith: data, to: .file(scratch.file("file")))
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 2_000_000))
        #expect(server.requests.last?.header("Range") != nil)
    }

    @Test("Resume data continues a download where it stopped", arguments: TestTransport.able(to: .resumeData))
    func resumes(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.resource(.pattern(count: 2_000_000), etag: "x", for: request)
            return request.header("Range") == nil ? response.faulted(.stall(afterBodyBytes: 500_000)) : response
        }
        let manager = transport.manager()
        let scratch = try TemporaryFolder()
        let place = scratch.file("file")
        let offset = Watched<Int64?>(nil)
        manager.hooks.downloadTaskDidResume = { _, _, start, _ in offset.change { $0 = start } }
        let request = URLRequest(url: server.url)
        let task = manager.downloadTask(with: request, destination: nil) { _ in }
        task.resume()
        try await eventually { manager.downloadProgress(for: task)?.completedUnitCount ?? 0 > 100_000 }
        let data = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        let response = await manager.response(resumingWith: try #require(data), to: .file(place))
        #expect(response.error == nil)
        #expect((offset.current ?? 0) > 0)
        #expect(try Data(contentsOf: place) == LoopbackServer.pattern(count: 2_000_000))
    }
}
