import FerrySession
import FerryTesting
import Testing

/// `willCacheResponse`: how a delegate changes a response before it is stored.
@Suite(.timeLimit(.minutes(2))) struct WillCacheTests {
    /// Responds as the test requires, and records the order of events.
    private final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        typealias Hook = @Sendable (CachedURLResponse) -> CachedURLResponse?

        let hook: Hook
        let events = Watched<[String]>([])
        let isTwice: Bool

        init(isTwice: Bool = false, _ hook: @escaping Hook) {
            (self.hook, self.isTwice) = (hook, isTwice)
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
        ) {
            let isOnQueue = OperationQueue.current === session.delegateQueue
            events.change { $0.append(isOnQueue ? "willCache" : "willCache elsewhere") }
            completionHandler(hook(proposedResponse))
            if isTwice { completionHandler(nil) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            events.change { $0.append(error == nil ? "completed" : "failed") }
        }
    }

    private func twice(
        _ delegate: Delegate,
        _ bench: CacheBench
    ) async throws -> CacheBench.Answer {
        let session = CacheBench.session(bench.cache, delegate)
        session.dataTask(with: bench.request()).resume()
        try await eventually("the completion") { delegate.events.change { $0.contains("completed") } }
        return try await bench.fetch()
    }

    @Test("A delegate that agrees is asked once, on its queue, before the completion") func agrees() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60"])
        let proposals = Watched<[CachedURLResponse]>([])
        let delegate = Delegate(isTwice: true) { proposal in
            proposals.append(proposal)
            return proposal
        }
        #expect(try await twice(delegate, bench).text == "1")
        #expect(delegate.events.current == ["willCache", "completed"])
        let proposal = try #require(proposals.current.first)
        #expect(proposal.data == Data("1".utf8) && proposal.storagePolicy == .allowed)
        #expect((proposal.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test(
        "The fields that a delegate stores decide which requests may use the response",
        arguments: ["max-age=60", "private, max-age=60", "public, max-age=60"]
    )
    func changedFields(_ control: String) async throws {
        let bench = try CacheBench(["Cache-Control": "public, max-age=60"])
        let delegate = Delegate { proposal in
            guard let response = proposal.response as? HTTPURLResponse, let url = response.url else { return nil }
            let fields = ["Cache-Control": control, "Vary": "X-Language"]
            let changed = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            return changed.map { CachedURLResponse(response: $0, data: proposal.data) }
        }
        let session = CacheBench.session(bench.cache, delegate)
        let own = ["Authorization": "ada", "X-Language": "en"]
        session.dataTask(with: bench.request("/", own)).resume()
        try await eventually("the completion") { delegate.events.change { $0.contains("completed") } }
        #expect(try await bench.fetch("/", own).text == "1")
        let isPublic = control.hasPrefix("public")
        #expect(try await (bench.fetch("/", ["X-Language": "en"]).text == "1") == isPublic)
        #expect(try await bench.fetch("/", ["Authorization": "ada", "X-Language": "de"]).text != "1")
    }

    @Test("The delegate also decides about a validation in the background, after its task has ended")
    func background() async throws {
        let bench = try CacheBench { _, number in
            .text("\(number)").adding("Age", number == 1 ? "70" : "0")
                .adding("Cache-Control", "max-age=60, stale-while-revalidate=600")
        }
        let delegate = Delegate { CachedURLResponse(response: $0.response, data: Data("own".utf8)) }
        let session = CacheBench.session(bench.cache, delegate)
        for count in 1...2 {
            session.dataTask(with: bench.request()).resume()
            try await delegate.events.wait { $0.filter { $0 == "completed" }.count == count }
        }
        try await delegate.events.wait { $0.filter { $0 == "willCache" }.count == 2 }
        // The delegate's answer is stored before other work of its queue begins.
        await withCheckedContinuation { continuation in
            session.delegateQueue.addOperation { continuation.resume() }
        }
        let stored = try await bench.fetch()
        #expect(stored.text == "own" && stored.field("Age").flatMap { Int($0) } ?? 60 < 60)
        #expect(bench.count == 2)
    }

    @Test("A response that the delegate refuses is not stored", arguments: [true, false])
    func refuses(_ isNil: Bool) async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60"])
        let delegate = Delegate { proposal in
            isNil
                ? nil : CachedURLResponse(response: proposal.response, data: proposal.data, storagePolicy: .notAllowed)
        }
        #expect(try await twice(delegate, bench).text == "2")
    }

    @Test("A different body and different fields are stored instead of the received ones") func changes() async throws {
        let bench = try CacheBench(["Cache-Control": "max-age=60"])
        let delegate = Delegate { proposal in
            let changed = HTTPURLResponse(
                url: proposal.response.url ?? URL(fileURLWithPath: "/"),
                statusCode: 203,
                httpVersion: "HTTP/1.1",
                headerFields: ["Cache-Control": "max-age=60", "X-Changed": "yes"]
            )
            return CachedURLResponse(response: changed ?? proposal.response, data: Data("changed".utf8))
        }
        let answer = try await twice(delegate, bench)
        #expect(answer.text == "changed" && answer.status == 203 && answer.field("X-Changed") == "yes")
        #expect(answer.response.expectedContentLength == 7)
        #expect(bench.count == 1)
    }

    @Test("allowedInMemoryOnly leaves no file", arguments: [10, 200_000]) func memoryOnly(_ size: Int) async throws {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(diskCapacity: 10_000_000, directory: folder.url)
        let body = LoopbackServer.pattern(count: size)
        let bench = try CacheBench(cache: cache) { _, _ in .data(body).adding("Cache-Control", "max-age=60") }
        let delegate = Delegate { proposal in
            CachedURLResponse(response: proposal.response, data: proposal.data, storagePolicy: .allowedInMemoryOnly)
        }
        #expect(try await twice(delegate, bench).data == body)
        #expect(bench.count == 1)
        try await eventually("no file") { CacheSamples.files(folder).isEmpty }
    }

    @Test("The delegate is not asked about responses that may not be stored or came from the cache")
    func unasked() async throws {
        let bench = try CacheBench(["Cache-Control": "no-store"])
        let delegate = Delegate { $0 }
        #expect(try await twice(delegate, bench).text == "2")
        #expect(delegate.events.current == ["completed"])
        let cached = try CacheBench(["Cache-Control": "max-age=60"])
        _ = try await cached.fetch()
        let other = Delegate { $0 }
        #expect(try await twice(other, cached).text == "1")
        #expect(other.events.current == ["completed"])
    }

    @Test("Freshness that the delegate would add does not count, unless the policy accepts responses of any age")
    func addedFreshness() async throws {
        let bench = try CacheBench([:])
        let delegate = Delegate { proposal in
            guard let url = proposal.response.url else { return nil }
            let fields = ["Cache-Control": "max-age=60"]
            let changed = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields)
            return changed.map { CachedURLResponse(response: $0, data: proposal.data) }
        }
        #expect(try await twice(delegate, bench).text == "2")
        #expect(delegate.events.current == ["completed"])
        let session = CacheBench.session(bench.cache, delegate)
        session.dataTask(with: bench.request(policy: .returnCacheDataElseLoad)).resume()
        try await delegate.events.wait { $0 == ["completed", "willCache", "completed"] }
        #expect(try await bench.fetch().text == "3")
        #expect(bench.count == 3)
    }
}
