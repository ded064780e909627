import Ferry
import FerryTesting
import Foundation
import TestSupport
import Testing

/// A manager whose process is killed, and the tasks that the next process finds.
@Suite("Tasks of a manager that outlive its process", .timeLimit(.minutes(5)), .ownThreads)
struct DurableManagerTests {
    private func manager(_ folder: URL) -> SessionManager {
        var options = CurlSession.Options()
        options.durability = .directory(folder, identifier: "manager")
        let manager = SessionManager(configuration: .ephemeral, transport: .curl(options: options))
        manager.notificationQueue = nil
        return manager
    }

    @Test("A copy is not durable, and its tasks run")
    func copies() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in .text("x") }
        let original = manager(folder.url)
        #expect(original.tasks.isEmpty)
        for manager in [original, original.copy()] {
            let file = try await manager.download(for: URLRequest(url: server.url))
            #expect(try Data(contentsOf: file) == Data("x".utf8))
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test("A file that is complete when the process is killed is not downloaded again")
    func killedBeforeTheMove() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(handler: RangedContent(count: 400_000).handler)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [url = server.url as URL, place = folder.url as URL] in
            var options = CurlSession.Options()
            options.durability = .directory(place, identifier: "manager")
            let manager = SessionManager(configuration: .ephemeral, transport: .curl(options: options))
            let destination = DownloadDestination { _, _ in
                kill(getpid(), SIGKILL)
                return place
            }
            manager.downloadTask(with: URLRequest(url: url), destination: destination) { _ in }.resume()
            try await Task.sleep(for: .seconds(60))
        }
        let manager = manager(folder.url)
        let end = Watched<Bool?>(nil)
        manager.hooks.downloadTaskDidFinishDownloading = { _, _, _ in folder.file("moved") }
        manager.hooks.taskDidComplete = { _, _, error in end.change { $0 = error == nil } }
        manager.continueEarlierTasks()
        #expect(try await end.wait { $0 != nil } == true)
        try await eventually("the move") { folder.data("moved") == LoopbackServer.pattern(count: 400_000) }
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=399999-"])
    }

    @Test("A file that could not be moved is kept by the next manager")
    func unmoved() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in .text("new") }
        let place = try folder.file("place", "old")
        let response = await manager(folder.url).response(for: URLRequest(url: server.url), to: .file(place))
        let error = try #require(response.error?.underlyingError as? DownloadMoveError)
        _ = manager(folder.url).tasks
        #expect(try Data(contentsOf: error.temporaryURL) == Data("new".utf8))
    }

    private struct Token: RequestInterceptor {
        func adapt(_ request: URLRequest, for attempt: RequestAttempt) async throws -> URLRequest {
            var request = request
            request.setValue("token", forHTTPHeaderField: "Authorization")
            return request
        }
    }

    @Test("Its downloads are among the next manager's tasks, and hooks receive their files and their end")
    func downloads() async throws {
        let folder = try TemporaryFolder()
        let content = RangedContent(count: 400_000)
        let server = try LoopbackServer { request in
            let response = content.response(to: request)
            // No download ends before its process is killed.
            return request.header("Range") == nil ? response.faulted(.stall(afterBodyBytes: 200_000)) : response
        }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [url = server.url as URL, place = folder.url as URL] in
            var options = CurlSession.Options()
            options.durability = .directory(place, identifier: "manager")
            let manager = SessionManager(configuration: .ephemeral, transport: .curl(options: options))
            let tasks = ["one", "two"].map { name in
                let task = manager.downloadTask(with: URLRequest(url: url), destination: nil) { _ in }
                task.taskDescription = name
                return task
            }
            for task in tasks { task.resume() }
            try await eventually("a part of each") { tasks.allSatisfy { $0.countOfBytesReceived > 50_000 } }
            kill(getpid(), SIGKILL)
        }
        let manager = manager(folder.url)
        manager.interceptors = [Token()]
        #expect(manager.downloadTasks.map(\.taskDescription) == ["one", "two"])
        #expect(manager.downloadTasks.allSatisfy { $0.state == .suspended })
        let ends = Watched<[String]>([])
        manager.hooks.downloadTaskDidFinishDownloading = { _, task, _ in
            folder.file("file \(task.taskDescription ?? "")")
        }
        manager.hooks.taskDidComplete = { _, task, error in
            ends.change { $0.append("\(task.taskDescription ?? "") \(error == nil)") }
        }
        manager.hooks.sessionDidFinishEvents = { _ in ends.change { $0.append("events") } }
        manager.continueEarlierTasks()
        try await ends.wait { $0.count == 3 }
        #expect(ends.current.prefix(2).sorted() == ["one true", "two true"])
        #expect(ends.current.last == "events")
        for name in ["one", "two"] { #expect(folder.data("file \(name)") == LoopbackServer.pattern(count: 400_000)) }
        #expect(manager.tasks.isEmpty)
        let rest = server.requests.filter { $0.header("Range") != nil }
        #expect(rest.map { $0.header("Authorization") } == ["token", "token"])
    }
}
