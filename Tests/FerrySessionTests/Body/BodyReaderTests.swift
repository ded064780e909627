import Testing

@testable import FerrySession

@Suite(.timeLimit(.minutes(5)))
struct BodyReaderTests {
    private enum End: Equatable {
        case end
        case failed(URLError.Code)
    }

    /// Reads to the end through a buffer of `room` bytes, and waits when the reader requires it.
    private func readAll(_ reader: any BodyReader, room: Int = 1000) -> (data: Data, end: End) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { buffer.deallocate() }
        var data = Data()
        while true {
            switch reader.read(into: buffer) {
            case .bytes(let count): data.append(contentsOf: buffer[..<count])
            case .wait: usleep(1000)
            case .end: return (data, .end)
            case .failed(let error): return (data, .failed(error.code))
            case .thrown(let error): return (data, .failed((error as? URLError)?.code ?? .unknown))
            }
        }
    }

    private func pump(
        _ stream: InputStream,
        length: ByteCount? = nil,
        wake: @escaping @Sendable () -> Void = {}
    ) -> StreamPump {
        StreamPump(StreamBox(stream), length: length, url: nil, wake: wake)
    }

    private func temporaryFile(_ data: Data) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-body-\(UUID().uuidString)")
        try data.write(to: url)
        return url
    }

    @Test("Data is read completely, and again after a rewind", arguments: [0, 1, 999, 1000, 1001, 5000])
    func data(_ size: Int) {
        let whole = Data((0..<size + 10).map { UInt8(truncatingIfNeeded: $0) })
        let reader = DataReader(whole[5..<5 + size])
        #expect(reader.length == ByteCount(clamping: size))
        for _ in 0..<2 {
            let (data, end) = readAll(reader)
            #expect(data == whole[5..<5 + size] && end == .end)
            let isRewound = reader.rewind()
            #expect(isRewound)
        }
        reader.close()
    }

    @Test("A file is read completely, and again after a rewind", arguments: [0, 1, 1000, 5000])
    func file(_ size: Int) throws {
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0) })
        let url = try temporaryFile(content)
        defer { try? FileManager.default.removeItem(at: url) }
        let reader = try FileReader(url)
        #expect(reader.length == ByteCount(clamping: size))
        for _ in 0..<2 {
            let (data, end) = readAll(reader)
            #expect(data == content && end == .end)
            let isRewound = reader.rewind()
            #expect(isRewound)
        }
        reader.close()
        reader.close()
    }

    @Test("A file that shrank fails; one that grew is read up to its original length") func changingFile() throws {
        let url = try temporaryFile(Data(count: 5000))
        defer { try? FileManager.default.removeItem(at: url) }
        let reader = try FileReader(url)
        #expect(truncate(url.path, 3000) == 0)
        let (data, end) = readAll(reader)
        #expect(data.count == 3000 && end == .failed(.requestBodyStreamExhausted))
        let grown = try FileReader(url)
        #expect(truncate(url.path, 9000) == 0)
        let (whole, wholeEnd) = readAll(grown)
        #expect(whole.count == 3000 && wholeEnd == .end)
    }

    @Test("A stream is read until read returns zero", arguments: [1, 1000, 70_000])
    func stream(_ room: Int) {
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let (data, end) = readAll(pump(InputStream(data: content)), room: room)
        #expect(data == content && end == .end)
        let odd = ScriptedStream([.bytes(Data("a".utf8)), .wait(0.02), .bytes(Data("b".utf8))])
        #expect(readAll(pump(odd)).data == Data("ab".utf8))
    }

    @Test("A reader that had to wait is woken for bytes, the end and an error") func wakes() async throws {
        for steps in [[], [.fail], [.bytes(Data("a".utf8))]] as [[ScriptedStream.Step]] {
            let (isWoken, gate) = (Watched(false), Gate())
            let pump = pump(ScriptedStream([.gate(gate)] + steps)) { isWoken.change { $0 = true } }
            var byte: UInt8 = 0
            let piece = withUnsafeMutableBytes(of: &byte) { pump.read(into: $0) }
            gate.open()
            guard case .wait = piece else {
                Issue.record("The reader does not wait")
                continue
            }
            try await eventually { isWoken.current }
        }
    }

    @Test("A stream that fails reports its error after the bytes before it") func failingStream() {
        let (data, end) = readAll(pump(ScriptedStream([.bytes(Data("abc".utf8)), .wait(0.05), .fail])))
        #expect(data == Data("abc".utf8) && end == .failed(.requestBodyStreamExhausted))
    }

    @Test("A stream must have its announced length") func lengths() {
        #expect(readAll(pump(InputStream(data: Data(count: 10)), length: 10)).end == .end)
        #expect(
            readAll(pump(InputStream(data: Data(count: 9)), length: 10)).end == .failed(.requestBodyStreamExhausted)
        )
        let (data, end) = readAll(pump(InputStream(data: Data(count: 11)), length: 10))
        #expect(data.count == 10 && end == .failed(.requestBodyStreamExhausted))
        #expect(readAll(pump(InputStream(data: Data()), length: 0)).end == .end)
    }

    @Test("A stream can be rewound until any of it was read") func rewindStream() {
        let pump = pump(InputStream(data: Data(count: 10)))
        let isFresh = pump.rewind()
        #expect(isFresh)
        _ = readAll(pump)
        let isUsed = pump.rewind()
        #expect(!isUsed)
    }

    @Test("A closed pump releases its thread and its stream") func closes() async throws {
        weak var stream: ScriptedStream?
        do {
            let endless = ScriptedStream([.bytes(Data(count: 10_000_000))])
            stream = endless
            let pump = pump(endless)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
            defer { buffer.deallocate() }
            _ = pump.read(into: buffer)
            pump.close()
        }
        try await eventually("the release") { stream == nil }
    }
}
