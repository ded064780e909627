import Foundation

/// One connection of the ``SinkServer``, used only by its own thread.
final class SinkConnection {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var start = 0
    private var end = 0

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Responds to requests until the peer closes the connection or sends something else.
    func serve() {
        while let head = readHead() {
            if head.expectsContinue { write("HTTP/1.1 100 Continue\r\n\r\n") }
            guard let count = head.isChunked ? discardChunks() : discard(head.length) else { return }
            if let milliseconds = head.delay { usleep(UInt32(clamping: milliseconds * 1000)) }
            let body = head.delay == nil ? "\(count)" : "ok"
            write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    // MARK: - Requests

    private func readHead() -> SinkHead? {
        while true {
            let bytes = buffer[start..<end]
            if let range = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let text = String(decoding: buffer[start..<range.lowerBound], as: UTF8.self)
                start = range.upperBound
                return SinkHead(text)
            }
            guard fill() else { return nil }
        }
    }

    /// Skips the buffered bytes, and lets the system discard the rest.
    private func discard(_ length: Int) -> Int? {
        let buffered = min(length, end - start)
        start += buffered
        var left = length - buffered
        while left > 0 {
            let count = recv(descriptor, nil, min(left, 4_194_304), Int32(MSG_TRUNC))
            guard count > 0 else { return nil }
            left -= count
        }
        return length
    }

    private func discardChunks() -> Int? {
        var total = 0
        while let line = readLine(), let size = Int(line.prefix { $0 != ";" }, radix: 16), size >= 0 {
            guard size > 0 else {
                while let trailer = readLine() {
                    if trailer.isEmpty { return total }
                }
                return nil
            }
            guard discard(size) != nil, readLine() == "" else { return nil }
            total += size
        }
        return nil
    }

    private func readLine() -> String? {
        while true {
            if let range = buffer[start..<end].firstRange(of: Array("\r\n".utf8)) {
                defer { start = range.upperBound }
                return String(decoding: buffer[start..<range.lowerBound], as: UTF8.self)
            }
            // The rest of a chunk is discarded without copying it, as other bodies are.
            guard fill(upTo: 512) else { return nil }
        }
    }

    private func fill(upTo most: Int = .max) -> Bool {
        if start > 0 {
            buffer.replaceSubrange(0..<(end - start), with: Array(buffer[start..<end]))
            end -= start
            start = 0
        }
        guard end < buffer.count else { return false }
        let count = buffer.withUnsafeMutableBytes { bytes in
            recv(descriptor, bytes.baseAddress.map { $0 + end }, min(most, bytes.count - end), 0)
        }
        guard count > 0 else { return false }
        end += count
        return true
    }

    private func write(_ text: String) {
        _ = Array(text.utf8).withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }
}
