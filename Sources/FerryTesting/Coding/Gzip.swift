import Foundation

/// An encoder for bodies with `Content-Encoding: gzip`: valid, but stored rather than compressed.
///
/// To test a client, cut off the end for a truncated stream, or change a byte for a corrupt one.
public enum Gzip {
    /// Returns the data in the gzip format (RFC 1952), with a valid checksum.
    public static func encode(_ data: Data) -> Data {
        let header = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
        let trailer = Checksum.crc32(data).littleEndianBytes + UInt32(truncatingIfNeeded: data.count).littleEndianBytes
        return header + Deflate.encodeRaw(data) + trailer
    }
}
