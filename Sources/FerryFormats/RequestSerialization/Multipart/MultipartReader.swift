/// A reader of one stretch of a body: a part's delimiter and header lines, a part's bytes, or the closing delimiter.
package protocol MultipartReader {
    /// Reads available bytes into a buffer, which is not empty, and returns their number; 0 at the end of the stretch.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Whether a read may block until bytes arrive.
    var mayWait: Bool { get }
    /// Closes the file or stream; nothing is read afterwards.
    func close()
}

extension MultipartPart {
    package func makeBodyReader() throws -> any MultipartReader {
        switch body {
        case .data(let data): return MultipartDataReader(data)
        case .file(let file): return try MultipartFileReader(file)
        case .provider(let makeStream):
            do {
                return MultipartStreamReader(try makeStream(), length: length)
            } catch {
                let reason = "A part's stream could not be created."
                throw RequestSerializationError(.streamFailed, reason: reason, underlyingError: error)
            }
        case .stream(let stream):
            guard let stream = stream.take() else {
                let reason = "A part's stream has already been read and cannot be read again."
                throw RequestSerializationError(.streamConsumed, reason: reason)
            }
            return MultipartStreamReader(stream, length: length)
        }
    }
}

/// A reader of bytes in memory.
package struct MultipartDataReader: MultipartReader {
    private var rest: Data
    package let mayWait = false

    package init(_ data: Data) {
        rest = data
    }

    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = rest.copyBytes(to: buffer)
        // A slice shares its memory with the data, so that large data is not copied for each buffer.
        rest = rest.dropFirst(count)
        return count
    }

    package func close() {}
}

/// A reader that reads a file directly into the caller's buffer.
private final class MultipartFileReader: MultipartReader {
    private let file: MultipartFile
    private var open: RegularFile?
    private var offset: Int64 = 0
    package let mayWait = false

    package init(_ file: MultipartFile) throws {
        self.file = file
        open = try file.open()
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let open else { return 0 }
        let remaining = file.version.size - offset
        guard remaining > 0 else {
            // The bytes read are consistent only if the file was not written to in the meantime.
            try file.check(open)
            return 0
        }
        let wanted = Int(min(Int64(buffer.count), remaining))
        let count: Int
        do throws(FileError) {
            count = try open.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
        } catch {
            let reason = "The file \(file.url.path) could not be read: \(error.reasonText)"
            throw MultipartFile.error(.fileUnreachable, reason, file.url, error.posixError)
        }
        guard count > 0 else {
            try file.check(open)
            let reason = "The file \(file.url.path) ended \(remaining) bytes too early."
            throw MultipartFile.error(.fileChanged, reason, file.url)
        }
        offset += Int64(count)
        return count
    }

    package func close() { open = nil }
}

/// A reader of another stream, up to its declared length.
private final class MultipartStreamReader: MultipartReader {
    private let stream: InputStream
    private let length: Int64
    private var remaining: Int64
    package let mayWait = true

    package init(_ stream: InputStream, length: Int64) {
        self.stream = stream
        self.length = length
        remaining = length
        if stream.streamStatus == .notOpen { stream.open() }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard remaining > 0 else { return 0 }
        let wanted = Int(min(Int64(buffer.count), remaining))
        guard let address = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        let count = stream.read(address, maxLength: wanted)
        guard (0...wanted).contains(count) else {
            // Foundation on Linux traps if the error of a stream without one is read.
            let error = stream.streamStatus == .error ? stream.streamError : nil
            let reason = "A part's stream could not be read."
            throw RequestSerializationError(.streamFailed, reason: reason, underlyingError: error)
        }
        guard count > 0 else {
            let reason = "A part's stream ended after \(length - remaining) of \(length) bytes."
            throw RequestSerializationError(.streamFailed, reason: reason)
        }
        remaining -= Int64(count)
        return count
    }

    package func close() { stream.close() }
}
