/// A SHA-256 hash (FIPS 180-4), computed incrementally.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(Data("abc".utf8))
/// print(hash.hexDigest)  // ba7816bf…
/// ```
package struct SHA256: Sendable {
    private var hash = SHA256Hash()

    /// Creates a hash to which no bytes have been added.
    package init() {}

    /// Adds bytes to the hash.
    package mutating func update(_ data: Data) { hash.update(data) }

    /// Adds bytes to the hash.
    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { hash.update($0) } }

    /// Adds bytes to the hash.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { hash.update(bytes) }

    /// The 32 bytes of the hash of everything added so far; more may be added afterwards.
    package var digest: [UInt8] { hash.digest }

    /// The hash of everything added so far, as 64 lowercase hexadecimal digits.
    package var hexDigest: String { digest.hexadecimal }

    /// Returns the hash of `data` as 64 lowercase hexadecimal digits.
    package static func hexDigest(of data: Data) -> String {
        var hash = SHA256()
        hash.update(data)
        return hash.hexDigest
    }
}
