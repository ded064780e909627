import Ferry
import FerryTesting
import Foundation
import Testing

/// Tasks that a program makes in `manager.session`, which AFNetworking's manager has among its tasks too.
@Suite("Tasks made in a manager's session", .timeLimit(.minutes(5)))
struct AdoptedTaskTests {
    private func manager() -> SessionManager {
        let manager = SessionManager(configuration: .ephemeral)
        manager.notificationQueue = nil
        return manager
    }

    /// The three kinds of task, made in a session.
    private static let kinds: [@Sendable (URLSession, URL) -> URLSessionTask] = [
        { $0.dataTask(with: $1) },
        { session, url in
            var request = URLRequest(url: url)
            request.httpMethod = "POST"
            return session.uploadTask(with: request, from: Data("abc".utf8))
        },
        { $0.downloadTask(with: $1) },
    ]

    @Test("A task belongs to the manager's tasks once it is resumed, and can be cancelled with them", arguments: kinds)
    func tasks(make: @Sendable (URLSession, URL) -> URLSessionTask) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = manager()
        let ends = Watched<[(any Error)?]>([])
        manager.hooks.taskDidComplete = { _, _, error in ends.change { $0.append(error) } }
        let task = make(manager.session, server.url)
        #expect(manager.tasks.isEmpty)
        task.resume()
        #expect(manager.tasks.map(ObjectIdentifier.init) == [ObjectIdentifier(task)])
        #expect(manager.uploadProgress(for: task) != nil && manager.downloadProgress(for: task) != nil)
        manager.cancelAllTasks()
        try await ends.wait { $0.count == 1 }
        #expect((ends.current.first as? URLError)?.code == .cancelled)
        #expect(manager.tasks.isEmpty)
        #expect(manager.downloadProgress(for: task) == nil)
    }

    @Test("Its notifications have the response, which the manager's serializer decodes, and its group waits for it")
    func notifications() async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let manager = manager()
        let center = NotificationCenter()
        manager.notificationCenter = center
        manager.notificationQueue = DispatchQueue(label: "notifications")
        let group = DispatchGroup()
        manager.completionGroup = group
        let posts = Watched<[Notification.Name]>([])
        let completion = Watched<TaskCompletion?>(nil)
        var tokens: [any NSObjectProtocol] = []
        for name in [Notification.Name.networkingTaskDidResume, .networkingTaskDidComplete] {
            tokens.append(
                center.addObserver(forName: name, object: nil, queue: nil) { notification in
                    let payload = TaskCompletion(notification)
                    completion.change { $0 = payload }
                    posts.change { $0.append(notification.name) }
                }
            )
        }
        let task = manager.session.dataTask(with: server.url)
        task.resume()
        try await posts.wait { $0.count == 2 }
        #expect(posts.current == [.networkingTaskDidResume, .networkingTaskDidComplete])
        #expect(completion.current?.task === task)
        #expect(completion.current?.value as? JSONValue == [1])
        try await eventually { group.wait(timeout: .now()) == .success }
        for token in tokens { center.removeObserver(token) }
    }

    @Test("A task with a handler, a delegate of its own or an async call is not the manager's")
    func others() async throws {
        final class Own: NSObject, URLSessionDataDelegate {
            let ended = Watched(false)

            func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                ended.change { $0 = true }
            }
        }
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager()
        let seen = Watched<[Int]>([])
        let handled = manager.session.dataTask(with: server.url) { _, _, _ in seen.change { $0.append(1) } }
        handled.resume()
        #expect(manager.tasks.isEmpty)
        try await seen.wait { $0.count == 1 }
        let own = Own()
        let delegated = manager.session.dataTask(with: server.url)
        delegated.delegate = own
        delegated.resume()
        #expect(manager.tasks.isEmpty)
        try await own.ended.wait { $0 }
        _ = try await manager.session.data(from: server.url)
        #expect(manager.tasks.isEmpty)
    }

    @Test("A manager's task completes once, although a delegate of its own receives its body and its end")
    func replacedDelegate() async throws {
        final class Own: NSObject, URLSessionDataDelegate {
            let ended = Watched(0)

            func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                ended.change { $0 += 1 }
            }
        }
        let server = try LoopbackServer { _ in .text("x") }
        let (manager, own, group) = (manager(), Own(), DispatchGroup())
        manager.completionGroup = group
        let statuses = Watched<[Int?]>([])
        for _ in 0..<2 {
            let task = manager.dataTask(with: URLRequest(url: server.url), serializer: .data) { response in
                statuses.change { $0.append(response.statusCode) }
            }
            task.delegate = own
            task.resume()
        }
        try await eventually { group.wait(timeout: .now()) == .success }
        #expect(statuses.current == [200, 200])
        #expect(own.ended.current == 2)
        #expect(manager.tasks.isEmpty)
    }

    @Test("A task that several threads resume at once is adopted once")
    func concurrentResumes() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = manager()
        let center = NotificationCenter()
        manager.notificationCenter = center
        manager.notificationQueue = DispatchQueue(label: "notifications")
        let group = DispatchGroup()
        manager.completionGroup = group
        let posts = Watched<[Notification.Name: Int]>([:])
        let names = [Notification.Name.networkingTaskDidResume, .networkingTaskDidComplete]
        let tokens = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { _ in
                posts.change { $0[name, default: 0] += 1 }
            }
        }
        let session = try #require(manager.session as? CurlSession)
        let observer = try #require(session.taskObserver)
        let rounds = 25
        for _ in 0..<rounds {
            let task = session.dataTask(with: server.url)
            // Like `resume()`, which makes only one of several threads start the task.
            await onThreads(4) { _ in observer.session(session, didResume: task) }
            task.resume()
        }
        #expect(manager.tasks.count == rounds)
        manager.cancelAllTasks()
        try await posts.wait { $0[.networkingTaskDidComplete] == rounds }
        #expect(posts.current[.networkingTaskDidResume] == rounds)
        #expect(manager.tasks.isEmpty)
        try await eventually { group.wait(timeout: .now()) == .success }
        for token in tokens { center.removeObserver(token) }
    }

    @Test("A task that ends while it is resumed again is not adopted after its end")
    func lateResume() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let manager = manager()
        let group = DispatchGroup()
        manager.completionGroup = group
        let ends = Watched(0)
        manager.hooks.taskDidComplete = { _, _, _ in ends.change { $0 += 1 } }
        let session = manager.session
        let rounds = 50
        for _ in 0..<rounds {
            let task = session.dataTask(with: server.url)
            task.resume()
            await onThreads(1) { _ in
                for _ in 0..<300 where task.state != .completed {
                    task.suspend()
                    task.resume()
                }
            }
            try await eventually { task.state == .completed }
        }
        try await ends.wait { $0 == rounds }
        #expect(manager.tasks.isEmpty)
        try await eventually { group.wait(timeout: .now()) == .success }
    }

    @Test("A manager with such tasks is released with its session")
    func lifetime() async throws {
        let server = try LoopbackServer { _ in .text("x") }
        weak var weakSession: URLSession?
        do {
            let manager = manager()
            let ended = Watched(false)
            manager.hooks.taskDidComplete = { _, _, _ in ended.change { $0 = true } }
            weakSession = manager.session
            manager.session.dataTask(with: server.url).resume()
            try await ended.wait { $0 }
        }
        try await eventually { weakSession == nil }
    }
}
