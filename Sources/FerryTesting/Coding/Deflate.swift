import Foundation

/// An encoder for bodies with `Content-Encoding: deflate`: valid, but stored rather than compressed.
public enum Deflate {
    /// Returns the data in the zlib format (RFC 1950), which `deflate` means in HTTP.
    public static func encode(_ data: Data) -> Data {
        Data([0x78, 0x01]) + encodeRaw(data) + Checksum.adler32(data).bigEndianBytes
    }

    /// Returns the data in the raw deflate format (RFC 1951), which some servers send as `deflate`.
    public static func encodeRaw(_ data: Data) -> Data {
        var result = Data()
        var rest = data[...]
        repeat {
            let piece = rest.prefix(65535)
            rest = rest.dropFirst(piece.count)
            let length = UInt16(piece.count)
            result.append(rest.isEmpty ? 1 : 0)
            result.append(length.littleEndianBytes)
            result.append((~length).littleEndianBytes)
            result.append(piece)
        } while !rest.isEmpty
        return result
    }
}
