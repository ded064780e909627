import FerrySession

/// An output stream whose end can be cut off, so that an operation can write to it again after a pause.
///
/// A server that has another entity after a pause sends it from its beginning. An operation cuts the stream off there;
/// one that cannot be cut off makes the operation fail.
public protocol ResumableOutputStream: OutputStream {
    /// How many bytes the stream holds.
    var byteCount: Int64 { get }

    /// Cuts the stream off; the next write goes behind what is left.
    ///
    /// - Parameter byteCount: How many bytes are left, no more than there are.
    /// - Throws: Why it could not be cut off.
    func truncate(toByteCount byteCount: Int64) throws
}
