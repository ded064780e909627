import Foundation

extension LoopbackResponse.Body {
    /// Whether its first byte may be sent later than the head.
    var isSlow: Bool {
        switch self {
        case .dripped, .stream: true
        case .data, .pattern, .chunked, .file: false
        }
    }

    /// Sends all bytes; false if the client has disconnected or a fault was triggered.
    func send(to writer: BodyWriter, on socket: Socket) -> Bool {
        switch self {
        case .data(let data):
            return data.withUnsafeBytes { writer.write($0) }
        case .pattern(let count, let offset):
            return Self.sendPattern(count: count, offset: offset, to: writer)
        case .dripped(let pieces, let interval):
            return pieces.enumerated().allSatisfy { index, piece in
                (index == 0 || socket.wait(interval)) && piece.withUnsafeBytes { writer.write($0) }
            }
        case .chunked(let pieces, _, _):
            return pieces.allSatisfy { piece in piece.withUnsafeBytes { writer.write($0) } }
        case .file(let url, let range):
            return Self.sendFile(url, range: range, to: writer)
        case .stream(let write):
            write(LoopbackBodyStream(writer: writer, socket: socket))
            return writer.interruption == nil
        }
    }

    private static func sendPattern(count: Int, offset: Int, to writer: BodyWriter) -> Bool {
        var position = offset
        var left = count
        while left > 0 {
            let used = Pattern.withSlice(offset: position, count: left) { slice in
                writer.write(slice) ? slice.count : 0
            }
            guard used > 0 else { return false }
            position &+= used
            left -= used
        }
        return true
    }

    private static func sendFile(_ url: URL, range: Range<Int>?, to writer: BodyWriter) -> Bool {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: 262_144, alignment: 16) { buffer in
            var position = max(0, range?.lowerBound ?? 0)
            let end = range?.upperBound ?? .max
            while position < end {
                let count = pread(descriptor, buffer.baseAddress, min(buffer.count, end - position), position)
                guard count >= 0 else { return false }
                guard count > 0 else { return true }
                let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).prefix(count))
                guard writer.write(bytes) else { return false }
                position += count
            }
            return true
        }
    }
}
