import FerryTesting
import Testing

@testable import FerrySession

@Suite(.timeLimit(.minutes(5)))
struct ContentCodingTests {
    private func server(_ body: Data, coding: String, headers: LoopbackHeaders = [:]) throws -> LoopbackServer {
        try LoopbackServer { _ in
            var response = LoopbackResponse(headers: headers, body: .data(body))
            response.headers.add("Content-Encoding", coding)
            return response
        }
    }

    private func fetch(_ body: Data, coding: String) async throws -> TaskRecord {
        let server = try server(body, coding: coding)
        let recorder = RecordingDelegate()
        return try await recorder.run(Wire.session(recorder).dataTask(with: server.url))
    }

    private static let samples: [(String, Data)] = [
        ("gzip", Samples.gzip), ("GZIP", Samples.gzip), ("x-gzip", Samples.gzip), ("deflate", Samples.deflate),
        ("deflate", Samples.rawDeflate), ("br", Samples.brotli), ("zstd", Samples.zstd),
        ("gzip, gzip", Samples.gzipTwice),
        ("identity, gzip", Samples.gzip), ("identity", Samples.text), ("deflate, gzip", Gzip.encode(Samples.deflate)),
        ("", Samples.text),
    ]

    @Test("Codings in several fields are one list", arguments: [["deflate", "gzip"], ["identity", "gzip"]])
    func severalFields(_ codings: [String]) async throws {
        let body = codings[0] == "deflate" ? Gzip.encode(Samples.deflate) : Samples.gzip
        let server = try LoopbackServer { _ in
            var response = LoopbackResponse(body: .data(body))
            for coding in codings { response.headers.add("Content-Encoding", coding) }
            response.headers.add("Cache-Control", "max-age=60")
            return response
        }
        let session = Wire.session { $0.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil) }
        for _ in 0..<2 { #expect(try await session.data(from: server.url).0 == Samples.text) }
        #expect(server.requestCount == 1)
    }

    @Test("Every coding is decoded, for data and for files", arguments: samples)
    func decoded(_ sample: (coding: String, body: Data)) async throws {
        guard sample.coding != "br" || ContentCoding.available.contains(.brotli) else { return }
        guard sample.coding != "zstd" || ContentCoding.available.contains(.zstd) else { return }
        let server = try server(sample.body, coding: sample.coding)
        let recorder = RecordingDelegate()
        let session = Wire.session(recorder)
        let outcome = try await recorder.run(session.dataTask(with: server.url))
        #expect(outcome.error == nil && outcome.data == Samples.text)
        let file = try await recorder.run(session.downloadTask(with: server.url))
        #expect(file.error == nil && file.file == Samples.text)
    }

    @Test("A decoded body has no expected length, and its counts are those of the decoded bytes") func lengths()
        async throws
    {
        let server = try server(Samples.gzip, coding: "gzip")
        let recorder = RecordingDelegate()
        let task = Wire.session(recorder).dataTask(with: server.url)
        let outcome = try await recorder.run(task)
        #expect(outcome.response?.expectedContentLength == NSURLSessionTransferSizeUnknown)
        #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
        #expect(task.countOfBytesReceived == Int64(Samples.text.count))
        #expect(task.progress.fractionCompleted == 1)
    }

    @Test("Unknown codings, and all codings if decoding is disabled, are delivered unchanged") func asIs() async throws
    {
        for coding in ["compress", "gzip, compress", "aws-chunked", "gzip;q=1"] {
            let outcome = try await fetch(Samples.gzip, coding: coding)
            #expect(outcome.error == nil && outcome.data == Samples.gzip, "\(coding)")
            #expect(outcome.response?.expectedContentLength == Int64(Samples.gzip.count))
        }
        var options = CurlSession.Options()
        options.decodesContent = false
        let server = try server(Samples.gzip, coding: "gzip")
        let (data, response) = try await Wire.session(options: options).data(from: server.url)
        #expect(data == Samples.gzip && response.expectedContentLength == Int64(Samples.gzip.count))
    }

    @Test("Members and padding after a coding's end are handled like in other clients") func tails() async throws {
        #expect(try await fetch(Samples.gzip + Samples.gzip, coding: "gzip").data == Samples.text + Samples.text)
        for padding in [Data(count: 64), Data("garbage".utf8)] {
            let outcome = try await fetch(Samples.gzip + padding, coding: "gzip")
            #expect(outcome.error == nil && outcome.data == Samples.text)
        }
    }

    @Test("An empty body is valid with any coding") func empty() async throws {
        for coding in ["gzip", "deflate", "br", "zstd", "gzip, gzip"] {
            let outcome = try await fetch(Data(), coding: coding)
            #expect(outcome.error == nil && outcome.data.isEmpty, "\(coding)")
        }
        let emptyMember = try await fetch(Gzip.encode(Data()), coding: "gzip")
        #expect(emptyMember.error == nil && emptyMember.data.isEmpty)
    }

