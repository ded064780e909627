import Ferry
import FerryAssets
import FerryTesting
import Foundation
import Testing

@Suite("Hooks", .timeLimit(.minutes(5)))
struct HooksTests {
    @Test("Without a hook a response is stored; a hook can prevent it") func willCacheResponse() async throws {
        let server = try LoopbackServer { request in .text(request.path).adding("Cache-Control", "max-age=60") }
        let manager = TestTransport.all[0].manager()
        let stored = URLRequest(url: server.url("/stored"))
        let refused = URLRequest(url: server.url("/refused"))
        for _ in 0..<2 { #expect(await manager.response(for: stored, serializer: .string).value == "/stored") }
        #expect(server.requestCount == 1)
        manager.hooks.dataTaskWillCacheResponse = { _, _, _ in nil }
        for _ in 0..<2 { #expect(await manager.response(for: refused, serializer: .string).value == "/refused") }
        #expect(server.requestCount == 3)
    }

    @Test("Redirects are followed without a hook, and changed or refused by one", arguments: TestTransport.all)
    func redirection(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            request.path == "/from" ? .redirect(to: "/to") : .text(request.path)
        }
        let manager = transport.manager()
        let request = URLRequest(url: server.url("/from"))
        let followed = await manager.response(for: request, serializer: .string)
        #expect(followed.value == "/to")
        #expect(followed.metrics?.redirectCount == 1)
        #expect(followed.request?.url?.path == "/to")
        let other = server.url("/other")
        manager.hooks.taskWillPerformRedirection = { _, _, _, _ in URLRequest(url: other) }
        #expect(await manager.response(for: request, serializer: .string).value == "/other")
        manager.hooks.taskWillPerformRedirection = { _, _, _, _ in nil }
        let refused = await manager.response(for: request, serializer: .string)
        #expect(refused.statusCode == 302)
        #expect(refused.error?.code == .unacceptableStatusCode)
    }

    @Test(
        "A refused redirect is the response of a download",
        arguments: TestTransport.able(to: .refusedDownloadRedirection)
    )
    func refusedDownload(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/to") }
        let manager = transport.manager()
        manager.hooks.taskWillPerformRedirection = { _, _, _, _ in nil }
        let response = await manager.response(for: URLRequest(url: server.url), to: .temporary)
        #expect(response.statusCode == 302)
        #expect(response.error?.code == .unacceptableStatusCode)
    }

    @Test("The disposition cancel ends the task", arguments: TestTransport.all)
    func disposition(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(body: .dripped([Data(count: 10), Data(count: 10)], interval: 5))
        }
        let manager = transport.manager()
        manager.hooks.dataTaskDidReceiveResponse = { _, _, response in
            (response as? HTTPURLResponse)?.statusCode == 200 ? .cancel : .allow
        }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .data)
        #expect(response.error?.isCancelled == true)
    }

    @Test("A data task may become a download", arguments: TestTransport.able(to: .becomingDownload))
    @available(*, deprecated, message: "FoundationNetworking deprecates the disposition that CurlSession supports.")
    func becomesDownload(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("file") }
        let scratch = try TemporaryFolder()
        let place = scratch.file("file")
        let manager = transport.manager()
        let became = Watched(0)
        manager.hooks.dataTaskDidReceiveResponse = { _, _, _ in .becomeDownload }
        manager.hooks.dataTaskDidBecomeDownloadTask = { _, _, _ in became.change { $0 += 1 } }
        manager.hooks.downloadTaskDidFinishDownloading = { _, _, _ in place }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .data)
        #expect(became.current == 1)
        #expect(response.error == nil)
        #expect(response.fileURL == place)
        #expect(text(place) == "file")
        #expect(manager.tasks.isEmpty)
    }

    @Test("A data task that becomes a download is one activity, and a stream stays one")
    @available(*, deprecated, message: "FoundationNetworking deprecates the disposition that CurlSession supports.")
    func becomesDownloadForObservers() async throws {
        let server = try LoopbackServer { _ in .text("file") }
        let manager = SessionManager(configuration: .ephemeral)
        let center = NotificationCenter()
        manager.notificationCenter = center
        manager.notificationQueue = DispatchQueue(label: "notifications")
        let activity = ActivityMonitor(notificationCenter: center)
        activity.isEnabled = true
        let scratch = try TemporaryFolder()
        let place = scratch.file("file")
        manager.hooks.dataTaskDidReceiveResponse = { _, _, _ in .becomeDownload }
        manager.hooks.downloadTaskDidFinishDownloading = { _, _, _ in place }
        let ended = Watched(0)
        let token = center.addObserver(forName: .networkingTaskDidComplete, object: nil, queue: nil) { _ in
            ended.change { $0 += 1 }
        }
        defer { center.removeObserver(token) }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .data)
        #expect(response.fileURL == place)
        try await ended.wait { $0 == 1 }
        try await eventually("no activity") { activity.activityCount == 0 }
        var body = Data()
        for try await piece in manager.stream(URLRequest(url: server.url)) { body.append(piece) }
        #expect(body == Data("file".utf8))
    }

    @Test("The URL of a file that a hook has moved itself is that of the response")
    func movedByHook() async throws {
        let server = try LoopbackServer { _ in .text("file") }
        let manager = SessionManager(configuration: .ephemeral)
        let scratch = try TemporaryFolder()
        let place = scratch.file("file")
        manager.hooks.downloadTaskDidFinishDownloading = { _, _, location in
            try? FileManager.default.moveItem(at: location, to: place)
            return place
        }
        let task = Watched<TaskResponse<URL>?>(nil)
        let download = manager.downloadTask(with: URLRequest(url: server.url), destination: nil) { response in
            task.change { $0 = response }
        }
        download.resume()
        try await task.wait { $0 != nil }
        #expect(task.current?.fileURL == place && task.current?.error == nil)
        #expect(try String(contentsOf: place, encoding: .utf8) == "file")
    }

    @Test("Data, completion and handler arrive in this order, on the operation queue", arguments: TestTransport.all)
    func order(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = transport.manager()
        let events = Watched<[String]>([])
        let queue = manager.operationQueue
        let note: @Sendable (String) -> Void = { event in
            let place = OperationQueue.current === queue ? "" : " elsewhere"
            events.change { $0.append(event + place) }
        }
        manager.hooks.dataTaskDidReceiveResponse = { _, _, _ in
            note("response")
            return .allow
        }
        manager.hooks.dataTaskDidReceiveData = { _, _, data in note("data \(data.count)") }
        manager.hooks.taskDidComplete = { _, _, error in note(error == nil ? "complete" : "error") }
        _ = await manager.response(for: URLRequest(url: server.url), serializer: .data)
        events.change { $0.append("handler") }
        #expect(events.current == ["response", "data 1", "complete", "handler"])
    }

    @Test("A hook may provide the body stream", arguments: TestTransport.all)
    func bodyStream(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { .text($0.bodyText ?? "") }
        let manager = transport.manager()
        let sent = Watched<Int64>(0)
        manager.hooks.taskNeedsNewBodyStream = { _, _ in InputStream(data: Data("hook".utf8)) }
        manager.hooks.taskDidSendBodyData = { _, _, _, total, _ in sent.change { $0 = total } }
        var request = URLRequest(url: server.url)
        request.httpMethod = "POST"
        let done = Watched<TaskResponse<String>?>(nil)
        manager.uploadTask(withStreamedRequest: request, serializer: .string) { response in
            done.change { $0 = response }
        }.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value == "hook")
        #expect(sent.current == 4)
    }

    @Test("The hook receives the number of bytes written", arguments: TestTransport.all)
    func bytesWritten(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .pattern(count: 100_000) }
        let manager = transport.manager()
        let written = Watched<Int64>(0)
        let expected = Watched<Int64?>(nil)
        manager.hooks.downloadTaskDidWriteData = { _, _, count, _, total in
            written.change { $0 += count }
            expected.change { $0 = total }
        }
        let scratch = try TemporaryFolder()
        let place = scratch.file("x")
        _ = await manager.response(for: URLRequest(url: server.url), to: .file(place))
        #expect(written.current == 100_000)
        #expect(expected.current == 100_000)
    }

    @Test(
        "A response is cached as the hook returns it, or not at all",
        arguments: TestTransport.able(to: .askingWhatToCache),
        [true, false]
    )
    func caching(_ transport: TestTransport, isCached: Bool) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("x").adding("Cache-Control", "max-age=60") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
        let manager = transport.manager(configuration: configuration)
        let asked = Watched<[Data]>([])
        manager.hooks.dataTaskWillCacheResponse = { _, _, proposed in
            asked.change { $0.append(proposed.data) }
            return isCached ? CachedURLResponse(response: proposed.response, data: Data("y".utf8)) : nil
        }
        let request = URLRequest(url: server.url)
        #expect(await manager.response(for: request, serializer: .string).value == "x")
        #expect(asked.current == [Data("x".utf8)])
        #expect(await manager.response(for: request, serializer: .string).value == (isCached ? "y" : "x"))
        #expect(server.requestCount == (isCached ? 1 : 2))
    }
}
