import Testing

@testable import FerryTransfers

/// Digests and times of expiration.
@Suite(.enabled(if: UploadPeer.isWanted, "python3 is not installed: apt-get install python3"), .timeLimit(.minutes(5)))
struct UploadExtensionTests {
    private static let count = 1_000_000
    private let folder: TemporaryFolder
    private let session = makeSession()
    private let peer: UploadPeer
    private let content = LoopbackServer.pattern(count: Self.count)

    init() throws {
        folder = try TemporaryFolder()
        peer = try UploadPeer.shared()
        try content.write(to: folder.file("file"))
    }

    private func upload(_ url: URL, _ checksum: ContentDigest.Algorithm?) -> FileUpload {
        var upload = FileUpload(folder.file("file"), to: url)
        upload.checksum = checksum
        return upload
    }

    private func base64(_ bytes: Data) -> String { Data(SHA256Hash.hash(bytes)).base64EncodedString() }

    @Test("A part that arrives damaged is sent again, and the server keeps the right bytes")
    func damaged() async throws {
        let (size, count) = (16_777_216, 17_000_000)
        let content = LoopbackServer.pattern(count: count)
        try content.write(to: folder.file("file"))
        let url = try peer.url("tus", "checksum=1&damage=2")
        let outcome = try await session.upload(upload(url, .sha256))
        #expect(outcome.byteCount == Int64(count))
        let received = try await peer.received(at: url)
        #expect(received.isComplete && received.sha256 == SHA256Hash.hash(content).hexadecimal)
        let parts = [0..<size, size..<count].map { "Upload-Checksum: sha256 " + base64(content[$0]) }
        #expect(received.digests == [parts[0], parts[0]] + parts)
    }

    @Test("Parts that always arrive damaged end the upload with the status") func alwaysDamaged() async throws {
        let url = try peer.url("tus", "checksum=1&damage=1000")
        let error = await failure { try await session.upload(upload(url, .sha256)) }
        #expect(failedStatus(of: error) == 460)
        #expect(try await peer.received(at: url).count == 0)
    }

    @Test("A server of tus that does not offer the digest gets nothing", arguments: ["", "checksum=1"])
    func notOffered(query: String) async throws {
        for resumption in [FileUpload.Resumption.automatic, .tus] {
            let url = try peer.url("tus", query)
            var upload = upload(url, .sha512)
            upload.resumption = resumption
            #expect(await failure { try await session.upload(upload) } as? FileUploadError == .checksumNotOffered)
            #expect(try await peer.received(at: url).methods == ["OPTIONS"])
        }
    }

    @Test("Requests of the draft and ordinary ones have the digests of RFC 9530")
    func digestFields() async throws {
        let whole = "Repr-Digest: sha-256=:\(base64(content)):"
        let plain = try peer.url("plain")
        _ = try await session.upload(upload(plain, .sha256))
        #expect(try await peer.received(at: plain).digests == [whole])

        let limited = try peer.url("draft", "append=700000")
        _ = try await session.upload(upload(limited, .sha256))
        let parts = [0..<700_000, 700_000..<Self.count].map { "Content-Digest: sha-256=:\(base64(content[$0])):" }
        let received = try await peer.received(at: limited)
        #expect(received.digests == [whole] + parts)
        #expect(received.sha256 == SHA256Hash.hash(content).hexadecimal)
    }

    @Test("Without an algorithm, no digest is sent") func noDigest() async throws {
        for kind in ["tus", "draft", "plain"] {
            let url = try peer.url(kind, "checksum=1")
            _ = try await session.upload(upload(url, nil))
            #expect(try await peer.received(at: url).digests == [])
        }
    }

    @Test(
        "The location tells when the upload expires",
        arguments: [
            ("tus", "Fri,%2001%20Jan%202100%2000:00:00%20GMT"), ("draft", "3600"), ("tus", "soon"), ("draft", "-1"),
        ]
    )
    func expiration(kind: String, value: String) async throws {
        let url = try peer.url(kind, "expires=\(value)&append=700000")
        let locations = Mutex<[FileUpload.Location?]>([])
        var upload = upload(url, nil)
        upload.locationDidChange = { new in locations.withLock { $0.append(new) } }
        _ = try await session.upload(upload)
        let expires = locations.withLock { $0 }.map { $0?.expirationDate }
        switch value {
        case "3600":
            let seconds = try expires.map { try #require($0).timeIntervalSinceNow }
            #expect(seconds.count >= 1 && seconds.allSatisfy { 3_000 < $0 && $0 <= 3_600 })
        case "soon", "-1": #expect(expires == [nil])
        default: #expect(expires == [Date(timeIntervalSince1970: 4_102_444_800)])
        }
    }

    @Test("A server that gives two parts the same URL gets no part of the file") func sameLocation() async throws {
        let url = try peer.url("tus", "concat=1")
        var upload = upload(url, nil)
        upload.connections = 3
        let error = await failure { try await session.upload(upload) }
        #expect(error as? FileUploadError == .badResponse("two parts have the same Location"))
        let received = try await peer.received(at: url)
        #expect(received.count == 0 && received.methods == ["OPTIONS", "POST", "POST", "DELETE"])
    }

    @Test("A server that does not join parts gets one upload") func notJoined() async throws {
        let url = try peer.url("tus")
        var upload = upload(url, nil)
        upload.connections = 4
        _ = try await session.upload(upload)
        let received = try await peer.received(at: url)
        #expect(received.created == 1 && received.isComplete)
    }
}