    @Test("HEAD with a coding has nothing to decode") func head() async throws {
        let server = try server(Samples.gzip, coding: "gzip")
        let (data, response) = try await Wire.session().data(for: Wire.request(server.url, "HEAD"))
        #expect(data.isEmpty && response.expectedContentLength == Int64(Samples.gzip.count))
    }

    @Test("A part of a coded body is delivered unchanged") func part() async throws {
        let part = Data(Samples.gzip.prefix(40))
        let server = try LoopbackServer { _ in
            let range = "bytes 0-39/\(Samples.gzip.count)"
            let headers: LoopbackHeaders = ["Content-Encoding": "gzip", "Content-Range": range]
            return LoopbackResponse(statusCode: 206, headers: headers, body: .data(part))
        }
        let request = Wire.request(server.url, headers: ["Range": "bytes=0-39"])
        let (data, response) = try await Wire.session().data(for: request)
        #expect(data == part && (response as? HTTPURLResponse)?.statusCode == 206)
    }

    // MARK: - Damage

    private func gap8(
        _ make: (RecordingDelegate) -> URLSession,
        _ body: Data,
        coding: String
    ) async throws -> [TaskRecord] {
        let server = try server(body, coding: coding)
        let recorder = RecordingDelegate()
        let session = make(recorder)
        return [
            try await recorder.run(session.dataTask(with: server.url)),
            try await recorder.run(session.downloadTask(with: server.url)),
        ]
    }

    @Test("Gap 8: a truncated coding inside a complete body is an error") func truncated() async throws {
        for (coding, body) in Self.samples where coding.lowercased() != "identity" && !coding.isEmpty {
            for count in [1, body.count / 2, body.count - 1] {
                for outcome in try await gap8({ Wire.session($0) }, body.prefix(count), coding: coding) {
                    #expect(outcome.error?.code == .cannotDecodeContentData, "\(coding) cut to \(count)")
                    #expect(outcome.underlying?.code == .incompleteContentCoding)
                    #expect(outcome.completions == 1 && outcome.file == nil)
                }
            }
        }
    }

    @Test("Gap 8 on FoundationNetworking", .foundationNetworking("half of the bytes are a success"))
    func truncatedOfFoundation() async throws {
        let make =
            { URLSession(configuration: .ephemeral, delegate: $0, delegateQueue: nil) }
            as (RecordingDelegate) -> URLSession
        for outcome in try await gap8(make, Samples.gzip.prefix(50), coding: "gzip") { #expect(outcome.error != nil) }
    }

    @Test("A damaged coding is an error") func damaged() async throws {
        for (coding, body) in Self.samples where ["gzip", "zstd"].contains(coding) {
            var broken = body
            broken[broken.count - 3] ^= 0xFF
            #expect(try await fetch(broken, coding: coding).error?.code == .cannotDecodeContentData, "\(coding)")
        }
        for coding in ["gzip", "deflate", "br", "zstd", "gzip, gzip"] {
            let outcome = try await fetch(Data(repeating: 0xC7, count: 100_000), coding: coding)
            #expect(outcome.error?.code == .cannotDecodeContentData, "\(coding)")
        }
    }

    @Test("A coding and a connection that both end early are a lost connection") func both() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse(headers: ["Content-Encoding": "gzip"], body: .data(Samples.gzip)).faulted(
                .truncate(afterBodyBytes: 40)
            )
        }
        #expect(await Wire.error { try await Wire.session().data(from: server.url) }?.code == .networkConnectionLost)
    }

    // MARK: - Bombs

    @Test(
        "A bomb for a slow delegate is paused, and the session's other requests are sent",
        arguments: [("gzip, gzip", Samples.bomb), ("gzip, gzip, gzip", Samples.greatBomb)]
    )
    func bomb(_ sample: (coding: String, body: Data)) async throws {
        let server = try LoopbackServer { request in
            guard request.path == "/bomb" else { return .text("ok") }
            return LoopbackResponse(headers: ["Content-Encoding": sample.coding], body: .data(sample.body))
        }
        let gate = Gate()
        defer { gate.open() }
        let largest = Watched(0)
        var hooks = DelegateHooks()
        hooks.keepsData = false
        hooks.onData = { _, data in
            largest.change { $0 = max($0, data.count) }
            gate.wait()
        }
        let recorder = RecordingDelegate(hooks)
        let session = Wire.session(recorder)
        let task = session.dataTask(with: server.url("/bomb"))
        task.resume()
        try await eventually { largest.current > 0 }
        // The delegate queue is blocked, but the engine is not: it sends the next requests.
        let others = (0..<5).map { _ in session.dataTask(with: server.url("/other")) }
        for other in others { other.resume() }
        try await eventually { server.requestCount == 6 }
        task.cancel()
        gate.open()
        #expect(try await recorder.completion(of: task).error?.code == .cancelled)
        for other in others { #expect(try await recorder.completion(of: other).status == 200) }
        #expect(largest.current <= 2_097_152)
    }
}
