import Foundation
import TestSupport
import Testing

@testable import FerrySession

@Suite(.timeLimit(.minutes(5))) struct ByteStreamTests {
    private func append(_ text: String, to stream: ByteStream) -> (flow: Flow, mustFlush: Bool)? {
        Data(text.utf8).withUnsafeBytes { stream.append($0, limit: 1_000) }
    }

    /// Calls `whenWaiting` as soon as a reader waits, and returns the first piece that the reader gets.
    private func read(_ stream: ByteStream, _ whenWaiting: @Sendable () -> Void) async throws -> Data? {
        async let piece = stream.next(isolation: nil)
        try await eventually { stream.hasReader }
        whenWaiting()
        return try await piece
    }

    @Test("A waiting reader is resumed once, with everything received until the flush") func once() async throws {
        let stream = ByteStream()
        let piece = try await read(stream) {
            #expect(append("one ", to: stream)?.mustFlush == true)
            #expect(append("two ", to: stream)?.mustFlush == false)
            #expect(append("three", to: stream)?.mustFlush == false)
            stream.flush()
        }
        #expect(piece == Data("one two three".utf8))
    }

    @Test("Without a reader no flush is needed, and received bytes are available immediately")
    func unread() async throws {
        let stream = ByteStream()
        #expect(append("bytes", to: stream)?.mustFlush == false)
        stream.flush()
        #expect(try await stream.next(isolation: nil) == Data("bytes".utf8))
    }

    @Test("Bytes that were not flushed are delivered before the end", arguments: [false, true])
    func end(_ isFailure: Bool) async throws {
        let stream = ByteStream()
        let piece = try await read(stream) {
            #expect(append("last", to: stream)?.mustFlush == true)
            stream.finish(isFailure ? URLError(.networkConnectionLost) : nil)
        }
        #expect(piece == Data("last".utf8))
        if isFailure {
            await #expect(throws: URLError.self) { try await stream.next(isolation: nil) }
        } else {
            #expect(try await stream.next(isolation: nil) == nil)
        }
    }

    @Test("An observer is called once for bytes, and once for the end", arguments: [false, true])
    func observer(_ isFailure: Bool) throws {
        let (stream, calls) = (ByteStream(), Watched(0))
        func next() throws -> Data? {
            try stream.next { calls.change { $0 += 1 } }.map { try $0.get() ?? Data() }
        }
        #expect(try next() == nil)
        stream.flush()
        #expect(calls.current == 0)
        #expect(append("one", to: stream)?.mustFlush == true)
        #expect(calls.current == 0)
        stream.flush()
        stream.flush()
        #expect(calls.current == 1)
        #expect(append(" two", to: stream)?.mustFlush == false)
        #expect(try next() == Data("one two".utf8))
        #expect(try next() == nil)
        stream.finish(isFailure ? URLError(.networkConnectionLost) : nil)
        #expect(calls.current == 2)
        if isFailure {
            #expect(throws: URLError.self) { try next() }
        } else {
            #expect(try next() == Data())
        }
    }

    @Test("A stream that has ended does not retain its task") func attachedLate() throws {
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        let session = makeSession()
        let stream = ByteStream()
        let task = session.makeDataTask(request, .stream(stream))
        stream.finish(nil)
        stream.attach(task)
        // Only a stream that refers to the task cancels it.
        stream.cancel()
        #expect(task.state == .suspended)
    }

    @Test("A full buffer pauses the engine, and is delivered as one piece") func full() async throws {
        let stream = ByteStream()
        let half = Data(count: 500)
        let piece = try await read(stream) {
            #expect(half.withUnsafeBytes { stream.append($0, limit: 1_000) }?.flow == .more)
            #expect(half.withUnsafeBytes { stream.append($0, limit: 1_000) }?.flow == .wait)
            stream.flush()
        }
        #expect(piece?.count == 1_000)
    }

    @Test("What arrives goes to a function after what was buffered, until it wants no more")
    func passing() async throws {
        let stream = ByteStream()
        let passed = Watched<[String]>([])
        #expect(append("buffered", to: stream) != nil)
        let reader = Task {
            try await stream.pass { bytes in
                passed.append(String(decoding: bytes, as: UTF8.self))
                return passed.current.count < 3
            }
        }
        try await eventually("the reader to wait") { stream.hasReader }
        for text in ["second", "third", "fourth"] {
            #expect(append(text, to: stream) == nil)
            #expect(Data(text.utf8).withUnsafeBytes { stream.passOn($0) } == (text != "fourth"))
            stream.flush()
        }
        try await reader.value
        #expect(passed.current == ["buffered", "second", "third"])
    }

    @Test("Small pieces are passed on together, at the end of the turn or as soon as they are many")
    func joining() async throws {
        let stream = ByteStream()
        let passed = Watched<[Int]>([])
        let reader = Task {
            try await stream.pass { bytes in
                passed.append(bytes.count)
                return true
            }
        }
        try await eventually("the reader to wait") { stream.hasReader }
        let piece = Data(count: 16_384)
        for index in 0..<20 { #expect(piece.withUnsafeBytes { stream.passOn($0) } == [0, 16].contains(index)) }
        #expect(passed.current == [262_144])
        stream.finish(nil)
        try await reader.value
        #expect(passed.current == [262_144, 65_536])
    }

    @Test("Hundreds of thousands of small pieces are passed on") func manyPieces() async throws {
        let stream = ByteStream()
        let passed = Watched(0)
        let reader = Task {
            try await stream.pass { bytes in
                passed.change { $0 += bytes.count }
                return true
            }
        }
        try await eventually("the reader to wait") { stream.hasReader }
        let piece = Data(count: 10)
        for _ in 0..<300_000 { _ = piece.withUnsafeBytes { stream.passOn($0) } }
        stream.finish(nil)
        try await reader.value
        #expect(passed.current == 3_000_000)
    }

    @Test("The end of a body, with or without an error, ends the calls of the function", arguments: [false, true])
    func passingEnds(hasError: Bool) async throws {
        let stream = ByteStream()
        let passed = Watched(0)
        let reader = Task {
            try await stream.pass { _ in
                passed.change { $0 += 1 }
                return true
            }
        }
        try await eventually("the reader to wait") { stream.hasReader }
        stream.finish(hasError ? URLError(.timedOut) : nil)
        let result = await reader.result
        #expect(((try? result.get()) == nil) == hasError)
        #expect(!Data("late".utf8).withUnsafeBytes { stream.passOn($0) })
        #expect(passed.current == 0)
    }
}
