import Ferry
import FerryTesting
import Foundation
import TestSupport
import Testing

@Suite("Lifetime", .timeLimit(.minutes(5)), .ownThreads)
struct LifetimeTests {
    @Test("A manager in a local variable is released, and its task completes", arguments: TestTransport.all)
    func localManager(_ transport: TestTransport) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            gate.wait()
            return .json("[1]")
        }
        let done = Watched<TaskResponse<JSONValue>?>(nil)
        weak var weakManager: SessionManager?
        weak var weakSession: URLSession?
        do {
            let manager = transport.manager()
            weakManager = manager
            weakSession = manager.session
            manager.dataTask(with: URLRequest(url: server.url), serializer: .json) { response in
                done.change { $0 = response }
            }.resume()
        }
        #expect(weakManager == nil)
        gate.open()
        try await done.wait { $0 != nil }
        #expect(done.current?.value == [1])
        try await eventually { weakSession == nil }
    }

    @Test("A task resumed after its manager is released completes", arguments: TestTransport.all)
    func resumedLater(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let done = Watched<TaskResponse<JSONValue>?>(nil)
        let task = transport.manager().dataTask(with: URLRequest(url: server.url), serializer: .json) { response in
            done.change { $0 = response }
        }
        task.resume()
        try await done.wait { $0 != nil }
        #expect(done.current?.value == [1])
    }

    @Test("An invalidation that lets tasks finish may be followed by one that does not", arguments: TestTransport.all)
    func hurriedInvalidation(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").faulted(.stallBeforeHead) }
        let manager = transport.manager()
        let invalidated = Watched(0)
        manager.hooks.sessionDidBecomeInvalid = { _, _ in invalidated.change { $0 += 1 } }
        let error = Watched<NetworkError?>(nil)
        manager.dataTask(with: URLRequest(url: server.url)) { response in error.change { $0 = response.error } }
            .resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        manager.invalidate(cancellingTasks: false)
        manager.invalidate(cancellingTasks: true)
        try await error.wait { $0?.isCancelled == true }
        try await invalidated.wait { $0 > 0 }
        // No other event follows the session's end: a second report has a moment to come.
        try await Task.sleep(for: .milliseconds(50))
        #expect(invalidated.current == 1)
    }

    @Test(
        "An invalidation that lets tasks finish may be followed by a reset that cancels them",
        arguments: TestTransport.all
    )
    func laterReset(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            request.path == "/stalled" ? LoopbackResponse.text("").faulted(.stallBeforeHead) : .text("new")
        }
        let manager = transport.manager()
        let error = Watched<NetworkError?>(nil)
        manager.dataTask(with: URLRequest(url: server.url("/stalled"))) { response in
            error.change { $0 = response.error }
        }
        .resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        manager.invalidate(cancellingTasks: false)
        let refused = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(refused.error?.code == .sessionInvalidated)
        manager.invalidate(cancellingTasks: true, resettingSession: true)
        try await error.wait { $0?.isCancelled == true }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(response.value == "new")
    }

    @Test("A surplus session that another thread has made is not reported as invalid")
    func surplusSession() async throws {
        let made = Watched(0)
        let owner = Watched<SessionManager?>(nil)
        let transport = SessionTransport.session { configuration, delegate, queue in
            let isFirst = made.change { count in
                count += 1
                return count == 1
            }
            // At this point another thread needs the session too.
            if isFirst { _ = owner.current?.session }
            return CurlSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        }
        let manager = SessionManager(configuration: .ephemeral, transport: transport)
        let invalidated = Watched<[ObjectIdentifier]>([])
        manager.hooks.sessionDidBecomeInvalid = { session, _ in invalidated.append(ObjectIdentifier(session)) }
        owner.change { $0 = manager }
        let session = manager.session
        owner.change { $0 = nil }
        #expect(made.current == 2)
        // The notification of the other session's end is already in the same serial queue.
        manager.invalidate(cancellingTasks: true)
        try await invalidated.wait { $0.contains(ObjectIdentifier(session)) }
        #expect(invalidated.current.count == 1)
    }

    @Test("Releasing an idle manager releases its session", arguments: TestTransport.all)
    func idleManager(_ transport: TestTransport) async throws {
        weak var weakSession: URLSession?
        do {
            let manager = transport.manager()
            weakSession = manager.session
        }
        try await eventually { weakSession == nil }
    }

    @Test(
        "Releasing a task that never ran leaves its group",
        arguments: TestTransport.able(to: .droppingUnstartedTasks)
    )
    func droppedTask(_ transport: TestTransport) async throws {
        let group = DispatchGroup()
        do {
            let manager = transport.manager()
            manager.completionGroup = group
            _ = manager.dataTask(with: URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))) { _ in }
        }
        try await eventually { group.wait(timeout: .now()) == .success }
    }

    @Test("A task created after an invalidation fails with an error", arguments: TestTransport.all)
    func afterInvalidation(_ transport: TestTransport) async throws {
        let manager = transport.manager()
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:9/")))
        manager.invalidate(cancellingTasks: true)
        let data = await manager.response(for: request, serializer: .data)
        #expect(data.error?.code == .sessionInvalidated)
        let upload = await manager.response(for: request, from: Data("x".utf8), serializer: .data)
        #expect(upload.error?.code == .sessionInvalidated)
        let download = await manager.response(for: request, to: .temporary)
        #expect(download.error?.code == .sessionInvalidated)
        let resumed = await manager.response(resumingWith: Data("x".utf8), to: .temporary)
        #expect(resumed.error?.code == .sessionInvalidated)
    }

    @Test("An invalidation lets running tasks finish, or cancels them", arguments: TestTransport.all, [true, false])
    func invalidation(_ transport: TestTransport, cancels: Bool) async throws {
        let server = try LoopbackServer { _ in
            let response = LoopbackResponse.json("[1]").delayed(0.2)
            return cancels ? response.faulted(.stallBeforeHead) : response
        }
        let manager = transport.manager()
        let invalidated = Watched(0)
        manager.hooks.sessionDidBecomeInvalid = { _, _ in invalidated.change { $0 += 1 } }
        let done = Watched<TaskResponse<JSONValue>?>(nil)
        manager.dataTask(with: URLRequest(url: server.url), serializer: .json) { response in
            done.change { $0 = response }
        }.resume()
        try await server.waitForRequests(1, timeout: 40 * patience)
        manager.invalidate(cancellingTasks: cancels)
        try await done.wait { $0 != nil }
        #expect((done.current?.error?.isCancelled ?? false) == cancels, "\(String(describing: done.current?.error))")
        try await invalidated.wait { $0 == 1 }
    }

    @Test("After a reset identifiers restart, and each task still gets its own events", arguments: TestTransport.all)
    func reset(_ transport: TestTransport) async throws {
        let server = try LoopbackServer { request in
            LoopbackResponse.json("[\"\(request.path)\"]").delayed(request.path == "/old" ? 0.3 : 0)
        }
        let manager = transport.manager()
        let old = Watched<JSONValue?>(nil)
        let new = Watched<JSONValue?>(nil)
        let oldTask = manager.dataTask(with: URLRequest(url: server.url("/old")), serializer: .json) { response in
            old.change { $0 = response.value }
        }
        oldTask.resume()
        let oldSession = manager.session
        manager.invalidate(cancellingTasks: false, resettingSession: true)
        let newTask = manager.dataTask(with: URLRequest(url: server.url("/new")), serializer: .json) { response in
            new.change { $0 = response.value }
        }
        #expect(manager.session !== oldSession)
        #expect(oldTask.taskIdentifier == newTask.taskIdentifier)
        #expect(manager.downloadProgress(for: oldTask) !== manager.downloadProgress(for: newTask))
        newTask.resume()
        try await new.wait { $0 == ["/new"] }
        try await old.wait { $0 == ["/old"] }
    }

    @Test(
        "A hundred managers created, used and released leave no threads, descriptors or memory behind",
        arguments: TestTransport.all
    )
    func leavesNothing(_ transport: TestTransport) async throws {
        // A separate process, so that other tests' threads and descriptors do not count. It prints its result.
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [name = transport.name as String] in
            let transport = try #require(TestTransport.all.first { $0.name == name })
            let server = try LoopbackServer { _ in .json("[1]") }
            func use(_ count: Int) async throws {
                for _ in 0..<count {
                    let manager = transport.manager()
                    let response = await manager.response(for: URLRequest(url: server.url), serializer: .json)
                    try #require(response.value == [1])
                }
                server.closeIdleConnections()
                try await server.waitForOpenConnections(atMost: 0, timeout: 40 * patience)
                server.reset()
            }
            try await use(50)
            try await eventually { ProcessUsage.ferryThreads == 0 }
            let before = (
                threads: ProcessUsage.threads, descriptors: ProcessUsage.descriptors, bytes: ProcessUsage.residentBytes
            )
            try await use(100)
            try await eventually {
                // Dispatch keeps a few idle workers, fewer than one for every ten managers, and a few descriptors.
                ProcessUsage.ferryThreads == 0 && ProcessUsage.threads < before.threads + 10
                    && ProcessUsage.descriptors <= before.descriptors + 5
            }
            // A leaked manager would keep its session's connection and buffers, at least 100 KB each. The thread
            // sanitizer's own memory use grows.
            let growth = ProcessUsage.residentBytes - before.bytes
            let isSmall = growth < 5_000_000 || ProcessUsage.isThreadSanitized
            let now = "\(ProcessUsage.threads) threads, \(ProcessUsage.descriptors) descriptors, \(growth) bytes more"
            print("before \(before), now \(now):", isSmall ? "good" : "bad")
        }
        let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        #expect(text.contains(": good"), "\(text)")
    }
}
