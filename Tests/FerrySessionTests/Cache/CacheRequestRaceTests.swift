import FerryTesting
import Testing

@testable import FerrySession

@Suite(.serialized, .timeLimit(.minutes(5))) struct CacheRequestRaceTests {
    /// A body that depends on key and version, so that one with another key or length is detected.
    private static func body(_ key: Int, _ version: Int) -> Data {
        let size = key % 3 == 0 ? 70_000 + version * 1000 : 100 + version
        return Data("\(key):\(version):".utf8) + LoopbackServer.pattern(count: size)
    }

    @Test("Concurrent requests, invalidations and cancellations on one cache all end correctly") func requests()
        async throws
    {
        let folder = try TemporaryFolder()
        let cache = HTTPCache(memoryCapacity: 300_000, diskCapacity: 2_000_000, directory: folder.url)
        let server = try LoopbackServer { request in
            guard request.method == "GET" else { return .status(204) }
            let key = Int(request.path.dropFirst()) ?? 0
            let tag = "\"\(key)\""
            let response =
                request.header("If-None-Match") == tag ? LoopbackResponse.status(304) : .data(Self.body(key, 0))
            let age = key % 2 == 0 ? "0" : "70"
            return response.adding("ETag", tag).adding("Age", age)
                .adding("Cache-Control", "max-age=60, stale-while-revalidate=\(key % 4 == 1 ? 600 : 0)")
        }
        let delegate = RecordingDelegate()
        let sessions = [CacheBench.session(cache, delegate), CacheBench.session(cache), CacheBench.session(cache)]
        let wrong = Watched<[String]>([])
        let left = Watched(0)
        await onThreads(6) { worker in
            let session = sessions[worker % sessions.count]
            for round in 0..<40 {
                let key = (round + worker) % 10
                var request = URLRequest(url: server.url("/\(key)"))
                if round % 13 == worker { request.httpMethod = "POST" }
                if round % 17 == worker { cache.remove(for: server.url("/\(key)")) }
                left.change { $0 += 1 }
                let isPost = request.httpMethod == "POST"
                let task = session.dataTask(with: request) { data, _, error in
                    left.change { $0 -= 1 }
                    if let data, !isPost, data != Self.body(key, 0) {
                        wrong.change { $0.append("\(key): \(data.count) bytes") }
                    }
                    if let error, (error as? URLError)?.code != .cancelled {
                        wrong.change { $0.append("\(key): \(error)") }
                    }
                }
                task.resume()
                if round % 5 == 0 { task.cancel() }
                if round % 7 == 0 {
                    task.suspend()
                    task.resume()
                }
            }
        }
        try await eventually("all completions", timeout: 60) { left.change { $0 == 0 } }
        #expect(wrong.current == [])
        #expect(delegate.violations == [])
    }
}
