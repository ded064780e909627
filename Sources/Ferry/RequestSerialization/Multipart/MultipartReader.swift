import Foundation

/// A reader of one stretch of a body: a part's delimiter and header lines, a part's bytes, or the closing delimiter.
protocol MultipartReader {
    /// Reads available bytes into a buffer, which is not empty, and returns their number; 0 at the end of the stretch.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Whether a read may block until bytes arrive.
    var mayWait: Bool { get }
    /// Closes the file or stream; nothing is read afterwards.
    func close()
}
