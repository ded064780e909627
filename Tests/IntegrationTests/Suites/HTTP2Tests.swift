import Ferry
import FerryTesting
import TestSupport
import Testing

extension NginxTests {
    @Suite("HTTP/2", .serialized, .takesTurns)
    struct HTTP2Tests {
        let server: NginxServer
        let session: CurlSession

        init() throws {
            server = try .shared()
            session = .trusting(server)
        }

        /// Sends `count` concurrent requests, and returns the connections they used.
        private func connections(_ count: Int, _ listener: NginxListener) async throws -> Set<String> {
            try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<count {
                    group.addTask {
                        let (data, response) = try await session.fetch(server.url(listener, "small?\(index)"))
                        #expect(String(decoding: data, as: UTF8.self) == "hello\n")
                        return try #require(response["X-Connection"])
                    }
                }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
        }

        @Test("Two hundred concurrent requests share few connections")
        func multiplexes() async throws {
            let used = try await connections(200, .http2)
            #expect(used.count <= 3)
        }

        @Test("A server with HTTP/2 gets HTTP/1.1 from a session that speaks nothing else, on every kind of task")
        func http1() async throws {
            for versions in [HTTPVersions.automatic, .http1] {
                let session = CurlSession.trusting(server) { $0.httpVersions = versions }
                defer { session.invalidateAndCancel() }
                let url = server.url(.http2, "small")
                let version = versions == .automatic ? "HTTP/2" : "HTTP/1.1"
                let request = URLRequest(url: url)
                let responses = [
                    try await session.data(from: url).1, try await session.download(from: url).1,
                    try await session.bytes(from: url).1, try await session.upload(for: request, from: Data()).1,
                ]
                #expect(
                    responses.map { ($0 as? HTTPURLResponse)?.receivedVersion } == Array(repeating: version, count: 4)
                )
                // Concurrent requests need a connection each.
                let tasks = (0..<8).map { _ in session.dataTask(with: server.url(.http2, "slow/huge.bin")) }
                for task in tasks { task.resume() }
                try await eventually("all responses") { tasks.allSatisfy { $0.response != nil } }
                let used = Set(tasks.map { ($0.response as? HTTPURLResponse)?["X-Connection"] })
                for task in tasks { task.cancel() }
                #expect(versions == .automatic ? used.count <= 3 : used.count == 8)
            }
        }

        @Test("No stream of a busy connection waits until something else happens")
        func nothingIsForgotten() async throws {
            // Many responses arrive in one packet, and for other streams than the one that reads. libcurl before 8.4
            // may forget to continue with the others (curl #11937), which would then wait for a minute.
            let start = ContinuousClock.now
            for _ in 0..<40 { _ = try await connections(200, .http2) }
            #expect(ContinuousClock.now - start < .seconds(50))
        }

        @Test("Requests survive a server that ends each connection after twenty of them")
        func goAway() async throws {
            let used = try await connections(300, .shortLived)
            #expect(used.count >= 15)
        }

