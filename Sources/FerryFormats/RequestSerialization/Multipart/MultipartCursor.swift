/// A position in a form's body, from which the body can be read into buffers of any size.
///
/// `@unchecked Sendable`: only one thread at a time uses a cursor. ``MultipartInputStream`` takes it out of its locked
/// state for each read, and ``MultipartFormData/write(to:)`` never shares it.
package final class MultipartCursor: @unchecked Sendable {
    private let form: MultipartFormData
    /// The index of the current stretch: each part's header and body in turn, then the closing delimiter.
    private var stretch = 0
    private var reader: (any MultipartReader)?
    private var pendingError: (any Error)?
    private var remaining: Int64

    package init(form: MultipartFormData) {
        self.form = form
        remaining = form.contentLength
    }

    /// Whether all bytes have been read and no error is pending.
    package var isAtEnd: Bool { remaining == 0 && pendingError == nil }

    /// Reads into the buffer until it is full, the body ends, or a read that may have to wait has returned bytes.
    ///
    /// Returns the number of bytes read; 0 at the end of the body or for an empty buffer. If an error occurs after some
    /// bytes were read, the bytes are returned and the next call throws the error.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var count = 0
        do {
            if let pendingError { throw pendingError }
            while count < buffer.count {
                guard var current = try reader ?? nextReader() else { break }
                // Before it is read, so that `close()` also closes a reader whose first read fails.
                reader = current
                let added = try current.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                reader = current
                guard added > 0 else {
                    close()
                    stretch += 1
                    continue
                }
                count += added
                remaining -= Int64(added)
                if current.mayWait { break }
            }
        } catch {
            pendingError = error
            guard count > 0 else { throw error }
        }
        return count
    }

    /// Closes the file or stream that is open.
    package func close() {
        reader?.close()
        reader = nil
    }

    /// Returns the reader of the current stretch, or `nil` at the end of the body.
    private func nextReader() throws -> (any MultipartReader)? {
        let (index, isBody) = (stretch / 2, !stretch.isMultiple(of: 2))
        guard index < form.parts.count else {
            let isClosing = index == form.parts.count && !isBody && !form.isEmpty
            return isClosing ? MultipartDataReader(form.closingDelimiter) : nil
        }
        let part = form.parts[index]
        return isBody
            ? try part.makeBodyReader() : MultipartDataReader(form.delimiter(before: index) + part.header)
    }
}
