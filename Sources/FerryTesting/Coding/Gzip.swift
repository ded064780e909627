import Foundation

/// Bodies for `Content-Encoding: gzip`: valid, but stored rather than made smaller.
///
/// A slice of one is a truncated stream, and a changed byte a corrupt one.
public enum Gzip {
    /// The gzip form (RFC 1952) of some bytes, with a valid check sum.
    public static func encode(_ data: Data) -> Data {
        let header = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
        let trailer = Checksum.crc32(data).littleEndianBytes + UInt32(truncatingIfNeeded: data.count).littleEndianBytes
        return header + Deflate.encodeRaw(data) + trailer
    }
}
