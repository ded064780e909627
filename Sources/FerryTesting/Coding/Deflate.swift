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

/// An encoder for small test images.
enum PNG {
    /// Returns an image in shades of gray.
    static func encode(width: Int, height: Int) -> Data {
        var pixels = Data()
        for row in 0..<height {
            // Each row begins with its filter type: none.
            pixels.append(0)
            pixels.append(contentsOf: (0..<width).map { UInt8(truncatingIfNeeded: ($0 + row) * 16) })
        }
        let size = UInt32(width).bigEndianBytes + UInt32(height).bigEndianBytes
        return Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
            + chunk("IHDR", size + Data([8, 0, 0, 0, 0]))
            + chunk("IDAT", Deflate.encode(pixels))
            + chunk("IEND", Data())
    }

    private static func chunk(_ name: String, _ content: Data) -> Data {
        let named = Data(name.utf8) + content
        return UInt32(content.count).bigEndianBytes + named + Checksum.crc32(named).bigEndianBytes
    }
}

/// The checksums of gzip, zlib and PNG.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0xedb8_8320
        }
    }

    /// Returns the CRC-32 (RFC 1952 section 8).
    static func crc32(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }

    /// Returns the Adler-32 checksum (RFC 1950 section 8).
    static func adler32(_ data: Data) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in data {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        return high << 16 | low
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, least significant first.
    var littleEndianBytes: Data { withUnsafeBytes(of: littleEndian) { Data($0) } }

    /// The bytes of the number, most significant first.
    var bigEndianBytes: Data { withUnsafeBytes(of: bigEndian) { Data($0) } }
}
