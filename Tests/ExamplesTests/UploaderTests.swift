import Ferry
import FerryTesting
import Foundation
import TestSupport
import Testing

@testable import Examples

@Suite("Example: uploader", .timeLimit(.minutes(2)), .ownThreads)
struct UploaderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let receipt = #"{"album":"sea","photo_count":2,"byte_count":300000}"#

    @Test("An album is sent as one form, and its progress ends at 1")
    func album() async throws {
        let server = try LoopbackServer { _ in .json(Self.receipt, statusCode: 201) }
        let photos = [
            try folder.file("waves.jpg", LoopbackServer.pattern(count: 200_000)),
            try folder.file("gulls.png", LoopbackServer.pattern(count: 100_000)),
        ]
        let fractions = Mutex<[Double]>([])
        let receipt = try await Uploader(baseURL: server.url).upload(photos, toAlbum: "sea") { fraction in
            fractions.withLock { $0.append(fraction) }
        }
        #expect(receipt == Receipt(album: "sea", photoCount: 2, byteCount: 300_000))
        let seen = fractions.withLock { $0 }
        #expect(seen == seen.sorted() && seen.last == 1, "\(seen)")

        let request = try #require(server.requests.first)
        #expect(request.target == "/albums" && request.header("Content-Length") == "\(request.bodyLength)")
        let parts = try #require(request.multipartParts)
        #expect(parts.map(\.name) == ["album", "count", "photo", "photo", "captions"])
        #expect(parts.map(\.filename) == [nil, nil, "waves.jpg", "gulls.png", nil])
        #expect(parts[2].body == LoopbackServer.pattern(count: 200_000))
        #expect(parts[2].headers["Content-Type"] == "image/jpeg")
        #expect(parts[4].text == #"["waves","gulls"]"#)
    }

    @Test("A missing photo is an error that names it, and nothing is sent")
    func missingPhoto() async throws {
        let server = try LoopbackServer { _ in .json(Self.receipt) }
        let error = await #expect(throws: NetworkError.self) {
            try await Uploader(baseURL: server.url).upload([folder.file("none.jpg")], toAlbum: "sea")
        }
        #expect(error?.code == .fileError && error?.failingURL == folder.file("none.jpg"))
        #expect(server.requestCount == 0)
    }

    @Test("A file is sent as the whole body, and again after a redirect")
    func put() async throws {
        let server = try LoopbackServer { request in
            request.path == "/bucket/film.mp4"
                ? .redirect(to: "/elsewhere", statusCode: 307) : .status(200, headers: ["ETag": "\"stored\""])
        }
        let film = try folder.file("film.mp4", LoopbackServer.pattern(count: 500_000))
        let etag = try await Uploader(baseURL: server.url)
            .put(film, at: "bucket/film.mp4", contentType: "video/mp4")
        #expect(etag == "\"stored\"")
        let request = try #require(server.requests.last)
        #expect(request.method == "PUT" && request.path == "/elsewhere")
        #expect(request.bodySHA256 == LoopbackServer.patternSHA256(count: 500_000))
        #expect(request.header("Content-Type") == "video/mp4")
    }

    @Test("Uploading half a gigabyte uses no more memory than a photo")
    func constantMemory() async throws {
        var configuration = LoopbackServer.Configuration()
        configuration.hashesBodies = false
        configuration.keptBodySize = 0
        let server = try LoopbackServer(configuration: configuration) { _ in .json(Self.receipt) }
        let film = try folder.file("film.mp4", Data())
        // The file is sparse: it has a size, but no blocks on the disk.
        let handle = try FileHandle(forWritingTo: film)
        try handle.truncate(atOffset: 512 << 20)
        try handle.close()
        // A separate process, so that neither the server nor another test counts.
        await #expect(processExitsWith: .success) { [film = film as URL, url = server.url as URL] in
            let growth = try await ProcessUsage.growth {
                _ = try await Uploader(baseURL: url).upload([film], toAlbum: "sea")
            }
            try #require(growth < 64 << 20)
        }
        #expect(try #require(server.requests.first).bodyLength > 512 << 20)
    }
}
