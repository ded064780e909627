import Ferry
import FerryTesting
import Foundation
import Testing

@Suite("Notifications", .timeLimit(.minutes(5)))
struct NotificationTests {
    /// Collects the notifications of a manager, through a separate notification center.
    private final class Observer: Sendable {
        let center = NotificationCenter()
        let posts = Watched<[Post]>([])

        /// Marks the main queue; its blocks may run on any thread.
        private static let mainMark: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        struct Post: Sendable {
            let name: Notification.Name
            let task: URLSessionTask?
            let keys: Set<String>
            let completion: TaskCompletion?
            let moveError: DownloadMoveError?
            let isMain: Bool
        }

        init(_ manager: SessionManager, queue: DispatchQueue? = .main) {
            manager.notificationCenter = center
            manager.notificationQueue = queue
            let names: [Notification.Name] = [
                .networkingTaskDidResume, .networkingTaskDidSuspend, .networkingTaskDidComplete, .sessionDidInvalidate,
                .downloadTaskDidMoveFile, .downloadTaskDidFailToMoveFile,
            ]
            for name in names {
                let mainMark = Self.mainMark
                _ = center.addObserver(forName: name, object: nil, queue: nil) { [posts] notification in
                    let post = Post(
                        name: notification.name,
                        task: notification.object as? URLSessionTask,
                        keys: Set((notification.userInfo ?? [:]).keys.compactMap { $0 as? String }),
                        completion: TaskCompletion(notification),
                        moveError: DownloadMoveError(notification),
                        isMain: DispatchQueue.getSpecific(key: mainMark) == true
                    )
                    posts.change { $0.append(post) }
                }
            }
        }

        var names: [Notification.Name] { posts.current.map(\.name) }
    }

