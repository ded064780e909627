import Foundation

/// An output stream that can be truncated, so that an operation can write to it again after a pause.
///
/// If the server has a different entity after a pause, it sends that from its beginning, and the operation truncates
/// the stream. With a stream that cannot be truncated, the operation fails.
public protocol ResumableOutputStream: OutputStream {
    /// The number of bytes in the stream.
    var byteCount: Int64 { get }

    /// Truncates the stream; the next write appends to what is left.
    ///
    /// - Parameter byteCount: The number of bytes to keep, at most ``byteCount``.
    /// - Throws: An error if the stream cannot be truncated.
    func truncate(toByteCount byteCount: Int64) throws
}
