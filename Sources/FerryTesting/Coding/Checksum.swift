import Foundation

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
    var littleEndianBytes: Data {
        withUnsafeBytes(of: littleEndian) { Data($0) }
    }

    /// The bytes of the number, most significant first.
    var bigEndianBytes: Data {
        withUnsafeBytes(of: bigEndian) { Data($0) }
    }
}
