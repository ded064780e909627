import FerryFormats
import Foundation
import Testing

@Suite("Multipart files", .timeLimit(.minutes(5)))
struct MultipartFileTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    private func failure(of form: MultipartFormData, bufferSizes: [Int] = [65_536]) throws -> StreamFailure {
        try #require(throws: StreamFailure.self) { try bytes(of: form.makeInputStream(), bufferSizes: bufferSizes) }
    }

    private func refusal(_ url: URL) throws -> RequestSerializationError {
        var form = MultipartFormData()
        let error = try #require(throws: RequestSerializationError.self) { try form.append(fileURL: url, name: "f") }
        #expect(form.isEmpty)
        return error
    }

    @Test("A URL that is not a file URL is AFNetworking's error")
    func notAFileURL() throws {
        let error = try refusal(#require(URL(string: "http://e.com/f"))) as NSError
        #expect(error.domain == "com.alamofire.error.serialization.request")
        #expect(error.code == -1000)
        #expect(error.localizedFailureReason == "Expected URL to be a file URL")
    }

    @Test("A missing file is AFNetworking's error, with the system's underneath")
    func missing() throws {
        let url = directory.url.appendingPathComponent("missing")
        let error = try refusal(url)
        #expect(error.code == .fileUnreachable)
        #expect(error.failingURL == url.absoluteString)
        #expect((error.underlyingError as? POSIXError)?.code == .ENOENT)
        let reason = "The file URL is not reachable: \(url.path): No such file or directory"
        #expect((error as NSError).localizedFailureReason == reason)
        #expect((error as NSError).code == -1000)
    }

    @Test("The message of a file that cannot be opened states the reason")
    func unopenable() throws {
        let loop = directory.url.appendingPathComponent("loop")
        try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
        #expect(try refusal(loop).reason.hasSuffix("loop: Is a symbolic link, or leads through too many of them"))
    }

    @Test("Directories, pipes and devices are not accepted as files")
    func irregular() throws {
        let pipe = directory.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for url in [directory.url, pipe, URL(fileURLWithPath: "/dev/zero")] {
            let error = try refusal(url)
            #expect(error.code == .fileUnreachable)
            #expect(error.reason.contains("regular file"))
        }
    }

    @Test("A link to a file sends the file")
    func link() throws {
        let file = try directory.file("f.txt", Data("abc".utf8))
        let link = directory.url.appendingPathComponent("link.png")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        var form = MultipartFormData()
        try form.append(fileURL: link, name: "f")
        let text = String(decoding: try bytes(of: form.makeInputStream()), as: UTF8.self)
        #expect(text.contains("filename=\"link.png\"\r\nContent-Type: image/png\r\n\r\nabc\r\n"))
    }

    @Test(
        "A file that changes after it was added is an error that names it",
        arguments: ["shrank", "grew", "was changed"]
    )
    func changed(how: String) throws {
        let file = try directory.file("f.txt", Data("0123456789".utf8))
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        let contents =
            switch how {
            case "shrank": "012"
            case "grew": "0123456789+"
            default: "9876543210"
            }
        try Data(contents.utf8).write(to: file)
        // File systems may store times in milliseconds, so both writes could get the same time.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 10)],
            ofItemAtPath: file.path
        )
        let failure = try failure(of: form)
        let error = try #require(failure.error as? RequestSerializationError)
        #expect(error.code == .fileChanged)
        #expect(error.reason.contains(file.path))
        #expect(error.reason.contains(how))
        #expect(error.failingURL == file.absoluteString)
        #expect(failure.received.suffix(4) == Data("\r\n\r\n".utf8), "the bytes before the file were delivered")
    }

    @Test("A file that is removed after it was added is an error that names it")
    func removed() throws {
        let file = try directory.file("f.txt", Data("abc".utf8))
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        try FileManager.default.removeItem(at: file)
        let error = try #require(failure(of: form).error as? RequestSerializationError)
        #expect(error.code == .fileUnreachable)
        #expect(error.failingURL == file.absoluteString)
    }

    @Test("A pipe that replaces the file is an error, and reading does not hang")
    func replacedByPipe() throws {
        let file = try directory.file("f.txt", Data("abc".utf8))
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        try FileManager.default.removeItem(at: file)
        #expect(mkfifo(file.path, 0o600) == 0)
        let error = try #require(failure(of: form).error as? RequestSerializationError)
        #expect(error.code == .fileUnreachable)
    }

    @Test("A file truncated while it is read is an error, never an end", arguments: [1, 100, 4096])
    func cutWhileReading(bufferSize: Int) throws {
        let file = try directory.file("f.bin", Data(repeating: 7, count: 100_000))
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        let stream = form.makeInputStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        var total = 0
        while total < 1000 {
            total += stream.read(&buffer, maxLength: bufferSize)
        }
        #expect(truncate(file.path, 500) == 0)
        var count = 0
        repeat {
            count = stream.read(&buffer, maxLength: bufferSize)
            total += max(count, 0)
        } while count > 0
        #expect(count == -1)
        #expect(Int64(total) < form.contentLength)
        let error = try #require(stream.streamError as? RequestSerializationError)
        #expect(error.code == .fileChanged)
        #expect(error.reason.contains("shrank from 100000 to 500 bytes"))
    }

    @Test("A file that is written to while it is read is an error before the body is complete")
    func writtenWhileReading() throws {
        let file = try directory.file("f.bin", Data(repeating: 7, count: 10_000))
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        let stream = form.makeInputStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 1000)
        #expect(stream.read(&buffer, maxLength: 1000) == 1000)
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        try handle.close()
        var count = 0
        var total = 1000
        repeat {
            count = stream.read(&buffer, maxLength: 1000)
            total += max(count, 0)
        } while count > 0
        #expect(count == -1)
        #expect(Int64(total) < form.contentLength)
        #expect((stream.streamError as? RequestSerializationError)?.code == .fileChanged)
    }

    @Test("An empty file is an empty part")
    func empty() throws {
        var form = try MultipartFormData(boundary: "B")
        try form.append(fileURL: directory.file("e", Data()), name: "e")
        let text = String(decoding: try bytes(of: form.makeInputStream()), as: UTF8.self)
        #expect(text.hasSuffix("\r\n\r\n\r\n--B--\r\n"))
    }

    @Test("File names with any character are found and sent")
    func unusualName() throws {
        let file = try directory.file("ü \"x\" 日.png", Data("abc".utf8))
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        let text = String(decoding: try bytes(of: form.makeInputStream()), as: UTF8.self)
        #expect(text.contains("filename=\"ü %22x%22 日.png\"\r\nContent-Type: image/png"))
    }

    @Test("Streams close their files, read or not")
    func descriptors() throws {
        let file = try directory.file("f.bin", Data(repeating: 7, count: 100_000))
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        func openDescriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                .filter { name in
                    let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                    return target == file.resolvingSymlinksInPath().path
                }
                .count
        }
        for ending in 0..<3 {
            for _ in 0..<20 {
                let stream = form.makeInputStream()
                stream.open()
                var buffer = [UInt8](repeating: 0, count: 1000)
                _ = stream.read(&buffer, maxLength: 1000)
                switch ending {
                case 0: stream.close()
                case 1: _ = try bytes(of: stream)
                default: break
                }
            }
        }
        #expect(try openDescriptors() == 0)
    }

    @Test("A large file is read with little memory")
    func largeFile() throws {
        let file = try directory.file("large.bin", Data())
        let size: Int64 = 300 << 20
        #expect(truncate(file.path, Int(size)) == 0)
        var form = MultipartFormData()
        try form.append(fileURL: file, name: "f")
        #expect(form.contentLength > size)
        let stream = form.makeInputStream()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var total: Int64 = 0
        let before = ProcessUsage.residentBytes
        var most = before
        while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 {
            total += Int64(count)
            if total % (32 << 20) < 65_536 {
                most = max(most, ProcessUsage.residentBytes)
            }
        }
        #expect(total == form.contentLength)
        // Other tests run in this process, so the bound is not tight, but far below the file's size.
        #expect(most - before < 100 << 20)
    }
}
