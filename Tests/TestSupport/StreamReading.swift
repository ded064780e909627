import Foundation

/// A failed reading: the bytes received before it, and the stream's error and status.
package struct StreamFailure: Error {
    package let received: Data
    package let error: (any Error)?
    package let status: Stream.Status
}

/// Reads a stream to its end, with buffers of the given sizes in turn.
package func bytes(of stream: InputStream, bufferSizes: [Int] = [65_536]) throws -> Data {
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
