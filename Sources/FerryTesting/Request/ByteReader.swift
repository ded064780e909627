import Foundation

/// The bytes that have come on a connection and nobody has used yet; belongs to the connection's thread.
final class ByteReader {
    private let socket: Socket
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    /// How many bytes came from the socket in all.
    private(set) var received = 0

    init(socket: Socket) {
        self.socket = socket
        storage = .allocate(byteCount: 16384, alignment: 16)
    }

    deinit {
        storage.deallocate()
    }

    /// What is here; valid until the next call of a method.
    var available: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[start..<end])
    }

    var isEmpty: Bool {
        start == end
    }

    /// Waits for more bytes behind those that are here; false at the end of the stream.
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

    /// Reads past the buffer, for long bodies; call it only when nothing is here.
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
    /// Moves a part of a buffer, which may be this one, to the beginning of this one.
    fileprivate func copyMemory(from part: UnsafeRawBufferPointer.SubSequence) {
        copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
    }
}
