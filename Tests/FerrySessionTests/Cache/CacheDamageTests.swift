import FerryTesting
import Testing

@testable import FerrySession

/// Stored bodies that have been damaged on disk, on every kind of task that receives them.
@Suite(.timeLimit(.minutes(2))) struct CacheDamageTests {
    private static let body = LoopbackServer.pattern(count: 3_000_000)
    /// The damage is in the sixteenth block, so that much comes before it.
    private static let place = 1_000_000
    private static let intact = place / CacheBodyFile.blockSize * CacheBodyFile.blockSize

    /// Returns a server with one large response, of which it also sends the rest, and whose stored body is damaged.
    private func damaged(
        _ folder: TemporaryFolder,
        tag: String? = "\"v1\"",
        at place: Int = place,
        delegate: RecordingDelegate? = nil
    ) async throws -> CacheBench {
        let cache = HTTPCache(memoryCapacity: 0, diskCapacity: 100_000_000, directory: folder.url)
        let bench = try CacheBench(cache: cache, delegate: delegate) { request, _ in
            var response = LoopbackResponse.data(Self.body)
            if let start = request.header("Range").flatMap({ Int($0.dropFirst("bytes=".count).dropLast()) }) {
                response = LoopbackResponse(statusCode: 206, body: .data(Self.body.suffix(from: start)))
                response.headers.add("Content-Range", "bytes \(start)-\(Self.body.count - 1)/\(Self.body.count)")
            }
            if let tag { response.headers.add("ETag", tag) }
            return response.adding("Cache-Control", "max-age=600")
        }
        _ = try await CacheBench.session(cache).data(for: bench.request())
        try CacheSamples.damageBody(in: folder, at: UInt64(place))
        return bench
    }

    @Test("A task that delivers at its end receives the response from the server", arguments: [place, 0])
    func collected(_ place: Int) async throws {
        for number in 0..<3 {
            let folder = try TemporaryFolder()
            let bench = try await damaged(folder, tag: nil, at: place)
            switch number {
            case 0: #expect(try await bench.fetch().data == Self.body)
            case 1:
                let outcome = Watched<[Data?]>([])
                bench.session.dataTask(with: bench.request()) { data, _, _ in outcome.append(data) }.resume()
                #expect(try await outcome.first() == Self.body)
            default:
                // A download asks the server in any case.
                let (file, _) = try await bench.session.download(for: bench.request())
                #expect(try Data(contentsOf: file) == Self.body)
                try FileManager.default.removeItem(at: file)
            }
            #expect(bench.count == 2)
            // The response was removed from the cache; from a data task another one was stored.
            #expect(try await bench.fetch().data == Self.body)
            #expect(bench.count == (number == 2 ? 3 : 2))
        }
    }

    @Test("A stream receives the intact beginning, and the rest from the server") func stream() async throws {
        let folder = try TemporaryFolder()
        let bench = try await damaged(folder)
        let (bytes, response) = try await bench.session.bytes(for: bench.request())
        var data = Data()
        for try await chunk in bytes.chunks { data.append(chunk) }
        #expect(data == Self.body && response.expectedContentLength == Int64(Self.body.count))
        #expect(bench.count == 2 && bench.lastHeader("Range") == "bytes=\(Self.intact)-")
        #expect(bench.lastHeader("If-Range") == "\"v1\"")
    }

    @Test("A stream receives no damaged byte before the error if there is no validator") func noValidator() async throws
    {
        let folder = try TemporaryFolder()
        let bench = try await damaged(folder, tag: nil)
        let (bytes, _) = try await bench.session.bytes(for: bench.request())
        var data = Data()
        let error = await #expect(throws: URLError.self) {
            for try await chunk in bytes.chunks { data.append(chunk) }
        }
        #expect(error?.code == .cannotDecodeRawData)
        #expect(data == Self.body.prefix(Self.intact))
        #expect(bench.count == 1)
        #expect(try await bench.fetch().data == Self.body)
    }

    @Test("A delegate receives the whole body, with one response", arguments: [true, false])
    func delegate(_ hasTag: Bool) async throws {
        let folder = try TemporaryFolder()
        let delegate = RecordingDelegate()
        let bench = try await damaged(folder, tag: hasTag ? "\"v1\"" : nil, delegate: delegate)
        let task = bench.session.dataTask(with: bench.request())
        task.resume()
        let record = try await delegate.completion(of: task)
        #expect(record.error?.code == (hasTag ? nil : .cannotDecodeRawData))
        #expect(record.data == (hasTag ? Self.body : Self.body.prefix(Self.intact)))
        #expect(record.names == ["response", "data", "completed"] && delegate.violations == [])
    }

    @Test("A data task that becomes a download has the whole body") func download() async throws {
        let folder = try TemporaryFolder()
        let downloads = Watched<[URLSessionDownloadTask]>([])
        var hooks = DelegateHooks()
        let becomeDownload = try #require(URLSession.ResponseDisposition(rawValue: 2))
        hooks.onResponse = { _, _, completion in completion(becomeDownload) }
        hooks.onBecome = { _, download in downloads.append(download) }
        let delegate = RecordingDelegate(hooks)
        let bench = try await damaged(folder, delegate: delegate)
        bench.session.dataTask(with: bench.request()).resume()
        let download = try await downloads.first()
        let record = try await delegate.completion(of: download)
        #expect(record.error == nil && record.file == Self.body)
        #expect(delegate.violations == [])
    }

    @Test("A policy that forbids the request is not circumvented") func onlyCached() async throws {
        let folders = (try TemporaryFolder(), try TemporaryFolder())
        let first = try await damaged(folders.0)
        #expect(await first.failure(policy: .returnCacheDataDontLoad) == .resourceUnavailable)
        #expect(first.count == 1)
        let second = try await damaged(folders.1)
        let (bytes, _) = try await second.session.bytes(for: second.request(policy: .returnCacheDataDontLoad))
        var data = Data()
        let error = await #expect(throws: URLError.self) {
            for try await chunk in bytes.chunks { data.append(chunk) }
        }
        #expect(error?.code == .cannotDecodeRawData && data == Self.body.prefix(Self.intact))
        #expect(second.count == 1)
    }
}