    @Test("Notifications about the beginning of a task precede its handler on the same queue")
    func beforeHandler() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = HTTPSessionManager(baseURL: server.url)
        let queue = DispatchQueue(label: "own")
        manager.completionQueue = queue
        let observer = Observer(manager, queue: queue)
        for _ in 0..<30 {
            let isPosted = Watched<Bool?>(nil)
            let task = Watched<URLSessionTask?>(nil)
            queue.suspend()
            let started = manager.get("") { _ in
                let resumed = observer.posts.current.filter { $0.name == .networkingTaskDidResume }
                isPosted.change { $0 = resumed.contains { $0.task === task.current } }
            }
            task.change { $0 = started }
            queue.resume()
            try await isPosted.wait { $0 != nil }
            #expect(isPosted.current == true)
        }
    }

    @Test("Notifications are posted on their queue, also if that is the completion queue of an async call")
    func queueOfAsyncCalls() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = HTTPSessionManager(baseURL: server.url)
        let (queue, mark) = (DispatchQueue(label: "own"), DispatchSpecificKey<Bool>())
        queue.setSpecific(key: mark, value: true)
        manager.completionQueue = queue
        manager.notificationQueue = queue
        let center = NotificationCenter()
        manager.notificationCenter = center
        let places = Watched<[Bool]>([])
        let token = center.addObserver(forName: .networkingTaskDidResume, object: nil, queue: nil) { _ in
            places.change { $0.append(DispatchQueue.getSpecific(key: mark) == true) }
        }
        defer { center.removeObserver(token) }
        for _ in 0..<20 { _ = try await manager.send(.get("", serializer: .data)) }
        try await places.wait { $0.count == 20 }
        #expect(places.current.allSatisfy { $0 })
    }

    @Test(
        "A task started by a verb posts resume, and complete after its handler, on the main queue",
        arguments: TestTransport.all
    )
    func complete(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let manager = transport.manager(baseURL: server.url)
        let observer = Observer(manager)
        let handled = Watched<[Notification.Name]?>(nil)
        let task = manager.get("x") { _ in
            Thread.sleep(forTimeInterval: 0.1)
            handled.change { $0 = observer.names }
        }
        try await observer.posts.wait { $0.count == 2 }
        #expect(observer.names == [.networkingTaskDidResume, .networkingTaskDidComplete])
        #expect(handled.current?.contains(.networkingTaskDidComplete) == false)
        let post = try #require(observer.posts.current.last)
        #expect(post.isMain)
        #expect(post.task === task)
        let verbatim: Set<String> = [
            "com.alamofire.networking.task.complete.serializedresponse",
            "com.alamofire.networking.task.complete.responseserializer",
            "com.alamofire.networking.complete.finish.responsedata",
            "com.alamofire.networking.complete.sessiontaskmetrics",
        ]
        #expect(post.keys == verbatim.union([TaskCompletion.payloadKey]))
        #expect(post.completion?.value as? JSONValue == [1])
        #expect(post.completion?.serializer is JSONResponseSerializer)
        #expect(post.completion?.response.data == Data("[1]".utf8))
    }

    @Test("A download posts its file instead of its data, and whether the file was moved", arguments: TestTransport.all)
    func download(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = transport.manager()
        let queue = DispatchQueue(label: "notifications")
        let observer = Observer(manager, queue: queue)
        let scratch = try TemporaryFolder()
        let place = scratch.file("x")
        let good = await manager.response(for: URLRequest(url: server.url), to: .file(place))
        #expect(good.error == nil)
        // The last notification follows the handler, so it may come after this call has returned.
        try await observer.posts.wait { $0.count == 3 }
        let bad = await manager.response(for: URLRequest(url: server.url), to: .file(place))
        #expect(bad.error?.code == .moveFailed)
        try await observer.posts.wait { $0.count == 6 }
        #expect(
            observer.names == [
                .networkingTaskDidResume, .downloadTaskDidMoveFile, .networkingTaskDidComplete,
                .networkingTaskDidResume, .downloadTaskDidFailToMoveFile, .networkingTaskDidComplete,
            ]
        )
        let posts = observer.posts.current
        try #require(posts.count == 6)
        #expect(posts[2].keys.contains("com.alamofire.networking.task.complete.assetpath"))
        #expect(!posts[2].keys.contains("com.alamofire.networking.complete.finish.responsedata"))
        #expect(posts[4].moveError?.destinationURL == place)
        let foundation: Set = [
            "NSLocalizedDescription", "NSLocalizedFailureReason", "NSUnderlyingError", "NSFilePath",
            "NSDestinationFilePath",
        ]
        #expect(posts[4].keys == foundation.union([DownloadMoveError.payloadKey]))
        #expect(posts[5].keys.contains("com.alamofire.networking.task.complete.error"))
        #expect(posts.allSatisfy { !$0.isMain })
        if let kept = posts[4].moveError?.temporaryURL { try FileManager.default.removeItem(at: kept) }
    }

    @Test("A download of a request posts the serializer itself that has validated it", arguments: TestTransport.all)
    func downloadSerializer(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = transport.manager(baseURL: server.url)
        let observer = Observer(manager, queue: DispatchQueue(label: "notifications"))
        let scratch = try TemporaryFolder()
        _ = try await manager.download(.get("x"), to: .file(scratch.file("a")))
        try await observer.posts.wait { $0.count == 3 }
        #expect(observer.posts.current.last?.completion?.serializer is JSONResponseSerializer)
        _ = try await manager.download(.get("x", serializer: .string), to: .file(scratch.file("b")))
        try await observer.posts.wait { $0.count == 6 }
        #expect(observer.posts.current.last?.completion?.serializer is StringResponseSerializer)
    }

    @Test("Resume and suspend are posted only on changes", arguments: TestTransport.able(to: .resumeNotifications))
    func resumeAndSuspend(_ transport: TestTransport) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .json("[1]")
        }
        let manager = transport.manager()
        let observer = Observer(manager, queue: DispatchQueue(label: "notifications"))
        let task = manager.dataTask(with: URLRequest(url: server.url)) { _ in }
        task.suspend()
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        task.resume()
        gate.open()
        try await observer.posts.wait { $0.last?.name == .networkingTaskDidComplete }
        #expect(
            observer.names == [
                .networkingTaskDidResume, .networkingTaskDidSuspend, .networkingTaskDidResume,
                .networkingTaskDidComplete,
            ]
        )
    }

    /// A monitor that cancels each task when it is resumed, and waits for the notification of its end.
    private struct CancellingMonitor: EventMonitor {
        let hasEnded: Gate

        func taskDidResume(_ task: URLSessionTask) {
            task.cancel()
            hasEnded.wait()
        }
    }

    @Test("That a task was resumed is posted before its end, also if a monitor cancels it meanwhile", .ownThreads)
    func resumedAndCancelled() async throws {
        let server = try LoopbackServer()
        let manager = HTTPSessionManager(baseURL: server.url, configuration: .ephemeral)
        let observer = Observer(manager, queue: DispatchQueue(label: "notifications"))
        let hasEnded = Gate()
        _ = observer.center.addObserver(forName: .networkingTaskDidComplete, object: nil, queue: nil) { _ in
            hasEnded.open()
        }
        manager.eventMonitors = [CancellingMonitor(hasEnded: hasEnded)]
        let task = manager.get("x") { _ in }
        try await observer.posts.wait { $0.count == 2 }
        #expect(observer.names == [.networkingTaskDidResume, .networkingTaskDidComplete])
        #expect(observer.posts.current.last?.task === task)
    }

    @Test(
        "The invalidation of a session is posted once, also if it was not used",
        arguments: TestTransport.all,
        [true, false]
    )
    func invalidation(_ transport: TestTransport, _ isUsed: Bool) async throws {
        let manager = transport.manager()
        let observer = Observer(manager, queue: DispatchQueue(label: "notifications"))
        if isUsed { _ = manager.session }
        manager.invalidate(cancellingTasks: false)
        manager.invalidate(cancellingTasks: true)
        try await observer.posts.wait { !$0.isEmpty }
        // No other event follows the session's end: a second post has a moment to come.
        try await Task.sleep(for: .milliseconds(50))
        #expect(observer.names == [.sessionDidInvalidate])
    }

    @Test("The manager leaves a task's description unchanged", arguments: TestTransport.all)
    func taskDescription(_ transport: TestTransport) async throws {
        let manager = transport.manager()
        let task = manager.dataTask(with: URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))) { _ in }
        #expect(task.taskDescription == nil)
        task.taskDescription = "mine"
        #expect(task.taskDescription == "mine")
        task.cancel()
    }
}