        @Test("POSTs that a server has not processed when it ends a connection are sent again, and arrive once")
        func goAwayOfPosts() async throws {
            let peer = try LoopbackServer { .text(String(decoding: $0.body, as: UTF8.self)) }
            let url = server.url(.shortLived, "to/\(peer.port)/posts")
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                var answers: Set<String> = []
                for index in 0..<300 {
                    if index >= 30, let next = try await group.next() { answers.insert(next) }
                    group.addTask {
                        var request = URLRequest(url: url)
                        request.httpMethod = "POST"
                        let (data, _) = try await session.upload(for: request, from: Data("\(index)".utf8))
                        return String(decoding: data, as: UTF8.self)
                    }
                }
                return try await group.reduce(into: answers) { $0.insert($1) }
            }
            #expect(answers == Set((0..<300).map(String.init)))
            #expect(peer.requestCount == 300)
        }

        @Test("The body of a response without a validator is uploaded over the same connection")
        func piped() async throws {
            let (source, response) = try await session.bytes(from: server.url(.http2, "unmarked/large.bin"))
            #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Last-Modified") == nil)
            let name = "uploads/\(UUID().uuidString)"
            var request = URLRequest(url: server.url(.http2, name))
            request.httpMethod = "PUT"
            let body = RequestBody(source.chunks, length: response.expectedContentLength)
            let (_, uploaded) = try await session.upload(for: request, body: body)
            #expect((uploaded as? HTTPURLResponse)?.statusCode == 201)
            let (file, _) = try await session.download(from: server.url(.http2, name))
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try Contents.sha256(of: file) == server.files.largeSHA256)
        }

        @Test("Transfers over their limit delay no stream, and go on when it is removed")
        func limitedStreams() async throws {
            let url = server.url(.http2, "files/large.bin")
            let (expected, _) = try await session.fetch(url)
            let limit = BandwidthLimit(bytesPerSecond: 200_000)
            let tasks = (0..<3).map { _ in
                let task = session.downloadTask(with: url)
                task.downloadLimit = limit
                return task
            }
            for task in tasks { task.resume() }
            try await eventually("bytes of all") { tasks.allSatisfy { $0.countOfBytesReceived > 0 } }
            for _ in 0..<50 {
                let (data, _) = try await session.fetch(server.url(.http2, "small"))
                #expect(String(decoding: data, as: UTF8.self) == "hello\n")
            }
            #expect(tasks.allSatisfy { $0.state == .running }, "\(tasks.map { String(describing: $0.error) })")
            limit.bytesPerSecond = nil
            try await eventually("the end") { tasks.allSatisfy { $0.state == .completed } }
            for task in tasks {
                #expect(task.error == nil && task.countOfBytesReceived == Int64(expected.count))
                // A server does not stop sending on a stream.
                #expect((task.response as? HTTPURLResponse)?["X-Protocol"] == "HTTP/1.1")
            }

            var request = URLRequest(url: server.url(.http2, "uploads/\(UUID().uuidString)"))
            request.httpMethod = "PUT"
            let upload = session.uploadTask(with: request, from: expected)
            let uploadLimit = BandwidthLimit(bytesPerSecond: 100_000)
            upload.uploadLimit = uploadLimit
            upload.resume()
            try await eventually("sent bytes") { upload.countOfBytesSent > 0 }
            #expect(upload.countOfBytesSent < Int64(expected.count))
            uploadLimit.bytesPerSecond = nil
            try await eventually("the end of the upload") { upload.state == .completed }
            #expect((upload.response as? HTTPURLResponse)?.statusCode == 201)
        }

        @Test("Cancelling a stream does not affect the others of its connection")
        func cancelledStream() async throws {
            let expected = try Contents.of(server.files.text)
            let url = server.url(.http2, "slow/text.txt")
            _ = try await session.fetch(server.url(.http2, "small"))
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let (data, response) = try await session.fetch(url)
                        #expect(Contents.match(data, expected))
                        return response["X-Connection"]
                    }
                }
                let (bytes, response) = try await session.bytes(
                    for: URLRequest(url: server.url(.http2, "slow/huge.bin"))
                )
                var chunks = bytes.chunks.makeAsyncIterator()
                #expect(try await chunks.next() != nil)
                bytes.task.cancel()
                let error = await #expect(throws: URLError.self) {
                    while try await chunks.next() != nil {}
                }
                #expect(error?.code == .cancelled)
                let connection = (response as? HTTPURLResponse)?["X-Connection"]
                for try await other in group { #expect(other == connection) }
            }
        }

        @Test("Cancelling streams with much unread data does not stall the others")
        func cancelledStreams() async throws {
            let huge = URLRequest(url: server.url(.http2, "files/large.bin"))
            let start = ContinuousClock.now
            for round in 0..<20 {
                var streams: [CurlSession.Bytes] = []
                for _ in 0..<10 { streams.append(try await session.bytes(for: huge).0) }
                let cancelled = streams
                async let end: Void = {
                    try await Task.sleep(for: .milliseconds(round * 2))
                    for stream in cancelled {
                        stream.task.cancel()
                        await Task.yield()
                    }
                }()
                _ = try await connections(100, .http2)
                try await end
            }
            #expect(ContinuousClock.now - start < .seconds(50))
        }

        @Test("A suspended download waits while others on its connection continue")
        func suspendedStream() async throws {
            let delegate = RecordingDelegate()
            let session = CurlSession.trusting(server, delegate: delegate)
            defer { session.invalidateAndCancel() }
            let task = session.downloadTask(with: server.url(.http2, "files/large.bin"))
            task.resume()
            try await eventually { delegate[task].received > 0 }
            task.suspend()
            let small = server.url(.http2, "files/text.txt")
            let expected = try Contents.of(server.files.text)
            for _ in 0..<20 {
                #expect(Contents.match(try await session.fetch(small).0, expected))
            }
            // The delegate has received what came before the task was suspended.
            let flushes = Watched(0)
            session.flush { flushes.change { $0 += 1 } }
            try await flushes.wait { $0 == 1 }
            let received = delegate[task].received
            _ = try await session.fetch(small)
            session.flush { flushes.change { $0 += 1 } }
            try await flushes.wait { $0 == 2 }
            #expect(delegate[task].received == received)
            #expect(delegate[task].completions == 0)
            task.resume()
            let record = try await delegate.completion(of: task, timeout: 60)
            #expect(record.error == nil && record.completions == 1)
            #expect(try Contents.match(record.file, server.files.large))
        }

        @Test("Bytes buffered for a cancelled reader never reach another response")
        func cancelledBacklog() async throws {
            let zeros = server.url(.http2, "files/huge.bin")
            let random = server.url(.http2, "files/large.bin")
            let expected = try Contents.of(server.files.large)
            var unread: [CurlSession.Bytes] = []
            for _ in 0..<4 { unread.append(try await session.bytes(from: zeros).0) }
            // While this transfer runs, the server fills libcurl's buffers for the others.
            #expect(Contents.match(try await session.data(from: random).0, expected))
            for stream in unread { stream.task.cancel() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        var offset = 0
                        for try await chunk in try await session.bytes(from: random).0.chunks {
                            try #require(
                                Contents.match(chunk, expected[offset..<min(offset + chunk.count, expected.count)])
                            )
                            offset += chunk.count
                            // Makes the transfer pause, and then lets it end.
                            if offset < 8_000_000 { try await Task.sleep(nanoseconds: 20_000_000) }
                        }
                        #expect(offset == expected.count)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
