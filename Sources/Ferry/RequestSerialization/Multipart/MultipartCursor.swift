import Foundation

/// A position in a form's body, from which the body can be read into buffers of any size.
///
/// `@unchecked Sendable`: only one thread at a time uses a cursor. ``MultipartInputStream`` takes it out of its locked
/// state for each read, and ``MultipartFileWriter`` never shares it.
final class MultipartCursor: @unchecked Sendable {
    private let form: MultipartFormData
    private let delimiters: MultipartBoundary
    private var stretch = 0
    private var reader: (any MultipartReader)?
    private var pendingError: (any Error)?
    private var remaining: Int64

    init(form: MultipartFormData) {
        self.form = form
        delimiters = MultipartBoundary(form.boundary)
        remaining = form.contentLength
    }

    /// Whether all bytes have been read and no error is pending.
    var isAtEnd: Bool { remaining == 0 && pendingError == nil }

    /// Reads into the buffer until it is full, the body ends, or a read that may have to wait has returned bytes.
    ///
    /// If an error occurs after some bytes were read, the bytes are returned and the next call throws the error.
    ///
    /// - Returns: The number of bytes read; 0 at the end of the body or for an empty buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var count = 0
        do {
            if let pendingError {
                throw pendingError
            }
            while count < buffer.count {
                guard var current = try reader ?? nextReader() else { break }
                let free = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                let added = try current.read(into: free)
                reader = current
                guard added > 0 else {
                    leaveStretch()
                    continue
                }
                count += added
                remaining -= Int64(added)
                if current.mayWait {
                    break
                }
            }
        } catch {
            pendingError = error
            guard count > 0 else { throw error }
        }
        return count
    }

    /// Closes the file or stream that is open.
    func close() {
        reader?.close()
        reader = nil
    }

    private func leaveStretch() {
        close()
        stretch += 1
    }

    /// Returns the reader of the current stretch, or `nil` at the end of the body.
    ///
    /// The stretches are each part's header and body in turn, then the closing delimiter.
    private func nextReader() throws -> (any MultipartReader)? {
        let index = stretch / 2
        guard index < form.parts.count else {
            guard index == form.parts.count, stretch.isMultiple(of: 2), !form.isEmpty else { return nil }
            return MultipartDataReader(delimiters.closing)
        }
        let part = form.parts[index]
        guard !stretch.isMultiple(of: 2) else {
            return MultipartDataReader(delimiters.opening(index: index) + part.header)
        }
        return try bodyReader(of: part)
    }

    private func bodyReader(of part: MultipartPart) throws -> any MultipartReader {
        switch part.body {
        case .data(let data):
            return MultipartDataReader(data)
        case .file(let file):
            return try MultipartFileReader(file)
        case .provider(let makeStream):
            do {
                return MultipartStreamReader(try makeStream(), length: part.length)
            } catch {
                let reason = "A part's stream could not be created."
                throw RequestSerializationError(.streamFailed, reason: reason, underlyingError: error)
            }
        case .stream(let stream):
            guard let stream = stream.take() else {
                let reason = "A part's stream has already been read and cannot be read again."
                throw RequestSerializationError(.streamConsumed, reason: reason)
            }
            return MultipartStreamReader(stream, length: part.length)
        }
    }
}
