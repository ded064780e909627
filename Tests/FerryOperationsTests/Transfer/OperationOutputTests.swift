import FerryTesting
import Foundation
import Testing

@testable import FerryOperations

@Suite("Output streams of operations", .timeLimit(.minutes(5))) struct OperationOutputTests {
    private let manager = makeOperationManager()

    /// A stream that accepts a few bytes at a time, and fails beyond its limit.
    private final class OddStream: OutputStream {
        enum Failure: Error { case enough }

        private let most: Int
        private let limit: Int
        private let result: Int
        private let failsToClose: Bool
        private let state = Watched((data: Data(), status: Stream.Status.notOpen, error: Failure?.none))

        init(most: Int, limit: Int = .max, result: Int = -1, failsToClose: Bool = false) {
            (self.most, self.limit, self.result, self.failsToClose) = (most, limit, result, failsToClose)
            super.init(toMemory: ())
        }

        required init(toMemory: ()) {
            (most, limit, result, failsToClose) = (.max, .max, -1, false)
            super.init(toMemory: ())
        }

        var written: Data { state.current.data }

        override func open() { state.change { $0.status = .open } }

        override func close() {
            state.change { [failsToClose] state in
                if failsToClose { (state.status, state.error) = (.error, .enough) }
                if state.error == nil { state.status = .closed }
            }
        }

        override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
            let bytes = Data(bytes: buffer, count: min(length, most))
            let (limit, result) = (limit, result)
            return state.change { state in
                guard state.data.count + bytes.count <= limit else {
                    if result < 0 { (state.status, state.error) = (.error, .enough) }
                    return result
                }
                state.data += bytes
                return bytes.count
            }
        }

        override var streamStatus: Stream.Status { state.current.status }
        override var streamError: (any Error)? { state.current.error }
        override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    }

    private func run(_ url: URL, into stream: OutputStream) async throws -> RequestOperation {
        let operation = RequestOperation(request: URLRequest(url: url), manager: manager)
        operation.outputStream = stream
        operation.start()
        try await operation.settled()
        return operation
    }

    @Test("A pipe, a directory or a device instead of a file is an error, and opening it does not block")
    func notAFile() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for url in [pipe, folder.url, URL(fileURLWithPath: "/dev/null")] {
            for appends in [false, true] {
                let stream = FileOutputStream(url: url, append: appends)
                stream.open()
                #expect(stream.streamStatus == .error)
                #expect(stream.streamError != nil)
            }
        }
    }

    @Test("A symbolic link is followed, and its file keeps its contents only for appending", arguments: [true, false])
    func links(_ appends: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("file", "old")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let stream = FileOutputStream(url: link, append: appends)
        stream.open()
        #expect(stream.write([UInt8(ascii: "!")], maxLength: 1) == 1)
        stream.close()
        #expect(folder.data("file") == Data((appends ? "old!" : "!").utf8))
    }

    @Test("A file that is removed, replaced or truncated while it is written is an error", arguments: 0...3)
    func changedFile(_ change: Int) throws {
        let folder = try TemporaryFolder()
        let stream = FileOutputStream(url: folder.file("file"))
        stream.open()
        #expect(stream.write([1, 2, 3], maxLength: 3) == 3)
        switch change {
        case 0: try FileManager.default.removeItem(at: stream.url)
        case 1: try Data("other".utf8).write(to: stream.url, options: .atomic)
        case 2: #expect(truncate(stream.url.path, 1) == 0)
        default: break
        }
        #expect(stream.write([4], maxLength: 1) == (change == 2 ? -1 : 1))
        stream.close()
        #expect(stream.streamStatus == (change == 3 ? .closed : .error))
        #expect((stream.streamError as? NetworkError)?.code == (change == 3 ? nil : .fileError))
        #expect(folder.data("file") == [nil, Data("other".utf8), Data([1]), Data([1, 2, 3, 4])][change])
    }

    @Test("A file at the end of many symbolic links is still there when it is closed") func manyLinks() throws {
        let folder = try TemporaryFolder()
        var target = folder.file("file")
        for number in 0..<39 {
            let link = folder.file("link\(number)")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            target = link
        }
        let stream = FileOutputStream(url: target)
        stream.open()
        stream.close()
        #expect(stream.streamStatus == .closed)
    }

    @Test("Foundation's file and memory streams receive the body")
    func foundationStreams() async throws {
        let server = try LoopbackServer()
        let scratch = try TemporaryFolder()
        let file = scratch.file("body")
        let toFile = try await run(
            server.url("/bytes/300000"),
            into: try #require(OutputStream(url: file, append: false))
        )
        #expect(toFile.error == nil)
        #expect(toFile.responseData == nil)
        #expect(try Data(contentsOf: file) == LoopbackServer.pattern(count: 300_000))
        let toMemory = try await run(server.url("/bytes/300000"), into: .toMemory())
        #expect(toMemory.responseData == LoopbackServer.pattern(count: 300_000))
        #expect(toMemory.byteCount == 300_000)
    }

    @Test("A stream that accepts a few bytes at a time receives everything")
    func shortWrites() async throws {
        let server = try LoopbackServer()
        let stream = OddStream(most: 1000)
        let operation = try await run(server.url("/bytes/300000"), into: stream)
        #expect(operation.error == nil)
        #expect(stream.written == LoopbackServer.pattern(count: 300_000))
        #expect(stream.streamStatus == .closed)
    }

    @Test("A failing stream fails the operation, with the stream's error underneath")
    func failingStream() async throws {
        let server = try LoopbackServer()
        let operation = try await run(server.url("/bytes/300000"), into: OddStream(most: 1000, limit: 10_000))
        #expect(operation.error?.code == .fileError)
        #expect(operation.error?.underlyingError is OddStream.Failure)
    }

    @Test("A stream that fails when it is closed fails the operation")
    func failingClose() async throws {
        let server = try LoopbackServer()
        let operation = try await run(server.url("/bytes/3000"), into: OddStream(most: 1000, failsToClose: true))
        #expect(operation.error?.code == .fileError)
        #expect(operation.error?.underlyingError is OddStream.Failure)
    }

    @Test("An error that came first is kept if closing the stream fails too")
    func failingCloseAfterError() async throws {
        let server = try LoopbackServer { _ in .pattern(count: 3000).faulted(.reset(afterBodyBytes: 1000)) }
        let operation = try await run(server.url, into: OddStream(most: 1000, failsToClose: true))
        #expect(operation.error?.code == .connectionLost)
    }

    @Test("A file that cannot grow fails the operation", .ownThreads)
    func fileSizeLimit() async {
        // The limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let folder = try TemporaryFolder()
            let server = try LoopbackServer()
            let request = URLRequest(url: server.url("/bytes/300000"))
            let operation = RequestOperation(request: request, manager: makeOperationManager())
            let stream = FileOutputStream(url: folder.file("file"))
            operation.outputStream = stream
            var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
            try #require(setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit) == 0)
            operation.start()
            try await operation.settled()
            try #require(operation.error?.code == .fileError)
            try #require(stream.streamStatus == .error && stream.streamError != nil)
        }
    }

    @Test("A full stream fails the operation")
    func fullStream() async throws {
        let server = try LoopbackServer()
        let operation = try await run(
            server.url("/bytes/300000"),
            into: OddStream(most: 1000, limit: 10_000, result: 0)
        )
        #expect(operation.error?.code == .fileError)
        #expect(operation.error?.message.contains("full") == true)
    }

    @Test("A stream that claims to have written more than it was given fails the operation")
    func lyingStream() async throws {
        let server = try LoopbackServer()
        let operation = try await run(server.url("/bytes/3000"), into: OddStream(most: 1000, limit: 0, result: 1 << 40))
        #expect(operation.error?.code == .fileError)
    }

    @Test("A file that cannot be created fails the operation before anything is sent")
    func unwritableFile() async throws {
        let server = try LoopbackServer()
        let file = URL(fileURLWithPath: "/nowhere/at/all")
        for stream in [FileOutputStream(url: file), try #require(OutputStream(url: file, append: false))] {
            let operation = try await run(server.url("/bytes/3000"), into: stream)
            #expect(operation.error?.code == .fileError)
        }
        #expect(server.requestCount == 0)
    }

    @Test("A full disk is reported")
    func fullDisk() async throws {
        let server = try LoopbackServer()
        let stream = FileOutputStream(url: URL(fileURLWithPath: "/dev/full"), append: true)
        let operation = try await run(server.url("/bytes/3000"), into: stream)
        #expect(operation.error?.code == .fileError)
    }

    @Test("A stream that is set on a running operation, before its response, receives the body", arguments: [0, 3_000])
    func lateStream(count: Int) async throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("file", "old")
        for stream in [FileOutputStream(url: file, append: true), OddStream(most: 1_000)] {
            let gate = Gate()
            let server = try LoopbackServer { _ in
                gate.wait()
                return .pattern(count: count)
            }
            let operation = RequestOperation(request: URLRequest(url: server.url), manager: manager)
            operation.start()
            try await eventually { gate.arrived > 0 }
            operation.outputStream = stream
            gate.open()
            try await operation.settled()
            #expect(operation.error == nil)
            #expect(stream.streamStatus == .closed)
            #expect(operation.responseData == nil || count == 0)
            if let odd = stream as? OddStream { #expect(odd.written == LoopbackServer.pattern(count: count)) }
        }
        #expect(try Data(contentsOf: file) == Data("old".utf8) + LoopbackServer.pattern(count: count))
    }

    @Test("A file stream writes, counts, truncates, and reports what it cannot do")
    func fileOutputStream() throws {
        let scratch = try TemporaryFolder()
        let file = try scratch.file("file", "12345")
        let stream = FileOutputStream(url: file, append: true)
        #expect(stream.streamStatus == .notOpen && !stream.hasSpaceAvailable)
        #expect(stream.write([65], maxLength: 1) == -1)
        stream.open()
        stream.open()
        #expect(stream.byteCount == 5 && stream.hasSpaceAvailable)
        #expect(stream.write([65, 66], maxLength: 2) == 2)
        #expect((stream.property(forKey: .fileCurrentOffsetKey) as? NSNumber)?.intValue == 7)
        try stream.truncate(toByteCount: 6)
        #expect(throws: NetworkError.self) { try stream.truncate(toByteCount: 7) }
        #expect(throws: NetworkError.self) { try stream.truncate(toByteCount: -1) }
        stream.close()
        #expect(stream.streamStatus == .closed && stream.streamError == nil)
        #expect(try String(contentsOf: file, encoding: .utf8) == "12345A")
        #expect(throws: NetworkError.self) { try stream.truncate(toByteCount: 0) }
        let nowhere = FileOutputStream.toMemory()
        nowhere.open()
        #expect(nowhere.streamStatus == .error && nowhere.streamError != nil)
    }
}
