import Foundation

/// A terminal whose output a test reads.
final class PseudoTerminal: Sendable {
    struct Failure: Error {}

    private let main: Int32
    /// The end that a program uses as its terminal.
    let handle: FileHandle

    init(columns: UInt16) throws {
        // The equivalents of posix_openpt, unlockpt and ptsname, which Swift's C library does not export.
        let unlock: UInt = 0x4004_5431
        let getNumber: UInt = 0x8004_5430
        main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard main >= 0, ioctl(main, unlock, &isLocked) == 0, ioctl(main, getNumber, &number) == 0 else {
            throw Failure()
        }
        let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard other >= 0 else { throw Failure() }
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(other, UInt(TIOCSWINSZ), &size)
        handle = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    }

    deinit {
        close(main)
    }

    /// Returns everything written to the terminal, once the program has ended.
    func text() throws -> String {
        try handle.close()
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(main, &buffer, buffer.count)
            guard count > 0 else { break }
            data.append(contentsOf: buffer.prefix(count))
        }
        return String(decoding: data, as: UTF8.self)
    }
}
