import FerrySession
import FerryTesting
import Testing

@testable import FerryCurl

@Suite(.timeLimit(.minutes(5)))
struct BodyPipeTests {
    private struct Broken: Error, Equatable {}

    /// Reads the contents through a buffer of `room` bytes.
    private func readAll(_ pipe: BodyPipe, room: Int = 1_000) -> (data: Data, last: String) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { buffer.deallocate() }
        var data = Data()
        while true {
            switch pipe.read(into: buffer) {
            case .bytes(let count): data.append(contentsOf: buffer[..<count])
            case .wait: return (data, "wait")
            case .end: return (data, "end")
            case .failed(let error): return (data, "\(error)")
            case .thrown(let error): return (data, "\(error)")
            }
        }
    }

    private func attached(_ pipe: BodyPipe) -> Watched<Int> {
        let wakes = Watched(0)
        pipe.attach(length: nil) { wakes.change { $0 += 1 } }
        return wakes
    }

    @Test("Pieces of all sizes are read in their order", arguments: [1, 7, 1_000, 100_000])
    func order(_ room: Int) throws {
        let pipe = BodyPipe()
        let whole = LoopbackServer.pattern(count: 60_000)
        var start = 0
        for size in [1, 4_095, 2, 4_096, 0, 4_097, 20_000, 3, 5, 27_701] {
            try pipe.append(whole[start..<start + size])
            start += size
        }
        #expect(start == whole.count)
        #expect(readAll(pipe, room: room) == (whole, "wait"))
        try pipe.append(Data("rest".utf8))
        pipe.finish()
        #expect(readAll(pipe, room: room) == (Data("rest".utf8), "end"))
    }

    @Test("A writer waits from the capacity on, until half of the bytes are read") func room() async throws {
        let pipe = BodyPipe(capacity: 1_000)
        try await pipe.waitForRoom()
        try pipe.append(Data(count: 999))
        try await pipe.waitForRoom()
        try pipe.append(Data(count: 1))
        let writer = Task { try await pipe.waitForRoom() }
        try await eventually { pipe.hasWaiter }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 499, alignment: 1)
        defer { buffer.deallocate() }
        _ = pipe.read(into: buffer)
        #expect(pipe.hasWaiter)
        _ = pipe.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<1]))
        try await writer.value
        #expect(!pipe.hasWaiter)
    }

    @Test("A reader that has found nothing is woken once") func wakes() throws {
        let pipe = BodyPipe()
        let wakes = attached(pipe)
        try pipe.append(Data(count: 10))
        #expect(wakes.current == 0)
        #expect(readAll(pipe).data.count == 10)
        for _ in 0..<3 { try pipe.append(Data(count: 10)) }
        #expect(wakes.current == 1)
        #expect(readAll(pipe).data.count == 30)
        pipe.finish()
        pipe.finish()
        #expect(wakes.current == 2)
    }

    @Test("A writer that is cancelled while it waits throws, and the pipe goes on") func cancelledWriter() async throws
    {
        let pipe = BodyPipe(capacity: 10)
        try pipe.append(Data(count: 10))
        let writer = Task { try await pipe.waitForRoom() }
        writer.cancel()
        await #expect(throws: CancellationError.self) { try await writer.value }
        #expect(readAll(pipe).data.count == 10)
        try await pipe.waitForRoom()
        try pipe.append(Data(count: 5))
        #expect(readAll(pipe).data.count == 5)
    }

    @Test("Those who write are told when nothing is read any more") func closing() async throws {
        let pipe = BodyPipe(capacity: 10)
        let closings = Watched(0)
        pipe.whenClosed { closings.change { $0 += 1 } }
        try pipe.append(Data(count: 10))
        let writer = Task { try await pipe.waitForRoom() }
        try await eventually { pipe.hasWaiter }
        pipe.close()
        pipe.close()
        let error = await #expect(throws: CurlSessionError.self) { try await writer.value }
        #expect(error?.code == .requestHasEnded)
        let second = #expect(throws: CurlSessionError.self) { try pipe.append(Data(count: 1)) }
        #expect(second?.code == .requestHasEnded)
        #expect(closings.current == 1)
        pipe.whenClosed { closings.change { $0 += 1 } }
        #expect(closings.current == 2)
    }

    @Test("An error is read before the bytes, and nothing can be appended after the end") func ends() throws {
        let failed = BodyPipe()
        let wakes = attached(failed)
        #expect(readAll(failed).last == "wait")
        try failed.append(Data(count: 10))
        failed.fail(Broken())
        failed.finish()
        #expect(readAll(failed) == (Data(), "\(Broken())"))
        #expect(wakes.current == 1)
        let finished = BodyPipe()
        finished.finish()
        for pipe in [failed, finished] {
            let error = #expect(throws: CurlSessionError.self) { try pipe.append(Data(count: 1)) }
            #expect(error?.code == .bodyHasEnded)
        }
    }

    @Test("A body that is longer or shorter than announced fails", arguments: [true, false])
    func lengths(_ isKnownAtFirst: Bool) throws {
        func pipe(_ sizes: [Int], finishes: Bool) -> BodyPipe {
            let pipe = BodyPipe(length: isKnownAtFirst ? 10 : nil)
            for size in sizes { try? pipe.append(Data(count: size)) }
            if finishes { pipe.finish() }
            pipe.attach(length: 10) {}
            return pipe
        }
        #expect(readAll(pipe([4, 6], finishes: true)) == (Data(count: 10), "end"))
        #expect(readAll(pipe([4, 5], finishes: true)).last.contains("9 bytes instead of the 10"))
        #expect(readAll(pipe([4, 7], finishes: false)).last.contains("more than the 10"))
        #expect(readAll(pipe([4, 5], finishes: false)) == (Data(count: 9), "wait"))
    }

    @Test("Many writers at once lose nothing") func manyWriters() async throws {
        let pipe = BodyPipe(capacity: 64)
        let reader = Task {
            var count = 0
            while true {
                let (data, last) = readAll(pipe, room: 50)
                count += data.count
                if last != "wait" { return count }
                await Task.yield()
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 {
                        try await pipe.waitForRoom()
                        try pipe.append(Data(count: 13))
                    }
                }
            }
            try await group.waitForAll()
        }
        pipe.finish()
        #expect(await reader.value == 8 * 200 * 13)
    }
}
