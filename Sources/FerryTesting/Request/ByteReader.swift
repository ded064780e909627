import Foundation

/// A buffer for the bytes received on a connection and not used yet; it is used only on the connection's thread.
final class ByteReader {
    private let socket: Socket
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    /// The total number of bytes read from the socket.
    private(set) var received = 0

    init(socket: Socket) {
        self.socket = socket
        storage = .allocate(byteCount: 16384, alignment: 16)
    }

    deinit {
        storage.deallocate()
    }

    /// The buffered bytes; valid until the next call of a method.
    var available: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[start..<end])
    }

    var isEmpty: Bool {
        start == end
    }

    /// Waits for more bytes and appends them to the buffer; false at the end of the stream.
    func fill() -> Bool {
        makeRoom()
        let count = socket.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
        end += count
        received += count
        return count > 0
    }

    func consume(_ count: Int) {
        start = min(start + count, end)
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Reads into `buffer`, bypassing the internal one, for long bodies; call it only when the internal buffer is
    /// empty.
    func readDirectly(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = socket.read(into: buffer)
        received += count
        return count
    }

    private func makeRoom() {
        guard end == storage.count else { return }
        if start > 0 {
            storage.copyMemory(from: UnsafeRawBufferPointer(storage)[start..<end])
        } else {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: storage.count * 2, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(storage))
            storage.deallocate()
            storage = larger
        }
        end -= start
        start = 0
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Copies a part of a buffer, which may be this one, to the beginning of this buffer.
    fileprivate func copyMemory(from part: UnsafeRawBufferPointer.SubSequence) {
        copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
    }
}
