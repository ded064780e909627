internal import FerryDigest
import Foundation

/// The SHA-256 hash (FIPS 180-4) of bytes that come in pieces.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(Data("abc".utf8))
/// print(hash.hexDigest)  // ba7816bf…
/// ```
public struct SHA256: Sendable {
    private var hash = SHA256Hash()

    /// Starts a hash of no bytes.
    public init() {}

    /// Adds bytes to the hash.
    public mutating func update(_ data: Data) {
        hash.update(data)
    }

    /// Adds bytes to the hash.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { hash.update($0) }
    }

    /// Adds bytes to the hash.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bytes)
    }

    /// The 32 bytes of the hash of everything added so far; more can be added afterwards.
    public var digest: [UInt8] { hash.digest }

    /// The hash of everything added so far as 64 lower-case hexadecimal digits.
    public var hexDigest: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in digest {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The hash of `data` as 64 lower-case hexadecimal digits.
    public static func hexDigest(of data: Data) -> String {
        var hash = SHA256()
        hash.update(data)
        return hash.hexDigest
    }
}
