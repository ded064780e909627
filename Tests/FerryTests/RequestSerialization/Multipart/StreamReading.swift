import Foundation

/// What a test got out of a stream.
struct StreamFailure: Error {
    let received: Data
    let error: (any Error)?
    let status: Stream.Status
}

/// Reads a stream to its end, with buffers of the given sizes in turn.
func bytes(of stream: InputStream, bufferSizes: [Int] = [65_536]) throws -> Data {
    stream.open()
    defer { stream.close() }
    var received = Data()
    var turn = 0
    while true {
        var buffer = [UInt8](repeating: 0xAA, count: bufferSizes[turn % bufferSizes.count])
        turn += 1
        let count = stream.read(&buffer, maxLength: buffer.count)
        if count < 0 {
            throw StreamFailure(received: received, error: stream.streamError, status: stream.streamStatus)
        }
        if count == 0 {
            return received
        }
        received.append(contentsOf: buffer[..<count])
    }
}

/// A directory of a test's own, removed with its contents.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("ferry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String, _ contents: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try contents.write(to: file)
        return file
    }
}
