import FerryTesting
import Testing

@testable import FerrySession

/// Suspended tasks do not block others, even if a host may have only one connection.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SuspendSlotTests {
    private func session(_ delegate: RecordingDelegate) -> CurlSession {
        makeSession(delegate) { $0.httpMaximumConnectionsPerHost = 1 }
    }

    @Test("A task suspended in the middle of its body lets others of the host run") func midBody() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 10, of: 20) : .text("other")
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let suspended = session.dataTask(with: server.url("/gated"))
        suspended.resume()
        try await eventually("ten bytes") { delegate[suspended].data.count == 10 }
        let others = (0..<5).map { _ in session.dataTask(with: server.url("/other")) }
        for task in others { task.resume() }
        try await session.overtake()
        #expect(server.requestCount == 1)
        suspended.suspend()
        for task in others { #expect(try await delegate.completion(of: task).data == Data("other".utf8)) }
        suspended.resume()
        gate.open()
        #expect(try await delegate.completion(of: suspended).data == LoopbackServer.pattern(count: 20))
    }

    @Test("A task suspended while it waits for a connection takes none") func waiting() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 10, of: 20) : .text(request.path)
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let first = session.dataTask(with: server.url("/gated"))
        let waiting = session.dataTask(with: server.url("/waiting"))
        let last = session.dataTask(with: server.url("/last"))
        for task in [first, waiting, last] { task.resume() }
        try await eventually("ten bytes") { delegate[first].data.count == 10 }
        waiting.suspend()
        try await session.overtake()
        gate.open()
        #expect(try await delegate.completion(of: last).data == Data("/last".utf8))
        #expect(delegate[waiting].events == [])
        #expect(!server.requests.map(\.path).contains("/waiting"))
        waiting.resume()
        #expect(try await delegate.completion(of: waiting).data == Data("/waiting".utf8))
    }

    @Test("A task suspended and resumed while it waits still runs once") func waitingAgain() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 10, of: 20) : .text(request.path)
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        let first = session.dataTask(with: server.url("/gated"))
        first.resume()
        try await eventually("ten bytes") { delegate[first].data.count == 10 }
        let waiting = (0..<10).map { session.dataTask(with: server.url("/\($0)")) }
        for task in waiting { task.resume() }
        for task in waiting {
            for _ in 0..<20 {
                task.suspend()
                task.resume()
            }
        }
        gate.open()
        for task in waiting { #expect(try await delegate.completion(of: task).error == nil) }
        #expect(server.requestCount == 11)
        #expect(delegate.violations == [])
    }

    @Test("Many suspended tasks leave room for others, and all continue in the end") func many() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 10, of: 1000) : .text(request.path)
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        var suspended: [URLSessionTask] = []
        for _ in 0..<10 {
            let task = session.dataTask(with: server.url("/gated"))
            task.resume()
            try await eventually("ten bytes") { delegate[task].data.count == 10 }
            task.suspend()
            suspended.append(task)
        }
        let other = session.dataTask(with: server.url("/other"))
        other.resume()
        #expect(try await delegate.completion(of: other).error == nil)
        gate.open()
        for task in suspended { task.resume() }
        for task in suspended {
            #expect(try await delegate.completion(of: task).data == LoopbackServer.pattern(count: 1000))
        }
        #expect(delegate.violations == [])
    }

    @Test("A suspended task that is cancelled releases its connection slot") func cancelled() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            request.path == "/gated" ? .gated(gate, first: 10, of: 20) : .text(request.path)
        }
        let delegate = RecordingDelegate()
        let session = session(delegate)
        for _ in 0..<5 {
            let task = session.dataTask(with: server.url("/gated"))
            task.resume()
            try await eventually("ten bytes") { delegate[task].data.count == 10 }
            task.suspend()
            task.cancel()
            #expect(try await delegate.completion(of: task).error?.code == .cancelled)
        }
        let one = session.dataTask(with: server.url("/gated"))
        let two = session.dataTask(with: server.url("/gated"))
        one.resume()
        try await eventually("ten bytes") { delegate[one].data.count == 10 }
        two.resume()
        try await session.overtake()
        // The limit still applies: released slots do not count twice.
        #expect(delegate[two].events == [])
        gate.open()
        try await delegate.completion(of: two)
    }

    /// The proxy delays the end of connecting.
    @Test("A task that is suspended while it connects sends its request when it is resumed, once")
    func whileConnecting() async throws {
        let (connecting, requests) = (Watched(0), Watched<[String]>([]))
        let mayConnect = DispatchSemaphore(value: 0)
        let proxy = try RawServer { connection in
            guard connection.readMore(), connection.write(Data([5, 0])), connection.readMore() else { return }
            connecting.change { $0 += 1 }
            _ = mayConnect.wait(timeout: .now() + 30)
            connection.write(Data([5, 0, 0, 1, 127, 0, 0, 1, 0, 80]))
            let head = connection.readHead()
            guard head.contains("HTTP/1.1\r\n") else { return }
            requests.append(head)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.proxy = .socks5("127.0.0.1", port: proxy.port)
        let session = makeSession(delegate, options: options)
        let url = try #require(URL(string: "http://127.0.0.2/"))
        let task = session.dataTask(with: url)
        task.resume()
        // This is more often than an attempt may be repeated on a new connection.
        for count in 1...5 {
            try await eventually("the proxy") { connecting.current == count }
            task.suspend()
            // The engine has performed the command when it performs the next one.
            await withCheckedContinuation { continuation in
                session.engine?.submit(.run { continuation.resume() }) ?? continuation.resume()
            }
            mayConnect.signal()
            try await eventually("the end of the connection") { proxy.finished == count }
            #expect(requests.current.isEmpty)
            task.resume()
        }
        mayConnect.signal()
        let record = try await delegate.completion(of: task)
        #expect(record.error == nil && String(decoding: record.data, as: UTF8.self) == "ok")
        #expect(requests.current.count == 1)
    }

    @Test("A POST that was sent is not sent again after a suspension while libcurl reconnects")
    func sentBefore() async throws {
        let (connecting, posts) = (Watched(0), Watched(0))
        let mayConnect = DispatchSemaphore(value: 0)
        let proxy = try RawServer { connection in
            guard connection.readMore(), connection.write(Data([5, 0])), connection.readMore() else { return }
            connecting.change { $0 += 1 }
            _ = mayConnect.wait(timeout: .now() + 30)
            connection.write(Data([5, 0, 0, 1, 127, 0, 0, 1, 0, 80]))
            while true {
                let head = connection.readHead()
                // The first request on a connection is answered, and the connection is closed after a POST.
                if head.contains("POST /") { return posts.change { $0 += 1 } }
                guard head.contains("GET /"),
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                else { return }
            }
        }
        let delegate = RecordingDelegate()
        var options = CurlSession.Options()
        options.proxy = .socks5("127.0.0.1", port: proxy.port)
        let session = makeSession(delegate, options: options)
        let url = try #require(URL(string: "http://127.0.0.2/"))
        mayConnect.signal()
        _ = try await session.data(from: url)
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let task = session.dataTask(with: request)
        task.resume()
        try await eventually("the second connection") { connecting.current == 2 }
        task.suspend()
        mayConnect.signal()
        try await eventually("the end of that connection") { proxy.finished == 2 }
        task.resume()
        let error = try await delegate.completion(of: task).error
        #expect(error?.code == .networkConnectionLost, "\(String(describing: error))")
        #expect(posts.current == 1)
    }
}
