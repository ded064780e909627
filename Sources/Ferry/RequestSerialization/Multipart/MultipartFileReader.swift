import FerrySession

/// A reader that reads a file directly into the caller's buffer.
final class MultipartFileReader: MultipartReader {
    private let file: MultipartFile
    private var open: RegularFile?
    private var offset: Int64 = 0
    let mayWait = false

    init(_ file: MultipartFile) throws {
        self.file = file
        open = try file.open()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let open else { return 0 }
        let remaining = file.stamp.size - offset
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
            throw file.error(.fileUnreachable, "The file \(file.url.path) could not be read.", error.posixError)
        }
        guard count > 0 else {
            try file.check(open)
            throw file.error(.fileChanged, "The file \(file.url.path) ended \(remaining) bytes too early.")
        }
        offset += Int64(count)
        return count
    }

    func close() {
        open = nil
    }
}
