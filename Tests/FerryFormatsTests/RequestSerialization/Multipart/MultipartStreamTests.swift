import FerryFormats
import Foundation
import Testing

@Suite("Multipart streams", .timeLimit(.minutes(5)))
struct MultipartStreamTests {
    private func form(_ text: String = "value") throws -> MultipartFormData {
        var form = try MultipartFormData(boundary: "Boundary+0123456789ABCDEF")
        form.append(text, name: "name")
        return form
    }

    @Test("Any buffer size yields the same bytes", arguments: [1, 2, 3, 7, 16, 29, 64, 1000])
    func bufferSizes(size: Int) throws {
        let directory = try TemporaryFolder()
        var form = try form()
        try form.append(fileURL: directory.file("f.txt", Data("file contents".utf8)), name: "file")
        try form.append(length: 6, name: "s", fileName: "s") { InputStream(data: Data("stream".utf8)) }
        let whole = try bytes(of: form.makeInputStream())
        #expect(Int64(whole.count) == form.contentLength)
        #expect(try bytes(of: form.makeInputStream(), bufferSizes: [size]) == whole)
    }

    @Test("Random mixes of parts, read in random pieces, have the announced length and the expected bytes")
    func randomMixes() throws {
        let directory = try TemporaryFolder()
        let seed = SeededGenerator.seed()
        var random = SeededGenerator(seed)
        for round in 0..<150 {
            var form = MultipartFormData()
            var expected = Data()
            for part in 0..<Int.random(in: 1...6, using: &random) {
                let count = Int.random(in: 0...5000, using: &random)
                let body = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
                let disposition = "Content-Disposition: form-data; name=\"n\(part)\""
                var header = disposition
                switch Int.random(in: 0...4, using: &random) {
                case 0:
                    form.append(body, name: "n\(part)")
                case 1:
                    try form.append(body, name: "n\(part)", fileName: "f.png")
                    header += "; filename=\"f.png\"\r\nContent-Type: image/png"
                case 2:
                    try form.append(
                        fileURL: directory.file("\(round)-\(part).bin", body),
                        name: "n\(part)",
                        fileName: "é"
                    )
                    header += "; filename=\"é\"\r\nContent-Type: application/octet-stream"
                case 3:
                    try form.append(length: Int64(body.count), name: "n\(part)", fileName: "s") {
                        InputStream(data: body)
                    }
                    header += "; filename=\"s\"\r\nContent-Type: application/octet-stream"
                default:
                    try form.append(headers: ["A": "\(part)"], body: body)
                    header = "A: \(part)"
                }
                expected += Data("\(part == 0 ? "" : "\r\n")--\(form.boundary)\r\n\(header)\r\n\r\n".utf8) + body
            }
            expected += Data("\r\n--\(form.boundary)--\r\n".utf8)
            let sizes = (0..<10).map { _ in
                let most = Int.random(in: 1...9000, using: &random)
                return Int.random(in: 1...most, using: &random)
            }
            let received = try bytes(of: form.makeInputStream(), bufferSizes: sizes)
            #expect(received == expected, "FERRY_TEST_SEED=\(seed), round \(round), sizes \(sizes)")
            #expect(form.contentLength == Int64(received.count))
        }
    }

    @Test("The status goes from not open to open, at the end and closed")
    func status() throws {
        let form = try form()
        let stream = form.makeInputStream()
        var buffer = [UInt8](repeating: 0, count: 1000)
        #expect(stream.streamStatus == .notOpen)
        #expect(!stream.hasBytesAvailable)
        #expect(stream.read(&buffer, maxLength: 1000) == -1)
        #expect(stream.streamStatus == .notOpen)
        stream.open()
        stream.open()
        #expect(stream.streamStatus == .open)
        #expect(stream.hasBytesAvailable)
        #expect(stream.streamError == nil)
        #expect(stream.read(&buffer, maxLength: 0) == 0)
        #expect(stream.read(&buffer, maxLength: -5) == 0)
        #expect(stream.read(&buffer, maxLength: 10) == 10)
        #expect(stream.streamStatus == .open)
        #expect(stream.read(&buffer, maxLength: 1000) == Int(form.contentLength) - 10)
        #expect(stream.streamStatus == .atEnd)
        #expect(!stream.hasBytesAvailable)
        #expect(stream.read(&buffer, maxLength: 1000) == 0)
        stream.close()
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(stream.read(&buffer, maxLength: 1000) == 0)
        stream.open()
        #expect(stream.streamStatus == .closed)
        #expect(stream.streamError == nil)
    }

