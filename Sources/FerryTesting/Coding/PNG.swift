import Foundation

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
