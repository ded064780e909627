import FerrySession
import FerryTesting
import Testing

@testable import FerryCurl

/// Content codings of request bodies, decoded again by Ferry's decoders.
@Suite(.timeLimit(.minutes(5)))
struct BodyFeedTests {
    private static let codings = ContentCoding.allCases.filter(\.canEncode)

    /// Removes the contents of the pipe.
    private func take(_ pipe: BodyPipe) -> (data: Data, isOver: Bool) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 50_000, alignment: 1)
        defer { buffer.deallocate() }
        var data = Data()
        while true {
            switch pipe.read(into: buffer) {
            case .bytes(let count): data.append(contentsOf: buffer[..<count])
            case .wait: return (data, false)
            case .end, .failed, .thrown: return (data, true)
            }
        }
    }

    /// Decodes all of the data, and returns whether the coding is complete.
    private func decode(_ coded: Data, _ decoder: ContentDecoder) throws -> Data {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { room.deallocate() }
        var decoded = Data()
        var rest = coded
        while true {
            let (consumed, produced) = try rest.withUnsafeBytes { try decoder.decode($0, into: room) }
            decoded.append(contentsOf: room[..<produced])
            rest = Data(rest.dropFirst(consumed))
            if consumed == 0, produced == 0 { return decoded }
        }
    }

    @Test("gzip and deflate can be encoded, and Brotli cannot") func available() {
        #expect(Self.codings.contains(.gzip) && Self.codings.contains(.deflate))
        #expect(!Self.codings.contains(.brotli))
    }

    @Test("A coded body is decoded to what was put in", arguments: codings, [1, 999, 70_000])
    func roundTrip(_ coding: ContentCoding, _ size: Int) throws {
        let pipe = BodyPipe()
        let feed = BodyFeed(pipe, coding: coding)
        var whole = Data()
        for round in 0..<20 {
            let piece = round.isMultiple(of: 2) ? LoopbackServer.pattern(count: size) : Data(count: size)
            whole.append(piece)
            try feed.append(piece)
        }
        feed.finish()
        let (coded, isOver) = take(pipe)
        #expect(isOver)
        #expect(coded.count < whole.count || size == 1)
        let decoder = try #require(ContentDecoder(coding))
        #expect(try decode(coded, decoder) == whole)
        #expect(decoder.isComplete)
    }

    @Test("An empty body is a complete coding", arguments: codings) func empty(_ coding: ContentCoding) throws {
        let pipe = BodyPipe()
        BodyFeed(pipe, coding: coding).finish()
        let decoder = try #require(ContentDecoder(coding))
        #expect(try decode(take(pipe).data, decoder).isEmpty)
        #expect(decoder.isComplete)
    }

    @Test("What a coding holds back is sent as soon as nothing else is there to send", arguments: codings)
    func flushing(_ coding: ContentCoding) throws {
        let pipe = BodyPipe()
        let feed = BodyFeed(pipe, coding: coding)
        let decoder = try #require(ContentDecoder(coding))
        for isWaiting in [true, false, true] {
            // A waiting reader gets the piece at once, and a reader that comes later gets it with its second read.
            if isWaiting { _ = take(pipe) }
            try feed.append(Data("line\n".utf8))
            var coded = take(pipe).data
            coded.append(take(pipe).data)
            #expect(try decode(coded, decoder) == Data("line\n".utf8))
        }
        feed.finish()
        _ = try decode(take(pipe).data, decoder)
        #expect(decoder.isComplete)
    }

    @Test("Nothing can be put in after the end", arguments: codings) func afterEnd(_ coding: ContentCoding) {
        let feed = BodyFeed(BodyPipe(), coding: coding)
        feed.finish()
        let error = #expect(throws: CurlSessionError.self) { try feed.append(Data(count: 1)) }
        #expect(error?.code == .bodyHasEnded)
    }

    @Test("A coding without an encoder fails the body") func unavailable() {
        let feed = BodyFeed(BodyPipe(), coding: .brotli)
        let error = #expect(throws: CurlSessionError.self) { try feed.append(Data(count: 1)) }
        #expect(error?.code == .contentCodingUnavailable)
    }

    @Test(
        "A trailer that would break the message fails the body",
        arguments: [("a b", "1"), ("", "1"), ("a", "1\r\nb: 2")]
    )
    func badTrailer(_ name: String, _ value: String) {
        let feed = BodyFeed(BodyPipe(), coding: nil)
        feed.finish(trailers: [RequestField(name, value)])
        let error = #expect(throws: CurlSessionError.self) { try feed.append(Data(count: 1)) }
        #expect(error?.code == .invalidHeader)
    }
}