    @Test("Closing early makes reads fail instead of looking like the end")
    func closedEarly() throws {
        let stream = try form().makeInputStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 5)
        #expect(stream.read(&buffer, maxLength: 5) == 5)
        stream.close()
        #expect(stream.read(&buffer, maxLength: 5) == -1)
        #expect(!stream.hasBytesAvailable)
    }

    @Test("Optional methods of a stream do nothing")
    func inert() throws {
        let stream = try form().makeInputStream()
        var pointer: UnsafeMutablePointer<UInt8>?
        var length = 0
        #expect(!stream.getBuffer(&pointer, length: &length))
        #expect(stream.property(forKey: Stream.PropertyKey("x")) == nil)
        #expect(!stream.setProperty(nil, forKey: Stream.PropertyKey("x")))
        stream.schedule(in: .current, forMode: .default)
        stream.remove(from: .current, forMode: .default)
    }

    @Test("A copy is a new stream of the same body, however much of the original was read")
    func copies() throws {
        let stream = try form().makeInputStream()
        let whole = try bytes(of: stream)
        let copy = try #require((stream as? any NSCopying)?.copy(with: nil) as? InputStream)
        #expect(copy.streamStatus == .notOpen)
        #expect(try bytes(of: copy, bufferSizes: [3]) == whole)
        #expect(try bytes(of: #require(stream.copy() as? InputStream)) == whole)
    }

    @Test("A stream from a closure is created for each reading")
    func replay() throws {
        var form = try form()
        try form.append(length: 3, name: "s", fileName: "s") { InputStream(data: Data("abc".utf8)) }
        #expect(form.isReplayable)
        #expect(try bytes(of: form.makeInputStream()) == bytes(of: form.makeInputStream()))
    }

    @Test("A single-use stream can be read once, and fails the second time")
    func oneShot() throws {
        var form = try form()
        try form.append(inputStream: InputStream(data: Data("abc".utf8)), length: 3, name: "s", fileName: "s")
        #expect(!form.isReplayable)
        #expect(try bytes(of: form.makeInputStream()).count == Int(form.contentLength))
        let failure = try #require(throws: StreamFailure.self) { try bytes(of: form.makeInputStream()) }
        #expect((failure.error as? RequestSerializationError)?.code == .streamConsumed)
        #expect(failure.status == .error)
    }

    @Test("A stream that ends early fails after the bytes before it")
    func shortStream() throws {
        var form = try form()
        try form.append(length: 10, name: "s", fileName: "s") { InputStream(data: Data("abc".utf8)) }
        let stream = form.makeInputStream()
        let failure = try #require(throws: StreamFailure.self) { try bytes(of: stream) }
        #expect(failure.received.suffix(7) == Data("\r\n\r\nabc".utf8))
        let error = try #require(failure.error as? RequestSerializationError)
        #expect(error.code == .streamFailed)
        #expect(error.reason.contains("3 of 10"))
        #expect(failure.status == .error)
    }

    @Test("A stream longer than declared is truncated to its declared length")
    func longStream() throws {
        var form = try MultipartFormData(boundary: "B")
        try form.append(length: 2, name: "s", fileName: "s") { InputStream(data: Data("abc".utf8)) }
        #expect(
            String(decoding: try bytes(of: form.makeInputStream()), as: UTF8.self).hasSuffix("\r\n\r\nab\r\n--B--\r\n")
        )
    }

    @Test("A failing stream's error is the underlying error, and the bytes before it are delivered")
    func failingStream() throws {
        let directory = try TemporaryFolder()
        let missing = directory.url.appendingPathComponent("missing")
        var form = try form()
        try form.append(length: 3, name: "s", fileName: "s") { try #require(InputStream(url: missing)) }
        for size in [1, 50, 65_536] {
            let failure = try #require(throws: StreamFailure.self) {
                try bytes(of: form.makeInputStream(), bufferSizes: [size])
            }
            let error = try #require(failure.error as? RequestSerializationError)
            #expect(error.code == .streamFailed)
            #expect((error.underlyingError as NSError?)?.code == Int(ENOENT))
            #expect(failure.received.suffix(4) == Data("\r\n\r\n".utf8))
        }
    }

    @Test("A closure that throws instead of making a stream is an error")
    func failingClosure() throws {
        struct Refusal: Error {}
        var form = try form()
        let calls = Watched(0)
        try form.append(length: 3, name: "s", fileName: "s") {
            calls.change { count in count += 1 }
            throw Refusal()
        }
        let failure = try #require(throws: StreamFailure.self) { try bytes(of: form.makeInputStream()) }
        let error = try #require(failure.error as? RequestSerializationError)
        #expect(error.code == .streamFailed)
        #expect(error.underlyingError is Refusal)
        #expect(calls.current == 1, "the closure is not called again for a body that has failed")
    }

    @Test("A stream that breaks the contract of read is an error, not a crash", arguments: [-7, 1_000_000])
    func lyingStream(count: Int) throws {
        var form = try form()
        try form.append(length: 3, name: "s", fileName: "s") { LyingStream(count: count) }
        let failure = try #require(throws: StreamFailure.self) { try bytes(of: form.makeInputStream()) }
        #expect((failure.error as? RequestSerializationError)?.code == .streamFailed)
    }

    @Test("A part's stream is closed if its first read fails, also when the form is written to a file")
    func closedAfterFailure() throws {
        var form = try MultipartFormData(boundary: "B")
        let streams = [LyingStream(count: -1), LyingStream(count: -1)]
        let calls = Watched(0)
        let parts = UncheckedStreams(streams)
        try form.append(length: 3, name: "s", fileName: "s") {
            let index = calls.current
            calls.change { count in count += 1 }
            return parts.streams[index]
        }
        #expect(throws: StreamFailure.self) { try bytes(of: form.makeInputStream()) }
        #expect(streams[0].isClosed)
        let directory = try TemporaryFolder()
        let output = directory.url.appendingPathComponent("out")
        #expect(throws: RequestSerializationError.self) { try form.write(to: output) }
        #expect(streams[1].isClosed)
    }

    @Test("Closing early closes the stream of the part that is read")
    func closedPart() throws {
        var form = try MultipartFormData(boundary: "B")
        let parts = UncheckedStreams([LyingStream(count: 1)])
        try form.append(length: 1000, name: "s", fileName: "s") { parts.streams[0] }
        let stream = form.makeInputStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 500)
        #expect(stream.read(&buffer, maxLength: 500) > 0)
        #expect(stream.read(&buffer, maxLength: 500) > 0)
        #expect(!parts.streams[0].isClosed)
        stream.close()
        #expect(parts.streams[0].isClosed)
    }

    @Test("After a failure the stream remains in error")
    func staysFailed() throws {
        var form = try form()
        try form.append(length: 3, name: "s", fileName: "s") { InputStream(data: Data()) }
        let stream = form.makeInputStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        #expect(stream.read(&buffer, maxLength: buffer.count) > 0)
        #expect(stream.hasBytesAvailable)
        #expect(stream.read(&buffer, maxLength: buffer.count) == -1)
        #expect(stream.read(&buffer, maxLength: buffer.count) == -1)
        #expect(!stream.hasBytesAvailable)
        #expect(stream.streamError != nil)
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(stream.streamError != nil)
    }

    @Test("Throttling bounds each read and waits between reads")
    func throttle() throws {
        var form = try form(String(repeating: "x", count: 200))
        try form.throttle(packetSize: 100, delay: 0.05)
        let stream = form.makeInputStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let start = ContinuousClock.now
        var counts: [Int] = []
        while stream.hasBytesAvailable {
            counts.append(stream.read(&buffer, maxLength: buffer.count))
        }
        #expect(counts.dropLast().allSatisfy { count in count == 100 })
        #expect(counts.reduce(0, +) == Int(form.contentLength))
        #expect(ContinuousClock.now - start >= .milliseconds(50 * (counts.count - 1)))
    }

    @Test("Closing ends a throttled read immediately", .ownThreads)
    func closeWhileWaiting() async throws {
        var form = try form()
        try form.throttle(packetSize: 1, delay: 60)
        let stream = SharedStream(form.makeInputStream())
        stream.stream.open()
        var byte: UInt8 = 0
        #expect(stream.stream.read(&byte, maxLength: 1) == 1)
        let result = Watched<Int?>(nil)
        Thread.detachNewThread {
            var byte: UInt8 = 0
            let count = stream.stream.read(&byte, maxLength: 1)
            result.change { $0 = count }
        }
        // The throttled read ends by itself after a minute, if the machine is so busy that this test does not run
        // sooner.
        try await eventually { stream.stream.streamStatus == .reading || result.current != nil }
        #expect(stream.stream.read(&byte, maxLength: 1) == -1, "a second reader is refused")
        stream.stream.close()
        #expect(try await result.wait { $0 != nil } == -1)
        #expect(stream.stream.streamStatus == .closed)
    }

    @Test(
        "Throttles out of range are refused",
        arguments: [(0, 0.1), (-1, 0.1), (1, -0.1), (1, .nan), (1, .infinity), (1, 61)]
    )
    func invalidThrottle(packetSize: Int, delay: TimeInterval) throws {
        var form = try form()
        #expect(throws: RequestSerializationError.self) { try form.throttle(packetSize: packetSize, delay: delay) }
        #expect(form.throttle == nil)
    }

    @Test("The suggested throttle values are AFNetworking's")
    func suggestedThrottle() throws {
        var form = try form()
        try form.throttle()
        #expect(form.throttle?.packetSize == 16_384)
        #expect(form.throttle?.delay == 0.2)
    }
}

/// A stream that two threads use.
///
/// `@unchecked Sendable`: concurrent use is what the test checks.
private struct SharedStream: @unchecked Sendable {
    let stream: InputStream

    init(_ stream: InputStream) {
        self.stream = stream
    }
}

/// Streams for a closure that must be sendable.
///
/// `@unchecked Sendable`: each stream is used by one thread at a time.
private struct UncheckedStreams: @unchecked Sendable {
    let streams: [LyingStream]

    init(_ streams: [LyingStream]) {
        self.streams = streams
    }
}

/// A stream whose `read` returns an impossible count.
private final class LyingStream: InputStream {
    private let count: Int
    private(set) var isClosed = false

    init(count: Int) {
        self.count = count
        super.init(data: Data())
    }

    override func open() {}
    override func close() { isClosed = true }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int { count }
    override var streamStatus: Stream.Status { .open }
    override var hasBytesAvailable: Bool { true }
}
