import FerryFormats
import Foundation
import Testing

@Suite("Multipart bodies written to files", .timeLimit(.minutes(5)))
struct MultipartOutputTests {
    private let directory: TemporaryFolder
    private let form: MultipartFormData

    init() throws {
        directory = try TemporaryFolder()
        var form = MultipartFormData()
        form.append("x", name: "x")
        try form.append(fileURL: directory.file("in.bin", Data((0..<200_000).map { UInt8($0 % 251) })), name: "f")
        self.form = form
    }

    private var output: URL { directory.url.appendingPathComponent("out") }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path))
    }

    private func writeBlocking(_ form: MultipartFormData, to url: URL) throws {
        try form.write(to: url)
    }

    @Test("The file holds the body, and no other file remains")
    func write() async throws {
        let body = try bytes(of: form.makeInputStream())
        try writeBlocking(form, to: output)
        #expect(try Data(contentsOf: output) == body)
        try await form.write(to: output)
        #expect(try Data(contentsOf: output) == body)
        #expect(try names() == ["in.bin", "out"])
    }

    @Test("A file's name may be as long as the file system allows")
    func longName() throws {
        let name = String(repeating: "n", count: 255)
        try writeBlocking(form, to: directory.url.appendingPathComponent(name))
        #expect(try names() == ["in.bin", name])
    }

    @Test("An existing file is replaced, and kept if the body fails")
    func replace() async throws {
        let old = try directory.file("out", Data("old".utf8))
        var failing = form
        try failing.append(length: 5, name: "s", fileName: "s") { InputStream(data: Data()) }
        let error = try #require(throws: RequestSerializationError.self) { try writeBlocking(failing, to: old) }
        #expect(error.code == .streamFailed)
        await #expect(throws: RequestSerializationError.self) { try await failing.write(to: old) }
        #expect(try Data(contentsOf: old) == Data("old".utf8))
        #expect(try names() == ["in.bin", "out"])
        try writeBlocking(form, to: old)
        #expect(try Data(contentsOf: old).count == Int(form.contentLength))
    }

    @Test("Destinations that cannot be written to are errors")
    func unwritable() throws {
        let places = [
            try #require(URL(string: "http://e.com/out")),
            directory.url.appendingPathComponent("missing/out"),
            directory.url,
        ]
        for place in places {
            let error = try #require(throws: RequestSerializationError.self) { try writeBlocking(form, to: place) }
            #expect(error.code == .fileNotWritten)
            #expect(error.failingURL == place.absoluteString)
        }
        #expect(try names() == ["in.bin"])
    }

    @Test("A directory in place of the file is an error and stays")
    func directoryInTheWay() throws {
        let obstacle = directory.url.appendingPathComponent("obstacle")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
        #expect(throws: RequestSerializationError.self) { try writeBlocking(form, to: obstacle) }
        #expect(try names() == ["in.bin", "obstacle"])
    }

    @Test("Throttling does not slow writing to a file")
    func unthrottled() throws {
        var slow = form
        try slow.throttle(packetSize: 1, delay: 60)
        try writeBlocking(slow, to: output)
        #expect(try Data(contentsOf: output).count == Int(form.contentLength))
    }

    @Test("Cancelling the task stops the writing and leaves no file")
    func cancellation() async throws {
        let form = form
        let output = output
        let gate = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in gate.stream { break }
            try await form.write(to: output)
        }
        task.cancel()
        gate.continuation.yield()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try names() == ["in.bin"])
    }

    @Test("A request for a body in a file has its headers and no stream")
    func request() async throws {
        let request = URLRequest(url: try #require(URL(string: "http://e.com")))
        let blocking = try applyBlocking(to: request)
        let result = try await form.apply(to: request, writingBodyTo: output)
        #expect(result.allHTTPHeaderFields == blocking.allHTTPHeaderFields)
        #expect(result.value(forHTTPHeaderField: "Content-Type") == form.contentType)
        #expect(result.value(forHTTPHeaderField: "Content-Length") == "\(form.contentLength)")
        #expect(result.httpBodyStream == nil)
        #expect(try Data(contentsOf: output).count == Int(form.contentLength))
    }

    private func applyBlocking(to request: URLRequest) throws -> URLRequest {
        try form.apply(to: request, writingBodyTo: output)
    }
}
