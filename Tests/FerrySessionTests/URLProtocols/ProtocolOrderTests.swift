import FerrySession
import FerryTesting
import Testing

/// The order in which a session calls its protocol classes, and calls that they make meanwhile.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ProtocolOrderTests {
    private func session(_ delegate: (any URLSessionDelegate)? = nil, _ type: AnyClass) -> CurlSession {
        makeSession(delegate) { $0.protocolClasses = [type] }
    }

    @Test("A session calls its classes one at a time, in the order in which its tasks are resumed") func serial()
        async throws
    {
        let delegate = RecordingDelegate()
        let session = session(delegate, UnlockedProtocol.self)
        let paths = (0..<300).map { "/\($0)" }
        let tasks = try paths.enumerated().map { index, path -> URLSessionTask in
            let request = URLRequest(url: try #require(URL(string: "unlocked://host\(path)")))
            return switch index % 3 {
            case 0: session.dataTask(with: request)
            case 1: session.uploadTask(with: request, from: Data("body".utf8))
            default: session.downloadTask(with: request)
            }
        }
        for task in tasks { task.resume() }
        for task in tasks {
            let record = try await delegate.completion(of: task)
            #expect(record.error == nil && record.completions == 1)
            #expect(task is URLSessionDownloadTask ? record.file != nil : record.data == Data("x".utf8))
        }
        try await eventually("the stops") { UnlockedProtocol.calls.change { $0.stops } == 300 }
        #expect(UnlockedProtocol.asked == paths)
        #expect(UnlockedProtocol.started == paths)
        #expect(UnlockedProtocol.calls.change { $0.overlaps } == 0)
        #expect(delegate.violations == [])
    }

    /// Records requests in static variables without a lock, as the stubs of many suites do.
    private final class UnlockedProtocol: URLProtocol {
        nonisolated(unsafe) static var asked: [String] = []
        nonisolated(unsafe) static var started: [String] = []
        /// The calls that run at this moment, those that began during another one, and those that stopped a load.
        static let calls = Watched((running: 0, overlaps: 0, stops: 0))

        private static func noteCall(_ body: () -> Void) {
            calls.change { calls in
                if calls.running > 0 { calls.overlaps += 1 }
                calls.running += 1
            }
            sched_yield()
            body()
            calls.change { $0.running -= 1 }
        }

        override class func canInit(with request: URLRequest) -> Bool {
            noteCall { asked.append(request.url?.path ?? "") }
            return true
        }

        override class func canonicalRequest(for request: URLRequest) -> URLRequest {
            noteCall {}
            return request
        }

        override func startLoading() {
            Self.noteCall { Self.started.append(request.url?.path ?? "") }
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data("x".utf8))
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {
            Self.noteCall {}
            Self.calls.change { $0.stops += 1 }
        }
    }

    // MARK: - Classes that make requests

    @Test("A class may load its requests with tasks of its own session or of the shared one", arguments: [true, false])
    func forwards(_ usesShared: Bool) async throws {
        let server = try LoopbackServer { .text("\($0.path) \($0.header("X-Forwarded") ?? "-")") }
        let session = session(nil, ForwardingProtocol.self)
        ForwardingProtocol.session.change { $0 = usesShared ? .shared : session }
        defer { ForwardingProtocol.session.change { $0 = nil } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                let url = server.url("/\(index)")
                group.addTask {
                    let data = try await session.data(from: url).0
                    #expect(data == Data("/\(index) yes".utf8))
                }
            }
            try await group.waitForAll()
        }
        let data = try await session.upload(for: URLRequest(url: server.url("/last")), from: Data("body".utf8)).0
        #expect(data == Data("/last yes".utf8))
    }

    @Test("A class may wait for a task of another session") func waits() async throws {
        let server = try LoopbackServer()
        let url = ScriptedProtocol.script { [url = server.url("/bytes/10")] loader in
            let (isDone, count) = (Gate(), Watched(0))
            CurlSession.shared.dataTask(with: url) { data, _, _ in
                count.change { $0 = data?.count ?? -1 }
                isDone.open()
            }.resume()
            isDone.wait()
            loader.respond()
            loader.load("\(count.current)")
            loader.finish()
        }
        #expect(try await session(nil, ScriptedProtocol.self).data(from: url).0 == Data("10".utf8))
    }
}

/// Loads each request with a task of a session, as proxies for logging do, and refers to the task weakly.
private final class ForwardingProtocol: URLProtocol {
    static let session = Watched<CurlSession?>(nil)
    private weak var inner: URLSessionDataTask?

    override class func canInit(with request: URLRequest) -> Bool {
        request.value(forHTTPHeaderField: "X-Forwarded") == nil
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        var forwarded = request
        forwarded.setValue("yes", forHTTPHeaderField: "X-Forwarded")
        let box = Unchecked(self)
        inner = Self.session.current?.dataTask(with: forwarded) { data, response, error in
            let loader = box.value
            guard let response, let data else {
                loader.client?.urlProtocol(loader, didFailWithError: error ?? URLError(.unknown))
                return
            }
            loader.client?.urlProtocol(loader, didReceive: response, cacheStoragePolicy: .notAllowed)
            loader.client?.urlProtocol(loader, didLoad: data)
            loader.client?.urlProtocolDidFinishLoading(loader)
        }
        inner?.resume()
    }

    override func stopLoading() { inner?.cancel() }
}
