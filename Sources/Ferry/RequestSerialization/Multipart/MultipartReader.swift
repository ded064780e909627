import FerrySession

/// Reads one stretch of a body: delimiter lines and header lines, or a part's bytes.
protocol MultipartReader {
    /// Reads what is at hand; 0 means that the stretch is complete. The buffer is not empty.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Whether another read may wait for bytes that are yet to come.
    var mayWait: Bool { get }
    /// Lets go of what is open; reading is over.
    func close()
}
