import FerryTesting
import Testing

@testable import Ferry

/// Swift tasks that wait for a response and run its completion work themselves.
@Suite(.timeLimit(.minutes(5)))
struct CompletionWaiterTests {
    @Test("Only the first task created takes the waiter") func once() {
        #expect(CompletionWaiter.take() == nil)
        let waiter = CompletionWaiter()
        CompletionWaiter.$current.withValue(waiter) {
            CompletionWaiter.hidden { #expect(CompletionWaiter.take() == nil) }
            #expect(CompletionWaiter.take() === waiter)
            #expect(CompletionWaiter.take() == nil)
        }
    }

    @Test("An async call's adapt(_:) may wait for a request of another manager")
    func adaptationThatWaits() async throws {
        let server = try LoopbackServer { request in
            .text(request.path == "/token" ? "secret" : request.header("Authorization") ?? "none")
        }
        let other = SessionManager(configuration: .ephemeral)
        let manager = AdaptingManager { request in
            let (token, done) = (Watched(""), DispatchSemaphore(value: 0))
            let task = other.dataTask(with: URLRequest(url: server.url("/token")), serializer: .string) { response in
                token.change { $0 = response.value ?? "" }
                done.signal()
            }
            task.resume()
            guard done.wait(timeout: .now() + 30) == .success else { throw URLError(.timedOut) }
            var request = request
            request.setValue(token.current, forHTTPHeaderField: "Authorization")
            return request
        }
        let response = await manager.response(for: URLRequest(url: server.url), serializer: .string)
        #expect(response.value == "secret", "\(String(describing: response.error))")
    }

    @Test("Work submitted before the response runs, and none is accepted after it")
    func work() async throws {
        for round in 0..<200 {
            let waiter = CompletionWaiter()
            let other = Mutex(0)
            async let response = waiter.wait()
            if round % 2 == 0 { await Task.yield() }
            #expect(waiter.run { other.withLock { $0 += 1 } })
            try await eventually { other.withLock { $0 > 0 } }
            #expect(waiter.run { waiter.finish(round) })
            #expect(await response as? Int == round)
            #expect(!waiter.run { other.withLock { $0 = -1 } })
            #expect(other.withLock { $0 } == 1)
        }
    }

    @Test("A response without any work is returned") func plain() async {
        let waiter = CompletionWaiter()
        async let response = waiter.wait()
        waiter.finish(7)
        #expect(await response as? Int == 7)
    }

    @Test("A task that waits to be started is not started after the response", arguments: [true, false])
    func start(isFirst: Bool) async {
        let waiter = CompletionWaiter()
        let start = Task { while !Task.isCancelled { await Task.yield() } }
        if isFirst { waiter.finish(1) }
        waiter.attach(start)
        if !isFirst { waiter.finish(1) }
        await start.value
        #expect(start.isCancelled)
    }

    @Test("A manager that makes another task first still returns the right response")
    func anotherTask() async throws {
        let server = try LoopbackServer { .text($0.path) }
        let manager = PrefetchingManager(configuration: .ephemeral)
        for _ in 0..<50 {
            let response = await manager.response(
                for: URLRequest(url: server.url("/wanted")),
                serializer: StringResponseSerializer()
            )
            #expect(response.value == "/wanted")
        }
        for _ in 0..<1000 where manager.prefetched.withLock({ $0.count }) < 50 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(manager.prefetched.withLock { $0 } == Array(repeating: "/first", count: 50))
    }
}

/// `@unchecked Sendable` like its superclass; its own state is locked.
private final class PrefetchingManager: SessionManager, @unchecked Sendable {
    let prefetched = Mutex<[String]>([])

    override func dataTask<Serializer: ResponseSerializer>(
        with request: URLRequest,
        serializer: Serializer,
        uploadProgress: ProgressHandler?,
        downloadProgress: ProgressHandler?,
        completionHandler: @escaping @Sendable (TaskResponse<Serializer.Output>) -> Void
    ) -> URLSessionDataTask {
        var first = request
        first.url = request.url?.deletingLastPathComponent().appendingPathComponent("first")
        super.dataTask(
            with: first,
            serializer: StringResponseSerializer(),
            uploadProgress: nil,
            downloadProgress: nil
        ) { [self] response in
            prefetched.withLock { $0.append(response.value ?? "\(response)") }
        }.resume()
        return super.dataTask(
            with: request,
            serializer: serializer,
            uploadProgress: uploadProgress,
            downloadProgress: downloadProgress,
            completionHandler: completionHandler
        )
    }
}
