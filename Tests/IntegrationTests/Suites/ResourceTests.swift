import Ferry
import FerryTesting
import TestSupport
import Testing

extension NginxTests {
    /// Each measurement runs in a separate process, so that other tests do not count.
    @Suite("Memory and processor time", .serialized, .takesTurns, .ownThreads)
    struct ResourceTests {
        private static let mebibyte = 1_048_576

        let server: NginxServer

        init() throws {
            server = try .shared()
        }

        @Test("A gibibyte for a blocked delegate does not fill memory")
        func blockedDelegate() async throws {
            let url = server.url(.plain, "files/huge.bin")
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [url = url as URL] in
                let gate = Gate()
                let delegate = RecordingDelegate(.blocking(gate))
                let session = CurlSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
                let task = session.dataTask(with: url)
                let growth = try await ProcessUsage.growth {
                    task.resume()
                    try await eventually { gate.arrived == 1 }
                    // No event announces that no more bytes arrive: they get a second for it.
                    try await Task.sleep(for: .seconds(1))
                    #expect(delegate[task].received < NginxFiles.hugeSize / 100)
                    gate.open()
                    let record = try await delegate.completion(of: task, timeout: 240)
                    try #require(record.error == nil)
                }
                #expect(delegate[task].received == NginxFiles.hugeSize)
                Report.say(growth)
            }
            let measured = try Report.number(result)
            #expect(measured < 64 * Self.mebibyte)
        }

        @Test("Thirty-two streams of one connection with a blocked delegate do not fill memory")
        func blockedStreams() async throws {
            let url = server.url(.http2, "files/huge.bin")
            let authority = server.certificates.authority
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [url = url as URL, authority = authority as URL] in
                let gate = Gate()
                let delegate = RecordingDelegate(.blocking(gate))
                let session = CurlSession.trusting(authority, delegate: delegate)
                let growth = try await ProcessUsage.growth {
                    let tasks = (0..<32).map { _ in session.dataTask(with: url) }
                    for task in tasks { task.resume() }
                    try await eventually { gate.arrived == 1 }
                    // No event announces that no more bytes arrive: they get three seconds for it.
                    try await Task.sleep(for: .seconds(3))
                    for task in tasks { task.cancel() }
                    gate.open()
                    for task in tasks {
                        #expect(try await delegate.completion(of: task).error?.code == .cancelled)
                    }
                }
                Report.say(growth)
            }
            let measured = try Report.number(result)
            #expect(measured < 128 * Self.mebibyte)
        }

        @Test("Suspended streams use little memory while another one on their connection runs")
        func suspendedStreams() async throws {
            let url = server.url(.http2, "files/huge.bin")
            let other = server.url(.http2, "files/large.bin")
            let authority = server.certificates.authority
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [url = url as URL, other = other as URL, authority = authority as URL] in
                let session = CurlSession.trusting(authority)
                let growth = try await ProcessUsage.growth {
                    var streams: [CurlSession.Bytes] = []
                    for _ in 0..<31 { streams.append(try await session.bytes(from: url).0) }
                    for _ in 0..<10 {
                        let (file, response) = try await session.download(from: other)
                        print((response as? HTTPURLResponse)?["X-Connection"] ?? "")
                        try FileManager.default.removeItem(at: file)
                    }
                    for stream in streams { stream.task.cancel() }
                }
                Report.say(growth)
            }
            let measured = try Report.number(result)
            // On its own, libcurl 7.88 buffers 34 MB for each stream: a gibibyte in all. The 32 MiB of one stream are
            // never given up, since that could fail a data task whose entity has changed, and libcurl's buffers grow by
            // doubling.
            #expect(measured < 256 * Self.mebibyte)
        }

        @Test("A gibibyte is written to a file with little memory", arguments: [NginxListener.plain, .http2])
        func download(listener: NginxListener) async throws {
            let url = server.url(listener, "files/huge.bin")
            let authority = server.certificates.authority
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [url = url as URL, authority = authority as URL] in
                let session = CurlSession.trusting(authority)
                let growth = try await ProcessUsage.growth {
                    let (file, _) = try await session.download(from: url)
                    let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize
                    #expect(size == NginxFiles.hugeSize)
                    try FileManager.default.removeItem(at: file)
                }
                Report.say(growth)
            }
            let measured = try Report.number(result)
            #expect(measured < 40 * Self.mebibyte)
        }

        @Test("A gibibyte is sent from a file with little memory", arguments: [NginxListener.plain, .http2])
        func upload(listener: NginxListener) async throws {
            let url = server.url(listener, "uploads/huge-\(listener).bin")
            let authority = server.certificates.authority
            let file = server.files.huge
            let uploaded = server.uploaded(url.lastPathComponent)
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [url = url as URL, authority = authority as URL, file = file as URL] in
                let session = CurlSession.trusting(authority)
                var request = URLRequest(url: url)
                request.httpMethod = "PUT"
                let growth = try await ProcessUsage.growth {
                    let (_, response) = try await session.upload(for: request, fromFile: file)
                    #expect((response as? HTTPURLResponse)?.statusCode == 201)
                }
                Report.say(growth)
            }
            let measured = try Report.number(result)
            #expect(measured < 40 * Self.mebibyte)
            #expect(try uploaded.resourceValues(forKeys: [.fileSizeKey]).fileSize == NginxFiles.hugeSize)
            try FileManager.default.removeItem(at: uploaded)
        }

        @Test("A request that waits two seconds for its response uses no processor time")
        func idleWait() async throws {
            let slow = try LoopbackServer { request in
                request.path == "/first" ? .text("first") : .text("late").delayed(2)
            }
            let url = slow.url
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                [url = url as URL] in
                // The first request of a process has one-time costs that should not count.
                _ = try await CurlSession(configuration: .ephemeral).data(from: url.appendingPathComponent("first"))
                let session = CurlSession(configuration: .ephemeral)
                async let response = session.data(from: url)
                try await eventually { ProcessUsage.ferryThreads > 0 }
                let before = ProcessUsage.ferryProcessorTime
                // Most of the wait is measured.
                try await Task.sleep(for: .milliseconds(1500))
                let seconds = ProcessUsage.ferryProcessorTime - before
                #expect(try await String(decoding: response.0, as: UTF8.self) == "late")
                Report.say(Int(seconds * 1_000_000))
            }
            let measured = try Report.number(result)
            #expect(measured < 100_000)
        }
    }
}
