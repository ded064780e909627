import Testing

@testable import FerryTransfers

struct SegmentStateTests {
    private static let count = 600_000

    private static func state(_ url: URL, etag: String, parts: [Range<Int64>]) -> SegmentState {
        let plan = SegmentPlan(total: Int64(count), done: parts)
        return SegmentState(source: url, validator: "\"\(etag)\"", digest: nil, plan: plan)
    }

    @Test("A record is read as it was written")
    func same() throws {
        let url = try #require(URL(string: "https://example.com/?token=secret"))
        let state = Self.state(url, etag: "x", parts: [0..<5, 9..<20])
        let data = try #require(state.encoded())
        #expect(SegmentState(data) == state)
        #expect(state.ranges == [0..<5, 9..<20])
        #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
    }

    @Test("A damaged record is not used, or says the same")
    func damaged() throws {
        let url = try #require(URL(string: "https://example.com/"))
        let state = Self.state(url, etag: "x", parts: [0..<5, 9..<20])
        let data = Array(try #require(state.encoded()))
        var random = SeededGenerator(34)
        for _ in 0..<Mutations.count {
            let damaged = Data(random.damage(data))
            if let read = SegmentState(damaged) { #expect(read == state) }
        }
    }

    @Test("A record with a right checksum and wrong fields has no parts")
    func wrong() throws {
        let url = try #require(URL(string: "https://example.com/"))
        let good = Self.state(url, etag: "x", parts: [0..<5])
        for parts: [Int64] in [[5, 0], [0], [0, 5, 5, 6], [0, 5, 3, 9], [-1, 5], [0, .max], [0, 0]] {
            var state = good
            state.parts = parts
            #expect(state.ranges == nil)
            #expect(SegmentState(try #require(state.encoded())) == nil)
        }
        var state = good
        state.validator = "\"x\"\r\nX: 1"
        #expect(state.ranges == nil)
    }

    /// The damage to the files that a download finds.
    enum Flaw: CaseIterable, Sendable {
        case none, damaged, otherURL, otherTag, short, noState, otherSize
    }

    @Test("A download continues only with the parts of the same entity", arguments: Flaw.allCases)
    func continued(flaw: Flaw) async throws {
        let folder = try TemporaryFolder()
        let log = RequestLog()
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer(handler: log.handler(content.handler))
        let url = flaw == .otherURL ? server.url("other") : server.url
        let tag = flaw == .otherTag ? "other" : content.etag
        var state = Self.state(url, etag: tag, parts: [0..<100_000, 200_000..<300_000])
        if flaw == .otherSize { state.total += 1 }
        var part = LoopbackServer.pattern(count: 300_000)
        // Bytes that the record does not list have not arrived.
        part.replaceSubrange(100_000..<200_000, with: Data(count: 100_000))
        try folder.file("file.segments", flaw == .short ? part.prefix(250_000) : part)
        if flaw != .noState {
            var data = try #require(state.encoded())
            if flaw == .damaged { data[data.count - 5] ^= 1 }
            try folder.file("file.segments.state", data)
        }
        let download = VerifiedDownload(server.url, to: folder.file("file"), connections: 2)
        let outcome = try await makeSession().download(download)
        #expect(outcome.continuedByteCount == (flaw == .none ? 200_000 : 0))
        if flaw == .none { #expect(log.rangedBytes == 400_000) }
        let isRight = folder.data("file") == LoopbackServer.pattern(count: Self.count)
        #expect(isRight)
        #expect(folder.names == ["file"])
    }

    @Test("Another URL continues a download if that is wanted and the validator is the same")
    func signed() async throws {
        let folder = try TemporaryFolder()
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer(handler: content.handler)
        let state = Self.state(server.url("?signature=1"), etag: content.etag, parts: [0..<100_000])
        try folder.file("file.segments", LoopbackServer.pattern(count: 100_000))
        try folder.file("file.segments.state", try #require(state.encoded()))
        var download = VerifiedDownload(server.url("?signature=2"), to: folder.file("file"))
        download.continuesOtherURL = true
        #expect(try await makeSession().download(download).continuedByteCount == 100_000)
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.count))
    }

    @Test("Wrong bytes of an earlier run are fetched again if the digest shows them")
    func wrongBytes() async throws {
        let folder = try TemporaryFolder()
        let content = RangedContent(count: Self.count)
        let server = try LoopbackServer(handler: content.handler)
        let state = Self.state(server.url, etag: content.etag, parts: [0..<100_000])
        try folder.file("file.segments", Data(count: 100_000))
        try folder.file("file.segments.state", try #require(state.encoded()))
        var download = VerifiedDownload(server.url, to: folder.file("file"))
        download.digest = try ContentDigest(.sha256, hexadecimal: content.sha256)
        let outcome = try await makeSession().download(download)
        #expect(outcome.continuedByteCount == 0)
        #expect(folder.data("file") == LoopbackServer.pattern(count: Self.count))
    }
}
