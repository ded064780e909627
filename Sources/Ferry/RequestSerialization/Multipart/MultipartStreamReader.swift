import Foundation

/// A reader of another stream, up to its declared length.
final class MultipartStreamReader: MultipartReader {
    private let stream: InputStream
    private let length: Int64
    private var remaining: Int64
    let mayWait = true

    init(_ stream: InputStream, length: Int64) {
        self.stream = stream
        self.length = length
        remaining = length
        if stream.streamStatus == .notOpen {
            stream.open()
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard remaining > 0 else { return 0 }
        let wanted = Int(min(Int64(buffer.count), remaining))
        guard let address = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        let count = stream.read(address, maxLength: wanted)
        guard (0...wanted).contains(count) else {
            throw error("A part's stream could not be read.", underlying: failure)
        }
        guard count > 0 else {
            throw error("A part's stream ended after \(length - remaining) of \(length) bytes.", underlying: nil)
        }
        remaining -= Int64(count)
        return count
    }

    func close() {
        stream.close()
    }

    /// The error of the stream, read only in the error state, since Foundation on Linux traps if there is no error.
    private var failure: (any Error)? {
        stream.streamStatus == .error ? stream.streamError : nil
    }

    private func error(_ reason: String, underlying: (any Error)?) -> RequestSerializationError {
        RequestSerializationError(.streamFailed, reason: reason, underlyingError: underlying)
    }
}
